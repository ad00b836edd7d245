"""Builders of the blocks that contain lines: paragraphs, code, HTML and tables."""

from __future__ import annotations

from webagent.markdown import patterns
from webagent.markdown.blocks import (
    Block,
    Cell,
    CodeBlock,
    Fence,
    HtmlBlock,
    Line,
    Paragraph,
    Table,
)
from webagent.markdown.cursor import Cursor


class Leaf:
    """An open block that contains lines.

    Attributes:
        start: Offset of its first character.
        first: Number of its first line.
        end: Offset of the end of its last line so far.
        last: Number of the line after that one.
        content: Its lines so far.
        ended: Whether a line has closed the block, such as a closing fence.
    """

    __slots__ = ("content", "end", "ended", "first", "last", "start")

    def __init__(self, line: Cursor) -> None:
        self.start = line.start + line.next
        self.end = line.start + len(line.text)
        self.first = line.number
        self.last = line.number + 1
        self.content: list[Line] = []
        self.ended = False

    def extend_to(self, line: Cursor) -> None:
        """Make a line the last one of the block."""
        self.end = line.start + len(line.text)
        self.last = line.number + 1

    # Not an abstract class: its `isinstance` takes four times as long, and each line asks it.
    def build(self) -> Block:
        """Return the block."""
        raise NotImplementedError


class OpenText(Leaf):
    """An open block that accepts any line that does not start another block."""

    __slots__ = ()

    def add(self, line: Cursor) -> None:
        """Add a line."""
        self.content.append(Line(line.rest, line.start + line.next))
        self.extend_to(line)


class OpenParagraph(OpenText):
    """An open paragraph."""

    __slots__ = ()

    def __init__(self, line: Cursor) -> None:
        super().__init__(line)
        self.content.append(Line(line.rest, self.start))

    def build(self) -> Paragraph:
        """Return the block."""
        return Paragraph(self.start, self.end, (self.first, self.last), tuple(self.content))

    def keep(self, count: int) -> None:
        """Drop the lines after the first `count`, which another block accept."""
        del self.content[count:]
        last = self.content[-1]
        self.end, self.last = last.start + len(last.text), self.first + count


class OpenTable(OpenText):
    """An open table."""

    __slots__ = ()

    def __init__(self, header: Line, rule: Cursor) -> None:
        super().__init__(rule)
        self.start = header.start
        self.first = rule.number - 1
        self.content.append(header)

    def build(self) -> Table:
        """Return the block."""
        header, *rows = map(cells, self.content)
        return Table(self.start, self.end, (self.first, self.last), header, tuple(rows))


class OpenCode(Leaf):
    """An open block that accepts lines as they are, without looking for blocks in them."""

    __slots__ = ()

    def accept(self, line: Cursor) -> bool:
        """Add a line if it belongs to the block, and return whether it does."""
        raise NotImplementedError


class OpenFence(OpenCode):
    """An open fenced code block."""

    __slots__ = ("_indent", "_info", "_mark")

    def __init__(self, line: Cursor, mark: str, info: str) -> None:
        super().__init__(line)
        self._mark = mark
        self._info = info.strip()
        self._indent = line.indent

    def accept(self, line: Cursor) -> bool:
        """Add a line of code, or close the block at the closing fence."""
        self.extend_to(line)
        # The closing fence has at least as many marks as the opening one.
        rest = line.rest
        if rest.startswith(self._mark) and line.indent < 4 and patterns.FENCE_CLOSE.match(rest):
            self.ended = True
            return True
        # An indented fence accept up to the same indent off each line.
        if self._indent:
            line.skip(self._indent)
        self.content.append(Line(*line.raw))
        return True

    def build(self) -> Fence:
        """Return the block."""
        lines, content = (self.first, self.last), tuple(self.content)
        return Fence(self.start, self.end, lines, self._info, content, self.ended)


class OpenIndented(OpenCode):
    """An open code block made by indentation."""

    __slots__ = ()

    def accept(self, line: Cursor) -> bool:
        """Add a line if it is indented or blank."""
        # Blank lines do not move the end: those after the last line of code are not part of it.
        if not line.blank:
            if line.indent < 4:
                return False
            self.extend_to(line)
        line.skip(4)
        self.content.append(Line(*line.raw))
        return True

    def build(self) -> CodeBlock:
        """Return the block, without blank lines at its end."""
        while not self.content[-1].text.strip(" \t"):
            self.content.pop()
        return CodeBlock(self.start, self.end, (self.first, self.last), tuple(self.content))


class OpenHtml(OpenCode):
    """An open block of raw HTML; `kind` is the number of its start condition."""

    __slots__ = ("_close", "_kind")

    def __init__(self, line: Cursor, kind: int) -> None:
        super().__init__(line)
        self._kind = kind
        self._close = patterns.HTML_CLOSE.get(kind)

    def accept(self, line: Cursor) -> bool:
        """Add a line, which may close the block."""
        # Kinds 6 and 7 end before a blank line, the others with the line of their end condition.
        if self._close is None:
            if line.blank:
                return False
        else:
            self.ended = self._close.search(line.rest) is not None
        self.extend_to(line)
        self.content.append(Line(*line.raw))
        return True

    def build(self) -> HtmlBlock:
        """Return the block."""
        lines, content = (self.first, self.last), tuple(self.content)
        closed = self.ended or self._close is None
        return HtmlBlock(self.start, self.end, lines, self._kind, content, closed)


def cells(line: Line) -> tuple[Cell, ...]:
    """Split a row of a table at its pipes, except at those after a backslash."""
    # GitHub splits at pipes in code spans as well, so code is not looked for.
    text = line.text.rstrip(" \t")
    found: list[Cell] = []
    start = 1 if text.startswith("|") else 0
    index = start
    while index <= len(text):
        if index == len(text) or text[index] == "|":
            if index == len(text) and index == start and start:
                break  # after the closing pipe
            raw = text[start:index]
            left = line.start + start + len(raw) - len(raw.lstrip(" \t"))
            stripped = raw.strip(" \t")
            found.append(Cell(stripped.replace("\\|", "|"), left, left + len(stripped)))
            start = index + 1
        elif text[index] == "\\" and index + 1 < len(text):
            index += 1
        index += 1
    return tuple(found)
