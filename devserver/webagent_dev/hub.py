"""The pages that are connected, and how news reaches them."""

from __future__ import annotations

import asyncio

from webagent_dev.messages import ServerMessage, serialize

QUEUE_LENGTH = 100
"""Messages that may wait for one page; a page further behind is let go and connects again."""


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

    def join(self) -> Connection:
        """Add a page; from now on it is told everything."""
        connection = Connection()
        self._connections.add(connection)
        return connection

    def leave(self, connection: Connection) -> None:
        """Remove a page."""
        self._connections.discard(connection)

    def broadcast(self, message: ServerMessage) -> None:
        """Tell every page."""
        text = serialize(message)
        for connection in tuple(self._connections):
            connection.put(text)

    def __len__(self) -> int:
        return len(self._connections)
