"""Tasks in a tab that is open in somebody's browser, from page to page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

from webagent.errors import OriginMismatch, PageGone
from webagent.page.bridge import error_of
from webagent.page.snapshot import Snapshot
from webagent.urls import origin_of
from webagent_dev.agents.goal_api.actor import SETTLE, Unable
from webagent_dev.live.open_pages import OpenPage, OpenPages
from webagent_dev.live.relay import RETURN_S, Relay

ACT_S = 30.0
"""How long one act may take."""

ARRIVAL_S = RETURN_S
"""How long a tab may take from one page to the next."""

_MOVING = frozenset(("click", "click_link", "enter_data", "search", "goto_url", "wait"))
"""What may leave the page; all else can be asked again of the next one."""

_LEFT = ("navigated", "page_gone")


class Arrivals:
    """Wakes those who wait for the next page of a tab."""

    def __init__(self, pages: OpenPages) -> None:
        """Begin with nobody waiting.

        Args:
            pages: The open ones.
        """
        self._pages = pages
        self._news = asyncio.Event()
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}

    def pages_changed(self) -> None:
        """Let everybody who waits look again."""
        self._news.set()
        self._news = asyncio.Event()

    async def after(self, page: OpenPage) -> OpenPage:
        """Return the page for which a tab has left another.

        Raises:
            PageGone: None came.
        """
        try:
            async with asyncio.timeout(ARRIVAL_S):
                while True:
                    news = self._news
                    if found := self._pages.following(page):
                        return found
                    await news.wait()
        except TimeoutError:
            raise PageGone(
                "the tab shows no page of this site any more",
                help="it was closed, has gone to another site, or shows a file; open a page again",
            ) from None

    @asynccontextmanager
    async def turn(self, tab: str, waits: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Work on a tab alone.

        Args:
            tab: By the id that its pages bring along.
            waits: Awaited when somebody else works there.
        """
        lock, waiting = self._turns.get(tab, (asyncio.Lock(), 0))
        self._turns[tab] = lock, waiting + 1
        try:
            if lock.locked():
                await waits()
            async with lock:
                yield
        finally:
            lock, waiting = self._turns.pop(tab)
            if waiting > 1:
                self._turns[tab] = lock, waiting - 1


class OpenTab:
    """The `Actor` in a tab that is open in somebody's browser; it keeps to the tab."""

    def __init__(self, relay: Relay, arrivals: Arrivals, page: OpenPage, caller: str) -> None:
        """Act on a page.

        Args:
            relay: How it is reached.
            arrivals: Tells of the tab's next page.
            page: It.
            caller: Who asks, for people.
        """
        self._relay = relay
        self._arrivals = arrivals
        self._page = page
        self._caller = caller

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there."""
        page = self._page
        result = await self._ask(action)
        if _kind(result) == "no_page":
            # It was left before it was asked.
            page = self._page = await self._arrivals.after(page)
            result = await self._ask(action)
        if result["ok"]:
            reply = result["value"]
        elif _kind(result) in _LEFT:
            reply = {"did": "", "navigates": True}
        else:
            raise error_of(result["error"])
        if not isinstance(reply, dict) or reply.get("navigates") is not True:
            return reply
        going_to = reply.get("url")
        if isinstance(going_to, str) and origin_of(going_to) != origin_of(page.hello.url):
            raise OriginMismatch(
                f"the page has led to `{origin_of(going_to)}`, which is another site",
                help=f"this agent works on `{origin_of(page.hello.url)}`",
            )
        self._page = await self._arrivals.after(page)
        await self._ask(SETTLE)
        if action["type"] not in _MOVING:
            return await self.act(action)
        return {**reply, "url": self._page.hello.url}

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""
        found = await self.act({"type": "snapshot"})
        return Snapshot.read(found if isinstance(found, dict) else {})

    async def _ask(self, action: Mapping[str, Any]) -> dict[str, Any]:
        return await self._relay.call(
            self._page.page_id,
            "act",
            "",
            {"action": dict(action)},
            timeout_s=ACT_S,
            caller=self._caller,
        )


def _kind(result: Mapping[str, Any]) -> str:
    """Return how a call failed, nothing of one that did not."""
    return "" if result["ok"] else str(result["error"]["kind"])


_NOWHERE = "Network error: the page has led to an address that cannot be reached"


class CrossOriginPage(Protocol):
    """A page of another origin: as much of the core's `Page` port as tasks need."""

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return what came of it."""

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""


class ForeignPage:
    """The `Actor` in a page of another origin, which a browser of the server's own has opened."""

    def __init__(self, page: CrossOriginPage) -> None:
        """Act on a page.

        Args:
            page: It.
        """
        self._page = page

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there."""
        reply = await self._page.act(action)
        if isinstance(reply, dict) and reply.get("navigates") is True:
            if str(reply.get("url", "")).startswith("chrome-error:"):
                raise Unable(_NOWHERE)
            await self._page.act(SETTLE)
        return reply

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""
        return await self._page.snapshot()
