"""A headless Chromium for commands that open pages as visitors do."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webagent_dev.config.extras import BROWSER
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from webagent_dev.config.saved_sessions import SavedSession

FEATURES = (
    "AimEnabled",
    "AutofillServerCommunication",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "TcpPortRandomizationWin",
    "ThirdPartyStoragePartitioning",
    "msEdgeUpdateLaunchServicesPreferredVersion",
    "msForceBrowserSignIn",
    "PreloadTopChromeWebUI",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
)
"""Features of Chromium to disable: those that Playwright disables (Chromium uses only the last such
list), pages of its own window, which it creates with each page even when headless, and what it
reports to its maker about the fields of forms."""

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

_WHY = {
    "ERR_CONNECTION_REFUSED": "nothing listens there, so its server may have to be started",
    "ERR_NAME_NOT_RESOLVED": "no host of that name is known",
    "ERR_UNSAFE_PORT": "browsers refuse that port",
    "ERR_CERT_": "its certificate is not one that browsers trust",
    "ERR_SSL_": "it does not speak HTTPS as browsers do",
    "ERR_EMPTY_RESPONSE": "it closed the connection without an answer",
    "ERR_CONNECTION_RESET": "it closed the connection without an answer",
    "ERR_INTERNET_DISCONNECTED": "there is no network",
    "ERR_CONNECTION_TIMED_OUT": "it did not load in time",
    "Timeout": "it did not load in time",
}
"""Errors of Chromium for an address that it cannot open, in words."""


_NO_DISPLAY = "having a XServer running"
"""In the error of Playwright where no window can be shown."""


class NoBrowser(UsageError):
    """There is no browser; the message says how to get one."""


@asynccontextmanager
async def open_blank_page(
    *, headed: bool = False, session: SavedSession | None = None
) -> AsyncIterator[Page]:
    """Open an empty page of a fresh profile.

    Args:
        headed: Whether it has a window.
        session: What the profile has from the beginning.

    Raises:
        NoBrowser: Playwright or a browser is missing.
    """
    say_opening()
    async with launch_browser(headed=headed) as browser:
        yield await browser.new_page(storage_state=session.storage_state if session else None)


def say_opening() -> None:
    """Tell a person in front of a terminal why it takes a while."""
    if sys.stderr.isatty():
        click.echo("opening a page in Chromium …", err=True)


@asynccontextmanager
async def launch_browser(*switches: str, headed: bool = False) -> AsyncIterator[Browser]:
    """Start a browser, and end it with the block; it also ends if this process is killed.

    Args:
        switches: More arguments of Chromium.
        headed: Whether it has a window.

    Raises:
        NoBrowser: Playwright or a browser is missing.
    """
    if problem := BROWSER.problem:
        raise NoBrowser(problem)
    from playwright.async_api import Error, async_playwright

    async with async_playwright() as playwright:
        path = find_browser()
        try:
            browser = await playwright.chromium.launch(
                executable_path=path, headless=not headed, args=[*arguments(), *switches]
            )
        except Error as error:
            if _NO_DISPLAY in str(error):
                raise NoBrowser(
                    "no window can be shown - there is no display here - run this on a desktop, or "
                    "behind `xvfb-run -a`, which has one that nobody sees"
                ) from None
            reason = str(error).strip().splitlines()[0]
            raise NoBrowser(
                f"no Chromium can be started - {reason} - run `playwright install chromium`, "
                "or name one in the variable `CHROMIUM`"
            ) from None
        try:
            yield browser
        finally:
            # After Ctrl-C the browser is gone, and so is who waits for the answers of its pages.
            asyncio.get_running_loop().set_exception_handler(_report_all_but(Error))
            await browser.close()


def _report_all_but(
    expected: type[Exception],
) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Return a handler that reports the errors nobody waits for, but for those of a kind."""

    def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, expected) and "Connection closed" not in str(error):
            loop.default_exception_handler(context)

    return report


def failure_reason(error: Exception, behind_proxy: str = "") -> str:
    """Return in words why a browser could not open an address.

    Args:
        error: What it has reported.
        behind_proxy: The error of its proxy, in Chromium's words.
    """
    text = str(error).strip().splitlines()[0].removeprefix("Page.goto: ")
    if behind_proxy:
        text = text.replace("ERR_SOCKS_CONNECTION_FAILED", behind_proxy)
    for code, words in _WHY.items():
        if code in text:
            return words
    return text


def find_browser() -> str | None:
    """Return the path of a Chromium of this machine, None to leave the choice to Playwright.

    Raises:
        NoBrowser: `$CHROMIUM` does not name a program.
    """
    if named := os.environ.get("CHROMIUM"):
        found = shutil.which(named)
        if found is None:
            raise NoBrowser(
                f"`CHROMIUM` names `{named}`, which is not a program - "
                "set it to the path of a Chromium, or unset it"
            )
        return found
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or (_MAC if Path(_MAC).exists() else None)


def arguments() -> list[str]:
    """Return the arguments of Chromium: no background activity, and for containers."""
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    quiet.append(f"--disable-features={','.join(FEATURES)}")
    # Chromium refuses to run its sandbox as root, and containers mostly run as root.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*quiet, "--disable-gpu", *(["--no-sandbox"] if root else [])]
