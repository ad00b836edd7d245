"""A piece of the source that stands on its own, and where each of its characters comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from webagent.markdown import Block, ListItem, scan_lines
from webagent.markdown.cursor import Cursor
from webagent.source import Span


class Passage:
    r"""Lines taken out of a source, without what stood before them there.

    Attributes:
        text: The lines joined by `\n`.
    """

    def __init__(self, lines: Iterable[tuple[str, int]]) -> None:
        self.lines = list(lines)
        self.text = "\n".join([text for text, _ in self.lines])

    @cached_property
    def _starts(self) -> list[int]:
        """Where in `text` each line starts."""
        starts, start = [], 0
        for text, _ in self.lines:
            starts.append(start)
            start += len(text) + 1
        return starts

    def offset(self, index: int) -> int:
        """Return the offset in the source of a character of `text`."""
        if not self.lines:
            return 0
        line = max(0, bisect_right(self._starts, index) - 1) if len(self.lines) > 1 else 0
        text, start = self.lines[line]
        at = index - self._starts[line] if line else index
        return start + min(at, len(text))

    def span(self, start: int, end: int) -> Span:
        """Return the place in the source of a stretch of `text`."""
        begin = self.offset(start)
        return Span(begin, max(begin, self.offset(end)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of `text`; their places are places in the source."""
        return scan_lines(self.lines)

    def slice(self, first: int, last: int) -> Passage:
        """Return the lines from `first` up to, not including, `last`."""
        return Passage(self.lines[first:last])

    def item(self, item: ListItem) -> Passage:
        """Return what stands in an item of one of the lists in `blocks`, without its marker."""
        first, last = item.lines
        lines = []
        for number in range(first, last):
            text, offset = self.lines[number]
            line = Cursor(text, offset, number)
            if number == first:
                padding = item.indent - line.indent - item.marker
                line.take(item.marker)
                line.skip(padding)
            else:
                line.skip(item.indent)
            lines.append(line.raw)
        return Passage(lines)
