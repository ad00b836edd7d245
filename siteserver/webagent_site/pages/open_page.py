"""An open page: what it says of itself, and the connection to it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from webagent_site.pages.wire import PageHello

QUEUE_LENGTH = 500
"""Limit of messages that wait for one page; a slower page is disconnected and connects again."""


class Link(Protocol):
    """The way to a page."""

    def put(self, text: str) -> None:
        """Send a message, or keep it until it can be sent."""


class Connection:
    """A connected page: the queue of messages for it."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str] = asyncio.Queue(QUEUE_LENGTH)
        self._lost = asyncio.Event()

    def put(self, text: str) -> None:
        """Add a message, or disconnect the page if too many are waiting."""
        try:
            self._waiting.put_nowait(text)
        except asyncio.QueueFull:
            self._lost.set()

    async def next(self) -> str:
        """Wait for the next message."""
        return await self._waiting.get()

    async def lost(self) -> None:
        """Wait until the page has to be disconnected."""
        await self._lost.wait()


@dataclass(slots=True, eq=False)
class OpenPage:
    """One page that has introduced itself."""

    page_id: str
    """Id of the tab, the same over its navigations; a second page of one tab has a number, too."""
    hello: PageHello
    connection: Link
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
