"""The pages that are connected, and how news reaches them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from webagent_dev.config.model import ServeConfig
from webagent_dev.live.messages import (
    ManifestChanged,
    Reload,
    ServerMessage,
    StylesheetChanged,
    serialize,
)

QUEUE_LENGTH = 500
"""Messages that may wait for one page; a page further behind is let go and connects again."""


REMEMBERED = 500
"""News that are kept for pages that are away; one that missed more loads anew."""


class Connection:
    """One connected page: what waits to be sent to it."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str] = asyncio.Queue(QUEUE_LENGTH)
        self._lost = asyncio.Event()

    def put(self, text: str) -> None:
        """Add a message, or give the page up when too many wait already."""
        try:
            self._waiting.put_nowait(text)
        except asyncio.QueueFull:
            self._lost.set()

    async def next(self) -> str:
        """Wait for the next message."""
        return await self._waiting.get()

    async def lost(self) -> None:
        """Wait until the page has been given up."""
        await self._lost.wait()


class Hub:
    """All connected pages. Telling them something never waits for any of them."""

    def __init__(self) -> None:
        self._connections: set[Connection] = set()
        self._news: deque[ServerMessage] = deque(maxlen=REMEMBERED)
        self._listeners: list[Callable[[ServerMessage], None]] = []
        self.seq = 0
        """Number of the latest news; the first are number 1."""

    def live_path(self, config: ServeConfig) -> str:
        """Return the URL path of the live channel for a page that is made now."""
        return f"{config.live_path}&seen={self.seq}"

    def listen(self, listener: Callable[[ServerMessage], None]) -> None:
        """Tell somebody in this server, too, what all pages are told."""
        self._listeners.append(listener)

    def join(self) -> Connection:
        """Add a page; from now on it is told everything."""
        connection = Connection()
        self._connections.add(connection)
        return connection

    def leave(self, connection: Connection) -> None:
        """Remove a page."""
        self._connections.discard(connection)

    def broadcast(self, message: ServerMessage) -> None:
        """Tell every page, and remember it for those that are away."""
        self.seq += 1
        self._news.append(message)
        text = serialize(message, seq=self.seq)
        for connection in tuple(self._connections):
            connection.put(text)
        for listener in self._listeners:
            listener(message)

    def missed(self, seen: int) -> list[ServerMessage]:
        """Return what a page has to be told that has seen the news up to a number.

        One reload stands for everything; of the same stylesheet, and of the manifest, the latest do.
        """
        count = self.seq - seen
        if count < 0 or count > len(self._news):
            return [Reload(reason="the page was away for too long", path=None)]
        news = list(self._news)[len(self._news) - count :]
        for message in news:
            if isinstance(message, Reload):
                return [message]
        latest: dict[tuple[type, str], ServerMessage] = {}
        for message in news:
            if isinstance(message, ManifestChanged | StylesheetChanged):
                latest[type(message), message.path] = message
        return list(latest.values())

    def __len__(self) -> int:
        return len(self._connections)
