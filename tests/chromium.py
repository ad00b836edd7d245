"""Finds the Chromium that tests drive, or gets one.

The order: `$CHROMIUM`, one on PATH, Playwright's own. With `--install`, where there is none:
Playwright's download, which leaves the system as it is; else the package `chromium` on Debian as
root; else one sentence that says what to do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.program_install import Source, debian_sources, install_program
from webagent_dev.browser.chromium import NoBrowser, arguments, find_browser

ARGS = tuple(dict.fromkeys((*arguments(), "--no-sandbox")))
"""The arguments with which every caller starts Chromium."""


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None; raise when `$CHROMIUM` names none."""
    return find_browser() or playwrights_own()


def playwrights_own() -> str | None:
    """Return the path of the browser that `playwright install` has fetched, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install_chromium() -> str:
    """Get a Chromium and return its path, or stop with a sentence that says what to do."""
    download = (sys.executable, "-m", "playwright", "install", "chromium")
    sources = [Source("Playwright's build", (download,)), *debian_sources("chromium")]
    if found := install_program("chromium", sources, find_chromium):
        return found
    raise SystemExit(
        "chromium: the tests need a Chromium; install one (on Debian: apt install chromium) "
        "or name it: CHROMIUM=/path/to/chromium make test"
    )


if __name__ == "__main__":
    try:
        path = find_chromium()
    except NoBrowser as error:
        raise SystemExit(f"chromium: {error}") from None
    if path is None and "--install" in sys.argv:
        path = install_chromium()
    print(f"chromium: {path}" if path else "chromium: none")
