"""Finds the Firefox that tests drive, or gets one.

The order: `$FIREFOX`, one on PATH. With `--install`, where there is none: the package `firefox-esr`
on Debian as root, else one sentence that says what to do. Firefox as its makers ship it is driven
over WebDriver BiDi; Playwright's own, a build that it patches, is not what people have.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.async_api import Browser, Playwright

from tests.program_install import debian_sources, install_program

NAMES = ("firefox-esr", "firefox")
MAC = "/Applications/Firefox.app/Contents/MacOS/firefox"
NONE = "no Firefox; install one (on Debian: apt install firefox-esr), or name one in $FIREFOX"
ONLY_LOCAL = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1,localhost,.localhost"}
"""No host but our own can be reached: nobody answers for the others."""


def find_firefox() -> str | None:
    """Return the path of a Firefox, or None; raise when `$FIREFOX` names none."""
    if named := os.environ.get("FIREFOX"):
        found = shutil.which(named)
        if found is None:
            raise SystemExit(f"firefox: $FIREFOX names `{named}`, which is not a program")
        return found
    for name in NAMES:
        if found := shutil.which(name):
            return found
    return MAC if Path(MAC).exists() else None


async def launch_firefox(playwright: Playwright) -> Browser:
    """Start Firefox, driven by Playwright over WebDriver BiDi."""
    path = find_firefox()
    assert path is not None, NONE
    search = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return await playwright.firefox.launch(
        channel="moz-firefox",
        executable_path=Path(__file__).with_name("firefox_bidi.py"),
        env={**os.environ, "FIREFOX": path, "PATH": search},
        proxy=ONLY_LOCAL,  # type: ignore[arg-type]
    )


def install_firefox() -> str | None:
    """Get a Firefox where that is possible, and return its path."""
    return install_program("firefox", debian_sources("firefox-esr"), find_firefox)


if __name__ == "__main__":
    path = find_firefox()
    if path is None and "--install" in sys.argv:
        path = install_firefox()
    print(f"firefox: {path or NONE}")
