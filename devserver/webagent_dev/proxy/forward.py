"""Forwards HTTP requests to the upstream, and streams bodies in both directions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpcore
from anyio.to_thread import run_sync
from starlette.datastructures import Headers as ReadHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from webagent_dev.http.pages import away_page
from webagent_dev.proxy.headers import Headers, from_upstream, target_without_ours, to_upstream
from webagent_dev.proxy.html_stream import DocumentInjector, asks_for_document, is_html
from webagent_dev.proxy.upstream import Upstream
from webagent_site.config.urls import CONTROL_PATH
from webagent_site.http.coding import readable
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.markdown_twin import (
    MarkdownTwin,
    asks_for_markdown,
    can_be_markdown,
    not_modified,
    request_headers,
)
from webagent_site.http.sentences import sentence, wants_html

PROBE_PATH = f"{CONTROL_PATH}/upstream"
"""URL path that answers 204 once the upstream is up, and 200 before. Never an error, because
browsers log errors to the console, and a page that waits asks often."""

_DOWN = (httpcore.ConnectError, httpcore.ConnectTimeout)
_BROKEN = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
)


class PageLeft(Exception):
    """The page went away before the response."""


class HttpProxy:
    """ASGI application that answers with the responses of the upstream."""

    def __init__(
        self, upstream: Upstream, injector: DocumentInjector, *, markdown: bool = False
    ) -> None:
        """Forward to an upstream, and inject the agent into its documents.

        Args:
            upstream: The upstream.
            injector: Injects the agent.
            markdown: Whether clients that prefer it get documents as Markdown.
        """
        self._upstream = upstream
        self._injector = injector
        self._markdown = markdown

    async def probe(self, _: Request) -> Response:
        """Answer whether the upstream is up."""
        await self._upstream.check()
        if self._upstream.is_up:
            return Response(status_code=204, headers={"cache-control": "no-store"})
        return sentence(f"nothing answers at {self._upstream.address.origin}", 200)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        page = _PageRequest(scope, receive)
        await run_until_first_done(self._exchange(page, send), page.gone(), expected=PageLeft)

    async def _exchange(self, page: _PageRequest, send: Send) -> None:
        is_document = asks_for_document(page.headers)
        page.prefers_markdown = self._markdown and asks_for_markdown(page.method, page.headers)
        try:
            response = await self._upstream.send(self._request(page, is_document))
        except (*_DOWN, *_BROKEN) as error:
            await self._failed(page, error, send)
            return
        try:
            await self._respond(page, response, send, is_document)
        except _BROKEN:
            # Closed without a regular end, so that the part does not pass for the whole.
            return
        finally:
            await response.aclose()

    def _request(self, page: _PageRequest, is_document: bool) -> httpcore.Request:
        address = self._upstream.address
        headers = to_upstream(page.headers, address, page.origin, page.client)
        if page.prefers_markdown:
            headers = request_headers(headers)
        elif is_document:
            headers = self._injector.request_headers(headers)
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
        no_limits = {"connect": 5.0, "read": None, "write": None, "pool": None}
        return httpcore.Request(
            page.method, url, headers=headers, content=content, extensions={"timeout": no_limits}
        )

    async def _respond(
        self, page: _PageRequest, response: httpcore.Response, send: Send, is_document: bool
    ) -> None:
        headers = from_upstream(response.headers, self._upstream.address, page.origin)
        chunks: AsyncIterator[bytes] = aiter(response.aiter_stream())
        if page.prefers_markdown and response.status == 304:
            headers = not_modified(headers)
        elif page.prefers_markdown and can_be_markdown(response.status, headers):
            twin = MarkdownTwin(headers, page.origin + page.target.decode("ascii", "replace"))
            if page.method == "HEAD":
                headers = twin.bodiless_headers()
            else:
                chunks = _as_markdown(chunks, twin)
                first = await anext(chunks)
                chunks = _after(first, chunks)
                headers = twin.headers or headers
        elif is_document and response.status == 304:
            headers = self._injector.response_headers(headers)
        elif is_document and is_html(response.status, headers):
            await self._injector.refresh_manifest()
            if page.method != "HEAD":
                chunks = self._injector.body(chunks, headers, path=page.path, ours=page.origin)
            headers = self._injector.response_headers(headers)
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        async for chunk in chunks:
            if chunk:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _failed(self, page: _PageRequest, error: Exception, send: Send) -> None:
        origin = self._upstream.address.origin
        is_down = isinstance(error, _DOWN)
        reason = (
            "it accepts no connection"
            if is_down
            else f"its response is not HTTP ({str(error).rstrip('.') or type(error).__name__})"
        )
        if wants_html(page.request):
            again = page.method in ("GET", "HEAD")
            body = away_page(origin, reason, PROBE_PATH, again=again and is_down)
            response = Response(body, 502, media_type="text/html")
        else:
            remedy = "start that server" if is_down else "look at the terminal of that server"
            response = sentence(f"nothing answers at {origin} - {reason} - {remedy}", 502)
        response.headers["cache-control"] = "no-store"
        await response(page.scope, page.receive, send)


async def _as_markdown(chunks: AsyncIterator[bytes], twin: MarkdownTwin) -> AsyncIterator[bytes]:
    """Yield a document as Markdown, or as it is where it becomes none; first once that is known."""
    async for chunk in chunks:
        sent = twin.step(chunk)
        if twin.headers is not None:
            yield sent
    yield await run_sync(twin.step, None)


async def _after(first: bytes, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in chunks:
        yield chunk


class _PageRequest:
    """A request of a page."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.request = Request(scope)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers: Headers = [(name.lower(), value) for name, value in scope["headers"]]
        self.target = target_without_ours(scope["raw_path"], scope["query_string"])
        parsed = ReadHeaders(scope=scope)
        if "transfer-encoding" in parsed:
            # RFC 9112, 6.3: chunks override a length, which is not passed on.
            self.headers = [pair for pair in self.headers if pair[0] != b"content-length"]
        self.prefers_markdown = False
        self.origin = f"{scope['scheme']}://{parsed.get('host', '').lower()}"
        self.has_body = parsed.get("content-length", "0") != "0" or "transfer-encoding" in parsed
        client = scope.get("client")
        self.client: str = client[0] if client else "127.0.0.1"
        self._read = asyncio.Event()
        if not self.has_body:
            self._read.set()

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the body as the page sends it."""
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise PageLeft
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
