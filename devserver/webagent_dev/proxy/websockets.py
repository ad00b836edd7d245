"""Forwards WebSockets of the site to the upstream, in both directions."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.typing import Origin, Subprotocol

from webagent_dev.live.messages import SOCKET_MESSAGE_BYTES
from webagent_dev.proxy.headers import target_without_ours, to_upstream
from webagent_dev.proxy.upstream import CONNECT_S, Upstream
from webagent_site.config.urls import tls_of
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.sentences import sentence

_SET_BY_CLIENT = (b"host", b"origin")


class _Connect(connect):
    """Connects to the upstream, and does not follow its redirects."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Return the error, which is passed on to the page."""
        return exc


class WebSocketProxy:
    """ASGI application that connects WebSockets of pages with the upstream."""

    def __init__(self, upstream: Upstream) -> None:
        """Connect to an upstream."""
        self._upstream = upstream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Connect a page with the upstream, until either of them ends the connection."""
        page = WebSocket(scope, receive, send)
        try:
            async with self._connect(scope) as upstream:
                await page.accept(subprotocol=upstream.subprotocol)
                await run_until_first_done(
                    _to_upstream(page, upstream),
                    _to_page(upstream, page),
                    expected=WebSocketDisconnect,
                )
        except InvalidStatus as error:
            refusal = error.response
            kind = refusal.headers.get("content-type", "text/plain")
            await page.send_denial_response(
                Response(bytes(refusal.body or b""), refusal.status_code, media_type=kind)
            )
        except (OSError, TimeoutError, WebSocketException) as error:
            self._upstream.report_down()
            text = f"no WebSocket at {self._upstream.address.origin} - {error} - start that server"
            await page.send_denial_response(sentence(text, 502))

    def _connect(self, scope: Scope) -> _Connect:
        address = self._upstream.address
        lowered = [(name.lower(), value) for name, value in scope["headers"]]
        host = next(value for name, value in lowered if name == b"host").decode("ascii").lower()
        scheme = {"ws": "http", "wss": "https"}[scope["scheme"]]
        client = scope.get("client") or ("127.0.0.1", 0)
        headers = to_upstream(lowered, address, f"{scheme}://{host}", client[0])
        origin = next((value for name, value in headers if name == b"origin"), None)
        target = target_without_ours(scope["raw_path"], scope["query_string"])
        authority = host if address.is_here else address.authority
        secure = address.scheme == "https"
        return _Connect(
            f"{'wss' if secure else 'ws'}://{authority}{target.decode('ascii')}",
            host=address.host,
            port=address.port,
            ssl=tls_of(address),
            origin=Origin(origin.decode("latin-1")) if origin else None,
            subprotocols=[Subprotocol(name) for name in scope["subprotocols"]] or None,
            additional_headers=[
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in headers
                if name not in _SET_BY_CLIENT and not name.startswith(b"sec-websocket-")
            ],
            user_agent_header=None,
            compression=None,
            max_size=SOCKET_MESSAGE_BYTES,
            open_timeout=CONNECT_S,
            ping_interval=None,
            proxy=None,
        )


async def _to_upstream(page: WebSocket, upstream: ClientConnection) -> None:
    """Forward the messages of the page, to the end."""
    while True:
        message: Message = await page.receive()
        if message["type"] == "websocket.disconnect":
            code = message.get("code", 1000)
            await upstream.close(code if _can_be_sent(code) else 1000, message.get("reason") or "")
            return
        text = message.get("text")
        try:
            await upstream.send(message.get("bytes") or b"" if text is None else text)
        except ConnectionClosed:
            return


async def _to_page(upstream: ClientConnection, page: WebSocket) -> None:
    """Forward the messages of the upstream, to the end."""
    try:
        while True:
            message = await upstream.recv()
            if isinstance(message, str):
                await page.send_text(message)
            else:
                await page.send_bytes(message)
    except ConnectionClosed as closed:
        code = closed.rcvd.code if closed.rcvd else 1011
        reason = closed.rcvd.reason if closed.rcvd else "the upstream went away"
        await page.close(code if _can_be_sent(code) else 1000, reason)


def _can_be_sent(code: int) -> bool:
    """Whether a code is allowed in a closing frame (RFC 6455, 7.4.1)."""
    return code in (1000, 1001, 1002, 1003) or 1007 <= code <= 1014 or 3000 <= code < 5000
