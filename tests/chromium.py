"""Finds the Chromium that tests drive, or gets one.

The order: `$CHROMIUM`, one on PATH, Playwright's own. With `--install`, where there is none:
Playwright's download, else the package `chromium` on Debian as root, else one sentence that says
what to do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
UNSEEN = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "PreloadTopChromeWebUI",
)
"""Pages of the browser's own window, which it prepares anew with each page, also where nobody sees it."""
ARGS = (
    f"--disable-features={','.join(UNSEEN)}",
    "--disable-gpu",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""What Chromium is started with: quiet, and at home in a container."""


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None; raise when `$CHROMIUM` names none."""
    if named := os.environ.get("CHROMIUM"):
        found = shutil.which(named)
        if found is None:
            raise SystemExit(f"chromium: $CHROMIUM names `{named}`, which is not a program")
        return found
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if Path(MAC).exists():
        return MAC
    return playwrights_own()


def playwrights_own() -> str | None:
    """Return the path of the browser that `playwright install` has fetched, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install_chromium() -> str:
    """Get a Chromium and return its path, or stop with a sentence that says what to do."""
    print("chromium: none found; asking Playwright for its own", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    if subprocess.run(command, check=False).returncode == 0 and (found := find_chromium()):
        return found
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("chromium: installing Debian's package", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update", "-q"], ["install", "-qy", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", *words], check=False, env=quiet, stdout=subprocess.DEVNULL)
        if found := find_chromium():
            return found
    raise SystemExit(
        "chromium: the tests need a Chromium; install one (on Debian: apt install chromium) "
        "or name it: CHROMIUM=/path/to/chromium make test"
    )


if __name__ == "__main__":
    path = find_chromium()
    if path is None and "--install" in sys.argv:
        path = install_chromium()
    print(f"chromium: {path}" if path else "chromium: none")
