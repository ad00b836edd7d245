"""uvicorn's HTTP and WebSocket protocols, with repairs, and the limit of open connections.

Both are subclasses of implementations, as uvicorn has no setting for either. A new version of it may
need a look here.
"""

from __future__ import annotations

import asyncio
import sys
from functools import cache

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_S = 20.0
"""How long the headers of a request may take, from the connection or from their first byte."""


FILES = 16_384
"""How many files and connections the server wants to have open at a time."""


def raise_file_limit() -> int:
    """Let this process open more files, if its system allows it; return how many it may open."""
    if sys.platform == "win32":
        return FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return min(FILES, soft) if soft != resource.RLIM_INFINITY else FILES
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


class HeaderTimeoutProtocol(H11Protocol):
    """HTTP/1.1 with a time limit for the headers of a request, against slow clients (slowloris).

    uvicorn itself waits for ever once a request has begun. Bodies have no limit: a page may upload
    over a slow network. When too many connections are open, those that have been without a request
    for the longest time are closed, so that others are answered.
    """

    most_connections = FILES // 2
    """A connection may need another one to an upstream, or an open file."""
    _timer: asyncio.TimerHandle | None = None
    _received_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer, and close idle connections if there are too many."""
        super().connection_made(transport)
        self._received_s = self.loop.time()
        if len(self.connections) > self.most_connections:
            self._close_idle()
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Take data; stop the timer at the end of the headers, and start it with the next ones."""
        self._received_s = self.loop.time()
        super().data_received(data)
        if not self._awaits_headers():
            self._stop_timer()
        elif self._timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def _close_idle(self) -> None:
        """Close a tenth of the connections: those without a request for the longest time."""
        idle = [
            each
            for each in self.connections
            if isinstance(each, HeaderTimeoutProtocol) and each._awaits_headers()
        ]
        idle.sort(key=lambda each: each._received_s)
        for each in idle[: self.most_connections // 10 + 1]:
            if each is not self:
                each.transport.close()

    def _awaits_headers(self) -> bool:
        upgraded = self.transport.get_protocol() is not self
        return not upgraded and self.conn.their_state is h11.IDLE

    def _start_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(HEADERS_S, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if self._awaits_headers():
            self.transport.close()


@cache
def quiet_close_protocol() -> type[asyncio.Protocol]:
    """Return the protocol of WebSockets; it is loaded with the first, so that no page waits for it."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
    from websockets.protocol import State

    class QuietCloseProtocol(WebSocketsSansIOProtocol):
        """A WebSocket that sends no second close frame when the server stops.

        Under TLS a connection lasts until its peer ends it, also after both sides have closed the
        WebSocket. uvicorn itself would then close it again, which is an error that keeps the server from
        ending the other connections.
        """

        def shutdown(self) -> None:
            """End the connection, with a close frame only if none was sent."""
            if self.conn.state is State.OPEN or not self.handshake_complete:
                super().shutdown()
            else:
                self.stop_keepalive()
                self.transport.close()

    return QuietCloseProtocol
