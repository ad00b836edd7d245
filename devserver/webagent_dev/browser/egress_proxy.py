"""The proxy of one browser profile: every connection of its pages passes here, and may be refused.

Chromium's own interception does not see everything that leaves a page (WebSockets, WebRTC and
connections that are open already). A SOCKS proxy does, and Chromium sends nothing around it.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import socket
import struct
from collections.abc import Collection
from contextlib import suppress
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from webagent.urls import PORTS

CONNECT_S = 30.0
"""How long a host may take to accept a connection."""
_CHUNK = 65_536
_VERSION, _NO_AUTHENTICATION, _CONNECT = 5, 0, 1
_GRANTED, _NOT_ALLOWED, _UNREACHABLE = 0, 2, 4
_IPV4, _NAME, _IPV6 = 1, 3, 4
_NO_ADDRESS = b"\0\1" + bytes(6)

_CODES = {
    ConnectionRefusedError: "ERR_CONNECTION_REFUSED",
    socket.gaierror: "ERR_NAME_NOT_RESOLVED",
    TimeoutError: "ERR_CONNECTION_TIMED_OUT",
}

Place = tuple[str, int]
"""A host and a port."""


class EgressProxy:
    """A SOCKS 5 proxy on this machine, for one profile.

    It connects to every host until it is restricted to some. Hosts of this machine and of the local
    network are reached by pages that are local themselves: through a proxy, Chromium no longer
    knows which hosts are local, and would let every page reach them.
    """

    def __init__(self, origins: Collection[str]) -> None:
        """Serve nothing yet.

        Args:
            origins: The origins that the profile is for; they may be local.
        """
        self._origins = {place_of(origin) for origin in origins}
        self._only: set[Place] | None = None
        self._is_local = False
        self._open: dict[asyncio.StreamWriter, Place] = {}
        self._clients: dict[asyncio.StreamWriter, asyncio.Future[None]] = {}
        self._server: asyncio.Server | None = None
        self.refused: list[str] = []
        """The hosts, with ports, that were refused while the proxy was restricted."""
        self._failures: dict[Place, str] = {}

    async def start(self) -> str:
        """Begin to listen; return the address for the browser."""
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        return f"socks5://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def restrict(self, origins: Collection[str] | None) -> None:
        """Connect only to some origins from now on, and close what is open to others.

        Args:
            origins: The origins; None for all.
        """
        self._only = None if origins is None else {place_of(origin) for origin in origins}
        for writer, place in [*self._open.items()]:
            if not self._allows(place):
                # Not `close`, which would still send what is in its buffer.
                writer.transport.abort()

    def failure(self, url: str) -> str:
        """Return why the host of an address could not be reached, as Chromium names it.

        Chromium has one error for whatever happens behind a proxy.
        """
        return self._failures.get(place_of(url), "ERR_PROXY_CONNECTION_FAILED")

    async def close(self) -> None:
        """Close it, with all connections."""
        if self._server:
            self._server.close()
        serving = [*self._clients.values()]
        for writer in (*self._open, *self._clients):
            writer.transport.abort()
        for one in serving:
            one.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    def _allows(self, place: Place) -> bool:
        return self._only is None or place in self._only

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients[writer] = asyncio.ensure_future(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, EOFError, UnicodeError):
                place = await _read_request(reader, writer)
                await self._connect(place, reader, writer)
        finally:
            del self._clients[writer]
            writer.transport.abort()

    async def _connect(
        self, place: Place, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not self._allows(place):
            return await self._refuse(place, writer)
        try:
            async with asyncio.timeout(CONNECT_S):
                far_reader, far = await _open_connection(*place)
        except (OSError, EOFError) as error:
            self._failures[place] = next(
                (code for kind, code in _CODES.items() if isinstance(error, kind)),
                "ERR_CONNECTION_FAILED",
            )
            return await _answer(writer, _UNREACHABLE)
        self._open[far] = place
        try:
            # Another restriction may have come meanwhile.
            if not self._allows(place) or not self._may_be_local(place, far):
                return await self._refuse(place, writer)
            await _answer(writer, _GRANTED)
            await _copy_both_ways((reader, writer), (far_reader, far))
        finally:
            del self._open[far]
            far.transport.abort()

    def _may_be_local(self, place: Place, far: asyncio.StreamWriter) -> bool:
        is_local = not ipaddress.ip_address(far.get_extra_info("peername")[0]).is_global
        if place in self._origins:
            self._is_local = self._is_local or is_local
        return not is_local or place in self._origins or self._is_local

    async def _refuse(self, place: Place, writer: asyncio.StreamWriter) -> None:
        host, port = place
        name = f"{host}:{port}"
        if self._only is not None and name not in self.refused:
            self.refused.append(name)
        await _answer(writer, _NOT_ALLOWED)


def place_of(origin: str) -> Place:
    """Return the host and the port of an origin, as browsers write them."""
    parts = urlsplit(origin)
    return parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Place:
    """Read the greeting and the request of a client; return where it wants to go.

    Raises:
        EOFError: The client ended, or speaks another protocol.
    """
    version, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    if version != _VERSION:
        raise EOFError
    writer.write(bytes((_VERSION, _NO_AUTHENTICATION)))
    _, command, _, kind = await reader.readexactly(4)
    if command != _CONNECT:
        raise EOFError
    if kind == _NAME:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii").lower().strip("[]")
    else:
        size = {_IPV4: 4, _IPV6: 16}.get(kind, 0)
        host = str(ipaddress.ip_address(await reader.readexactly(size))) if size else ""
    (port,) = struct.unpack(">H", await reader.readexactly(2))
    return host, port


async def _answer(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes((_VERSION, code)) + _NO_ADDRESS)
    await writer.drain()


async def _open_connection(
    host: str, port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a host, by the proxy that this machine is set to use, if any.

    Raises:
        OSError: It cannot be reached.
        EOFError: The proxy has closed the connection.
    """
    proxies = getproxies()
    proxy = proxies.get("http" if port == PORTS["http"] else "https") or proxies.get("all")
    parts = urlsplit(proxy or "")
    if parts.scheme != "http" or not parts.hostname or proxy_bypass(host):
        return await asyncio.open_connection(host, port)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or PORTS["http"])
    name = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {name} HTTP/1.1", f"Host: {name}"]
    if parts.username is not None:
        words = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(words.encode()).decode()}")
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.split(maxsplit=2)[1:2] != [b"200"]:
            raise ConnectionRefusedError
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer


async def _copy_both_ways(
    near: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    far: tuple[asyncio.StreamReader, asyncio.StreamWriter],
) -> None:
    """Copy until one side ends; the other may still receive what was sent."""
    out, back = (
        asyncio.ensure_future(_copy(near[0], far[1])),
        asyncio.ensure_future(_copy(far[0], near[1])),
    )
    try:
        await asyncio.gather(out, back)
    finally:
        out.cancel()
        back.cancel()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    with suppress(OSError):
        writer.write_eof()
