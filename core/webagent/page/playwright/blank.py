"""A blank page beside the page of a site, for scripts that the site must not see or disturb."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page, Route

_HOME = "https://sandbox.webagent.invalid/"
"""Address of the blank page. The driver answers for it, so no host is ever contacted."""
_BLANK = "<!doctype html><html lang=en><title>webagent</title></html>"
_POLICY = "default-src 'none'; frame-src 'self'"


class BlankPage:
    """A page of its own browser context, which loads nothing; it is opened when first needed."""

    def __init__(self, page: Page) -> None:
        """Use the browser of this page; the blank page has no access to it."""
        self._page = page
        self._blank: Page | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> Page:
        """Return the blank page; the same one until it is closed.

        Raises:
            Error: Of Playwright; the browser opens no page.
        """
        async with self._opening:
            if self._blank is None or self._blank.is_closed():
                browser = self._page.context.browser
                context = await browser.new_context() if browser else self._page.context
                blank = await context.new_page()
                await blank.route("**/*", _answer)
                await blank.goto(_HOME)
                self._blank = blank
            return self._blank

    async def close(self) -> None:
        """Close the page; it is opened anew when it is needed again."""
        from playwright.async_api import Error

        blank, self._blank = self._blank, None
        if blank is None:
            return
        with suppress(Error):
            # In a browser with a profile there is no context of our own, only the page.
            await (blank.context if blank.context != self._page.context else blank).close()


@cache
def script_text(name: str) -> str:
    """Return a script that is brought into pages from outside, by the name of its file."""
    return (resources.files("webagent.page") / "js" / name).read_text("utf-8")


async def _answer(route: Route) -> None:
    """Answer the requests of the blank page and its frame, and abort all others."""
    if route.request.url == _HOME:
        headers = {"content-security-policy": _POLICY}
        await route.fulfill(body=_BLANK, content_type="text/html", headers=headers)
    elif route.request.url == f"{_HOME}sandbox.html":
        await route.fulfill(body=script_text("sandbox.html"), content_type="text/html")
    else:
        await route.abort()
