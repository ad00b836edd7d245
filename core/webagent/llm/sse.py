"""Server-sent events out of bytes that are split anywhere.

The algorithm is that of the HTML standard, section 9.2.6 "Interpreting an event stream".
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

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
