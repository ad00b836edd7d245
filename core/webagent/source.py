r"""Text with a path, and places in it.

Inside the package a place is an offset: 0-based, in code points, spans half open. People get
lines and columns: 1-based, in code points. Only `\n`, `\r\n` and `\r` end a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, islice
from typing import NamedTuple

BOM = "\ufeff"

_LINE_END = re.compile(r"(\r\n|\n|\r)")


def split_lines(text: str) -> list[tuple[str, int]]:
    """Return the lines without their ends, each with the offset of its first character.

    There is always a last line, empty if the text ends with a line end. A byte order mark at the
    start belongs to no line.
    """
    parts = _LINE_END.split(text)
    starts = accumulate(map(len, parts), initial=0)
    lines = list(zip(parts[::2], islice(starts, 0, None, 2), strict=False))
    if text.startswith(BOM):
        lines[0] = (lines[0][0].removeprefix(BOM), len(BOM))
    return lines


def line_end(text: str) -> str:
    r"""Return what ends the first line of a text, `\n` if there is one line only."""
    match = _LINE_END.search(text)
    return match[0] if match else "\n"


class Span(NamedTuple):
    """A stretch of a source: offsets in code points, `start` inside, `end` outside."""

    start: int
    end: int


class Position(NamedTuple):
    """A place as people count it: 1-based line, 1-based column in code points."""

    line: int
    column: int


class Source:
    """A text and where it came from; turns offsets into lines and columns."""

    __slots__ = ("_starts", "path", "text")

    def __init__(self, text: str, path: str = "webagents.md") -> None:
        self.text = text
        self.path = path
        self._starts: list[int] | None = None

    def __repr__(self) -> str:
        return f"Source(path={self.path!r}, {len(self.text)} characters)"

    @property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts, in order."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return self._starts

    def position(self, offset: int) -> Position:
        """Return the line and column of an offset; offsets outside the text are pulled inside.

        A byte order mark at the start has no column of its own, as in editors.
        """
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset) - 1
        column = offset - self.line_starts[line]
        if line == 0 and column and self.text.startswith(BOM):
            column -= 1
        return Position(line + 1, column + 1)

    def line(self, number: int) -> str:
        """Return the text of a 1-based line without its line end and byte order mark."""
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        text = self.text[starts[number - 1] : end]
        if number < len(starts):
            text = text[:-2] if text.endswith("\r\n") else text[:-1]
        return text.removeprefix(BOM) if number == 1 else text
