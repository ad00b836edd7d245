"""The tokens of a request and its reply: counted where the provider reports them, else estimated."""

from __future__ import annotations

from collections.abc import Sequence

from webagent.json_text import read_json
from webagent.llm.chat import Usage
from webagent.llm.http import EventStream
from webagent_site.llm.allowed import Picture
from webagent_site.llm.protocols import GatewayProtocol, texts_in

MOST_BYTES = 4 * 1024 * 1024
"""Limit of a response without streaming that is parsed; the tokens of a longer one are estimated."""

_PICTURE_TOKENS = 1_500
_BYTES_PER_TOKEN = 3
"""An estimate, rather too high, for servers that do not count tokens."""


def tokens_of(body: str, pictures: Sequence[Picture]) -> int:
    """Return an estimate of the tokens of a request.

    Args:
        body: The request, as JSON.
        pictures: Those in it; everything else in it is text.
    """
    # JavaScript strings may hold lone surrogates.
    written = len(body.encode("utf-8", "replace")) - sum(map(len, pictures))
    return written // _BYTES_PER_TOKEN + len(pictures) * _PICTURE_TOKENS


class UsageCount:
    """Counts the tokens of a request, and of its reply as it passes."""

    def __init__(self, protocol: GatewayProtocol, most: Usage) -> None:
        """Begin with an estimate.

        Args:
            protocol: How the provider reports tokens.
            most: The estimate of the request, and the longest reply.
        """
        self._protocol = protocol
        self._most = most
        self._bytes = 0
        self.counted: Usage | None = None
        """The server's own count so far."""
        self.costs = True
        """Whether the request costs anything; one that the provider refuses does not."""

    def usage(self, *, whole: bool) -> Usage:
        """Return the server's count, or else an estimate.

        Args:
            whole: Whether the reply has come to its end. A provider may go on with one that was cut,
                and its model may have thought before the first word.
        """
        if not self.costs:
            return Usage()
        counted = self.counted or Usage(self._most.prompt)
        written = self._bytes // _BYTES_PER_TOKEN
        if not whole:
            written = max(written, self._most.completion)
        # A reply that was cut may have a count of its conversation alone.
        return Usage(counted.prompt, counted.completion or written, counted.cached)

    def add(self, text: str) -> None:
        """Count a piece.

        Raises:
            ValueError: It is not JSON.
        """
        data = read_json(text)
        if isinstance(data, dict):
            self.counted = self._protocol.usage(data, self.counted)
            for part in self._protocol.words(data):
                for word in texts_in(part):
                    self.estimate(word)

    def estimate(self, text: str) -> None:
        """Count a part of the reply by its length, in case the server does not count."""
        self._bytes += len(text.encode("utf-8", "replace"))


class EventUsage:
    """Counts the tokens in a stream of events as it passes."""

    def __init__(self, count: UsageCount) -> None:
        """Pass the events on to a count."""
        self._count = count
        self._events: EventStream | None = EventStream()

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        if self._events is None:
            return
        try:
            for event in self._events.feed(chunk):
                if event.data.startswith("{"):
                    self._count.add(event.data)
        except ValueError:
            # The page reports a malformed stream; here its tokens are just not counted.
            self._events = None

    def end(self) -> None:
        """Count an event without the empty line after it."""
        self.feed(b"\n\n")


class LineUsage:
    """Counts the tokens in a stream with one object in each line."""

    def __init__(self, count: UsageCount) -> None:
        """Pass the lines on to a count."""
        self._count = count
        self._line = bytearray()
        self._broken = False

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._line += piece
            self._add()
        self._line += rest
        if len(self._line) > MOST_BYTES:
            self._broken = True
            self._line.clear()

    def end(self) -> None:
        """Count a line without its end."""
        self._add()

    def _add(self) -> None:
        text = self._line.decode("utf-8", "replace").strip()
        self._line.clear()
        if text and not self._broken:
            try:
                self._count.add(text)
            except ValueError:
                self._broken = True


class BodyUsage:
    """Counts the tokens in a response without streaming, at its end."""

    def __init__(self, count: UsageCount) -> None:
        """Pass the whole response on to a count."""
        self._count = count
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        if len(self._body) <= MOST_BYTES:
            self._body += chunk

    def end(self) -> None:
        """Count the tokens of the whole response."""
        text = self._body.decode("utf-8", "replace")
        try:
            self._count.add(text)
        except ValueError:
            self._count.estimate(text)
