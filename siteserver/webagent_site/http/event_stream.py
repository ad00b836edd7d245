"""Streams of server-sent events: a queue for each reader, and pings while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

PING_S = 15.0
"""How often a stream without events sends a comment, so that both sides see that it is alive."""

_PING = ": ping\n\n"

MOST_WAITING = 10_000
"""Events that may wait for one reader. The stream of a slower reader ends, and it connects again."""

MOST_CHARACTERS = 32 << 20
"""Characters of these events."""


class EventQueue:
    """The events that wait for one reader of a stream."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._characters = 0
        self._ended = False

    def put(self, name: str, data: str) -> None:
        """Add an event, or end the stream of a reader that is too slow."""
        if self._ended:
            return
        frame = f"event: {name}\ndata: {data}\n\n"
        if self._waiting.qsize() >= MOST_WAITING or self._characters > MOST_CHARACTERS:
            self.end()
            return
        self._characters += len(frame)
        self._waiting.put_nowait(frame)

    def end(self) -> None:
        """End the stream after the events that wait."""
        self._ended = True
        self._waiting.put_nowait(None)

    async def frames(self) -> AsyncIterator[str]:
        """Yield the events as they are sent, and pings, until the end."""
        while True:
            try:
                async with asyncio.timeout(PING_S):
                    frame = await self._waiting.get()
            except TimeoutError:
                yield _PING
                continue
            if frame is None:
                return
            self._characters -= len(frame)
            yield frame


async def with_pings(frames: AsyncIterator[str], *, every_s: float = PING_S) -> AsyncIterator[str]:
    """Yield the frames of a stream, and a comment whenever none has come for a while."""
    coming = asyncio.ensure_future(anext(frames, None))
    try:
        while True:
            # Unlike a timeout, `wait` does not cancel the generator in the middle of a frame.
            done, _ = await asyncio.wait((coming,), timeout=every_s)
            if not done:
                yield _PING
                continue
            frame = coming.result()
            if frame is None:
                return
            yield frame
            coming = asyncio.ensure_future(anext(frames, None))
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError):
            await coming
