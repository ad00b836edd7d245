"""A connection to a server that a test can cut."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.server import Server


class Wire:
    """Passes bytes on between clients and a server, until it is cut; an asynchronous context manager."""

    def __init__(self, server: Server) -> None:
        """Connect to nothing yet."""
        self.root = server.root
        self.host = urlsplit(server.url).netloc
        """The server's own host and port."""
        self._port = urlsplit(server.url).port
        self._ends: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._listening = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        port = self._listening.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.cut()

    def cut(self) -> None:
        """End all connections at once, and take no more."""
        self._listening.close()
        for end in self._ends:
            end.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends |= {writer, far_writer}
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
