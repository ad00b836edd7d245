"""uvicorn's WebSocket protocol, with a repair; loaded with the first WebSocket.

It is a subclass of an implementation, as uvicorn has no setting for this. A new version of it may
need a look here.
"""

from __future__ import annotations

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
