"""The blocks of a Markdown text.

Every block has a `span` (offsets, from its first marker to the end of its last line) and `lines`
(0-based first line, and the line after the last).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from webagent.source import Span


class Line(NamedTuple):
    """A line of a leaf block without what its containers and its own indentation put before."""

    text: str
    start: int
    """Offset of the first character of `text`."""


@dataclass(frozen=True, slots=True)
class Heading:
    """`## Title`, or a title underlined with `---`."""

    span: Span
    lines: tuple[int, int]
    level: int
    text: str
    """The title as written, without markers; the lines of a setext heading joined by a space."""
    text_span: Span
    setext: bool


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    span: Span
    lines: tuple[int, int]
    content: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines joined, as written but for their indentation."""
        return "\n".join(line.text for line in self.content)


@dataclass(frozen=True, slots=True)
class Fence:
    """A code block between fences."""

    span: Span
    lines: tuple[int, int]
    info: str
    """What follows the opening fence, stripped."""
    content: tuple[Line, ...]
    closed: bool
    """False when the text or a container ended before a closing fence came."""

    @property
    def text(self) -> str:
        r"""The code, lines joined by `\n`, without a line end after the last."""
        return "\n".join(line.text for line in self.content)

    @property
    def language(self) -> str:
        """The first word of the info string in lower case, without a leading `{` or `.`."""
        words = self.info.split(maxsplit=1)
        return words[0].strip("{}.").lower() if words else ""

    @property
    def content_span(self) -> Span:
        """The stretch from the first line of code to the last, or the end of the opening fence."""
        if not self.content:
            return Span(self.span.end, self.span.end)
        last = self.content[-1]
        return Span(self.content[0].start, last.start + len(last.text))


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A code block made by indentation."""

    span: Span
    lines: tuple[int, int]
    content: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class HtmlBlock:
    """A block of raw HTML."""

    span: Span
    lines: tuple[int, int]
    kind: int
    """The number of its start condition in CommonMark, 1 to 7; 2 is a comment."""
    content: tuple[Line, ...]
    closed: bool
    """False when the text ended before the end condition of kinds 1 to 5 came."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""

    span: Span
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cell:
    r"""A cell of a table, stripped, `\|` read as `|`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Table:
    """A table with pipes; rows have as many cells as were written."""

    span: Span
    lines: tuple[int, int]
    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quote."""

    span: Span
    lines: tuple[int, int]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list; `span` starts at its marker."""

    span: Span
    lines: tuple[int, int]
    indent: int
    """Columns that the item's content is indented by, beyond what contains the list."""
    marker: int
    """Characters of the marker: 1 for `-`, 3 for `10.`."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A list."""

    span: Span
    lines: tuple[int, int]
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
