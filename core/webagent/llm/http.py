"""HTTP for models: requests whose answers are read as they come, and the events in them.

`Fetch` is the port. `HttpxFetch` sends with httpx, `BridgeFetch` through the page around this
interpreter. Leaving the block around an answer, or cancelling the task in it, ends the request.
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

from webagent.json_text import STRING, read_json
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
    """A request."""

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    """Text in UTF-8."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request; its body comes in pieces, split anywhere."""

    status: int
    headers: Mapping[str, str]
    """Values by names in lower case."""
    chunks: AsyncIterator[bytes]


class Fetch(Protocol):
    """Sends requests."""

    def open(self, request: Request) -> AbstractAsyncContextManager[Answer]:
        """Return a context manager around the answer; leaving it ends the request.

        Redirects are not followed, since a key must not be sent to another server.

        Raises:
            ConnectionLost: There is no connection, or it is lost while the answer is read.
            BadRequest: The request cannot be sent.
            UnreadableAnswer: The answer is compressed.
        """


class HttpxFetch:
    """Sends requests with httpx, which `pip install "webagent-core[http]"` installs.

    Use it as `async with HttpxFetch() as fetch:`, or call `close()` at the end.
    """

    def __init__(self, client: httpx.AsyncClient | None = None) -> None:
        """Send with a given client, or with one of its own.

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
            # A small compressed answer can fill the memory before its length is known.
            headers = {"accept-encoding": "identity", **request.headers}
            sent = self._client.build_request(
                request.method, request.url, headers=headers, content=request.body
            )
            answer = await self._client.send(sent, stream=True, follow_redirects=False)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            raise BadRequest(f"`{request.url}` cannot be asked - {error}") from error
        except failures as error:
            raise ConnectionLost(f"`{request.url}` cannot be reached - {_reason(error)}") from error

        async def chunks() -> AsyncIterator[bytes]:
            try:
                async for chunk in answer.aiter_bytes():
                    yield chunk
            except failures as error:
                raise _ended_early(request.url, _reason(error)) from error

        try:
            received = {name.lower(): value for name, value in answer.headers.items()}
            coding = received.get("content-encoding", "identity")
            if coding.strip().lower() != "identity":
                raise UnreadableAnswer(
                    f"`{request.url}` has compressed its answer by `{coding[:40]}`, which was not asked for"
                )
            yield Answer(answer.status_code, received, chunks())
        finally:
            await answer.aclose()

    async def close(self) -> None:
        """Close the connections, unless the client was given by the caller."""
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


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:300]


def _ended_early(url: str, reason: str) -> ConnectionLost:
    return ConnectionLost(f"the answer of `{url}` ended early - {reason}")


class FetchBridge(Protocol):
    """Requests in the page's script: JSON strings in, JSON strings out (`llm/fetch_bridge.ts`)."""

    async def fetch_open(self, number: int, request: str) -> str:
        """Send `{"url", "method", "headers", "body"}`.

        Returns:
            `{"ok": true, "status", "headers"}` or `{"ok": false, "message", "final"}`; `final` is
            true if another try would not help.
        """

    async def fetch_read(self, number: int) -> str:
        """Return the next piece: `{"ok": true, "text", "done"}` or `{"ok": false, "message"}`."""

    def fetch_close(self, number: int) -> None:
        """End a request; one that has ended, or never began, is ignored."""


class BridgeFetch:
    """Sends requests through the page around this interpreter."""

    _numbers = itertools.count(1)

    def __init__(self, bridge: FetchBridge) -> None:
        """Send requests through a page."""
        self._bridge = bridge

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Answer]:
        """Send a request."""
        number = next(self._numbers)
        data = {
            "url": request.url,
            "method": request.method,
            "headers": dict(request.headers),
            "body": request.body.decode("utf-8", "replace"),
        }
        try:
            head = json.loads(await self._bridge.fetch_open(number, json.dumps(data)))
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
                raise _ended_early(url, piece["message"])
            done = piece["done"]
            yield piece["text"].encode()


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """A prepared answer, for tests."""

    body: str | bytes | tuple[bytes | Exception, ...] = b""
    """The whole body, or its pieces; an exception is raised in its place."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class ScriptedFetch:
    """Returns prepared answers, one after the other, and sends nothing, for tests.

    Attributes:
        requests: Every request so far.
    """

    def __init__(
        self,
        *answers: ScriptedAnswer | str | Exception | Callable[[Request], ScriptedAnswer | str],
    ) -> None:
        """Return these answers; an exception is raised, a function is called with the request."""
        self._answers = deque(answers)
        self.requests: list[Request] = []

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Answer]:
        """Return the next answer.

        Raises:
            AssertionError: There are more requests than answers.
        """
        self.requests.append(request)
        if not self._answers:
            raise AssertionError(f"nobody expected another request to `{request.url}`")
        given = self._answers.popleft()
        if isinstance(given, Exception):
            raise given
        found = given if isinstance(given, str | ScriptedAnswer) else given(request)
        answer = ScriptedAnswer(found) if isinstance(found, str) else found
        yield Answer(answer.status, answer.headers, _scripted_chunks(answer.body))


async def _scripted_chunks(
    body: str | bytes | tuple[bytes | Exception, ...],
) -> AsyncIterator[bytes]:
    if isinstance(body, str):
        body = body.encode()
    for piece in (body,) if isinstance(body, bytes) else body:
        if isinstance(piece, Exception):
            raise piece
        yield piece


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits of an answer."""

    whole_s: float = 300.0
    """Seconds from the request to the last byte."""
    idle_s: float = 90.0
    """Seconds to the first byte, and from one piece to the next."""


MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one answer; a longer one is an error."""

MOST_ERROR_BYTES = 64 * 1024
"""Bytes of an error response that are read."""


@asynccontextmanager
async def open_answer(fetch: Fetch, request: Request, limits: Limits) -> AsyncIterator[Answer]:
    """Yield the answer to a request, within its limits.

    Raises:
        TimedOut: The whole took too long, or nothing came for too long.
        ConnectionLost: There is no connection.
        UnreadableAnswer: The answer is too long, which shows while it is read.
    """
    limit = asyncio.timeout(limits.whole_s)
    idle = _IdleTimer(limit, limits.idle_s)
    try:
        async with limit, fetch.open(request) as answer:
            idle.reset()
            yield Answer(answer.status, answer.headers, _limited_chunks(answer.chunks, idle))
    except TimeoutError as error:
        if idle.expired:
            raise TimedOut(f"the model's server said nothing for {limits.idle_s:g} s") from error
        raise TimedOut(f"the model's server did not finish within {limits.whole_s:g} s") from error
    finally:
        idle.cancel()


async def _limited_chunks(chunks: AsyncIterator[bytes], idle: _IdleTimer) -> AsyncIterator[bytes]:
    left = MOST_BYTES
    async for chunk in chunks:
        idle.reset()
        left -= len(chunk)
        if left < 0:
            raise UnreadableAnswer(f"the model's answer is longer than {MOST_BYTES} bytes")
        yield chunk


class _IdleTimer:
    """Ends a block when nothing has come for too long.

    It is one timer that is set again when it runs out. A timer for each piece would pile up in a
    page, where cancelled timers are not removed.
    """

    def __init__(self, limit: asyncio.Timeout, idle_s: float) -> None:
        self._limit = limit
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._timer = self._loop.call_later(idle_s, self._look)
        self.expired = False

    def cancel(self) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def reset(self) -> None:
        """Count from now, because something has come."""
        self._last = self._loop.time()

    def _look(self) -> None:
        left_s = self._last + self._idle_s - self._loop.time()
        if left_s > 0:
            self._timer = self._loop.call_later(left_s, self._look)
        elif not self._limit.expired():
            self.expired = True
            self._limit.reschedule(self._loop.time())


async def error_text(answer: Answer) -> str:
    """Return the beginning of an error response."""
    body = bytearray()
    async for chunk in answer.chunks:
        body += chunk
        if len(body) >= MOST_ERROR_BYTES:
            break
    return body[:MOST_ERROR_BYTES].decode("utf-8", "replace")


DONE = "[DONE]"
"""The end of a stream of chat completions."""


async def json_data(answer: Answer) -> AsyncGenerator[Any, None]:
    """Yield the JSON data of an answer: of each event or line of a stream, or of a single document.

    Some servers send one where another was requested, with any content type, so the first byte
    and the first line decide. `[DONE]` is yielded as `DONE`.

    Raises:
        CutStream: The answer is empty, or ends in the middle.
        UnreadableAnswer: It is a web page, or not JSON.
    """
    beginning = b""
    async for chunk in answer.chunks:
        beginning += chunk
        if _without_space(beginning):
            break
    mark = _without_space(beginning)[:1]
    if not mark:
        raise CutStream("the model's server sent nothing - ask again")
    if mark == b"<":
        raise UnreadableAnswer(
            "the model's server answers with a web page - check the address of its interface"
        )
    stream = DocumentStream() if mark in (b"{", b"[") else EventStream()
    for text in _texts(stream.feed(beginning)):
        yield _data(text)
    async for chunk in answer.chunks:
        for text in _texts(stream.feed(chunk)):
            yield _data(text)
    for text in _texts(stream.end()):
        try:
            data = _data(text)
        except UnreadableAnswer as error:
            raise CutStream("the model's answer ends in the middle - ask again") from error
        yield data


def _without_space(beginning: bytes) -> bytes:
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip()


def _texts(events: Iterator[Event]) -> list[str]:
    try:
        return [text for event in events if (text := event.data.strip())]
    except ValueError as error:
        raise UnreadableAnswer(f"the model's stream cannot be read - {error}") from error


def _data(text: str) -> Any:
    if text == DONE:
        return DONE
    try:
        return read_json(text)
    except ValueError as error:
        raise UnreadableAnswer(f"the model's answer is not JSON - {error}") from error


LONGEST_EVENT = 4 * 1024 * 1024
"""Characters of one event; a stream with a longer one is an error."""

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    data: str
    type: str = "message"


class EventStream:
    """Parses server-sent events from bytes.

    Ids and reconnection times are ignored, since a reply that was cut is requested again as a whole.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._started = False
        self._ended_in_cr = False
        self._line: list[str] = []
        self._data: list[str] = []
        self._type = ""
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that these bytes complete.

        As in the standard, the text after the last empty line of a stream is not an event.

        Raises:
            ValueError: An event is longer than the limit.
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

    def end(self) -> Iterator[Event]:
        """Yield the last event of a stream that ends without the empty line after it."""
        yield from self.feed(b"\n\n")

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


_STRING = re.compile(STRING)


class DocumentStream:
    """Parses JSON documents from bytes, each of one line or more, as `Event`s."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line: list[str] = []
        self._lines: list[str] = []
        self._level = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the documents whose last line these bytes complete."""
        *ends, rest = self._decoder.decode(chunk).split("\n")
        for end in ends:
            line = "".join((*self._line, end))
            self._line.clear()
            self._lines.append(line)
            # A string never goes on in the next line, so each line counts alone.
            marks = _STRING.sub("", line)
            self._level += sum(map(marks.count, "[{")) - sum(map(marks.count, "]}"))
            if self._level <= 0:
                yield from self._dispatch()
        self._line.append(rest)

    def end(self) -> Iterator[Event]:
        """Yield what is left at the end, which may be half a document."""
        yield from self.feed(b"\n")
        yield from self._dispatch()

    def _dispatch(self) -> Iterator[Event]:
        text = "\n".join(self._lines)
        self._lines.clear()
        self._level = 0
        yield Event(text)


_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

_VALUE = re.compile(r"[\x20-\x7e\t]*")

_OPEN = frozenset({"accept", "content-type", "a2a-version", "anthropic-version"})

_SHORTEST_SECRET = 6
"""Characters of a header's value that is masked in messages; shorter ones could be any word."""


def checked_headers(ours: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return headers by names in lower case; given ones replace ours.

    Raises:
        ValueError: One cannot be sent. The message does not show its value, which may be a secret.
    """
    found: dict[str, str] = {}
    for name, value in (*ours.items(), *given.items()):
        if not _NAME.fullmatch(name):
            raise ValueError(f"`{name}` is not a header name - use letters, digits and `-`")
        if not _VALUE.fullmatch(value):
            raise ValueError(
                f"the header `{name}` has a line break or a letter beyond ASCII in its value - "
                "check whether the key was copied whole, and alone"
            )
        found[name.lower()] = value
    return found


def without_secrets(error: ModelError, headers: Mapping[str, str]) -> ModelError:
    """Return an error without the values of our headers, which some servers repeat."""
    message = error.message
    for name, value in headers.items():
        secret = value.rpartition(" ")[2]
        if name not in _OPEN and len(secret) >= _SHORTEST_SECRET:
            message = message.replace(secret, "•••")
    if message == error.message:
        return error
    return type(error)(message, status=error.status, retry_after_s=error.retry_after_s)
