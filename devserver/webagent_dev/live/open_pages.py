"""The pages that are open: who they are, what they offer, and which one is meant."""

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
"""Stands for the page that the developer looks at."""
HEADLESS = "headless"
"""Id of the tab that the server opens by itself, and in which nobody looks at a page."""
MOST_CHARACTERS = 2_000
"""Of an address and of a title, as our script sends them."""
FOLLOWS_S = 5.0
"""How long before a page is gone the next of its tab may have come."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_WORD = 64
_STATES = ("idle", "starting", "ready", "failed")


@dataclass(slots=True, eq=False)
class OpenPage:
    """One page that has said who it is."""

    page_id: str
    """Of the tab, the same over its navigations; a second page of one tab has a number more."""
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
        """Return the page as other programs see it; of its tools the number."""
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
        """Begin without any.

        Args:
            changed: Called whenever a page comes, goes or says something new of itself.
        """
        self._pages: dict[Connection, OpenPage] = {}
        self._changed = changed
        self._last_focused: OpenPage | None = None
        self.some = asyncio.Event()
        """Set while a page is open."""
        self.open_one: Callable[[], Awaitable[None]] | None = None
        """Opens a page when a call comes and none is open; raises `NoPage` if that fails."""

    def greet(self, hello: PageHello, connection: Connection) -> OpenPage:
        """Take what a page says of itself; the first time it becomes known."""
        hello = replace(
            hello,
            page_id=hello.page_id[: 2 * _LONGEST_WORD],
            url=hello.url[:MOST_CHARACTERS],
            title=hello.title[:MOST_CHARACTERS],
            document_id=hello.document_id[:_LONGEST_WORD],
            version=hello.version[:_LONGEST_WORD],
            focused=hello.focused and hello.page_id != HEADLESS,
        )
        page = self._pages.get(connection)
        if page is None:
            page = OpenPage(self._free_id(hello), hello, connection)
            self._pages[connection] = page
            self.some.set()
        page.hello = hello
        if hello.focused:
            self._last_focused = page
        self._changed()
        return page

    def offer(self, registry: PageRegistry, connection: Connection) -> None:
        """Take what a page offers now."""
        page = self._pages.get(connection)
        if page is None or registry.state not in _STATES:
            return
        page.state = registry.state
        page.tools = [tool for tool in registry.tools if isinstance(tool, dict)]
        self._changed()

    def leave(self, connection: Connection) -> OpenPage | None:
        """Forget a page; return it if it was known."""
        page = self._pages.pop(connection, None)
        if page is not None:
            if self._last_focused is page:
                self._last_focused = None
            if not self._pages:
                self.some.clear()
            self._changed()
        return page

    def of(self, connection: Connection) -> OpenPage | None:
        """Return the page of a connection."""
        return self._pages.get(connection)

    async def wanted(self, page_id: str) -> OpenPage:
        """Return the page that a call is for; where none is open, one may be opened for it.

        Raises:
            NoPage: There is none, or it is not clear which.
        """
        if page_id == FOCUSED and not self._pages and self.open_one:
            await self.open_one()
        return self.find(page_id)

    def find(self, page_id: str) -> OpenPage:
        """Return a page by its id, or the focused one.

        Without focus (the developer is in the terminal) the page that had it last is meant, or the
        only one; that of the server itself only while there is no other.

        Raises:
            NoPage: There is none, or it is not clear which.
        """
        pages = list(self._pages.values())
        if page_id != FOCUSED:
            for page in pages:
                if page.page_id == page_id:
                    return page
            raise NoPage(
                f"no page with the id `{page_id[:64]}` is open",
                help="look which are: `GET /__webagent__/api/state` lists them",
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

    def following(self, page: OpenPage) -> OpenPage | None:
        """Return the page for which a tab has left another, if it came before that had gone."""
        earliest = max(page.since, time.perf_counter() - FOLLOWS_S)
        for other in self._pages.values():
            if other.hello.page_id == page.hello.page_id and other.since > earliest:
                return other
        return None

    def shown_in(self, tab: str) -> OpenPage | None:
        """Return the latest page of a tab, by the id that its pages bring along."""
        shown = (page for page in self._pages.values() if page.hello.page_id == tab)
        return max(shown, key=lambda page: page.since, default=None)

    def describe(self) -> list[dict[str, Any]]:
        """Return all pages, the one that came first first."""
        return [page.describe() for page in self._pages.values()]

    def __len__(self) -> int:
        return len(self._pages)

    def _free_id(self, hello: PageHello) -> str:
        """A duplicated tab brings the id of the first along; both stay apart."""
        wanted = hello.page_id if _ID.fullmatch(hello.page_id) else "page"
        taken = {FOCUSED, *(page.page_id for page in self._pages.values())}
        free = wanted
        number = 2
        while free in taken:
            free = f"{wanted}-{number}"
            number += 1
        return free
