"""Requests whose answers are read while they come: the port, and who sends them.

Ending the block around an answer, or cancelling the task that waits in it, ends the request.
"""

from __future__ import annotations

import asyncio
import codecs
import itertools
import json
import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from webagent.json_text import read_json
from webagent.llm.errors import (
    BadRequest,
    ConnectionLost,
    CutStream,
    ModelError,
    TimedOut,
    UnreadableAnswer,
)

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
    """The page's side of requests: JSON strings in, JSON strings out (`llm/fetch_bridge.ts`)."""

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


_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

_VALUE = re.compile(r"[\x20-\x7e\t]*")

_OPEN = frozenset({"accept", "content-type", "a2a-version"})

_SHORTEST = 6
"""Characters of a value that is looked for in what a server says."""


def checked_headers(ours: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return headers by their names in lower case; those given go before ours.

    Raises:
        ValueError: One cannot be sent; its value, which may be a secret, is not told.
    """
    found: dict[str, str] = {}
    for name, value in (*ours.items(), *given.items()):
        if not _NAME.fullmatch(name):
            raise ValueError(f"`{name}` is no name of a header - use letters, digits and `-`")
        if not _VALUE.fullmatch(value):
            raise ValueError(
                f"the header `{name}` has a line break or a letter beyond ASCII in its value - "
                "check whether the key was copied whole, and alone"
            )
        found[name.lower()] = value
    return found


def without_secrets(error: ModelError, headers: Mapping[str, str]) -> ModelError:
    """Return an error that does not repeat what was sent as a header, as some servers do."""
    message = error.message
    for name, value in headers.items():
        secret = value.rpartition(" ")[2]
        if name not in _OPEN and len(secret) >= _SHORTEST:
            message = message.replace(secret, "•••")
    if message == error.message:
        return error
    return type(error)(message, status=error.status, retry_after_s=error.retry_after_s)


LONGEST_EVENT = 4 * 1024 * 1024
"""Characters of one event; a stream with a longer one is given up."""

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    data: str
    type: str = "message"


class EventStream:
    """Takes bytes, gives events.

    Ids and times to reconnect are left out: a reply that was cut is asked for anew.
    """

    def __init__(self) -> None:
        """Start before the first byte."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._started = False
        self._ended_in_cr = False
        self._line: list[str] = []
        self._data: list[str] = []
        self._type = ""
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that are complete with these bytes.

        What stands in the stream behind the last empty line is no event, as the standard has it.

        Raises:
            ValueError: An event is longer than any should be.
        """
        text = self._decoder.decode(chunk)
        if not text:
            return
        if not self._started:
            self._started = True
            text = text.removeprefix("\ufeff")
        if self._ended_in_cr:
            # The other half of a line's end that was split.
            text = text.removeprefix("\n")
            self._ended_in_cr = False
        start = 0
        for end in _LINE_END.finditer(text):
            if end[0] == "\r" and end.end() == len(text):
                self._ended_in_cr = True
            self._take(text[start : end.start()])
            start = end.end()
            line = "".join(self._line)
            self._line.clear()
            if line:
                self._field(line)
            else:
                yield from self._dispatch()
        self._take(text[start:])

    def _take(self, text: str) -> None:
        self._size += len(text)
        if self._size > LONGEST_EVENT:
            raise ValueError(f"an event is longer than {LONGEST_EVENT} characters")
        self._line.append(text)

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value

    def _dispatch(self) -> Iterator[Event]:
        data, kind = self._data, self._type
        self._data, self._type, self._size = [], "", 0
        if data:
            yield Event("\n".join(data), kind or "message")


DONE = "[DONE]"
"""How chat completions say that a stream is over."""

MOST_BYTES = 16 * 1024 * 1024
"""Of one answer; a longer one is given up."""

MOST_ERROR_BYTES = 64 * 1024
"""Of an answer that says what failed; the rest is not read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an answer may take."""

    whole_s: float = 300.0
    """From the request to the last byte."""
    idle_s: float = 90.0
    """To the first byte, and from one piece to the next."""


class _Silence:
    """Ends a block when nothing has come for too long.

    It is one timer that is set anew when it runs out, not one for each piece: in a page a timer
    that is no longer needed is not taken away.
    """

    def __init__(self, limit: asyncio.Timeout, idle_s: float) -> None:
        self._limit = limit
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._timer = self._loop.call_later(idle_s, self._look)
        self.too_long = False

    def end(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def broken(self) -> None:
        """Note that something has come."""
        self._last = self._loop.time()

    def _look(self) -> None:
        left_s = self._last + self._idle_s - self._loop.time()
        if left_s > 0:
            self._timer = self._loop.call_later(left_s, self._look)
        elif not self._limit.expired():
            self.too_long = True
            self._limit.reschedule(self._loop.time())


@asynccontextmanager
async def opened(fetch: Fetch, request: Request, limits: Limits) -> AsyncIterator[Answer]:
    """Yield the answer to a request, within its limits.

    Raises:
        TimedOut: The whole took too long, or nothing came for too long.
        ConnectionLost: There is no connection.
        UnreadableAnswer: While reading, it turned out to be too long.
    """
    limit = asyncio.timeout(limits.whole_s)
    silence = _Silence(limit, limits.idle_s)
    try:
        async with limit, fetch.open(request) as answer:
            silence.broken()
            yield Answer(answer.status, answer.headers, _pieces_reading(answer.chunks, silence))
    except TimeoutError as error:
        if silence.too_long:
            raise TimedOut(f"the model's server said nothing for {limits.idle_s:g} s") from error
        raise TimedOut(f"the model's server did not finish within {limits.whole_s:g} s") from error
    finally:
        silence.end()


async def start_of(answer: Answer) -> str:
    """Return the beginning of an answer that says what failed."""
    body = bytearray()
    async for chunk in answer.chunks:
        body += chunk
        if len(body) >= MOST_ERROR_BYTES:
            break
    return body[:MOST_ERROR_BYTES].decode("utf-8", "replace")


async def objects(answer: Answer) -> AsyncGenerator[Any, None]:
    """Yield the JSON data of an answer: of each event of a stream, or of the whole if it is none.

    Servers answer with the one where the other was asked for, and name either as they like, so
    that the first byte decides. `[DONE]` is yielded as `DONE`.

    Raises:
        CutStream: There is nothing.
        UnreadableAnswer: It is a web page, or its JSON is none.
    """
    beginning = b""
    async for chunk in answer.chunks:
        beginning += chunk
        if _shown(beginning):
            break
    mark = _shown(beginning)[:1]
    if not mark:
        raise CutStream("the model's server sent nothing - ask again")
    if mark == b"<":
        raise UnreadableAnswer(
            "the model's server answers with a web page - check the address of its interface"
        )
    if mark in (b"{", b"["):
        body = bytearray(beginning)
        async for chunk in answer.chunks:
            body += chunk
        yield _data(body.decode("utf-8-sig", "replace"))
        return
    stream = EventStream()
    for text in _events(stream, beginning):
        yield _data(text)
    async for chunk in answer.chunks:
        for text in _events(stream, chunk):
            yield _data(text)
    # The last event may lack the empty line behind it.
    for text in _events(stream, b"\n\n"):
        yield _data(text)


def _shown(beginning: bytes) -> bytes:
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip()


def _events(stream: EventStream, chunk: bytes) -> list[str]:
    try:
        return [text for event in stream.feed(chunk) if (text := event.data.strip())]
    except ValueError as error:
        raise UnreadableAnswer(f"the model's stream cannot be read - {error}") from error


def _data(text: str) -> Any:
    if text == DONE:
        return DONE
    try:
        return read_json(text)
    except ValueError as error:
        raise UnreadableAnswer(f"the model's answer is no JSON - {error}") from error


async def _pieces_reading(chunks: AsyncIterator[bytes], silence: _Silence) -> AsyncIterator[bytes]:
    left = MOST_BYTES
    async for chunk in chunks:
        silence.broken()
        left -= len(chunk)
        if left < 0:
            raise UnreadableAnswer(f"the model's answer is longer than {MOST_BYTES} bytes")
        yield chunk
