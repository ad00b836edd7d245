"""Open blocks that hold blocks: the text itself, quotes and the items of lists."""

from __future__ import annotations

from webagent.markdown import patterns
from webagent.markdown.blocks import Block, ListBlock, ListItem, Quote
from webagent.markdown.cursor import Cursor


class Container:
    """An open block that holds blocks; by itself, the whole text."""

    __slots__ = ("blocks", "end", "first", "last", "start")

    def __init__(self, start: int, line: int, end: int) -> None:
        self.start = start
        self.end = end
        self.first = line
        self.last = line + 1
        self.blocks: list[Block | ListBuilder] = []

    def add_item(self, item: ItemBuilder) -> None:
        """Add a finished item to the list it goes on with, or to a new one."""
        self.add(item.kind, item.build())

    def add(self, kind: str, item: ListItem) -> None:
        """Add an item to the list it goes on with, or to a new one."""
        last = self.blocks[-1] if self.blocks else None
        if not isinstance(last, ListBuilder) or last.kind != kind:
            last = ListBuilder(kind)
            self.blocks.append(last)
        last.items.append(item)

    def finish(self) -> tuple[Block, ...]:
        """Return the blocks inside, lists built."""
        return tuple([b.build() if isinstance(b, ListBuilder) else b for b in self.blocks])

    def reach(self, blocks: tuple[Block, ...]) -> None:
        """Move the end to that of the last of the blocks inside, if that is further."""
        if blocks:
            self.end = max(self.end, blocks[-1].end)
            self.last = max(self.last, blocks[-1].lines[1])


class QuoteBuilder(Container):
    """An open block quote."""

    __slots__ = ()

    def __init__(self, line: Cursor) -> None:
        super().__init__(line.offset, line.number, line.offset + 1)
        self.continues_in(line, True)

    def continues_in(self, line: Cursor, filled: bool) -> bool:
        """Whether the line starts with `>`; if so, that is read."""
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
        self.reach(blocks)
        return Quote(self.start, self.end, (self.first, self.last), blocks)


class ItemBuilder(Container):
    """An open item of a list.

    Attributes:
        kind: The character that marks the items of its list.
        marker: Characters of its marker.
        indent: Columns that its content is indented by.
    """

    __slots__ = ("indent", "kind", "marker")

    def __init__(self, line: Cursor, kind: str, width: int) -> None:
        offset = line.start + line.next
        super().__init__(offset, line.number, offset + width)
        self.kind = kind
        self.marker = width
        indent = line.indent + width
        line.take(width)
        padding = 1 if line.blank or line.indent > 4 else line.indent
        line.skip(padding)
        self.indent = indent + padding

    @classmethod
    def at(cls, line: Cursor, rest: str, paragraph: bool) -> ItemBuilder | None:
        """Open an item if the line starts one; inside a paragraph fewer lines do."""
        match = patterns.MARKER.match(rest)
        if match is None:
            return None
        if paragraph:
            empty = not rest[match.end() :].strip(" \t")
            if empty or (match[2] and int(match[2]) != 1):
                return None
        return cls(line, match[1] or match[3], match.end())

    def continues_in(self, line: Cursor, filled: bool) -> bool:
        """Whether the line is indented enough, or blank after some content.

        Args:
            line: The line; if it goes on inside, its indentation is read.
            filled: Whether an open block inside counts as content.
        """
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
        self.reach(blocks)
        lines = (self.first, self.last)
        return ListItem(self.start, self.end, lines, self.indent, self.marker, blocks)


class ListBuilder:
    """A list whose next item may still come."""

    __slots__ = ("items", "kind")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.items: list[ListItem] = []

    def build(self) -> ListBlock:
        """Return the block."""
        first, last = self.items[0], self.items[-1]
        lines = (first.lines[0], last.lines[1])
        return ListBlock(first.start, last.end, lines, self.kind in ".)", tuple(self.items))
