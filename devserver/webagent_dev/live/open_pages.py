"""The open pages: their identity, their tools, and which one a call is for."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import NoPage
from webagent_site.pages.connection import Connection
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import FOLLOWS_S
from webagent_site.pages.wire import PageDrift, PageHello, PageRegistry

FOCUSED = "focused"
"""Id for the page that the developer looks at."""
HEADLESS = "headless"
"""Id of the tab that the server opens in its headless browser."""
MOST_CHARACTERS = 2_000
"""Limit of an address and of a title."""
_MOST_CALLERS = 1_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_NAME = 64
_STATES = ("idle", "starting", "ready", "failed")


@dataclass(slots=True, eq=False)
class _FormerFront:
    """The page that calls without an id were for, after it went away."""

    page: OpenPage
    had_focus: bool
    """False for the only one of several that was left, which nobody has chosen."""
    left: float = field(default_factory=time.perf_counter)
    callers: set[str] = field(default_factory=set)
    """Those that know that another page takes its place."""
    newer: set[str] = field(default_factory=set)
    """Pages that somebody has opened since."""


class OpenPages:
    """All pages that are open now."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """Keep track of pages.

        Args:
            changed: Called whenever a page comes, goes or changes.
        """
        self._pages: dict[Connection, OpenPage] = {}
        self._changed = changed
        self._last_focused: OpenPage | None = None
        self._former: _FormerFront | None = None
        self._left: dict[str, float] = {}
        """When pages went away whose tab may be between two pages, by their ids."""
        self._arrival = asyncio.Event()
        """Set with the next page that introduces itself."""
        self._drift: dict[Connection, list[dict[str, Any]]] = {}
        self.any_open = asyncio.Event()
        """Set while a page is open."""
        self.open_page: Callable[[], Awaitable[None]] | None = None
        """Opens a page when a call comes and none is open; raises `NoPage` if that fails."""

    def register(self, hello: PageHello, connection: Connection) -> OpenPage:
        """Add a page, or update its description of itself."""
        hello = replace(
            hello,
            page_id=hello.page_id[: 2 * _LONGEST_NAME],
            url=hello.url[:MOST_CHARACTERS],
            title=hello.title[:MOST_CHARACTERS],
            document_id=hello.document_id[:_LONGEST_NAME],
            version=hello.version[:_LONGEST_NAME],
            focused=hello.focused and hello.page_id != HEADLESS,
        )
        page = self._pages.get(connection)
        if page is None:
            page = OpenPage(self._free_id(hello), hello, connection)
            self._pages[connection] = page
            self.any_open.set()
            is_new = self._left.pop(page.page_id, None) is None and hello.page_id != HEADLESS
            if is_new and self._former:
                self._former.newer.add(page.page_id)
        page.hello = hello
        former = self._former
        is_back = former is not None and former.page.page_id == page.page_id
        if hello.focused or (is_back and former and former.had_focus):
            self._last_focused = page
        if hello.focused or is_back:
            self._former = None
        self._arrival.set()
        self._arrival = asyncio.Event()
        self._changed()
        return page

    def set_registry(self, registry: PageRegistry, connection: Connection) -> None:
        """Update the tools of a page."""
        page = self._pages.get(connection)
        if page is None or registry.state not in _STATES:
            return
        page.state = registry.state
        page.tools = registry.tools
        self._changed()

    def set_drift(self, drift: PageDrift, connection: Connection) -> None:
        """Keep the differences between a page and its manifest."""
        if connection in self._pages:
            self._drift[connection] = [each for each in drift.findings if isinstance(each, dict)]

    def drift(self, page: OpenPage) -> list[dict[str, Any]]:
        """Return the differences between an open page and its manifest, as the page reported them."""
        connections = (one for one, each in self._pages.items() if each is page)
        return self._drift.get(next(connections), [])

    def leave(self, connection: Connection) -> OpenPage | None:
        """Remove a page; return it if it was known."""
        front = self._front()
        self._drift.pop(connection, None)
        page = self._pages.pop(connection, None)
        if page is not None:
            in_tab = [
                one for one in self._pages.values() if one.hello.page_id == page.hello.page_id
            ]
            # Of several copies of a tab it is not known which one is the next page of this one.
            following = self.next_in_tab(page) if len(in_tab) == 1 else None
            had_focus = self._last_focused is page
            if had_focus:
                self._last_focused = following
            if following:
                following.page_id = page.page_id
            else:
                self._remember(page, was_front=page is front, had_focus=had_focus)
            if not self._pages:
                self.any_open.clear()
            self._changed()
        return page

    def by_connection(self, connection: Connection) -> OpenPage | None:
        """Return the page of a connection."""
        return self._pages.get(connection)

    async def find_or_open(self, page_id: str) -> OpenPage:
        """Return the page that a call is for; if none is open, one may be opened for it.

        A tab that is between two pages is waited for.

        Raises:
            NoPage: There is none, or it is not clear which one is meant.
        """
        while (wait_s := self._returns_within(page_id)) > 0:
            try:
                await asyncio.wait_for(self._arrival.wait(), wait_s)
            except TimeoutError:
                break
        if page_id == FOCUSED and not self._pages and self.open_page:
            await self.open_page()
        return self.find(page_id)

    def check_write(self, page_id: str, page: OpenPage, caller: str) -> None:
        """Refuse a call that would change another page than the one that went away, once per caller.

        Args:
            page_id: Which page the call names; `focused` if it names none.
            page: Where it would be made.
            caller: Name of the caller.

        Raises:
            NoPage: The page that was in front is gone, and the caller does not know it.
        """
        former = self._former
        if page_id != FOCUSED or former is None:
            return
        if caller in former.callers or page.page_id in former.newer:
            return
        if len(former.callers) < _MOST_CALLERS:
            former.callers.add(caller)
        raise NoPage(
            f"the page that was in front (`{former.page.hello.url}`) is gone, and the call would "
            f"change another one: `{page.page_id}` ({page.hello.url})",
            help="nothing was done; call again to work there, or open the first one again",
        )

    def find(self, page_id: str) -> OpenPage:
        """Return a page by its id, or the focused one.

        If no page has the focus (the developer is in the terminal), the one that had it last is
        meant, or else the only one. The headless page counts only if there is no other.

        Raises:
            NoPage: There is none, or it is not clear which one is meant.
        """
        pages = list(self._pages.values())
        if page_id != FOCUSED:
            for page in pages:
                if page.page_id == page_id:
                    return page
            raise NoPage(
                f"no page with the id `{page_id[:64]}` is open",
                help="`GET /__webagent__/api/state` lists those that are open",
            )
        focused = [page for page in pages if page.hello.focused]
        if len(focused) == 1:
            return focused[0]
        if self._last_focused is not None:
            return self._last_focused
        pages = [page for page in pages if page.hello.page_id != HEADLESS] or pages
        if len(pages) == 1:
            return pages[0]
        if not pages:
            raise NoPage(
                "no page of this site is open",
                help="open one in a browser, and call again; `webagent-dev serve --headless` opens "
                "one by itself",
            )
        ids = ", ".join(f"`{page.page_id}` ({page.hello.url})" for page in pages[:20])
        raise NoPage(
            f"{len(pages)} pages are open, and none has the focus: {ids}",
            help="name one by its id, or click into it",
        )

    def next_in_tab(self, page: OpenPage) -> OpenPage | None:
        """Return the page for which a tab has left another, if it has connected already."""
        earliest = max(page.since, time.perf_counter() - FOLLOWS_S)
        for other in self._pages.values():
            if other.hello.page_id == page.hello.page_id and other.since > earliest:
                return other
        return None

    def latest_in_tab(self, tab: str) -> OpenPage | None:
        """Return the latest page of a tab, by the id that its pages have in common."""
        in_tab = (page for page in self._pages.values() if page.hello.page_id == tab)
        return max(in_tab, key=lambda page: page.since, default=None)

    def focused_id(self) -> str | None:
        """Return the id of the page that `focused` means, also while its tab is between two pages."""
        if self._former and self._returns_within(FOCUSED) > 0:
            return self._former.page.page_id
        front = self._front()
        return front.page_id if front else None

    def returning(self) -> list[str]:
        """Return the ids of the pages that went away and whose tabs may be between two pages."""
        return [page_id for page_id in self._left if self._returns_within(page_id) > 0]

    def all(self) -> list[OpenPage]:
        """Return all pages, in the order in which they came."""
        return [*self._pages.values()]

    def describe(self) -> list[dict[str, Any]]:
        """Return all pages as other programs see them."""
        return [page.describe() for page in self._pages.values()]

    def __len__(self) -> int:
        return len(self._pages)

    def _front(self) -> OpenPage | None:
        """Return the page for calls without an id, None if there is none."""
        try:
            return self.find(FOCUSED)
        except NoPage:
            return None

    def _remember(self, page: OpenPage, *, was_front: bool, had_focus: bool) -> None:
        """Remember a page that went away, because its tab may be between two pages."""
        now = time.perf_counter()
        self._left = {key: at for key, at in self._left.items() if at > now - FOLLOWS_S}
        self._left[page.page_id] = now
        # When all tabs reload at once, the first to go is the one that was in front.
        if was_front and not (self._former and self._former.left > now - FOLLOWS_S):
            self._former = _FormerFront(page, had_focus)

    def _returns_within(self, page_id: str) -> float:
        """Return for how many seconds the page that a call is for may be waited for."""
        left: float | None
        if page_id == FOCUSED:
            left = self._former.left if self._former else None
        else:
            left = self._left.get(page_id)
        return 0.0 if left is None else left + FOLLOWS_S - time.perf_counter()

    def _free_id(self, hello: PageHello) -> str:
        """Return an id that is not taken: a duplicated tab has the id of the first."""
        own = hello.page_id if _ID.fullmatch(hello.page_id) else "page"
        taken = {FOCUSED, *(page.page_id for page in self._pages.values())}
        free = own
        number = 2
        while free in taken:
            free = f"{own}-{number}"
            number += 1
        return free
