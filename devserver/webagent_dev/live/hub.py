"""Broadcasts messages to all connected pages, and replays those that a page has missed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from webagent_dev.config.model import ServeConfig
from webagent_dev.live.messages import ManifestChanged, Reload, ServerMessage, StylesheetChanged
from webagent_site.pages.connection import Connection, serialize

REMEMBERED = 500
"""Limit of broadcasts that are kept for pages that are away; one that has missed more reloads."""


class Hub:
    """All connected pages. A broadcast never waits for any of them."""

    def __init__(self) -> None:
        self._connections: set[Connection] = set()
        self._broadcasts: deque[ServerMessage] = deque(maxlen=REMEMBERED)
        self._listeners: list[Callable[[ServerMessage], None]] = []
        self.seq = 0
        """Number of the latest broadcast; the first is number 1."""

    def live_path(self, config: ServeConfig) -> str:
        """Return the URL path of the live channel for a page that is sent now."""
        return f"{config.live_path}&seen={self.seq}"

    def listen(self, listener: Callable[[ServerMessage], None]) -> None:
        """Call a listener with each broadcast, too; one that another adds meanwhile as well."""
        self._listeners.append(listener)

    def join(self) -> Connection:
        """Add a page; it receives all broadcasts from now on."""
        connection = Connection()
        self._connections.add(connection)
        return connection

    def leave(self, connection: Connection) -> None:
        """Remove a page."""
        self._connections.discard(connection)

    def broadcast(self, message: ServerMessage) -> None:
        """Send a message to every page, and keep it for those that are away."""
        self.seq += 1
        self._broadcasts.append(message)
        text = serialize(message, seq=self.seq)
        for connection in tuple(self._connections):
            connection.put(text)
        for listener in self._listeners:
            listener(message)

    def missed(self, seen: int) -> list[ServerMessage]:
        """Return what a page needs that has seen the broadcasts up to a number.

        A reload replaces everything else. Of the manifest, and of each stylesheet, only the latest
        counts.
        """
        count = self.seq - seen
        if count < 0 or count > len(self._broadcasts):
            return [Reload(reason="the page was away for too long", path=None)]
        missed = list(self._broadcasts)[len(self._broadcasts) - count :]
        for message in missed:
            if isinstance(message, Reload):
                return [message]
        latest: dict[tuple[type, str], ServerMessage] = {}
        for message in missed:
            if isinstance(message, ManifestChanged | StylesheetChanged):
                latest[type(message), message.path] = message
        return list(latest.values())

    def __len__(self) -> int:
        return len(self._connections)
