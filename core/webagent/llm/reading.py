"""Answers of models, read within limits of time and size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from webagent.json_text import read_json
from webagent.llm.errors import CutStream, TimedOut, UnreadableAnswer
from webagent.llm.http import Answer, Fetch, Request
from webagent.llm.sse import EventStream

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
            yield Answer(answer.status, answer.headers, _pieces(answer.chunks, silence))
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


async def _pieces(chunks: AsyncIterator[bytes], silence: _Silence) -> AsyncIterator[bytes]:
    left = MOST_BYTES
    async for chunk in chunks:
        silence.broken()
        left -= len(chunk)
        if left < 0:
            raise UnreadableAnswer(f"the model's answer is longer than {MOST_BYTES} bytes")
        yield chunk
