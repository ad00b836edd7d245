"""One page that tests take in turn, each as if it were new.

A new page takes as long as most of the tests that bring their own HTML. Between two tests the page
goes to `about:blank`, so that documents, frames, workers and registrations of the last one are
gone; what a tab keeps over that is cleared, and a test that leaves anything else behind takes the
page with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, CDPSession, Error, Page

from tests.browsers import BROWSER

BLANK = "about:blank"
LIMIT_S = 10.0
_FOREVER = (
    "add_init_script",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "route",
    "set_default_navigation_timeout",
    "set_default_timeout",
    "set_extra_http_headers",
    "set_viewport_size",
)
"""What changes a page for as long as it is open."""


class Turns:
    """The page of a context; nobody else opens pages in that context."""

    def __init__(self, context: BrowserContext) -> None:
        """Open nothing yet."""
        self._context = context
        self._page: Page | None = None
        self._tools: CDPSession | None = None
        self._heard: list[tuple[str, Callable[..., Any]]] = []
        self._changed = False
        self._origins: set[str] = set()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Page]:
        """Lend the page to one test."""
        page = self._page or await self._opened()
        self._page = None
        self._changed = False
        self._origins.clear()
        try:
            yield page
        finally:
            if await self._cleared(page):
                self._page = page
            else:
                await page.close()
            for other in self._context.pages:
                if other is not self._page:
                    await other.close()

    async def _opened(self) -> Page:
        page = await self._context.new_page()
        self._tools = await self._context.new_cdp_session(page) if BROWSER == "chromium" else None
        page.on("framenavigated", lambda frame: self._origins.add(_origin(frame.url)))
        listen = page.on

        def on(event: Any, f: Any) -> None:
            self._heard.append((event, f))
            listen(event, f)

        page.on = on  # type: ignore[method-assign]
        for name in _FOREVER:
            setattr(page, name, self._noted(getattr(page, name)))
        return page

    def _noted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **options: Any) -> Any:
            self._changed = True
            return method(*arguments, **options)

        return noted

    async def _cleared(self, page: Page) -> bool:
        """Make the page as it was at first; return whether it is."""
        heard, self._heard = self._heard, []
        # A tab keeps something for each origin that it was at, and clears it only when there.
        if self._changed or page.is_closed() or len(self._origins - {""}) > 1:
            return False
        try:
            async with asyncio.timeout(LIMIT_S):
                if origin := _origin(page.url):
                    if self._tools is None:
                        return False
                    await _clear(self._tools, origin)
                await page.goto(BLANK, wait_until="commit")
        except (Error, TimeoutError):
            return False
        for event, f in heard:
            page.remove_listener(event, f)
        return page.url == BLANK and len(page.frames) == 1


async def _clear(tools: CDPSession, origin: str) -> None:
    """Clear what the tab and the profile keep of an origin.

    Not by the page's `clear`, in whose place its script may have put anything.
    """
    storage = {"securityOrigin": origin, "isLocalStorage": False}
    await asyncio.gather(
        tools.send("DOMStorage.clear", {"storageId": storage}),
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}),
        tools.send("Runtime.evaluate", {"expression": "window.name = ''"}),
    )


def _origin(url: str) -> str:
    """Return the origin of a URL that has storage, an empty text for others."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme.startswith("http") else ""
