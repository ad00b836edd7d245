"""The pass over the lines.

For each line: first the open containers (quotes, list items) that it continues are matched, then
the blocks it starts are opened, and what is left is text of the deepest open block. A paragraph may
also go on in a line that does not continue its containers ("lazy continuation").
"""

from __future__ import annotations

from collections.abc import Sequence

from webagent.markdown import patterns
from webagent.markdown.blocks import Block, Heading, Line, ListItem, Paragraph, Rule
from webagent.markdown.containers import Container, ItemBuilder, QuoteBuilder
from webagent.markdown.cursor import Cursor
from webagent.markdown.leaves import (
    Leaf,
    OpenCode,
    OpenFence,
    OpenHtml,
    OpenIndented,
    OpenParagraph,
    OpenTable,
    OpenText,
    cells,
)
from webagent.source import split_lines

MAX_DEPTH = 100
"""Containers inside one another; deeper ones are read as text, so that time stays linear."""


def scan(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text in order. Any text is valid Markdown; nothing raises."""
    return scan_lines(split_lines(text))


def scan_lines(lines: Sequence[tuple[str, int]]) -> tuple[Block, ...]:
    """Return the blocks of lines without their ends, each with its offset in some text.

    Places are those in that text. An empty last line is what follows the last line end: nothing.
    """
    if lines and not lines[-1][0]:
        lines = lines[:-1]
    if len(lines) == 1 and lines[0][0][:1].isalpha():
        # Nothing that starts with a letter is more than text by itself.
        text, start = lines[0]
        return (Paragraph(start, start + len(text), (0, 1), (Line(text, start),)),)
    scanner = _Scanner()
    last = len(lines) - 1
    for number, (text, start) in enumerate(lines):
        if text[:1] == "#" and scanner.heading(text, start, number):
            continue
        if (
            text[:1] in ("-", "+", "*")
            and number < last
            and lines[number + 1][0][:2] == text[:2]
            and scanner.item(text, start, number)
        ):
            continue
        if scanner.goes_on(text, start, number):
            continue
        if text or scanner.leaf is not None or scanner.containers:
            scanner.line(Cursor(text, start, number))
    return scanner.finish()


class _Scanner:
    """The blocks that are open while the lines go by."""

    def __init__(self) -> None:
        self.root = Container(0, 0, 0)
        self.containers: list[QuoteBuilder | ItemBuilder] = []
        self.leaf: Leaf | None = None
        self.blocks = self.root.blocks
        """The blocks of the deepest open container."""

    def finish(self) -> tuple[Block, ...]:
        """End all blocks and return those of the whole text."""
        self.close_to(0)
        self.close_leaf()
        return self.root.finish()

    def close_leaf(self) -> None:
        """End the block that holds lines, if one is open."""
        if self.leaf is not None:
            self.blocks.append(self.leaf.build())
            self.leaf = None

    def close_to(self, depth: int) -> None:
        """End all containers from `depth` on and what is in them."""
        containers = self.containers
        if len(containers) > depth:
            self.close_leaf()
            while len(containers) > depth:
                container = containers.pop()
                tip = containers[-1] if containers else self.root
                if isinstance(container, ItemBuilder):
                    tip.add_item(container)
                else:
                    tip.blocks.append(container.build())
                self.blocks = tip.blocks

    def heading(self, text: str, start: int, number: int) -> bool:
        """Take the next line if it is surely a heading: the short way for most of them."""
        match = None if isinstance(self.leaf, OpenCode) else patterns.PLAIN_ATX.match(text)
        if match is None:
            return False
        self.close_to(0)
        self.close_leaf()
        level, left = match.end(1), start + match.start(2)
        title = match[2].rstrip(" \t")
        end, lines = start + len(text), (number, number + 1)
        self.blocks.append(Heading(start, end, lines, level, title, left, left + len(title), False))
        return True

    def item(self, text: str, start: int, number: int) -> bool:
        """Take the next line if it is an item of one line of text; another item follows it."""
        if isinstance(self.leaf, OpenCode) or not patterns.PLAIN_ITEM.match(text):
            return False
        self.close_to(0)
        self.close_leaf()
        end, lines = start + len(text), (number, number + 1)
        item = ListItem(start, end, lines, 2, 1, (), (text[2:], start + 2))
        self.root.add(text[0], item)
        return True

    def goes_on(self, text: str, start: int, number: int) -> bool:
        """Take the next line if it surely goes on with a paragraph: it starts with a letter."""
        leaf = self.leaf
        if not isinstance(leaf, OpenParagraph) or self.containers:
            return False
        words = text.lstrip(" ")
        if not words[:1].isalpha():
            return False
        end = start + len(text)
        leaf.content.append(Line(words, end - len(words)))
        leaf.end, leaf.last = end, number + 1
        return True

    def line(self, line: Cursor) -> None:
        """Take the next line."""
        depth = self.match(line) if self.containers else 0
        leaf = self.leaf
        if isinstance(leaf, OpenCode) and depth == len(self.containers):
            if leaf.takes(line):
                if leaf.ended:
                    self.close_leaf()
                return
            self.close_leaf()
        while not line.blank:
            in_paragraph = isinstance(self.leaf, OpenParagraph)
            if line.indent >= 4:
                if in_paragraph:
                    break
                self.open(depth, OpenIndented(line), line)
                return
            character = line.character
            if character.isalpha() or character in "[(":
                break
            rest = line.rest
            here = in_paragraph and depth == len(self.containers)
            if self.start_leaf(line, character, rest, depth, here):
                return
            container: QuoteBuilder | ItemBuilder | None = None
            if depth < MAX_DEPTH:
                if character == ">":
                    container = QuoteBuilder(line)
                elif character in "-+*0123456789":
                    container = ItemBuilder.at(line, rest, here)
            if container is None:
                break
            self.close_to(depth)
            self.close_leaf()
            self.containers.append(container)
            self.blocks = container.blocks
            depth += 1
        self.text(line, depth)

    def match(self, line: Cursor) -> int:
        """Return how many of the open containers the line continues."""
        last = len(self.containers) - 1
        for depth, container in enumerate(self.containers):
            if not container.continues_in(line, depth < last or self.leaf is not None):
                return depth
        return last + 1

    def open(self, depth: int, leaf: OpenCode, line: Cursor) -> None:
        """End what the line does not go on with, and open a block that starts with the line."""
        self.close_to(depth)
        self.close_leaf()
        self.leaf = leaf
        leaf.takes(line)
        if leaf.ended:
            self.close_leaf()

    def add(self, depth: int, block: Block) -> None:
        """End what the line does not go on with, and add a block of one line."""
        if self.containers:
            self.close_to(depth)
        if self.leaf is not None:
            self.close_leaf()
        self.blocks.append(block)

    def start_leaf(self, line: Cursor, character: str, rest: str, depth: int, here: bool) -> bool:
        """Open the leaf block that the line starts, if it starts one.

        Args:
            line: The line, not blank.
            character: Its first character that is not blank.
            rest: The line from that on.
            depth: How many containers it continues.
            here: Whether a paragraph is open in the deepest of them.
        """
        if character == "#":
            if match := patterns.ATX.match(rest):
                self.add(depth, _atx(line, rest, len(match[1]), match.end()))
                return True
        elif character in "`~":
            if match := patterns.FENCE_OPEN.match(rest):
                self.close_to(depth)
                self.close_leaf()
                self.leaf = OpenFence(line, match[1] or match[3], match[2] or match[4] or "")
                return True
        elif character == "<":
            if kind := _html_kind(rest, isinstance(self.leaf, OpenParagraph)):
                self.open(depth, OpenHtml(line, kind), line)
                return True
        elif here and character in "=-" and self.underline(line, rest):
            return True
        elif character in "*-_" and patterns.RULE.match(rest):
            self.add(depth, Rule(line.offset, line.end, (line.number, line.number + 1)))
            return True
        return False

    def underline(self, line: Cursor, rest: str) -> bool:
        """Make the open paragraph a heading if the line underlines it.

        Link definitions at its start are no part of the title; they stay a paragraph.
        """
        leaf = self.leaf
        match = patterns.SETEXT.match(rest)
        if match is None or not isinstance(leaf, OpenParagraph):
            return False
        heading = _setext(leaf, line, match[1])
        if heading is None:
            return False
        if leaf.first < heading.lines[0]:
            leaf.keep(heading.lines[0] - leaf.first)
            self.blocks.append(leaf.build())
        self.leaf = None
        self.blocks.append(heading)
        return True

    def text(self, line: Cursor, depth: int) -> None:
        """Add what is left of a line to a paragraph or a table, or end them if nothing is."""
        leaf = self.leaf
        if line.blank:
            self.close_to(depth)
            self.close_leaf()
        elif isinstance(leaf, OpenParagraph):
            lazy = depth < len(self.containers)
            if lazy or not self.tabulate(leaf, line):
                leaf.add(line)
        else:
            self.close_to(depth)
            if isinstance(self.leaf, OpenText):  # a table, of which this is a row
                self.leaf.add(line)
            else:
                self.leaf = OpenParagraph(line)

    def tabulate(self, paragraph: OpenParagraph, line: Cursor) -> bool:
        """Open a table if the line is a delimiter row for the last line of the paragraph."""
        if line.indent > 3 or line.character not in "|:-":
            return False
        header, rest = paragraph.content[-1], line.rest
        if "|" not in header.text or not patterns.TABLE_RULE.match(rest):
            return False
        if len(cells(header)) != len(cells(Line(rest, line.offset))):
            return False
        if len(paragraph.content) > 1:
            paragraph.keep(len(paragraph.content) - 1)
            self.blocks.append(paragraph.build())
        self.leaf = OpenTable(header, line)
        return True


def _atx(line: Cursor, rest: str, level: int, start: int) -> Heading:
    text = rest.rstrip(" \t")
    if text.endswith("#"):
        opened = text.rstrip("#")
        if len(opened) <= start:
            text = text[:start]
        elif opened[-1] in " \t":
            text = opened.rstrip(" \t")
    title = text[start:]
    left = line.offset + start
    lines = (line.number, line.number + 1)
    return Heading(line.offset, line.end, lines, level, title, left, left + len(title), False)


def _setext(leaf: Leaf, line: Cursor, mark: str) -> Heading | None:
    """Return the heading made by underlining the paragraph, if that has text left for one."""
    content = leaf.content
    if content[0].text.startswith("["):
        text = "\n".join(part.text for part in content)
        read = 0
        while match := patterns.REFERENCE.match(text, read):
            read = match.end()
        if not text[read:].strip():
            return None
        content = content[text.count("\n", 0, read) :]
    last = content[-1]
    start = content[0].start
    return Heading(
        start,
        line.end,
        (line.number - len(content), line.number + 1),
        1 if mark[0] == "=" else 2,
        " ".join(part.text.strip(" \t") for part in content),
        start,
        last.start + len(last.text.rstrip(" \t")),
        True,
    )


def _html_kind(rest: str, in_paragraph: bool) -> int:
    """Return the number of the start condition that the text meets, 0 if it meets none."""
    for kind, pattern in patterns.HTML_OPEN:
        if pattern.match(rest):
            return 0 if kind == 7 and in_paragraph else kind
    return 0
