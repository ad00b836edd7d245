"""`webagent-dev bundle`: a page bundle with Python packages of the site's own."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console
from webagent_site.config.folders import BUNDLE, read_index
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_dev.publish.packages import Package


@click.command("bundle")
@click.option(
    "--add",
    "requirements",
    multiple=True,
    required=True,
    metavar="PACKAGE",
    help="A package that pages can import: a requirement as pip takes it, or the path of a wheel. "
    "May be given several times.",
)
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    default="webagent-bundle",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder to write.",
)
@run_command
def command(console: Console, requirements: tuple[str, ...], out: Path) -> int:
    """Write a page bundle with Python packages of your own, for the agent of your site.

    The packages are found as micropip finds them in a page, compiled in a headless Chromium, and
    added to the installed bundle. A page downloads one when it imports it. `bundle = "DIR"` under
    [site] in webagent.toml then lets `serve` and `build` use the new bundle.

    \b
    Example:
      webagent-dev bundle --add rapidfuzz --add dist/mine-1.0-py3-none-any.whl
    """
    from webagent_dev.cli.doctor import check_bundle
    from webagent_dev.publish.packages import find_packages, write_bundle

    if not (checked := check_bundle(BUNDLE)).ok:
        raise UsageError(f"the page bundle cannot be added to: {checked.text}")
    if out.exists() and not _was_written_here(out):
        raise UsageError(
            f"`{out}` exists already - nothing of yours is overwritten - "
            "give `--out` another folder"
        )

    def report(text: str) -> None:
        console.labelled("bundle", printable(text))

    packages = asyncio.run(find_packages(BUNDLE, list(requirements), report))
    if not packages:
        report("nothing was written: the installed bundle has these packages already")
        return 1
    report(f"writing {out}")
    try:
        write_bundle(BUNDLE, out, packages)
    except (OSError, shutil.Error) as error:
        raise UsageError(
            f"`{out}` cannot be written - {error} - write a folder behind `--out` that you may write to"
        ) from None
    _list_packages(console, packages, out)
    return 0


def _was_written_here(out: Path) -> bool:
    """Whether a folder was written by this command, which may then write it again."""
    try:
        return "made_of" in read_index(out)
    except (OSError, ValueError):
        return False


def _list_packages(console: Console, packages: Sequence[Package], out: Path) -> None:
    console.line()
    width = max(len(package.file) for package in packages)
    console.line(f"  {'added':<{width}}  {'bytes':>10}  imported as")
    for package in packages:
        names = ", ".join(package.entry["imports"])
        console.line(f"  {package.file:<{width}}  {len(package.data):>10}  {names}")
    console.line()
    console.line("a page downloads a package when it imports it; its start takes as long as before")
    console.line(f'write `bundle = "{out}"` under `[site]` in webagent.toml to use it')
