"""The pages of an ASGI application, with the tags in them."""

from __future__ import annotations

from urllib.parse import quote

from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webagent_site.publish.publication import Publication
from webagent_site.publish.tagged_response import PageRequest, TaggedResponse, TaggedResponses


async def send_tagged(
    app: ASGIApp,
    tagged: TaggedResponses,
    publication: Publication,
    scope: Scope,
    receive: Receive,
    send: Send,
) -> None:
    """Let an application answer a request, and put the tags into the page that it sends."""
    given = list(scope["headers"])
    markdown = tagged.prefers_markdown(scope["method"], given)
    headers = tagged.request_headers(publication, given, markdown=markdown)
    # A file that the server sends by itself would pass by the tags.
    offered = {
        name: value
        for name, value in (scope.get("extensions") or {}).items()
        if name not in ("http.response.pathsend", "http.response.zerocopysend")
    }
    sender = _Sender(tagged, publication, _page_request(scope, markdown), send)
    await app({**scope, "headers": headers, "extensions": offered}, receive, sender.send)


def _page_request(scope: Scope, markdown: bool) -> PageRequest:
    def value(name: bytes) -> str:
        return ", ".join(v.decode("latin-1") for key, v in scope["headers"] if key == name)

    query = scope.get("query_string", b"").decode("latin-1")
    url = f"{scope.get('scheme', 'http')}://{value(b'host')}{quote(scope['path'])}"
    url += f"?{query}" if query else ""
    none_match = value(b"if-none-match")
    return PageRequest(scope["method"], scope["path"], url, none_match, markdown)


class _Sender:
    """Sends the messages of an application, with the tags in its pages."""

    def __init__(
        self, tagged: TaggedResponses, publication: Publication, request: PageRequest, send: Send
    ) -> None:
        self._tagged = tagged
        self._publication = publication
        self._request = request
        self._send = send
        self._start: Message | None = None
        self._response: TaggedResponse | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(bytes(n).lower(), bytes(v)) for n, v in message.get("headers", ())]
            self._response = self._tagged.response(
                self._publication, self._request, message["status"], headers
            )
            if self._response is None:
                await self._send(message)
            else:
                if self._request.method == "HEAD":
                    self._response.without_body()
                self._start = message
        elif message["type"] == "http.response.body" and self._response is not None:
            more = message.get("more_body", False)
            body = self._response.feed(message.get("body", b""))
            if not more and self._response.is_read_whole:
                body += await run_sync(self._response.end)
            elif not more:
                body += self._response.end()
            if more and not body:
                return
            if self._start is not None:
                await self._send({**self._start, "headers": self._response.headers})
                self._start = None
            await self._send({**message, "body": body})
        else:
            await self._send(message)
