"""The commands that make, change and publish sites."""

from __future__ import annotations

from pathlib import Path

import click

from webagent_dev.cli import exit as endings
from webagent_dev.cli.exit import end
from webagent_dev.cli.options import as_application, in_which_page


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A site that is there: add webagents.md and the tag that announces it, and nothing else.",
)
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.pass_context
def init(context: click.Context, folder: Path, into: Path | None, yes: bool) -> None:
    """Write a small bookshop into DIR (by default this folder) to start from.

    With --into, a site of yours gets what it needs instead: a webagents.md, and in each page the tag
    that announces it. What would change is shown first, and nothing is written before you say so.

    \b
    Example:
      webagent-dev init my-shop
      webagent-dev init --into my-site
    """  # noqa: D301 - \b is click's mark for lines that stay
    named = context.get_parameter_source("folder") is not click.core.ParameterSource.DEFAULT

    def command() -> int:
        from webagent_dev.cli import init as command

        if into is not None:
            return command.into(into, endings.output(), yes=yes, beside=folder if named else None)
        return command.create(folder, endings.output())

    end(command)


@click.command()
@click.argument("root", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Where to write."
)
@click.option(
    "--base",
    default="/",
    show_default=True,
    metavar="PATH",
    help="The path of the URL under which the site will be served.",
)
@click.option(
    "--llm",
    metavar="URL#NAME",
    help="Where pages ask a model: an address of your own server, which holds the key.",
)
def build(root: Path | None, out: Path, base: str, llm: str | None) -> None:
    """Write the site in ROOT (by default this folder) as static files, ready for any host.

    The files are copied; pages get the tags of the agent, the agent gets a folder with a name of its
    own, and beside each file stand smaller copies of it. What the server has to set is printed.

    \b
    Example:
      webagent-dev build my-site --out public --base /app/
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.build import run
        from webagent_dev.config.folders import BUNDLE
        from webagent_dev.config.resolve import resolve_config
        from webagent_dev.errors import ConfigError, UsageError
        from webagent_dev.site.source import source_of

        try:
            config = resolve_config(None if root is None else str(root))
        except ConfigError as error:
            raise UsageError(str(error)) from None
        if config.proxy and root is None:
            raise UsageError(
                f"the site stands behind `{config.proxy}` - only files can be built - "
                "build it with its own tools, and write `webagent-dev build ITS-OUTPUT --out …`"
            )
        # Published pages have no overlay that could be off.
        options = {name: value for name, value in config.page_options.items() if name != "overlay"}
        manifest = source_of(config, endings.output()).read()
        if manifest is None and (config.manifest or config.manifest_command):
            raise UsageError(
                f"`{config.file}` says where the manifest comes from, and nothing is there - "
                "a site is not published without its tools - mend `[site]` in that file"
            )
        return run(
            config.root,
            endings.output(),
            out=out,
            base=base,
            options=options,
            llm=llm,
            manifest=manifest,
            bundle=config.bundle or BUNDLE,
        )

    end(command)


@click.command()
@click.option(
    "--add",
    "wanted",
    multiple=True,
    required=True,
    metavar="PACKAGE",
    help="What pages shall be able to import: a name as pip takes it, or the path of a wheel. May be "
    "given several times.",
)
@click.option(
    "--out",
    default="webagent-bundle",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to write.",
)
def bundle(wanted: tuple[str, ...], out: Path) -> None:
    """Write a bundle with Python packages of your own, for the agent of your site.

    They are found as micropip finds them in a page, compiled in a headless Chromium, and added to what
    pages download anyway; a page gets one when it imports it. `bundle = "DIR"` under [site] in
    webagent.toml then lets `serve` and `build` use it.

    \b
    Example:
      webagent-dev bundle --add rapidfuzz --add dist/mine-1.0-py3-none-any.whl
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.bundle import run

        return run(wanted, endings.output(), out=out)

    end(command)


@click.command()
@click.argument("target", metavar="[URL|ROOT]", default=".")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write."
)
@click.option(
    "--pages",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="How many pages are read, following links of the site.",
)
@as_application
def extract(target: str, output: Path | None, pages: int, spa: bool) -> None:
    """Draft a webagents.md from the forms, scripts and functions of a site.

    The pages of the folder ROOT (by default this one), or at a URL, are opened in a headless
    browser. What is declared already stays. Forms are read and never sent, functions never called.

    \b
    Example:
      webagent-dev extract my-site -o my-site/webagents.md
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        import sys

        from webagent_dev.cli.extract import run
        from webagent_dev.terminal import Console

        notes = Console(sys.stderr)
        return run(target, endings.output(), notes, output=output, pages=pages, spa=spa or None)

    end(command)


@click.command()
@click.argument("tool")
@click.argument("arguments", metavar="[NAME=VALUE]...", nargs=-1)
@click.option(
    "--site", default=".", metavar="URL|ROOT", help="Where it is, by default this folder."
)
@in_which_page
@click.option("--json", "as_json", is_flag=True, help="Write the whole result, for programs.")
def call(
    tool: str,
    arguments: tuple[str, ...],
    site: str,
    page: str,
    tab: str,
    spa: bool,
    headless: bool,
    headed: bool,
    as_json: bool,
) -> None:
    """Call a TOOL of a site and write what it gives.

    While `webagent-dev serve` runs for the site and a page of it is open, the call is made there,
    with whatever the page knows; otherwise in a fresh page of a headless browser. Arguments go by
    name, as text or JSON, or all together as one JSON object. The exit code is 1 if the call fails.

    \b
    Example:
      webagent-dev call searchBooks query=harbour limit=3 --site my-site
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.call import run

        console = endings.output()
        fresh = headless or headed or spa or bool(page)
        return run(
            tool,
            arguments,
            console,
            site=site,
            page=page,
            tab=tab,
            spa=spa or None,
            fresh=fresh,
            headed=headed,
            as_json=as_json,
        )

    end(command)


COMMANDS = (init, extract, call, bundle, build)
"""In the order of a site's life."""
