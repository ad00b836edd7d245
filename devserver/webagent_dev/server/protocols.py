"""uvicorn's HTTP and WebSocket protocols, each with one repair.

Both are subclasses of implementations, as uvicorn has no setting for either. A new version of it may
need a look here.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

HEADERS_S = 20.0
"""How long the headers of a request may take, from the connection or from their first byte."""


class HeaderTimeoutProtocol(H11Protocol):
    """HTTP/1.1 with a time limit for the headers of a request, against slow clients (slowloris).

    uvicorn itself waits for ever once a request has begun. Bodies have no limit: a page may upload
    over a slow network.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Take data; stop the timer at the end of the headers, and start it with the next ones."""
        super().data_received(data)
        if not self._awaits_headers():
            self._stop_timer()
        elif self._timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

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
