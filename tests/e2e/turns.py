"""One page that tests take in turn, each as if it were new.

A new page takes as long as most of the tests that bring their own HTML. Between two tests the page
goes to an empty document of the same origin, so that the last one's documents, frames, workers and
registrations are gone. There, what the page stored while it was left is cleared as well. A test
that leaves anything else behind takes the page with it.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, CDPSession, Dialog, Error, Page

from tests.browsers import BROWSER

OVER = "/__turn_over__"
"""The path of the empty document; no server is asked for it."""
EMPTY = base64.b64encode(b'<!doctype html><link rel="icon" href="data:,">').decode()
"""Which names an icon, so that no browser looks for one."""
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
"""The methods that change a page for as long as it is open."""


class Turns:
    """The page of a context that tests share; windows that a test has opened are closed."""

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
        before = self._context.pages
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
                if other not in before:
                    await other.close()

    async def _opened(self) -> Page:
        page = await self._context.new_page()
        self._tools = await _tools(self._context, page)
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
        origin = _origin(page.url)
        # A tab keeps something for each origin that it was at, and clears it only when there.
        if self._changed or page.is_closed() or self._origins - {"", origin}:
            return False
        for event, f in heard:
            if event == "dialog":
                page.remove_listener(event, f)
        try:
            async with asyncio.timeout(LIMIT_S):
                if origin:
                    if self._tools is None:
                        return False
                    await _leave(page, self._tools, origin)
        except (Error, TimeoutError):
            return False
        self._heard.clear()
        for event, f in heard:
            if event != "dialog":
                page.remove_listener(event, f)
        return len(page.frames) == 1


async def _tools(context: BrowserContext, page: Page) -> CDPSession | None:
    """Return what steers the page past its scripts; only Chromium has it."""
    if BROWSER != "chromium":
        return None
    tools = await context.new_cdp_session(page)
    answers: set[asyncio.Future[Any]] = set()

    def answer(event: dict[str, Any]) -> None:
        given = {
            "requestId": event["requestId"],
            "responseCode": 200,
            "responseHeaders": [{"name": "content-type", "value": "text/html"}],
            "body": EMPTY,
        }
        answers.add(sent := asyncio.ensure_future(tools.send("Fetch.fulfillRequest", given)))
        sent.add_done_callback(answers.discard)

    tools.on("Fetch.requestPaused", answer)
    await tools.send("Fetch.enable", {"patterns": [{"urlPattern": f"*{OVER}"}]})
    return tools


async def _leave(page: Page, tools: CDPSession, origin: str) -> None:
    """Go to the empty document, and clear what the tab and the profile keep of the origin."""
    page.on("dialog", _accept)
    try:
        await page.goto(origin + OVER)
    finally:
        page.remove_listener("dialog", _accept)
    await asyncio.gather(
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}),
        page.evaluate("() => { sessionStorage.clear(); window.name = ''; }"),
        page.mouse.move(0, 0),
    )


async def _accept(dialog: Dialog) -> None:
    """Leave a page that asks whether to stay."""
    await dialog.accept()


def _origin(url: str) -> str:
    """Return the origin of a URL that has storage, an empty text for others."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme.startswith("http") else ""
