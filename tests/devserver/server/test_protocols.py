"""Connections that never finish a head are let go; those that are in use are not."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from tests.server import ServerProcess
from webagent_dev.server import protocols
from webagent_dev.server.protocols import HEADERS_S, raise_file_limit

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


@pytest.mark.parametrize("limit", ["ulimit -Sn 256", "ulimit -n 256"], ids=["soft", "hard"])
def test_idle_connections_do_not_keep_others_out(tmp_path: Path, limit: str) -> None:
    """More of them than files may be open: the limit is raised, or the oldest are closed."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Busy</title>")
    command = ("sh", "-c", f'{limit}; exec "$@"', "sh", sys.executable, "-m", "webagent_dev")
    raise_file_limit()
    server = ServerProcess(tmp_path, command=command)
    parts = urlsplit(server.url)
    assert parts.hostname
    idle = []
    try:
        with httpx.Client(base_url=server.url, timeout=10) as kept:
            for number in range(1_100):
                connection = socket.create_connection((parts.hostname, parts.port or 80), 10)
                idle.append(connection)
                if number % 50 == 0:
                    # A connection that is used is not the oldest idle one.
                    assert kept.get("/").status_code == 200
            started_s = time.monotonic()
            answers = {httpx.get(server.url, timeout=10).status_code for _ in range(5)}
            took_s = time.monotonic() - started_s
    finally:
        for connection in idle:
            connection.close()
        server.stop()

    assert answers == {200}
    assert took_s < HEADERS_S / 4
    assert "Too many open files" not in server.output
