"""The scanner: from lines to blocks.

Each line goes through three steps. It is matched with the open containers (quotes, list items) that
it continues. Then the blocks that it starts are opened. The rest of the line is text of the deepest
open block. A paragraph may also continue in a line that does not continue its containers ("lazy
continuation").
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
"""Most levels of containers. Deeper ones are read as text, so that time stays linear."""


def scan(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text in order. Every text is valid Markdown."""
    return scan_lines(split_lines(text))


def scan_lines(lines: Sequence[tuple[str, int]]) -> tuple[Block, ...]:
    """Return the blocks of some lines of a text.

    Args:
        lines: Lines without their ends, each with its offset in the text. An empty last line, which
            is what follows the last line end, is ignored.
    """
    if lines and not lines[-1][0]:
        lines = lines[:-1]
    if len(lines) == 1 and lines[0][0][:1].isalpha():
        # A single line that starts with a letter is always a paragraph. Most fields are such a line.
        text, start = lines[0]
        return (Paragraph(start, start + len(text), (0, 1), (Line(text, start),)),)
    scanner = _Scanner()
    last = len(lines) - 1
    for number, (text, start) in enumerate(lines):
        # The first three are fast paths for most lines; `read_line` reads any line.
        if text[:1] == "#" and scanner.read_plain_heading(text, start, number):
            continue
        if (
            text[:1] in ("-", "+", "*")
            and number < last
            and lines[number + 1][0][:2] == text[:2]
            and scanner.read_plain_item(text, start, number)
        ):
            continue
        if scanner.continue_paragraph(text, start, number):
            continue
        if text or scanner.leaf is not None or scanner.containers:
            scanner.read_line(Cursor(text, start, number))
    return scanner.finish()


class _Scanner:
    """The state of a scan: the blocks that are open."""

    def __init__(self) -> None:
        self.root = Container(0, 0, 0)
        self.containers: list[QuoteBuilder | ItemBuilder] = []
        self.leaf: Leaf | None = None
        self.blocks = self.root.blocks
        """The blocks of the deepest open container."""

    def finish(self) -> tuple[Block, ...]:
        """Close all blocks and return those of the document."""
        self.close_to(0)
        self.close_leaf()
        return self.root.finish()

    def close_leaf(self) -> None:
        """Close the open leaf block, if there is one."""
        if self.leaf is not None:
            self.blocks.append(self.leaf.build())
            self.leaf = None

    def close_to(self, depth: int) -> None:
        """Close all containers below `depth`, and the blocks in them."""
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

    def read_plain_heading(self, text: str, start: int, number: int) -> bool:
        """Read the next line if it is a heading without indent and closing marks: a fast path."""
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

    def read_plain_item(self, text: str, start: int, number: int) -> bool:
        """Read the next line if it is an item of one line, which another item follows: a fast path."""
        if isinstance(self.leaf, OpenCode) or not patterns.PLAIN_ITEM.match(text):
            return False
        self.close_to(0)
        self.close_leaf()
        end, lines = start + len(text), (number, number + 1)
        item = ListItem(start, end, lines, 2, 1, (), (text[2:], start + 2))
        self.root.add(text[0], item)
        return True

    def continue_paragraph(self, text: str, start: int, number: int) -> bool:
        """Read the next line if it continues a paragraph, as it starts with a letter: a fast path."""
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

    def read_line(self, line: Cursor) -> None:
        """Read the next line."""
        depth = self.match_containers(line) if self.containers else 0
        leaf = self.leaf
        if isinstance(leaf, OpenCode) and depth == len(self.containers):
            if leaf.accept(line):
                if leaf.ended:
                    self.close_leaf()
                return
            self.close_leaf()
        # Each turn opens one container, or ends the loop with a leaf block or with text.
        while not line.blank:
            in_paragraph = isinstance(self.leaf, OpenParagraph)
            if line.indent >= 4:
                # Indented code cannot interrupt a paragraph.
                if in_paragraph:
                    break
                self.open_code(depth, OpenIndented(line), line)
                return
            character = line.character
            # No block starts with these, so the patterns need not be tried.
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
        self.add_text(line, depth)

    def match_containers(self, line: Cursor) -> int:
        """Return how many of the open containers the line continues."""
        last = len(self.containers) - 1
        for depth, container in enumerate(self.containers):
            if not container.continues(line, depth < last or self.leaf is not None):
                return depth
        return last + 1

    def open_code(self, depth: int, leaf: OpenCode, line: Cursor) -> None:
        """Close the blocks that the line does not continue, and open one that starts with it."""
        self.close_to(depth)
        self.close_leaf()
        self.leaf = leaf
        leaf.accept(line)
        if leaf.ended:
            self.close_leaf()

    def add_block(self, depth: int, block: Block) -> None:
        """Close the blocks that the line does not continue, and add a block of one line."""
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
                self.add_block(depth, _atx(line, rest, len(match[1]), match.end()))
                return True
        elif character in "`~":
            if match := patterns.FENCE_OPEN.match(rest):
                self.close_to(depth)
                self.close_leaf()
                self.leaf = OpenFence(line, match[1] or match[3], match[2] or match[4] or "")
                return True
        elif character == "<":
            if kind := _html_kind(rest, isinstance(self.leaf, OpenParagraph)):
                self.open_code(depth, OpenHtml(line, kind), line)
                return True
        # Before thematic breaks: `---` below a paragraph makes it a heading.
        elif here and character in "=-" and self.make_heading(line, rest):
            return True
        elif character in "*-_" and patterns.RULE.match(rest):
            self.add_block(depth, Rule(line.offset, line.end, (line.number, line.number + 1)))
            return True
        return False

    def make_heading(self, line: Cursor, rest: str) -> bool:
        """Make the open paragraph a heading if the line underlines it.

        Link definitions at its start are not part of the title. They stay a paragraph.
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

    def add_text(self, line: Cursor, depth: int) -> None:
        """Add the rest of a line to a paragraph or a table. A blank rest ends them."""
        leaf = self.leaf
        if line.blank:
            self.close_to(depth)
            self.close_leaf()
        elif isinstance(leaf, OpenParagraph):
            # A delimiter row must be in the same container as the header, so a lazy line is not one.
            lazy = depth < len(self.containers)
            if lazy or not self.open_table(leaf, line):
                leaf.add(line)
        else:
            self.close_to(depth)
            if isinstance(self.leaf, OpenText):  # a table, of which this is a row
                self.leaf.add(line)
            else:
                self.leaf = OpenParagraph(line)

    def open_table(self, paragraph: OpenParagraph, line: Cursor) -> bool:
        """Open a table if the line is a delimiter row below the last line of the paragraph."""
        if line.indent > 3 or line.character not in "|:-":
            return False
        header, rest = paragraph.content[-1], line.rest
        if "|" not in header.text or not patterns.TABLE_RULE.match(rest):
            return False
        # GitHub: without as many cells as the header, the row is text.
        if len(cells(header)) != len(cells(Line(rest, line.offset))):
            return False
        if len(paragraph.content) > 1:
            paragraph.keep(len(paragraph.content) - 1)
            self.blocks.append(paragraph.build())
        self.leaf = OpenTable(header, line)
        return True


def _atx(line: Cursor, rest: str, level: int, start: int) -> Heading:
    text = rest.rstrip(" \t")
    # Closing marks count only after white space: `# C#` keeps its `#`.
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
    """Return the heading that an underlined paragraph is, or None if it is only definitions."""
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
    """Return the number of the start condition of CommonMark that a text meets, or 0."""
    for kind, pattern in patterns.HTML_OPEN:
        if pattern.match(rest):
            # A single tag (condition 7) cannot interrupt a paragraph, as it is often inline.
            return 0 if kind == 7 and in_paragraph else kind
    return 0
