"""The two actors of tasks: one in a tab of somebody's browser, one in a page of another origin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Any, Protocol

from webagent.errors import OriginMismatch, PageGone
from webagent.page.bridge import error_of
from webagent.page.snapshot import Snapshot
from webagent.urls import origin_of
from webagent_dev.agents.goal_api.actor import SETTLE, TaskError
from webagent_dev.live.open_pages import OpenPages
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import RETURN_S, Relay

ACT_S = 30.0
"""Limit of one action."""
NEXT_PAGE_S = RETURN_S
"""How long a tab may take from one page to the next."""

_NAVIGATING = frozenset(
    (
        "click",
        "click_link",
        "enter_data",
        "hover",
        "drag",
        "press_key",
        "answer_dialog",
        "upload",
        "search",
        "goto_url",
        "wait",
    )
)
"""Actions that may leave the page; any other can be repeated on the next one."""
_TYPING = ("enter_data", "press_key", "upload", "search")
"""Actions that may send data to another origin, where that is allowed."""
_LEFT = ("navigated", "page_gone")


class Tabs:
    """Waits for the next page of a tab, and gives tabs to one task at a time."""

    def __init__(self, pages: OpenPages) -> None:
        """Follow the open pages.

        Args:
            pages: The open ones.
        """
        self._pages = pages
        self._changed = asyncio.Event()
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    def pages_changed(self) -> None:
        """Wake everything that waits for a page."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def next_page(self, page: OpenPage) -> OpenPage:
        """Return the page for which a tab has left another.

        Raises:
            PageGone: There is none in time.
        """
        try:
            async with asyncio.timeout(NEXT_PAGE_S):
                while True:
                    changed = self._changed
                    if found := self._pages.next_in_tab(page):
                        return found
                    await changed.wait()
        except TimeoutError:
            raise PageGone(
                "the tab no longer shows a page of this site",
                help="it was closed, has gone to another site, or shows a file; open a page again",
            ) from None

    @asynccontextmanager
    async def exclusive(
        self, tab: str, on_wait: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Keep other tasks out of a tab.

        Args:
            tab: The id that its pages have in common.
            on_wait: Awaited if another task has the tab.
        """
        lock, users = self._locks.get(tab, (asyncio.Lock(), 0))
        self._locks[tab] = lock, users + 1
        try:
            if lock.locked():
                await on_wait()
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(tab)
            if users > 1:
                self._locks[tab] = lock, users - 1


class Fence(Protocol):
    """Keeps the pages of the headless browser, and what is typed into them, on their origins."""

    def task(self) -> AbstractContextManager[None]:
        """Treat what happens in the block as one task."""

    def around(self, action: Mapping[str, Any], page_url: str) -> AbstractContextManager[None]:
        """Close the fence for an action, if it types.

        Raises:
            OriginMismatch: The page has led to another origin with it, and was kept from there.
        """

    async def until_blocked(self) -> None:
        """Wait until the page is kept from an address."""

    def note(self) -> str:
        """Return which requests of the task's pages were refused; empty if none was."""


class TabActor:
    """The `Actor` in a tab of somebody's browser; it stays in the tab."""

    def __init__(
        self,
        relay: Relay,
        tabs: Tabs,
        page: OpenPage,
        caller: str,
        *,
        allow_origin: Collection[str] = (),
        fence: Fence | None = None,
    ) -> None:
        """Act on a page.

        Args:
            relay: Makes calls to it.
            tabs: Finds the next page of its tab.
            page: The page.
            caller: Name of the caller, for people.
            allow_origin: Other origins to which forms may send what is no secret.
            fence: Around the page; None in somebody's browser.
        """
        self._relay = relay
        self._allow_origin = allow_origin
        self._fence = fence
        self._tabs = tabs
        self._page = page
        self._caller = caller

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there."""
        if self._allow_origin and action["type"] in _TYPING:
            action = {**action, "allow_origin": [*self._allow_origin]}
        fence = self._fence
        with fence.around(action, self._page.hello.url) if fence else nullcontext():
            return await self._act(action)

    async def _act(self, action: Mapping[str, Any]) -> Any:
        page = self._page
        result = await self._call(action)
        if _error_kind(result) == "no_page":
            # The page was left before the call reached it.
            page = self._page = await self._next_page(page)
            result = await self._call(action)
        if result["ok"]:
            reply = result["value"]
        elif _error_kind(result) in _LEFT:
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
        self._page = await self._next_page(page)
        await self._call(SETTLE)
        if action["type"] not in _NAVIGATING:
            return await self._act(action)
        return {**reply, "url": self._page.hello.url}

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""
        found = await self.act({"type": "snapshot"})
        return Snapshot.read(found if isinstance(found, dict) else {})

    async def _next_page(self, page: OpenPage) -> OpenPage:
        """Return the page for which the tab has left another.

        Raises:
            PageGone: There is none in time, or the fence has kept the tab from it.
        """
        arriving = asyncio.ensure_future(self._tabs.next_page(page))
        fence = self._fence
        blocked = asyncio.ensure_future(fence.until_blocked()) if fence else arriving
        try:
            await asyncio.wait((arriving, blocked), return_when=asyncio.FIRST_COMPLETED)
            if not arriving.done():
                raise PageGone("the tab was kept from another site")
            return arriving.result()
        finally:
            arriving.cancel()
            blocked.cancel()

    async def _call(self, action: Mapping[str, Any]) -> dict[str, Any]:
        return await self._relay.call(
            self._page.page_id,
            "act",
            "",
            {"action": dict(action)},
            timeout_s=ACT_S,
            caller=self._caller,
        )


class CrossOriginPage(Protocol):
    """A page of another origin: as much of the core's `Page` port as tasks need."""

    @property
    def fence(self) -> Fence:
        """The fence around it."""

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return its reply."""

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""


class CrossOriginActor:
    """The `Actor` in a page of another origin."""

    def __init__(self, page: CrossOriginPage) -> None:
        """Act on a page.

        Args:
            page: The page.
        """
        self._page = page

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there."""
        reply = await self._page.act(action)
        if isinstance(reply, dict) and reply.get("navigates") is True:
            if str(reply.get("url", "")).startswith("chrome-error:"):
                raise TaskError(
                    "Network error: the page has led to an address that cannot be reached"
                )
            await self._page.act(SETTLE)
        return reply

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""
        return await self._page.snapshot()


def _error_kind(result: Mapping[str, Any]) -> str:
    """Return the kind of error of a call, empty for one that succeeded."""
    return "" if result["ok"] else str(result["error"]["kind"])
