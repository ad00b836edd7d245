"""The server behind ours: where it is, whether it is up, and the connections to it."""

from __future__ import annotations

import asyncio

import httpcore

from webagent_dev.config.urls import Address, tls_of
from webagent_dev.terminal import Console

CONNECT_S = 5.0
"""How long a connection may take to stand; what comes over it may take as long as it likes."""

IDLE_S = 4.0
"""How long an idle connection is kept: less than the 5 s after which common servers close theirs."""

LOOK_S = 0.25
"""How often a server that is down is looked for."""

RESTART_S = 2.0
"""How long a request waits for a server that was up a moment ago: many restart on every save."""


class Upstream:
    """Holds the connections to one server."""

    def __init__(self, address: Address, console: Console) -> None:
        """Connect to nothing yet."""
        self.address = address
        self._console = console
        self._up: bool | None = None
        self._looking: asyncio.Task[None] | None = None
        self._kept = _pool(address, idle=32)
        self._fresh = _pool(address, idle=0)

    async def ask(self, request: httpcore.Request) -> httpcore.Response:
        """Send a request and return the answer as soon as its headers are there.

        A request without a body is sent again when the server was restarting, or had just closed
        the connection. Any other goes over a connection of its own: one that was kept may be closed
        by the server at the very moment, and what changes something is not sent twice.

        Raises:
            httpcore.ConnectError: The server is down; so for `ConnectTimeout`.
            httpcore.RemoteProtocolError: What it answers is not HTTP; so for other `httpcore` errors.
        """
        repeatable = request.method in (b"GET", b"HEAD") and not _has_body(request)
        deadline = asyncio.get_running_loop().time() + (RESTART_S if self._up else 0)
        again = repeatable
        pool = self._kept if repeatable else self._fresh
        while True:
            try:
                answer = await pool.handle_async_request(request)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                # Nothing was sent, so even a request with a body can be sent again, unless it has
                # been read from the page.
                if not repeatable or asyncio.get_running_loop().time() >= deadline:
                    self.note_down()
                    raise
                await asyncio.sleep(LOOK_S / 2)
            except (httpcore.RemoteProtocolError, httpcore.ReadError):
                if not again:
                    raise
                again = False
            else:
                self._note_up()
                return answer

    @property
    def is_up(self) -> bool:
        """Whether the server took the last connection."""
        return bool(self._up)

    def note_down(self) -> None:
        """Say that the server is down, and look for it until it is up."""
        if self._up is not False:
            self._console.labelled(
                "proxy",
                f"nothing answers at {self.address.origin} - pages wait for it - start that server",
                "yellow",
            )
        self._up = False
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def look(self) -> None:
        """Find out whether the server is up."""
        if await self._connects():
            self._note_up()
        else:
            self.note_down()

    async def close(self) -> None:
        """Close all connections."""
        if self._looking:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await self._kept.aclose()
        await self._fresh.aclose()

    def _note_up(self) -> None:
        if self._up is False:
            self._console.labelled("proxy", f"{self.address.origin} answers", "green")
        self._up = True

    async def _look(self) -> None:
        while not await self._connects():  # noqa: ASYNC110 - nothing tells of a port
            await asyncio.sleep(LOOK_S)
        self._note_up()

    async def _connects(self) -> bool:
        try:
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(self.address.host, self.address.port)
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True


def _pool(address: Address, *, idle: int) -> httpcore.AsyncConnectionPool:
    return httpcore.AsyncConnectionPool(
        ssl_context=tls_of(address),
        max_connections=None,
        max_keepalive_connections=idle,
        keepalive_expiry=IDLE_S,
    )


def _has_body(request: httpcore.Request) -> bool:
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in request.headers)
