"""A passage: lines of the source that are read on their own, with the offset of each character."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from webagent.markdown import Block, ListItem, scan_lines
from webagent.markdown.cursor import Cursor
from webagent.source import Span


class Passage:
    r"""Lines of a source, without the markers and indentation of what contains them.

    Attributes:
        lines: The lines, each with its offset in the source.
        text: The lines joined by `\n`.
    """

    __slots__ = ("_blocks", "_starts", "lines", "text")

    def __init__(self, lines: Iterable[tuple[str, int]]) -> None:
        self.lines = list(lines)
        one = len(self.lines) == 1  # as most have
        self.text = self.lines[0][0] if one else "\n".join([text for text, _ in self.lines])
        self._blocks: tuple[Block, ...] | None = None
        self._starts: list[int] | None = None

    def offset(self, index: int) -> int:
        """Return the offset in the source of a character of `text`."""
        # One line needs no list of starts.
        if not self.lines:
            return 0
        if len(self.lines) == 1:
            return self.lines[0][1] + min(index, len(self.text))
        if self._starts is None:
            lengths = (len(text) + 1 for text, _ in self.lines[:-1])
            self._starts = list(accumulate(lengths, initial=0))
        line = max(0, bisect_right(self._starts, index) - 1)
        text, start = self.lines[line]
        return start + min(index - self._starts[line], len(text))

    def span(self, start: int, end: int) -> Span:
        """Return the place in the source of `text[start:end]`."""
        begin = self.offset(start)
        return Span(begin, max(begin, self.offset(end)))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of `text`. Their offsets are those of the source, their line numbers of `lines`."""
        if self._blocks is None:
            self._blocks = scan_lines(self.lines)
        return self._blocks

    def item(self, item: ListItem) -> Passage:
        """Return the text of a list item in `blocks`, without its marker and indentation."""
        first, last = item.lines
        indent = item.indent
        if last == first + 1:
            text, offset = self.lines[first]
            # A tab may be cut in two, which only the cursor does right.
            if "\t" not in text:
                return Passage([(text[indent:], offset + min(indent, len(text)))])
        lines = []
        for number in range(first, last):
            text, offset = self.lines[number]
            line = Cursor(text, offset, number)
            if number == first:
                padding = indent - line.indent - item.marker
                line.take(item.marker)
                line.skip(padding)
            else:
                line.skip(indent)
            lines.append(line.raw)
        return Passage(lines)
