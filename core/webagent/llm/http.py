"""Requests whose answers are read while they come: the port, and who sends them.

Ending the block around an answer, or cancelling the task that waits in it, ends the request.
"""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from webagent.llm.errors import BadRequest, ConnectionLost

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    """UTF-8 text."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back; the body comes piece by piece, split anywhere."""

    status: int
    headers: Mapping[str, str]
    """By their names in lower case."""
    chunks: AsyncIterator[bytes]


class Fetch(Protocol):
    """Sends requests."""

    def open(self, request: Request) -> AbstractAsyncContextManager[Answer]:
        """Return a block in which the answer is there; leaving it ends the request.

        Redirects are not followed: a key must not travel on.

        Raises:
            ConnectionLost: On entry there is no connection, or while reading it went away.
            BadRequest: On entry the request turns out to be one that cannot be sent.
        """


class HttpxFetch:
    """Sends requests with httpx, which `pip install "webagent-core[http]"` brings.

    Use it as `async with HttpxFetch() as fetch:`, or call `close()` in the end.
    """

    def __init__(self, client: httpx.AsyncClient | None = None) -> None:
        """Send with a client, or with one of its own.

        Raises:
            ImportError: httpx is not installed.
        """
        try:
            import httpx
        except ImportError as error:
            raise ImportError(
                "models over HTTP need httpx, which is not installed - "
                'run `pip install "webagent-core[http]"`'
            ) from error
        self._own = client is None
        self._client = client or httpx.AsyncClient(timeout=httpx.Timeout(None, connect=30.0))

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Answer]:
        """Send a request."""
        import httpx

        failures = (httpx.TransportError, httpx.DecodingError)
        try:
            sent = self._client.build_request(
                request.method, request.url, headers=request.headers, content=request.body
            )
            answer = await self._client.send(sent, stream=True, follow_redirects=False)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            raise BadRequest(f"`{request.url}` cannot be asked - {error}") from error
        except failures as error:
            raise _lost(request.url, error) from error

        async def chunks() -> AsyncIterator[bytes]:
            try:
                async for chunk in answer.aiter_bytes():
                    yield chunk
            except failures as error:
                raise _lost(request.url, error) from error

        try:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            yield Answer(answer.status_code, headers, chunks())
        finally:
            await answer.aclose()

    async def close(self) -> None:
        """Close the connections, unless somebody else's client has them."""
        if self._own:
            await self._client.aclose()

    async def __aenter__(self) -> HttpxFetch:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


class FetchBridge(Protocol):
    """The page's side of requests: JSON strings in, JSON strings out (`llm/fetch.ts`)."""

    async def fetch_open(self, number: int, request: str) -> str:
        """Send `{"url", "method", "headers", "body"}`.

        Returns:
            `{"ok": true, "status", "headers"}` or `{"ok": false, "message", "final"}`, where
            `final` says whether asking again is of no use.
        """

    async def fetch_read(self, number: int) -> str:
        """Return the next piece: `{"ok": true, "text", "done"}` or `{"ok": false, "message"}`."""

    def fetch_close(self, number: int) -> None:
        """End a request; one that has ended, or never began, is none to it."""


class BridgeFetch:
    """Sends requests through the page around this interpreter."""

    _numbers = itertools.count(1)

    def __init__(self, bridge: FetchBridge) -> None:
        """Reach the network through a page."""
        self._bridge = bridge

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Answer]:
        """Send a request."""
        number = next(self._numbers)
        asked = {
            "url": request.url,
            "method": request.method,
            "headers": dict(request.headers),
            "body": request.body.decode("utf-8", "replace"),
        }
        try:
            head = json.loads(await self._bridge.fetch_open(number, json.dumps(asked)))
            if not head["ok"] and head["final"]:
                raise BadRequest(f"`{request.url}` cannot be asked - {head['message']}")
            if not head["ok"]:
                raise ConnectionLost(f"`{request.url}` cannot be reached - {head['message']}")
            yield Answer(head["status"], head["headers"], self._chunks(number, request.url))
        finally:
            self._bridge.fetch_close(number)

    async def _chunks(self, number: int, url: str) -> AsyncIterator[bytes]:
        done = False
        while not done:
            piece = json.loads(await self._bridge.fetch_read(number))
            if not piece["ok"]:
                raise ConnectionLost(f"the answer of `{url}` ended early - {piece['message']}")
            done = piece["done"]
            yield piece["text"].encode()


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """An answer that is known beforehand."""

    body: str | bytes | tuple[bytes | Exception, ...] = b""
    """As a whole, or in the pieces in which it comes; an exception is raised in its place."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class ScriptedFetch:
    """Sends nothing and gives these answers, one after the other, for tests.

    Attributes:
        requests: Every request so far.
    """

    def __init__(
        self,
        *answers: ScriptedAnswer | str | Exception | Callable[[Request], ScriptedAnswer | str],
    ) -> None:
        """Give these answers; an exception is raised, a function is given the request."""
        self._answers = deque(answers)
        self.requests: list[Request] = []

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Answer]:
        """Give the next answer.

        Raises:
            AssertionError: It was asked more often than it has answers.
        """
        self.requests.append(request)
        if not self._answers:
            raise AssertionError(f"nobody expected another request to `{request.url}`")
        given = self._answers.popleft()
        if isinstance(given, Exception):
            raise given
        found = given if isinstance(given, str | ScriptedAnswer) else given(request)
        answer = ScriptedAnswer(found) if isinstance(found, str) else found
        yield Answer(answer.status, answer.headers, _pieces(answer.body))


async def _pieces(body: str | bytes | tuple[bytes | Exception, ...]) -> AsyncIterator[bytes]:
    if isinstance(body, str):
        body = body.encode()
    for piece in (body,) if isinstance(body, bytes) else body:
        if isinstance(piece, Exception):
            raise piece
        yield piece


def _lost(url: str, error: Exception) -> ConnectionLost:
    reason = str(error) or type(error).__name__
    return ConnectionLost(f"`{url}` cannot be reached - {reason[:300]}")
