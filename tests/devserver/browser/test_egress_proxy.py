"""The proxy of a headless profile: where it connects to, and what it closes."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from webagent_dev.browser.egress_proxy import EgressProxy

GRANTED, NOT_ALLOWED, UNREACHABLE = 0, 2, 4
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Echo:
    """A server that returns what it gets, and counts connections."""

    def __init__(self) -> None:
        self.connections = 0
        self.origin = ""
        self.received = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while data := await reader.read(100):
            self.received += data
            writer.write(data)
        writer.close()


@pytest_asyncio.fixture(name="echo")
async def _echo() -> AsyncIterator[Echo]:
    echo = Echo()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    echo.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield echo
    server.close()


class Client:
    """Speaks to a proxy as Chromium does."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.writers: list[asyncio.StreamWriter] = []

    async def connect(self) -> Streams:
        """Connect to the proxy, and say nothing yet."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        return reader, writer

    async def ask(self, origin: str, name: bytes = b"") -> tuple[int, Streams]:
        """Ask for a connection to a host; return the answer."""
        reader, writer = await self.connect()
        target = urlsplit(origin)
        host = name or str(target.hostname).encode()
        port = struct.pack(">H", target.port)
        writer.write(b"\5\1\0" + b"\5\1\0\3" + bytes([len(host)]) + host + port)
        assert await reader.readexactly(2) == b"\5\0"
        answer = await reader.readexactly(10)
        return answer[1], (reader, writer)


@asynccontextmanager
async def proxy(*origins: str) -> AsyncIterator[tuple[EgressProxy, Client]]:
    """Start a proxy for pages of some origins."""
    egress = EgressProxy(origins)
    port = urlsplit(await egress.start()).port
    assert port
    client = Client(port)
    yield egress, client
    await egress.close()
    for writer in client.writers:
        writer.transport.abort()


async def test_connections_lead_where_they_are_wanted(echo: Echo) -> None:
    """Until the proxy is restricted; bytes pass both ways, however the address is written."""
    async with proxy(echo.origin) as (egress, client):
        code, (reader, writer) = await client.ask(echo.origin)
        writer.write(b"tea")
        assert (code, await reader.readexactly(3)) == (GRANTED, b"tea")
        egress.restrict(("http://shop.example",))
        code, _ = await client.ask(echo.origin)
        assert (code, egress.refused) == (NOT_ALLOWED, [echo.origin.removeprefix("http://")])
        egress.restrict((echo.origin,))
        assert (await client.ask(echo.origin))[0] == GRANTED
        egress.restrict(None)
        assert (await client.ask(echo.origin))[0] == GRANTED


async def test_a_restriction_ends_what_is_open(echo: Echo) -> None:
    """A socket from before is no way out."""
    async with proxy(echo.origin) as (egress, client):
        _, (reader, writer) = await client.ask(echo.origin)
        writer.write(b"before")
        await reader.readexactly(6)
        egress.restrict(("http://shop.example",))
        writer.write(b"secret")
        assert await reader.read() == b""
    assert echo.received == b"before"


async def test_a_refused_host_is_not_even_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name could carry the secret."""

    async def connect(*_: object, **__: object) -> None:
        raise AssertionError("a name was looked up")

    async with proxy("http://shop.example") as (egress, client):
        egress.restrict(("http://shop.example",))
        reader, writer = await client.connect()
        monkeypatch.setattr(asyncio, "open_connection", connect)
        host = b"secret.thief.example"
        writer.write(b"\5\1\0\5\1\0\3" + bytes([len(host)]) + host + b"\0\x50")
        assert (await reader.readexactly(12))[3] == NOT_ALLOWED


async def test_pages_of_other_networks_do_not_reach_this_machine(echo: Echo) -> None:
    """Chromium cannot refuse it behind a proxy; pages of this machine may, and of allowed origins."""
    async with proxy("https://shop.example") as (_, client):
        assert (await client.ask(echo.origin))[0] == NOT_ALLOWED
        assert (await client.ask(echo.origin, b"localhost"))[0] == NOT_ALLOWED
    async with proxy(echo.origin) as (_, client):
        assert (await client.ask(echo.origin, b"localhost"))[0] == NOT_ALLOWED
        assert (await client.ask(echo.origin))[0] == GRANTED
        assert (await client.ask(echo.origin, b"localhost"))[0] == GRANTED
    assert echo.received == b""


async def test_a_host_that_cannot_be_reached_is_reported_with_the_reason(echo: Echo) -> None:
    """By the errors that Chromium has without a proxy."""
    server = await asyncio.start_server(Echo().serve, "127.0.0.1", 0)
    dead = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    async with proxy(echo.origin) as (egress, client):
        assert (await client.ask(dead))[0] == UNREACHABLE
        assert (await client.ask("http://none.invalid:80"))[0] == UNREACHABLE
    assert egress.failure(f"{dead}/x") == "ERR_CONNECTION_REFUSED"
    assert egress.failure("http://none.invalid/") == "ERR_NAME_NOT_RESOLVED"


async def test_the_proxy_of_this_machine_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its credentials; the names that it is not for are reached without it."""
    heads: list[bytes] = []

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\nhello")
        writer.close()

    async with await asyncio.start_server(tunnel, "127.0.0.1", 0) as server:
        port_of_it = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("https_proxy", f"http://ada:tea@127.0.0.1:{port_of_it}")
        monkeypatch.setenv("no_proxy", "none.invalid")
        async with proxy("https://shop.example") as (_, client):
            origin = "https://shop.example:443"
            code, (reader, _writer) = await client.ask(origin)
            assert (code, await reader.readexactly(5)) == (GRANTED, b"hello")
            assert (await client.ask("https://none.invalid:443"))[0] == UNREACHABLE
    (head,) = heads
    assert head.startswith(b"CONNECT shop.example:443 HTTP/1.1\r\n")
    assert b"\r\nProxy-Authorization: Basic YWRhOnRlYQ==\r\n" in head


@pytest.mark.parametrize(
    "words", [b"GET / HTTP/1.1\r\n\r\n", b"\4\1\0\x50", b"\5\1\0\5\2\0\1aaaaaa"]
)
async def test_other_protocols_are_disconnected(words: bytes) -> None:
    """Without an answer that could be mistaken for one."""
    async with proxy() as (_, client):
        reader, writer = await client.connect()
        writer.write(words)
        writer.write_eof()
        assert await reader.read() in (b"", b"\5\0")
