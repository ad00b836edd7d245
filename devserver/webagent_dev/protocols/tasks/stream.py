"""Streams of server-sent events that say that they are alive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from webagent_dev.http.event_stream import PING_S


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
