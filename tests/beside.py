"""A server of uvicorn beside others in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from socket import socket

import uvicorn
from websockets.exceptions import InvalidState


class ServerBeside(uvicorn.Server):
    """A server that leaves the signals of the process alone.

    Several would restore each other's handlers, and sse-starlette, which MCP sends streams with, takes the
    handler that is left for that of a server which ends.
    """

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """End, also while a page closes its connection: uvicorn then sends a second close."""
        while True:
            try:
                await super().shutdown(sockets)
                return
            except InvalidState:
                await asyncio.sleep(0.05)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield
