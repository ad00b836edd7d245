"""The pages of a WSGI application, with the tags in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from webagent_site.http.first_answer import is_answer
from webagent_site.publish.publication import Publication
from webagent_site.publish.tagged_response import PageRequest, TaggedResponse, TaggedResponses

StartResponse = Callable[..., Callable[[bytes], object]]
WsgiApp = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """The response of an application to a request for a file."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


def own_answer(app: WsgiApp, environ: dict[str, Any]) -> OwnAnswer | None:
    """Return the response of an application to a request for a file, None where it has none."""
    started: list[tuple[str, list[tuple[str, str]]]] = []
    body = bytearray()

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        started[:] = [(status, headers)]
        return body.extend

    chunks = app(environ, start)
    try:
        for chunk in chunks:
            body += chunk
    finally:
        if (close := getattr(chunks, "close", None)) is not None:
            close()
    status, headers = started[0]
    given = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return OwnAnswer(status, headers, bytes(body)) if is_answer(int(status[:3]), given) else None


def tagged_chunks(
    app: WsgiApp,
    tagged: TaggedResponses,
    publication: Publication,
    environ: dict[str, Any],
    start_response: StartResponse,
) -> Iterable[bytes]:
    """Let an application answer a request, and return the page that it sends with the tags in it."""
    given = [
        (key[5:].lower().replace("_", "-").encode(), str(value).encode("latin-1"))
        for key, value in environ.items()
        if key.startswith("HTTP_")
    ]
    markdown = tagged.prefers_markdown(environ["REQUEST_METHOD"], given)
    kept = {
        "HTTP_" + name.decode().upper().replace("-", "_"): value.decode("latin-1")
        for name, value in tagged.request_headers(publication, given, markdown=markdown)
    }
    others = {key: value for key, value in environ.items() if not key.startswith("HTTP_")}
    state = _Start(tagged, publication, _page_request(environ, markdown), start_response)
    chunks = app(others | kept, state.start)
    if state.response is None and state.status:
        # As it is, with what servers recognize a file by.
        return chunks
    return _Chunks(state, chunks)


def _page_request(environ: dict[str, Any], markdown: bool) -> PageRequest:
    scheme, host = environ.get("wsgi.url_scheme", "http"), environ.get("HTTP_HOST", "")
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    none_match = environ.get("HTTP_IF_NONE_MATCH", "")
    query = environ.get("QUERY_STRING", "")
    url = f"{scheme}://{host}{quote(path.encode('latin-1', 'replace'))}"
    url += f"?{query}" if query else ""
    return PageRequest(environ["REQUEST_METHOD"], path, url, none_match, markdown)


class _Start:
    """Takes the status and headers of an application; they are sent with the first bytes."""

    def __init__(
        self,
        tagged: TaggedResponses,
        publication: Publication,
        request: PageRequest,
        start_response: StartResponse,
    ) -> None:
        self._tagged = tagged
        self._publication = publication
        self._request = request
        self._start_response = start_response
        self._write: Callable[[bytes], object] | None = None
        self.status = ""
        self.response: TaggedResponse | None = None

    def start(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], object]:
        if self.status and self._write is not None:
            # Too late for another response: the server raises the error.
            return self._start_response(status, headers, exc_info)
        self.status = status
        given = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers]
        self.response = self._tagged.response(
            self._publication, self._request, int(status[:3]), given
        )
        if self.response is None:
            self._write = self._start_response(status, headers, *([exc_info] if exc_info else []))
            return self._write
        if self._request.method == "HEAD":
            self.response.without_body()
        return self._written

    def send_start(self) -> None:
        """Send the status and headers, once."""
        if self._write is None and self.response is not None:
            headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in self.response.headers]
            self._write = self._start_response(self.status, headers)

    def _written(self, chunk: bytes) -> None:
        assert self.response is not None
        if body := self.response.feed(chunk):
            self.send_start()
            assert self._write is not None
            self._write(body)


class _Chunks:
    """The body of a WSGI response."""

    def __init__(self, state: _Start, chunks: Iterable[bytes]) -> None:
        self._state = state
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        state = self._state
        for chunk in self._chunks:
            body = state.response.feed(chunk) if state.response else chunk
            if body:
                state.send_start()
                yield body
        body = state.response.end() if state.response else b""
        state.send_start()
        if body:
            yield body

    def close(self) -> None:
        """Close what the application has returned."""
        if (close := getattr(self._chunks, "close", None)) is not None:
            close()
