"""The commands that prove what a site promises."""

from __future__ import annotations

from pathlib import Path

import click

from webagent_dev.cli import exit as endings
from webagent_dev.cli.exit import end
from webagent_dev.cli.options import as_application

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("target", metavar="[ROOT|URL]", required=False)
@click.option(
    "--only",
    multiple=True,
    metavar="TOOL",
    help="Prove this tool alone. May be given several times.",
)
@click.option(
    "--allow-unknown",
    is_flag=True,
    help="Call tools too that do not say whether they write, as their sample code does.",
)
@click.option(
    "--allow-writes",
    is_flag=True,
    help="Call tools too that write, as their sample code does; `[test] reset` puts the site back.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long a call may take whose tool does not say so itself.  [default: 10]",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="NUMBER",
    help="Where generated arguments come from; another number generates other ones.",
)
@click.option("--html", type=_FILE, metavar="FILE", help="Write a page for people.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write JUnit XML, for build servers.")
@click.option("--json", type=_FILE, metavar="FILE", help="Write JSON, for programs.")
@click.option(
    "--update",
    is_flag=True,
    help="Show the manifest with the types that were seen, and write it if you say so.",
)
@click.option("--yes", is_flag=True, help="Write without asking.")
@as_application
@click.option("--headed", is_flag=True, help="In a browser that you see.")
def test(
    target: str | None,
    only: tuple[str, ...],
    allow_unknown: bool,
    allow_writes: bool,
    timeout_s: float | None,
    seed: int,
    html: Path | None,
    junit: Path | None,
    json: Path | None,
    update: bool,
    yes: bool,
    spa: bool,
    headed: bool,
) -> None:
    """Prove that the pages of a site do what its manifest says.

    Each tool of the folder ROOT (by default this one), or of the site at a URL, is looked for and
    called in a headless browser: its sample code, then arguments made from its types. Tools that write
    are not called unless you allow it. The exit code is 1 if a promise is broken.

    \b
    Example:
      webagent-dev test my-site --html report.html
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        import sys

        from webagent_dev.cli.test import Choices, run
        from webagent_dev.terminal import Console

        files = {"html": html, "junit": junit, "json": json}
        choices = Choices(
            frozenset(only),
            allow_unknown,
            allow_writes,
            timeout_s,
            seed,
            spa or None,
            headed,
            {name: path for name, path in files.items() if path},
            update,
            yes,
        )
        notes = Console(sys.stderr, color=sys.stderr.isatty())
        return run(target, endings.output(), notes, choices)

    end(command)


COMMANDS = (test,)
"""In the order in which a site needs them."""
