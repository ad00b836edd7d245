"""Waits until a page is idle: it shows nothing new, and waits for nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page, Request, Response

REST_S = 0.6
"""How long a page must stay as it is."""
LONGEST_S = 15.0
LOOK_S = 0.15
_SLOW_S = 6.0
"""After so long an open request for data is taken for one that has no end."""
_ARRIVAL_MS = 10_000
"""How long a document may take to come after the one before it has gone."""
_STREAMS = frozenset(("eventsource", "websocket", "media", "image", "font", "ping"))
"""Requests whose end brings no tools."""

TIMERS = """
    (() => {
        const {setTimeout: start, clearTimeout: stop} = globalThis;
        const waiting = new Set();
        const often = new Map();
        globalThis.setTimeout = (run, ms = 0, ...given) => {
            // One that comes again and again is a clock.
            const times = (often.get(ms) ?? 0) + 1;
            often.set(ms, times);
            if (typeof run !== "function" || !(ms <= 10000) || times > 5) {
                return start(run, ms, ...given);
            }
            const timer = start((...args) => {
                waiting.delete(timer);
                return run.apply(globalThis, args);
            }, ms, ...given);
            waiting.add(timer);
            return timer;
        };
        globalThis.clearTimeout = (timer) => {
            waiting.delete(timer);
            stop(timer);
        };
        Object.defineProperty(globalThis, "__webagentWaits", {value: () => waiting.size > 0});
    })();
"""
"""Runs before every script of a page, and knows of the timers that it has set."""

_WAITS = "document.readyState === 'loading' || (globalThis.__webagentWaits?.() ?? false)"


class Settling:
    """The activity of a page while it is read."""

    def __init__(self, page: Page) -> None:
        """Listen to a page; its documents from the next one on have `TIMERS`."""
        self._page = page
        self._open: dict[Request, float] = {}
        self._unready = -_SLOW_S
        """When a script was not there yet."""
        self.documents = 0
        """How many documents the page has had."""
        page.on("domcontentloaded", self._arrived)
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("response", self._answered)

    @classmethod
    async def of(cls, page: Page) -> Settling:
        """Return that of an empty page."""
        await page.add_init_script(TIMERS)
        return cls(page)

    async def rest(self, look: Callable[[], Awaitable[str]]) -> None:
        """Wait until the page offers nothing new and waits for nothing.

        Args:
            look: Returns what it offers, as text.
        """
        started = busy = time.monotonic()
        before = ""
        while True:
            now = await look()
            waits = await self.waits()
            moment = time.monotonic()
            if now != before or waits:
                before, busy = now, moment
            if moment - busy >= REST_S or moment - started >= LONGEST_S:
                return
            await asyncio.sleep(LOOK_S)

    async def waits(self) -> bool:
        """Whether something is on its way that may bring tools: a script, data, or a timer."""
        return self._loads(time.monotonic()) or bool(await self._page.evaluate(_WAITS))

    async def reloaded(self, documents: int) -> bool:
        """Wait for the document after so many; return whether there is one."""
        from playwright.async_api import Error

        if self.documents == documents:
            with suppress(Error):
                await self._page.wait_for_event("domcontentloaded", timeout=_ARRIVAL_MS)
        return self.documents > documents

    def _arrived(self, _: Page) -> None:
        self.documents += 1

    def _begun(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self._open.clear()
            self._unready = -_SLOW_S
        if request.resource_type not in _STREAMS:
            self._open[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._open.pop(request, None)

    def _answered(self, response: Response) -> None:
        # A build server that is not ready answers so, and reloads the page when it is.
        if response.request.resource_type == "script" and response.status >= 500:
            self._unready = time.monotonic()

    def _loads(self, moment: float) -> bool:
        if moment - self._unready < _SLOW_S:
            return True
        return any(
            request.resource_type == "script" or moment - begun < _SLOW_S
            for request, begun in self._open.items()
        )
