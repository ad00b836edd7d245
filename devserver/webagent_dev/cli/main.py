"""The command line: reads what was typed and hands it on."""

from __future__ import annotations

import gc
import time

_STARTED_S = time.perf_counter()

from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

import click  # noqa: E402

from webagent_dev import __version__, cli_agent, cli_doors, cli_eval, cli_sites, cli_testing  # noqa: E402
from webagent_dev.cli import exit as endings  # noqa: E402

if TYPE_CHECKING:
    from webagent_dev.config.model import Doors

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    """Lists its commands with what they do in a whole sentence; Ctrl-C ends each of them alike."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; click itself would end it with exit code 1."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            endings.interrupted()
        except click.Abort as abort:
            # Of a question; it may also have met the end of the input.
            if isinstance(abort.__context__, KeyboardInterrupt):
                endings.interrupted()
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list; click itself would cut each line at the width of the terminal."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, self.commands[name].get_short_help_str(200))
                    for name in sorted(self.commands)
                ]
            )


@click.group(cls=_Commands, context_settings=_HELP)
@click.version_option(__version__, prog_name="webagent-dev", message="%(prog)s %(version)s")
def main() -> None:
    """The development server for sites with a webagents.md.

    \b
    Example:
      webagent-dev init my-shop
      webagent-dev serve my-shop --open
    """  # noqa: D301 - \b is click's mark for lines that stay


@main.command()
@click.argument("root", required=False)
@click.option(
    "--host",
    help="Address to listen on; 0.0.0.0 for all, and then only visitors "
    "with the token that is printed get in.  [default: 127.0.0.1]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help="Port to listen on; if it is taken, the next free one. 0 means any.  [default: 8000]",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Another name that this server may be asked under, such as that of a tunnel; .NAME stands "
    "for all names below it. May be given several times.",
)
@click.option(
    "--https", is_flag=True, default=None, help="Serve over HTTPS, with a certificate made here."
)
@click.option(
    "--cert",
    type=click.Path(path_type=Path),
    help="Serve over HTTPS with this certificate, a PEM file.",
)
@click.option("--key", type=click.Path(path_type=Path), help="The key of that certificate.")
@click.option(
    "--spa",
    is_flag=True,
    default=None,
    help="Answer paths that lead to no file with the first page, for sites that route in the page.",
)
@click.option(
    "--proxy",
    metavar="URL",
    help="Stand in front of another server, such as Vite, Next, Django or Flask; ROOT then only "
    "holds webagents.md.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the site in your browser.")
@click.option(
    "--editor",
    metavar="COMMAND",
    help="What opens files when you click on an error in a page, such as code.  [default: "
    "$WEBAGENT_EDITOR, or one that is installed]",
)
@click.option(
    "--forward-console",
    is_flag=True,
    default=None,
    help="Show here what pages write to their consoles, errors that they do not catch, and what the "
    "agent does in them.",
)
@click.option(
    "--component-origin",
    "component_origins",
    multiple=True,
    metavar="ORIGIN",
    help="Another origin that makes up one application with this site: its pages may show this "
    "site's in frames, and tools go from frame to frame. May be given several times.",
)
@click.option(
    "--doors",
    type=click.Choice(["token", "open", "off"]),
    help="Who may use open pages by MCP (/mcp) and give tasks by A2A (/a2a/…): programs with the token of "
    "`webagent-dev token`, all programs of this machine, or none.  [default: token]",
)
@click.option(
    "--headless",
    is_flag=True,
    default=None,
    help="Let a call that finds no open page open one, in a Chromium that nobody sees.",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Another origin that tasks from outside may work on, in pages of that Chromium. May be given "
    "several times.",
)
@click.option(
    "--llm-base-url",
    metavar="URL",
    help="An OpenAI-compatible interface, for the agent in the pages; without one it plans by itself.",
)
@click.option("--llm-model", metavar="NAME", help="What that interface calls the model.")
@click.option(
    "--llm-api-key-env",
    metavar="VARIABLE",
    help="The variable of the environment that holds the key. Pages never see the key.",
)
@click.option(
    "--llm-max-usd",
    metavar="DOLLARS",
    help="What all pages together may spend while the server runs.",
)
def serve(
    root: str | None,
    host: str | None,
    port: int | None,
    allow_host: tuple[str, ...],
    https: bool | None,
    cert: Path | None,
    key: Path | None,
    spa: bool | None,
    proxy: str | None,
    open_browser: bool,
    editor: str | None,
    forward_console: bool | None,
    component_origins: tuple[str, ...],
    doors: Doors | None,
    headless: bool | None,
    allow_origin: tuple[str, ...],
    llm_base_url: str | None,
    llm_model: str | None,
    llm_api_key_env: str | None,
    llm_max_usd: str | None,
) -> None:
    """Serve the folder ROOT (by default this one) and reload its pages when you save.

    Pages get an agent that reads ROOT/webagents.md. What is wrong with that file is shown here and in
    the page as soon as you save it. What is not typed here is taken from webagent.toml, in ROOT or
    in this folder.

    \b
    Example:
      webagent-dev serve my-site --open
      webagent-dev serve --proxy http://localhost:5173
      webagent-dev serve my-site --llm-base-url http://localhost:11434/v1 --llm-model qwen3
    """  # noqa: D301 - \b is click's mark for lines that stay
    # Nothing that is loaded is garbage: to look for some takes a tenth of the time to start.
    gc.disable()
    # Imported here, so that --help and --version answer at once.
    from webagent_dev.config.resolve import resolve_config
    from webagent_dev.errors import ConfigError
    from webagent_dev.terminal import Console

    try:
        config = resolve_config(
            root,
            host=host,
            port=port,
            open_browser=open_browser,
            editor=editor,
            forward_console=forward_console,
            https=https,
            cert=cert,
            key=key,
            allow_host=allow_host,
            component_origins=component_origins,
            spa=spa,
            proxy=proxy,
            doors=doors,
            headless=headless,
            allow_origin=allow_origin,
            llm={
                "base_url": llm_base_url,
                "model": llm_model,
                "api_key_env": llm_api_key_env,
                "max_usd": llm_max_usd,
            },
        )
        from webagent_dev.server import runner as server

        server.serve(config, Console.for_terminal(), started_s=_STARTED_S)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    finally:
        gc.enable()


@main.command()
@click.argument("targets", metavar="[PATH|URL]...", nargs=-1)
@click.option(
    "--format",
    "style",
    default="full",
    show_default=True,
    type=click.Choice(["full", "concise", "json", "sarif", "github"]),
    help="How findings are written: for people, for editors, for programs, for code hosts.",
)
@click.option("--select", multiple=True, metavar="RULE,...", help="Look for these rules only.")
@click.option("--ignore", multiple=True, metavar="RULE,...", help="Leave these rules out.")
@click.option("--fix", is_flag=True, help="Mend what can be mended, and nothing else.")
def check(
    targets: tuple[str, ...],
    style: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool,
) -> None:
    """Say what is wrong with manifests, where, and what to write instead.

    A PATH is a file, or a folder with a webagents.md, by default this one; - is standard input. A
    URL is that of a manifest, or of a page that announces one; then what its server says is looked at
    too, and the page itself in a headless browser. The exit code is 1 if there is an error and 2 if
    something cannot be checked.

    \b
    Example:
      webagent-dev check my-site --ignore missing-output
      webagent-dev check https://shop.example/
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.check import run

        console = endings.output()
        return run(targets, console, style=style, select=select, ignore=ignore, fix=fix)

    endings.end(command)


@main.command()
@click.argument("targets", metavar="[PATH]...", nargs=-1)
@click.option("--check", is_flag=True, help="Show what would change, and change nothing.")
def fmt(targets: tuple[str, ...], check: bool) -> None:
    """Write manifests anew, in one form and order.

    Files are changed where they lie; - is standard input, and goes to standard output. No word of
    yours is lost: a file in which one would be is left as it is, with the reason. The exit code is
    1 if a file is left, or would change under --check.

    \b
    Example:
      webagent-dev fmt --check my-site
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.fmt import run

        return run(targets, endings.output(), check=check)

    endings.end(command)


@main.command()
@click.argument("target", metavar="[PATH|URL]", default=".")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write."
)
@click.option("--implement", is_flag=True, help="Write an interface for the site's own code.")
def types(target: str, output: Path | None, implement: bool) -> None:
    """Write the TypeScript declarations of the tools.

    With --implement they are an interface, WebAgentTools, that the functions of the site can be
    checked against when it is built.

    \b
    Example:
      webagent-dev types my-site --implement -o my-site/webagent-tools.ts
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.types import run

        return run(target, endings.output(), output=output, implement=implement)

    endings.end(command)


@main.command()
@click.argument("target", metavar="[PATH|URL]", default=".")
def schema(target: str) -> None:
    """Write the JSON Schema of every tool: what it takes, by name, and what it gives.

    \b
    Example:
      webagent-dev schema my-site
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.schema import run

        return run(target, endings.output())

    endings.end(command)


@main.command()
@click.argument("rule", required=False)
def explain(rule: str | None) -> None:
    """Tell what RULE finds, why that matters and what to write instead; without RULE, list all.

    \b
    Example:
      webagent-dev explain unclosed-fence
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.explain import run

        return run(rule, endings.output())

    endings.end(command)


for command in (
    *cli_sites.COMMANDS,
    *cli_testing.COMMANDS,
    *cli_agent.COMMANDS,
    *cli_eval.COMMANDS,
    *cli_doors.COMMANDS,
):
    main.add_command(command)
