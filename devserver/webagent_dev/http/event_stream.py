"""Somebody who reads a stream of server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

PING_S = 15.0
"""How often a stream without news says that it is alive."""

MOST_WAITING = 10_000
"""Events that may wait for one reader of a stream; a slower one is let go and comes again."""

MOST_CHARACTERS = 32 << 20
"""Of these events."""


class Reader:
    """Somebody who reads a stream of events."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._characters = 0
        self._ended = False

    def put(self, name: str, data: str) -> None:
        """Add an event; a reader that is too slow comes to its end."""
        if self._ended:
            return
        piece = f"event: {name}\ndata: {data}\n\n"
        if self._waiting.qsize() >= MOST_WAITING or self._characters > MOST_CHARACTERS:
            self.end()
            return
        self._characters += len(piece)
        self._waiting.put_nowait(piece)

    def end(self) -> None:
        """Say that nothing comes any more."""
        self._ended = True
        self._waiting.put_nowait(None)

    async def pieces(self) -> AsyncIterator[str]:
        """Yield what is sent, until the end."""
        while True:
            try:
                async with asyncio.timeout(PING_S):
                    piece = await self._waiting.get()
            except TimeoutError:
                yield ": ping\n\n"
                continue
            if piece is None:
                return
            self._characters -= len(piece)
            yield piece


async def pinged(pieces: AsyncIterator[str], *, every_s: float = PING_S) -> AsyncIterator[str]:
    """Yield pieces of a stream, and a comment whenever none has come for a while."""
    coming = asyncio.ensure_future(anext(pieces, None))
    try:
        while True:
            done, _ = await asyncio.wait((coming,), timeout=every_s)
            if not done:
                yield ": ping\n\n"
                continue
            piece = coming.result()
            if piece is None:
                return
            yield piece
            coming = asyncio.ensure_future(anext(pieces, None))
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError):
            await coming
