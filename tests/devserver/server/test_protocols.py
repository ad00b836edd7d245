"""Connections that never finish a head are let go; those that are in use are not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from webagent_dev.server import protocols

TIMEOUT_S = 0.05
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest_asyncio.fixture(name="port")
async def _port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(protocols, "HEADERS_S", TIMEOUT_S)
    config = uvicorn.Config(PlainTextResponse("here"), log_config=None, lifespan="off")
    config.load()

    def protocol() -> protocols.HeaderTimeoutProtocol:
        return protocols.HeaderTimeoutProtocol(config, ServerState(), {})

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def test_a_connection_in_use_is_kept(port: int) -> None:
    """However long it is used: a client that asks again and again is never cut off."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    loop = asyncio.get_running_loop()
    end = loop.time() + 6 * TIMEOUT_S
    while loop.time() < end:
        writer.write(REQUEST)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert await reader.readexactly(4) == b"here"
    writer.close()


@pytest.mark.parametrize("asked_before", [False, True])
async def test_headers_without_end_time_out(port: int, asked_before: bool) -> None:
    """The first of a connection, or a later one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(10):
        if asked_before:
            writer.write(REQUEST)
            await reader.readuntil(b"here")
        writer.write(REQUEST[:-6])
        assert await reader.read() == b""
    writer.close()
