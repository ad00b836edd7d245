"""The open pages: their identity, their tools, and which one a call is for."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from webagent.errors import NoPage
from webagent_dev.live.hub import Connection
from webagent_dev.live.messages import PageHello, PageRegistry

FOCUSED = "focused"
"""Id for the page that the developer looks at."""
HEADLESS = "headless"
"""Id of the tab that the server opens in its headless browser."""
MOST_CHARACTERS = 2_000
"""Limit of an address and of a title."""
FOLLOWS_S = 5.0
"""How long the next page of a tab may be connected before the page before it is gone."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_NAME = 64
_STATES = ("idle", "starting", "ready", "failed")


@dataclass(slots=True, eq=False)
class OpenPage:
    """One page that has introduced itself."""

    page_id: str
    """Id of the tab, the same over its navigations; a second page of one tab has a number, too."""
    hello: PageHello
    connection: Connection
    connected: str = field(
        default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds")
    )
    since: float = field(default_factory=time.perf_counter)
    """When it connected, in the seconds of `time.perf_counter`."""
    state: str = "idle"
    tools: list[dict[str, Any]] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """Return the page as other programs see it, with the number of its tools."""
        return {
            "page_id": self.page_id,
            "document_id": self.hello.document_id,
            "url": self.hello.url,
            "title": self.hello.title,
            "focused": self.hello.focused,
            "version": self.hello.version,
            "state": self.state,
            "connected": self.connected,
            "tools": len(self.tools),
        }


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
        self.any_open = asyncio.Event()
        """Set while a page is open."""
        self.open_page: Callable[[], Awaitable[None]] | None = None
        """Opens a page when a call comes and none is open; raises `NoPage` if that fails."""

    def register(self, hello: PageHello, connection: Connection) -> OpenPage:
        """Add a page, or update what it says of itself."""
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
        page.hello = hello
        if hello.focused:
            self._last_focused = page
        self._changed()
        return page

    def set_registry(self, registry: PageRegistry, connection: Connection) -> None:
        """Update the tools of a page."""
        page = self._pages.get(connection)
        if page is None or registry.state not in _STATES:
            return
        page.state = registry.state
        page.tools = [tool for tool in registry.tools if isinstance(tool, dict)]
        self._changed()

    def leave(self, connection: Connection) -> OpenPage | None:
        """Remove a page; return it if it was known."""
        page = self._pages.pop(connection, None)
        if page is not None:
            if self._last_focused is page:
                self._last_focused = None
            if not self._pages:
                self.any_open.clear()
            self._changed()
        return page

    def by_connection(self, connection: Connection) -> OpenPage | None:
        """Return the page of a connection."""
        return self._pages.get(connection)

    async def find_or_open(self, page_id: str) -> OpenPage:
        """Return the page that a call is for; if none is open, one may be opened for it.

        Raises:
            NoPage: There is none, or it is not clear which one is meant.
        """
        if page_id == FOCUSED and not self._pages and self.open_page:
            await self.open_page()
        return self.find(page_id)

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

    def describe(self) -> list[dict[str, Any]]:
        """Return all pages, in the order in which they came."""
        return [page.describe() for page in self._pages.values()]

    def __len__(self) -> int:
        return len(self._pages)

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
