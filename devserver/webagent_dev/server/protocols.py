"""An end to the patience with connections that never finish a request's headers."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

HEADERS_S = 20.0
"""How long the headers of a request may take, from the connection's start or their first byte."""


class PatientProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, which by itself waits for ever once a request has begun.

    Bodies may take as long as they like: a page may upload over a slow network.
    """

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take data; wait for the rest of a request's headers, and no longer than for these."""
        super().data_received(data)
        if not self._awaits_headers():
            self._stop_waiting()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _awaits_headers(self) -> bool:
        upgraded = self.transport.get_protocol() is not self
        return not upgraded and self.conn.their_state is h11.IDLE

    def _wait(self) -> None:
        self._patience = asyncio.get_running_loop().call_later(HEADERS_S, self._end)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _end(self) -> None:
        self._patience = None
        if self._awaits_headers():
            self.transport.close()


class FarewellProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, which by itself says goodbye also where both sides have said it.

    Under TLS such a connection lasts until its peer ends it; the second goodbye is an error that
    keeps the server from ending the others.
    """

    def shutdown(self) -> None:
        """End the connection, and say so where that has not been done."""
        if self.conn.state is State.OPEN or not self.handshake_complete:
            super().shutdown()
        else:
            self.stop_keepalive()
            self.transport.close()
