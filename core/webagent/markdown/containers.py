"""Builders of the blocks that contain blocks: the document, quotes and items of lists."""

from __future__ import annotations

from webagent.markdown import patterns
from webagent.markdown.blocks import Block, ListBlock, ListItem, Quote
from webagent.markdown.cursor import Cursor


class Container:
    """An open block that contains blocks. The class itself builds the document."""

    __slots__ = ("blocks", "end", "first", "last", "start")

    def __init__(self, start: int, line: int, end: int) -> None:
        self.start = start
        self.end = end
        self.first = line
        self.last = line + 1
        self.blocks: list[Block | ListBuilder] = []

    def add_item(self, item: ItemBuilder) -> None:
        """Close an item and add it to its list."""
        self.add(item.kind, item.build())

    def add(self, kind: str, item: ListItem) -> None:
        """Add an item to the list before it if the markers match, or else to a new list."""
        # A change of the marker (`-` to `*`, `1.` to `1)`) starts a new list.
        last = self.blocks[-1] if self.blocks else None
        if not isinstance(last, ListBuilder) or last.kind != kind:
            last = ListBuilder(kind)
            self.blocks.append(last)
        last.items.append(item)

    def finish(self) -> tuple[Block, ...]:
        """Return the blocks inside, with open lists built."""
        return tuple([b.build() if isinstance(b, ListBuilder) else b for b in self.blocks])

    def extend_to(self, blocks: tuple[Block, ...]) -> None:
        """Move the end to that of the last block inside, if that is later."""
        # A lazy line extends a paragraph inside without being matched with the container.
        if blocks:
            self.end = max(self.end, blocks[-1].end)
            self.last = max(self.last, blocks[-1].lines[1])


class QuoteBuilder(Container):
    """An open block quote."""

    __slots__ = ()

    def __init__(self, line: Cursor) -> None:
        super().__init__(line.offset, line.number, line.offset + 1)
        self.continues(line, True)

    def continues(self, line: Cursor, has_content: bool) -> bool:
        """Return whether the line starts with `>`, and read that."""
        if line.blank or line.indent > 3 or line.character != ">":
            return False
        self.end, self.last = line.offset + 1, line.number + 1
        line.take(1)
        # One space after `>` belongs to the marker, further ones to the content.
        if line.indent:
            line.skip(1)
        return True

    def build(self) -> Quote:
        """Return the block."""
        blocks = self.finish()
        self.extend_to(blocks)
        return Quote(self.start, self.end, (self.first, self.last), blocks)


class ItemBuilder(Container):
    """An open item of a list.

    Attributes:
        kind: The character that all markers of its list share: `-`, `.` or `)`.
        marker: Length of its marker.
        indent: Columns by which its content is indented.
    """

    __slots__ = ("indent", "kind", "marker")

    def __init__(self, line: Cursor, kind: str, width: int) -> None:
        offset = line.start + line.next
        super().__init__(offset, line.number, offset + width)
        self.kind = kind
        self.marker = width
        indent = line.indent + width
        line.take(width)
        # With five columns or more the item starts with indented code, whose indent stays.
        padding = 1 if line.blank or line.indent > 4 else line.indent
        line.skip(padding)
        self.indent = indent + padding

    @classmethod
    def at(cls, line: Cursor, rest: str, paragraph: bool) -> ItemBuilder | None:
        """Return the item that a line starts, or None.

        Args:
            line: The line; the marker of an item is read.
            rest: Its text from the first character that is not blank.
            paragraph: Whether a paragraph is open, which only some items may interrupt.
        """
        match = patterns.MARKER.match(rest)
        if match is None:
            return None
        if paragraph:
            # A line of prose may start with a number and a full stop, as in `1997. That year …`.
            empty = not rest[match.end() :].strip(" \t")
            if empty or (match[2] and int(match[2]) != 1):
                return None
        return cls(line, match[1] or match[3], match.end())

    def continues(self, line: Cursor, has_content: bool) -> bool:
        """Return whether a line belongs to the item: it is indented, or blank.

        Args:
            line: The line; if it belongs to the item, its indentation is read.
            has_content: Whether a block is open inside.
        """
        if line.blank:
            line.skip(self.indent)
            # An item may begin with one blank line; a second one ends it.
            return has_content or bool(self.blocks)
        if line.indent < self.indent:
            return False
        line.skip(self.indent)
        return True

    def build(self) -> ListItem:
        """Return the block."""
        blocks = self.finish()
        self.extend_to(blocks)
        lines = (self.first, self.last)
        return ListItem(self.start, self.end, lines, self.indent, self.marker, blocks)


class ListBuilder:
    """An open list, which further items may join."""

    __slots__ = ("items", "kind")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.items: list[ListItem] = []

    def build(self) -> ListBlock:
        """Return the block."""
        first, last = self.items[0], self.items[-1]
        lines = (first.lines[0], last.lines[1])
        return ListBlock(first.start, last.end, lines, self.kind in ".)", tuple(self.items))
