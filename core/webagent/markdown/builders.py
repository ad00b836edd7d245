"""Blocks that are still open, and how they end."""

from __future__ import annotations

from typing import Literal

from webagent.markdown import patterns
from webagent.markdown.blocks import (
    Block,
    Cell,
    CodeBlock,
    Fence,
    HtmlBlock,
    Line,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Table,
)
from webagent.markdown.cursor import Cursor
from webagent.source import Span

LeafKind = Literal["paragraph", "fence", "html", "code", "table"]


class Leaf:
    """An open block that holds lines.

    Attributes:
        kind: Which block it becomes.
        content: Its lines so far.
        ended: Whether the line that ends it has come.
    """

    __slots__ = (
        "_first",
        "_indent",
        "_last",
        "_mark",
        "_start",
        "content",
        "ended",
        "info",
        "kind",
    )

    def __init__(self, kind: LeafKind, line: Cursor) -> None:
        self.kind = kind
        self.content: list[Line] = []
        self.ended = False
        self.info = ""
        self._mark = ""
        self._indent = 0
        self._start = line.offset
        self._first = line.number
        self._last = line

    @classmethod
    def paragraph(cls, line: Cursor) -> Leaf:
        """Open a paragraph with its first line."""
        leaf = cls("paragraph", line)
        leaf.add_text(line)
        return leaf

    @classmethod
    def code(cls, line: Cursor) -> Leaf:
        """Open an indented code block with its first line."""
        leaf = cls("code", line)
        leaf.takes(line)
        return leaf

    @classmethod
    def fence(cls, line: Cursor, mark: str, info: str) -> Leaf:
        """Open a fenced code block."""
        leaf = cls("fence", line)
        leaf._mark = mark
        leaf._indent = line.indent
        leaf.info = info.strip()
        return leaf

    @classmethod
    def html(cls, line: Cursor, kind: int) -> Leaf:
        """Open an HTML block with its first line, which may end it too."""
        leaf = cls("html", line)
        leaf._indent = kind
        leaf.takes(line)
        return leaf

    def add_text(self, line: Cursor) -> None:
        """Add a line of a paragraph or a row of a table."""
        self.content.append(Line(line.rest, line.offset))
        self._last = line

    def takes(self, line: Cursor) -> bool:
        """Add the line to a code, fence or HTML block, unless it does not belong there."""
        if self.kind == "fence":
            mark = patterns.FENCE_CLOSE.match(line.rest) if line.indent < 4 else None
            self._last = line
            if mark and mark[1][0] == self._mark[0] and len(mark[1]) >= len(self._mark):
                self.ended = True
                return True
            line.skip(self._indent)
        elif self.kind == "code":
            if line.indent < 4 and not line.blank:
                return False
            if not line.blank:
                self._last = line
            line.skip(4)
        else:
            close = patterns.HTML_CLOSE.get(self._indent)
            if close is None and line.blank:
                return False
            self.ended = close is not None and close.search(line.rest) is not None
            self._last = line
        self.content.append(Line(*line.raw))
        return True

    def to_table(self, rule: Cursor) -> Leaf | None:
        """Turn the paragraph into a table: its last line is the header, `rule` the line below.

        Returns:
            The paragraph that stands before the table, if there is one.
        """
        header = self._last
        before = None
        if len(self.content) > 1:
            first = self.content[0]
            before = Leaf("paragraph", Cursor(first.text, first.start, self._first))
            before.content = self.content[:-1]
            last = before.content[-1]
            before._last = Cursor(last.text, last.start, header.number - 1)
        self.kind = "table"
        self.content = self.content[-1:]
        self._start, self._first, self._last = header.offset, header.number, rule
        return before

    def build(self) -> Block:
        """Return the block."""
        if self.kind == "code":
            while not self.content[-1].text.strip(" \t"):
                self.content.pop()
        last = self._last
        span = Span(self._start, max(self._start, last.start + len(last.text)))
        lines = (self._first, last.number + 1)
        content = tuple(self.content)
        if self.kind == "paragraph":
            return Paragraph(span, lines, content)
        if self.kind == "fence":
            return Fence(span, lines, self.info, content, self.ended)
        if self.kind == "html":
            closed = self.ended or self._indent not in patterns.HTML_CLOSE
            return HtmlBlock(span, lines, self._indent, content, closed)
        if self.kind == "code":
            return CodeBlock(span, lines, content)
        rows = [cells(line) for line in content]
        return Table(span, lines, rows[0], tuple(rows[1:]))


def cells(line: Line) -> tuple[Cell, ...]:
    """Split a row of a table at its pipes, except those behind a backslash."""
    text = line.text.rstrip(" \t")
    found: list[Cell] = []
    start = 1 if text.startswith("|") else 0
    index = start
    while index <= len(text):
        if index == len(text) or text[index] == "|":
            if index == len(text) and index == start and start:
                break  # after the closing pipe
            raw = text[start:index]
            left = start + len(raw) - len(raw.lstrip(" \t"))
            stripped = raw.strip(" \t")
            span = Span(line.start + left, line.start + left + len(stripped))
            found.append(Cell(stripped.replace("\\|", "|"), span))
            start = index + 1
        elif text[index] == "\\" and index + 1 < len(text):
            index += 1
        index += 1
    return tuple(found)


class Container:
    """An open block that holds blocks; by itself, the whole text."""

    def __init__(self, start: int, line: int, end: int) -> None:
        self.start = start
        self.first = line
        self.end = end
        self.last = line + 1
        self.blocks: list[Block | ListBuilder] = []

    def continues_in(self, line: Cursor, filled: bool) -> bool:
        """Whether the line goes on inside; if so, what marks it is read.

        Args:
            line: The line.
            filled: Whether an open block inside counts as content.
        """
        raise NotImplementedError

    def add_item(self, item: ItemBuilder) -> None:
        """Add a finished item to the list it goes on with, or to a new one."""
        last = self.blocks[-1] if self.blocks else None
        if not (isinstance(last, ListBuilder) and last.kind == item.kind):
            last = ListBuilder(item.kind)
            self.blocks.append(last)
        last.items.append(item.build())

    def finish(self) -> tuple[Block, ...]:
        """Return the blocks inside, lists built."""
        return tuple(b.build() if isinstance(b, ListBuilder) else b for b in self.blocks)

    def extent(self, blocks: tuple[Block, ...]) -> tuple[Span, tuple[int, int]]:
        """Return span and lines, of which the last block inside may decide the end."""
        end, last = self.end, self.last
        if blocks:
            end = max(end, blocks[-1].span.end)
            last = max(last, blocks[-1].lines[1])
        return Span(self.start, end), (self.first, last)


class QuoteBuilder(Container):
    """An open block quote."""

    def __init__(self, line: Cursor) -> None:
        super().__init__(line.offset, line.number, line.offset + 1)
        self.continues_in(line, True)

    def continues_in(self, line: Cursor, filled: bool) -> bool:
        """Whether the line starts with `>`."""
        if line.blank or line.indent > 3 or line.character != ">":
            return False
        self.end, self.last = line.offset + 1, line.number + 1
        line.take(1)
        if line.indent:
            line.skip(1)
        return True

    def build(self) -> Quote:
        """Return the block."""
        blocks = self.finish()
        return Quote(*self.extent(blocks), blocks)


class ItemBuilder(Container):
    """An open item of a list.

    Attributes:
        kind: The character that marks the items of its list.
    """

    def __init__(self, line: Cursor, kind: str, width: int) -> None:
        super().__init__(line.offset, line.number, line.offset + width)
        self.kind = kind
        self.marker = width
        self.indent = line.indent + width
        line.take(width)
        if line.blank or line.indent > 4:
            self.indent += 1
            line.skip(1)
        else:
            self.indent += line.indent
            line.skip(line.indent)

    @classmethod
    def at(cls, line: Cursor, paragraph: bool) -> ItemBuilder | None:
        """Open an item if the line starts one; inside a paragraph fewer lines do."""
        match = patterns.MARKER.match(line.rest)
        if match is None:
            return None
        if paragraph:
            empty = not line.rest[match.end() :].strip(" \t")
            if empty or (match[2] and int(match[2]) != 1):
                return None
        return cls(line, match[1] or match[3], match.end())

    def continues_in(self, line: Cursor, filled: bool) -> bool:
        """Whether the line is indented enough, or blank after some content."""
        if line.blank:
            line.skip(self.indent)
            return filled or bool(self.blocks)
        if line.indent < self.indent:
            return False
        line.skip(self.indent)
        return True

    def build(self) -> ListItem:
        """Return the block."""
        blocks = self.finish()
        return ListItem(*self.extent(blocks), self.indent, self.marker, blocks)


class ListBuilder:
    """A list whose next item may still come."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.items: list[ListItem] = []

    def build(self) -> ListBlock:
        """Return the block."""
        first, last = self.items[0], self.items[-1]
        return ListBlock(
            Span(first.span.start, last.span.end),
            (first.lines[0], last.lines[1]),
            self.kind in ".)",
            tuple(self.items),
        )
