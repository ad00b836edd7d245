"""The blocks of a Markdown text, as the scanner returns them. Callers must not change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from webagent.source import Span


class Line(NamedTuple):
    """A line of a leaf block, without the markers of its containers and its indentation."""

    text: str
    start: int
    """Offset of the first character of `text`."""


@dataclass(slots=True)
class BlockBase:
    """The base of all blocks: a place in the text."""

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
class Heading(BlockBase):
    """`## Title`, or a title underlined with `---`."""

    level: int
    text: str
    """The title as written, without markers; the lines of a setext heading joined by a space."""
    text_start: int
    text_end: int
    setext: bool

    @property
    def text_span(self) -> Span:
        """The place of the title, without the markers."""
        return Span(self.text_start, self.text_end)


@dataclass(slots=True)
class Paragraph(BlockBase):
    """Running text."""

    content: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines joined, as written except for their indentation."""
        return "\n".join([line.text for line in self.content])


@dataclass(slots=True)
class Fence(BlockBase):
    """A code block between fences."""

    info: str
    """The text after the marks of the opening fence, stripped: `js title="x"`."""
    content: tuple[Line, ...]
    closed: bool
    """False if the text or a container ends before a closing fence."""

    @property
    def text(self) -> str:
        r"""The code, lines joined by `\n`, without a line end after the last."""
        return "\n".join([line.text for line in self.content])

    @property
    def language(self) -> str:
        """The first word of the info string in lower case, without a leading `{` or `.`."""
        # Pandoc and R Markdown write `{.js}` and `{r}` for the language.
        words = self.info.split(maxsplit=1)
        return words[0].strip("{}.").lower() if words else ""

    @property
    def content_span(self) -> Span:
        """The place of the code, or an empty span at the end of the fence if there is none."""
        if not self.content:
            return Span(self.end, self.end)
        last = self.content[-1]
        return Span(self.content[0].start, last.start + len(last.text))


@dataclass(slots=True)
class CodeBlock(BlockBase):
    """A code block made by indentation."""

    content: tuple[Line, ...]


@dataclass(slots=True)
class HtmlBlock(BlockBase):
    """A block of raw HTML."""

    kind: int
    """The number of its start condition in CommonMark, 1 to 7; 2 is a comment."""
    content: tuple[Line, ...]
    closed: bool
    """False if the text ends before the end condition of kinds 1 to 5 is met."""


@dataclass(slots=True)
class Rule(BlockBase):
    """A thematic break."""


@dataclass(slots=True)
class Cell:
    r"""A cell of a table: its text, stripped and with `\|` read as `|`."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The place of the text."""
        return Span(self.start, self.end)


@dataclass(slots=True)
class Table(BlockBase):
    """A table with pipes. A row has the cells that were written, be they fewer or more than the header."""

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(slots=True)
class Quote(BlockBase):
    """A block quote."""

    blocks: tuple[Block, ...]


@dataclass(slots=True)
class ListItem(BlockBase):
    """An item of a list; it starts at its marker."""

    indent: int
    """Columns by which the item's content is indented, relative to the container of the list."""
    marker: int
    """Length of the marker: 1 for `-`, 3 for `10.`."""
    inside: tuple[Block, ...]
    # Most items are one line of text. Their paragraph is built on demand, which halves the objects.
    line: tuple[str, int] | None = None
    """Text and offset of the line, if the item has only one. Then `inside` is empty."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in it."""
        if self.line is None:
            return self.inside
        line = Line(*self.line)
        return (Paragraph(line.start, self.end, self.lines, (line,)),)


@dataclass(slots=True)
class ListBlock(BlockBase):
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
