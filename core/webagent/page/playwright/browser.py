"""A page in a browser of its own, for programs that have none."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from webagent.errors import NoPage
from webagent.page.playwright.origin import first_line
from webagent.page.playwright.page import PlaywrightPage
from webagent.urls import absolute, origin_of

if TYPE_CHECKING:
    from playwright.async_api import Page

_PATH = "/webagents.md"
_ANNOUNCED = "document.querySelector('meta[name=webagents-md i]')?.content || ''"
_FETCH = "(url) => fetch(url).then((answer) => (answer.ok ? answer.text() : ''), () => '')"


@asynccontextmanager
async def open_in_browser(url: str, *, headed: bool) -> AsyncIterator[tuple[PlaywrightPage, str]]:
    """Open an address in a browser, which ends with the block; yield the page and its manifest.

    Args:
        url: The address.
        headed: Whether the browser has a window.

    Raises:
        NoPage: Playwright, a browser or the page is missing.
    """
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError:
        raise NoPage(
            "a browser is started by Playwright, which is not installed",
            help='run `pip install "webagent-dev[browser]"`',
        ) from None
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM"), headless=not headed
            )
        except Error as error:
            raise NoPage(
                f"no Chromium can be started: {first_line(error)}",
                help="run `playwright install chromium`, or name one in the variable `CHROMIUM`",
            ) from error
        try:
            page = await browser.new_page()
            try:
                await page.goto(url)
            except Error as error:
                raise NoPage(
                    f"`{url}` cannot be opened: {first_line(error)}",
                    help="check the address and its server",
                ) from error
            port = PlaywrightPage(page)
            try:
                yield port, await _manifest(page)
            finally:
                await port.close()
        finally:
            await browser.close()


async def _manifest(page: Page) -> str:
    """Return the manifest that the page announces on its own origin, or the text at the usual path."""
    url = absolute(page.url, str(await page.evaluate(_ANNOUNCED)) or _PATH)
    if url is None or origin_of(url) != origin_of(page.url):
        return ""
    return str(await page.evaluate(_FETCH, url))
