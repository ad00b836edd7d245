"""The end of a WebSocket when the server ends."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State


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
