"""The blocks of a Markdown text: what the scanner found, for reading only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from webagent.source import Span


class Line(NamedTuple):
    """A line of a leaf block without what its containers and its own indentation put before."""

    text: str
    start: int
    """Offset of the first character of `text`."""


@dataclass(slots=True)
class Placed:
    """Something with a place in the text."""

    start: int
    """Offset of its first marker."""
    end: int
    """Offset of the end of its last line."""
    lines: tuple[int, int]
    """Its 0-based first line, and the line after its last."""

    @property
    def span(self) -> Span:
        """From `start` to `end`."""
        return Span(self.start, self.end)


@dataclass(slots=True)
class Heading(Placed):
    """`## Title`, or a title underlined with `---`."""

    level: int
    text: str
    """The title as written, without markers; the lines of a setext heading joined by a space."""
    text_start: int
    text_end: int
    setext: bool

    @property
    def text_span(self) -> Span:
        """The stretch that the title stands in."""
        return Span(self.text_start, self.text_end)


@dataclass(slots=True)
class Paragraph(Placed):
    """Running text."""

    content: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines joined, as written but for their indentation."""
        return "\n".join([line.text for line in self.content])


@dataclass(slots=True)
class Fence(Placed):
    """A code block between fences."""

    info: str
    """What follows the opening fence, stripped."""
    content: tuple[Line, ...]
    closed: bool
    """False when the text or a container ended before a closing fence came."""

    @property
    def text(self) -> str:
        r"""The code, lines joined by `\n`, without a line end after the last."""
        return "\n".join([line.text for line in self.content])

    @property
    def language(self) -> str:
        """The first word of the info string in lower case, without a leading `{` or `.`."""
        words = self.info.split(maxsplit=1)
        return words[0].strip("{}.").lower() if words else ""

    @property
    def content_span(self) -> Span:
        """The stretch from the first line of code to the last, or the end of the opening fence."""
        if not self.content:
            return Span(self.end, self.end)
        last = self.content[-1]
        return Span(self.content[0].start, last.start + len(last.text))


@dataclass(slots=True)
class CodeBlock(Placed):
    """A code block made by indentation."""

    content: tuple[Line, ...]


@dataclass(slots=True)
class HtmlBlock(Placed):
    """A block of raw HTML."""

    kind: int
    """The number of its start condition in CommonMark, 1 to 7; 2 is a comment."""
    content: tuple[Line, ...]
    closed: bool
    """False when the text ended before the end condition of kinds 1 to 5 came."""


@dataclass(slots=True)
class Rule(Placed):
    """A thematic break."""


@dataclass(slots=True)
class Cell:
    r"""A cell of a table, stripped, `\|` read as `|`."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The stretch that the text stands in."""
        return Span(self.start, self.end)


@dataclass(slots=True)
class Table(Placed):
    """A table with pipes; rows have as many cells as were written."""

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(slots=True)
class Quote(Placed):
    """A block quote."""

    blocks: tuple[Block, ...]


@dataclass(slots=True)
class ListItem(Placed):
    """An item of a list; it starts at its marker."""

    indent: int
    """Columns that the item's content is indented by, beyond what contains the list."""
    marker: int
    """Characters of the marker: 1 for `-`, 3 for `10.`."""
    inside: tuple[Block, ...]
    line: tuple[str, int] | None = None
    """Text and offset of the one line of an item that has no more; `inside` is empty then."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in it."""
        if self.line is None:
            return self.inside
        line = Line(*self.line)
        return (Paragraph(line.start, self.end, self.lines, (line,)),)


@dataclass(slots=True)
class ListBlock(Placed):
    """A list."""

    ordered: bool
    items: tuple[ListItem, ...]


Block: TypeAlias = (
    Heading
    | Paragraph
    | Fence
    | CodeBlock
    | HtmlBlock
    | Rule
    | Table
    | Quote
    | ListBlock
    | ListItem
)
