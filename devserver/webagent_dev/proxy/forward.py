"""Passes requests on to the server behind, and its answers back, piece by piece in both directions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpcore
from starlette.datastructures import Headers as ReadHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from webagent_dev.config.urls import CONTROL_PATH
from webagent_dev.http.first_done import until_first
from webagent_dev.http.pages import away_page, sentence, wants_html
from webagent_dev.proxy.coding import readable
from webagent_dev.proxy.headers import Headers, from_upstream, to_upstream
from webagent_dev.proxy.html_stream import Documents, asks_for_document, is_html
from webagent_dev.proxy.upstream import Upstream

PROBE_PATH = f"{CONTROL_PATH}/upstream"
"""URL path that answers 204 once the server behind is up, and 200 before: browsers write
what fails into the console, and a page that waits asks often."""

_DOWN = (httpcore.ConnectError, httpcore.ConnectTimeout)
_BROKEN = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
)


class Left(Exception):
    """The page went away before it was answered."""


class Forward:
    """An ASGI application that is another server's."""

    def __init__(self, upstream: Upstream, documents: Documents) -> None:
        """Stand in front of a server."""
        self._upstream = upstream
        self._documents = documents

    async def probe(self, _: Request) -> Response:
        """Tell a page whether it is worth asking again."""
        await self._upstream.look()
        if self._upstream.is_up:
            return Response(status_code=204, headers={"cache-control": "no-store"})
        return sentence(f"nothing answers at {self._upstream.address.origin}", 200)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        page = _Page(scope, receive)
        await until_first(self._exchange(page, send), page.gone(), expected=Left)

    async def _exchange(self, page: _Page, send: Send) -> None:
        document = asks_for_document(page.headers)
        try:
            answer = await self._upstream.ask(self._request(page, document))
        except (*_DOWN, *_BROKEN) as error:
            await self._failed(page, error, send)
            return
        try:
            await self._answer(page, answer, send, document)
        except _BROKEN:
            # Ended without its end, so that nobody takes the part for the whole.
            return
        finally:
            await answer.aclose()

    def _request(self, page: _Page, document: bool) -> httpcore.Request:
        address = self._upstream.address
        headers = to_upstream(page.headers, address, page.origin, page.client)
        if document:
            headers = self._documents.asked(headers)
            headers = [
                (name, readable(value.decode("latin-1")).encode("latin-1"))
                if name == b"accept-encoding"
                else (name, value)
                for name, value in headers
            ]
        if page.has_body and not any(name == b"content-length" for name, _ in headers):
            headers.append((b"transfer-encoding", b"chunked"))
        url = httpcore.URL(
            scheme=address.scheme, host=address.host, port=address.port, target=page.target
        )
        content = page.body() if page.has_body else b""
        endless = {"connect": 5.0, "read": None, "write": None, "pool": None}
        return httpcore.Request(
            page.method, url, headers=headers, content=content, extensions={"timeout": endless}
        )

    async def _answer(
        self, page: _Page, answer: httpcore.Response, send: Send, document: bool
    ) -> None:
        headers = from_upstream(answer.headers, self._upstream.address, page.origin)
        chunks: AsyncIterator[bytes] = aiter(answer.aiter_stream())
        if document and answer.status == 304:
            headers = self._documents.answered(headers)
        elif document and is_html(answer.status, headers):
            await self._documents.manifest()
            if page.method != "HEAD":
                chunks = self._documents.body(chunks, headers, path=page.path, ours=page.origin)
            headers = self._documents.answered(headers)
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        async for chunk in chunks:
            if chunk:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _failed(self, page: _Page, error: Exception, send: Send) -> None:
        origin = self._upstream.address.origin
        down = isinstance(error, _DOWN)
        reason = (
            "it takes no connection"
            if down
            else f"what it sent back is not HTTP ({str(error).rstrip('.') or type(error).__name__})"
        )
        if wants_html(page.request):
            again = page.method in ("GET", "HEAD")
            body = away_page(origin, reason, PROBE_PATH, again=again and down)
            response = Response(body, 502, media_type="text/html")
        else:
            remedy = "start that server" if down else "look into the terminal of that server"
            response = sentence(f"nothing answers at {origin} - {reason} - {remedy}", 502)
        response.headers["cache-control"] = "no-store"
        await response(page.scope, page.receive, send)


class _Page:
    """Whoever asks, and what they ask for."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.request = Request(scope)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers: Headers = [(name.lower(), value) for name, value in scope["headers"]]
        query = scope["query_string"]
        self.target: bytes = scope["raw_path"] + (b"?" + query if query else b"")
        read = ReadHeaders(scope=scope)
        if "transfer-encoding" in read:
            # RFC 9112, 6.3: chunks count, and a length beside them is not passed on.
            self.headers = [pair for pair in self.headers if pair[0] != b"content-length"]
        self.origin = f"{scope['scheme']}://{read.get('host', '').lower()}"
        self.has_body = read.get("content-length", "0") != "0" or "transfer-encoding" in read
        client = scope.get("client")
        self.client: str = client[0] if client else "127.0.0.1"
        self._read = asyncio.Event()
        if not self.has_body:
            self._read.set()

    async def body(self) -> AsyncIterator[bytes]:
        """Yield what the page sends, as it sends it."""
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise Left
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body"):
                self._read.set()
                return

    async def gone(self) -> None:
        """Wait until the page has gone away."""
        await self._read.wait()
        while (await self.receive())["type"] != "http.disconnect":
            continue
