"""The upstream: its address, its connections, and whether it is up."""

from __future__ import annotations

import asyncio

import httpcore

from webagent_dev.terminal import Console
from webagent_site.config.urls import Address, tls_of

CONNECT_S = 5.0
"""Limit for opening a connection; there is no limit for requests and responses."""

IDLE_S = 4.0
"""How long an idle connection is kept: less than the 5 s after which common servers close them."""

POLL_S = 0.25
"""How often it is checked whether an upstream that is down is up again."""

RESTART_S = 2.0
"""How long a request waits for an upstream that was up before: many restart on every save."""


class Upstream:
    """Holds the connections to one upstream."""

    def __init__(self, address: Address, console: Console) -> None:
        self.address = address
        self._console = console
        self._up: bool | None = None
        self._polling: asyncio.Task[None] | None = None
        self._pooled = _pool(address, idle=32)
        self._fresh = _pool(address, idle=0)

    async def send(self, request: httpcore.Request) -> httpcore.Response:
        """Send a request, and return the response as soon as its headers are there.

        A GET or HEAD request without a body is sent again if the upstream is restarting, or has just
        closed the connection. Any other request gets a new connection, because the upstream may close
        an idle one at that moment, and a request that may change something is never sent twice.

        Raises:
            httpcore.ConnectError: The upstream is down; so does `ConnectTimeout`.
            httpcore.RemoteProtocolError: The response is not HTTP; so do other `httpcore` errors.
        """
        repeatable = request.method in (b"GET", b"HEAD") and not _has_body(request)
        deadline = asyncio.get_running_loop().time() + (RESTART_S if self._up else 0)
        may_retry = repeatable
        pool = self._pooled if repeatable else self._fresh
        while True:
            try:
                response = await pool.handle_async_request(request)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                # Nothing was sent yet, but a body cannot be read from the page twice.
                if not repeatable or asyncio.get_running_loop().time() >= deadline:
                    self.report_down()
                    raise
                await asyncio.sleep(POLL_S / 2)
            except (httpcore.RemoteProtocolError, httpcore.ReadError):
                if not may_retry:
                    raise
                may_retry = False
            else:
                self._report_up()
                return response

    @property
    def is_up(self) -> bool:
        """Whether the upstream has accepted the last connection."""
        return bool(self._up)

    def report_down(self) -> None:
        """Report that the upstream is down, and check it until it is up."""
        if self._up is not False:
            self._console.labelled(
                "proxy",
                f"nothing answers at {self.address.origin} - pages wait for it - start that server",
                "yellow",
            )
        self._up = False
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll())

    async def check(self) -> None:
        """Check whether the upstream is up."""
        if await self._connects():
            self._report_up()
        else:
            self.report_down()

    async def close(self) -> None:
        """Close all connections."""
        if self._polling:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)
        await self._pooled.aclose()
        await self._fresh.aclose()

    def _report_up(self) -> None:
        if self._up is False:
            self._console.labelled("proxy", f"{self.address.origin} answers", "green")
        self._up = True

    async def _poll(self) -> None:
        while not await self._connects():  # noqa: ASYNC110 - there is no event for a port
            await asyncio.sleep(POLL_S)
        self._report_up()

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
