"""The connection to an open page, and the form of the messages on it.

Each text frame is one JSON object.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Any, ClassVar, Protocol

WIRE_VERSION = 1
PAGE_MESSAGE_BYTES = 4 << 20
"""Limit of a message of a page."""
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


class ServerMessage(Protocol):
    """A message to a page: a dataclass with the name of its type."""

    type: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]


def serialize(message: ServerMessage, *, seq: int | None = None) -> str:
    """Return the message as JSON in ASCII, so that no text of a site can break the frame.

    Args:
        message: The message.
        seq: Its number, if it is a broadcast: a page that was away names the last one that it has
            seen.
    """
    numbered = {} if seq is None else {"seq": seq}
    return json.dumps({"v": WIRE_VERSION, "type": message.type, **asdict(message), **numbered})
