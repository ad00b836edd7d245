"""Reads along in a reply for the tokens that it took, without holding it up."""

from __future__ import annotations

from typing import Any

from webagent.json_text import read_json
from webagent.llm.sse import EventStream
from webagent_dev.llm.meter import Ticket

MOST_BYTES = 4 * 1024 * 1024
"""Of a reply in one piece; the tokens of a longer one are estimated."""


class StreamUsage:
    """Reads along in a stream of events."""

    def __init__(self, ticket: Ticket) -> None:
        """Tell a ticket what is found."""
        self._ticket = ticket
        self._events: EventStream | None = EventStream()

    def feed(self, chunk: bytes) -> None:
        """Take in bytes as they pass."""
        if self._events is None:
            return
        try:
            for event in self._events.feed(chunk):
                if event.data.startswith("{"):
                    _take(read_json(event.data), self._ticket, "delta")
        except ValueError:
            # What cannot be read is the page's to complain about; here it is only not counted.
            self._events = None

    def end(self) -> None:
        """Take note that nothing more comes."""


class WholeUsage:
    """Reads a reply in one piece, once it is there."""

    def __init__(self, ticket: Ticket) -> None:
        """Tell a ticket what is found."""
        self._ticket = ticket
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take in bytes as they pass."""
        if len(self._body) <= MOST_BYTES:
            self._body += chunk

    def end(self) -> None:
        """Read the whole."""
        try:
            _take(read_json(self._body.decode("utf-8", "replace")), self._ticket, "message")
        except ValueError:
            self._ticket.hear(self._body.decode("utf-8", "replace"))


def _take(data: Any, ticket: Ticket, said: str) -> None:
    if not isinstance(data, dict):
        return
    ticket.count(data.get("usage"))
    choices = data.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            for text in _texts(choice.get(said)):
                ticket.hear(text)


def _texts(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for value in inner for text in _texts(value)]
