"""`webagent-dev bundle`: the page bundle with Python packages of a site's own."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

from webagent_dev.cli.doctor import bundle_sign
from webagent_dev.config.folders import BUNDLE, listed_in
from webagent_dev.errors import UsageError
from webagent_dev.publish.packages import Package, find_packages, write_bundle
from webagent_dev.terminal import Console, printable


def run(wanted: Sequence[str], console: Console, *, out: Path, bundle: Path = BUNDLE) -> int:
    """Write the bundle; return 1 if it has all that is wanted already, and write nothing then.

    Args:
        wanted: Requirements as pip takes them, and paths of wheels.
        console: Told of each stage.
        out: The folder to write.
        bundle: What the new one is made of.

    Raises:
        UsageError: There is no browser, a package cannot be had, or something cannot be written.
    """
    if not (sign := bundle_sign(bundle)).well:
        raise UsageError(f"the page bundle cannot be added to: {sign.text}")
    if out.exists() and not _is_written(out):
        raise UsageError(
            f"`{out}` is there already - nothing of yours is overwritten - "
            "write another folder behind `--out`"
        )

    def say(text: str) -> None:
        console.labelled("bundle", printable(text))

    packages = asyncio.run(find_packages(bundle, list(wanted), say))
    if not packages:
        say("nothing was written: the installed bundle has these packages already")
        return 1
    say(f"writing {out}")
    try:
        write_bundle(bundle, out, packages)
    except (OSError, shutil.Error) as error:
        raise UsageError(
            f"`{out}` cannot be written - {error} - write a folder behind `--out` that you may write to"
        ) from None
    _tell(console, packages, out)
    return 0


def _is_written(out: Path) -> bool:
    """Whether a folder was written by this command."""
    try:
        return "made_of" in listed_in(out)
    except (OSError, ValueError):
        return False


def _tell(console: Console, packages: list[Package], out: Path) -> None:
    console.line()
    width = max(len(package.file) for package in packages)
    console.line(f"  {'added':<{width}}  {'bytes':>10}  imported as")
    for package in packages:
        names = ", ".join(package.entry["imports"])
        console.line(f"  {package.file:<{width}}  {len(package.data):>10}  {names}")
    console.line()
    console.line("a page fetches each when it imports it; its start takes what it took before")
    console.line(f'write `bundle = "{out}"` under `[site]` in webagent.toml to use it')
