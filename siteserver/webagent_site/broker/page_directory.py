"""Which process holds which open page of a site, and the letters between processes: the port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Sent = Literal["sent", "gone", "full"]
"""Whether a letter was sent; else its receiver is gone, or too many letters wait for it."""
Gone = Literal["closed", "dead"]
"""How a process has ended: in order, and its pages come back elsewhere; or nobody knows."""
Letter = dict[str, Any]
"""A JSON object from one process to another; its receiver validates it."""

MOST_PAGES = 50
"""Limit of open pages of one visitor."""


class TooManyPages(Exception):
    """A visitor has as many open pages as may be."""


@dataclass(frozen=True, slots=True)
class PageRecord:
    """An open page, as all processes know it."""

    tab: str
    """Id of its tab, the same over navigations."""
    document: str
    """Id of the document in it."""
    process: str
    """Id of the process that has its socket."""
    visitor: str
    """Key of the visitor who has it open: an account, or a session."""
    url: str
    title: str
    version: str
    state: str
    tools: list[dict[str, Any]] = field(default_factory=list)
    used: float = 0.0
    """When the visitor last used it, in seconds since 1970."""


class PageDirectory(Protocol):
    """The open pages of a site in all of its processes. Its methods raise `BrokerUnavailable`."""

    @property
    def process(self) -> str:
        """Id of this process; another one after others have held it for dead."""

    def start(self, receive: Callable[[Letter], None], restore: Callable[[], None]) -> None:
        """Begin to receive letters; it may be called again.

        Args:
            receive: Called with each letter to this process.
            restore: Called when letters and records may have been lost, or `process` is another one:
                the pages of this process have to be put again, and its calls sent again.
        """

    async def put(self, page: PageRecord) -> list[str]:
        """Add or replace the page of a tab; return the processes that have sent calls to the tab.

        Raises:
            TooManyPages: Its visitor has too many.
        """

    async def remove(self, page: PageRecord, after_s: int = 0) -> list[str]:
        """Remove a page unless another one has replaced it; return who has sent calls to the tab.

        Args:
            page: The page.
            after_s: Seconds in which it may come back.
        """

    async def of(self, visitor: str) -> list[PageRecord]:
        """Return the pages of a visitor, the one last used first; those of ended processes last."""

    async def in_tabs(self, tabs: Iterable[str]) -> list[PageRecord]:
        """Return the pages of tabs; of a tab that has none, nothing."""

    async def send(self, process: str, letter: Letter, *, tab: str = "") -> Sent:
        """Send a letter to a process.

        Args:
            process: Its id.
            letter: The letter.
            tab: If this process makes a call to a tab, its id: it learns where the tab goes.
        """

    async def gone(self, processes: Iterable[str]) -> dict[str, Gone]:
        """Return which of these processes have ended, and how."""

    async def close(self) -> None:
        """Receive no more letters."""


class MemoryDirectory:
    """For a site of one process."""

    process = "0"

    def __init__(self) -> None:
        self._pages: dict[str, PageRecord] = {}
        self._receive: Callable[[Letter], None] = lambda letter: None

    def start(self, receive: Callable[[Letter], None], restore: Callable[[], None]) -> None:
        """Deliver letters to the only process."""
        self._receive = receive

    async def put(self, page: PageRecord) -> list[str]:
        """Add or replace the page of a tab."""
        if page.tab not in self._pages and len(await self.of(page.visitor)) >= MOST_PAGES:
            raise TooManyPages
        self._pages[page.tab] = page
        return [self.process]

    async def remove(self, page: PageRecord, after_s: int = 0) -> list[str]:
        """Remove a page unless another one has replaced it."""
        known = self._pages.get(page.tab)

        def remove() -> None:
            if known and self._pages.get(page.tab) is known:
                del self._pages[page.tab]

        if known and known.document == page.document:
            asyncio.get_running_loop().call_later(after_s, remove) if after_s else remove()
        return [self.process]

    async def of(self, visitor: str) -> list[PageRecord]:
        """Return the pages of a visitor, the one last used first."""
        pages = [page for page in self._pages.values() if page.visitor == visitor]
        return sorted(pages, key=lambda page: page.used, reverse=True)

    async def in_tabs(self, tabs: Iterable[str]) -> list[PageRecord]:
        """Return the pages of tabs."""
        return [self._pages[tab] for tab in tabs if tab in self._pages]

    async def send(self, process: str, letter: Letter, *, tab: str = "") -> Sent:
        """Deliver a letter as soon as the loop is free."""
        if process != self.process:
            return "gone"
        asyncio.get_running_loop().call_soon(self._receive, letter)
        return "sent"

    async def gone(self, processes: Iterable[str]) -> dict[str, Gone]:
        """Return those that are not this one."""
        return {process: "dead" for process in processes if process != self.process}

    async def close(self) -> None:
        """Deliver nothing more."""
        self._receive = lambda letter: None
