"""The pass over the lines.

For each line: first the open containers (quotes, list items) that it continues are matched, then
the blocks it starts are opened, and what is left is text of the deepest open block. A paragraph may
also go on in a line that does not continue its containers ("lazy continuation").
"""

from __future__ import annotations

from webagent.markdown import patterns
from webagent.markdown.blocks import Block, Heading, Line, Rule
from webagent.markdown.builders import Container, ItemBuilder, Leaf, QuoteBuilder, cells
from webagent.markdown.cursor import Cursor
from webagent.source import BOM, Span

MAX_DEPTH = 100
"""Containers inside one another; deeper ones are read as text, so that time stays linear."""


def scan(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text in order. Any text is valid Markdown; nothing raises."""
    scanner = _Scanner()
    start = len(BOM) if text.startswith(BOM) else 0
    for number, match in enumerate(patterns.LINE.finditer(text, start)):
        scanner.line(Cursor(match[1] or match[2] or "", match.start(), number))
    scanner.close_to(0)
    scanner.close_leaf()
    return scanner.root.finish()


class _Scanner:
    """The blocks that are open while the lines go by."""

    def __init__(self) -> None:
        self.root = Container(0, 0, 0)
        self.containers: list[QuoteBuilder | ItemBuilder] = []
        self.leaf: Leaf | None = None

    @property
    def tip(self) -> Container:
        """The deepest open container."""
        return self.containers[-1] if self.containers else self.root

    def close_leaf(self) -> None:
        """End the block that holds lines, if one is open."""
        if self.leaf is not None:
            self.tip.blocks.append(self.leaf.build())
            self.leaf = None

    def close_to(self, depth: int) -> None:
        """End all containers from `depth` on and what is in them."""
        if len(self.containers) > depth:
            self.close_leaf()
            while len(self.containers) > depth:
                container = self.containers.pop()
                if isinstance(container, ItemBuilder):
                    self.tip.add_item(container)
                else:
                    self.tip.blocks.append(container.build())

    def line(self, line: Cursor) -> None:
        """Take the next line."""
        depth = self.match(line)
        leaf = self.leaf
        if leaf and depth == len(self.containers) and leaf.kind not in ("paragraph", "table"):
            if leaf.takes(line):
                if leaf.ended:
                    self.close_leaf()
                return
            self.close_leaf()
        while not line.blank:
            in_paragraph = self.leaf is not None and self.leaf.kind == "paragraph"
            if line.indent >= 4:
                if in_paragraph:
                    break
                self.open(depth, Leaf.code(line))
                return
            character = line.character
            if character.isalpha() or character in "[(":
                break
            here = in_paragraph and depth == len(self.containers)
            if self.start_leaf(line, depth, in_paragraph, here):
                return
            container: QuoteBuilder | ItemBuilder | None = None
            if depth < MAX_DEPTH:
                quote = character == ">"
                container = QuoteBuilder(line) if quote else ItemBuilder.at(line, here)
            if container is None:
                break
            self.open(depth, None)
            self.containers.append(container)
            depth += 1
        self.text(line, depth)

    def match(self, line: Cursor) -> int:
        """Return how many of the open containers the line continues."""
        last = len(self.containers) - 1
        for depth, container in enumerate(self.containers):
            if not container.continues_in(line, depth < last or self.leaf is not None):
                return depth
        return last + 1

    def open(self, depth: int, leaf: Leaf | None) -> None:
        """End what the line does not go on with, and open a block that holds lines."""
        self.close_to(depth)
        self.close_leaf()
        self.leaf = leaf
        if leaf is not None and leaf.ended:
            self.close_leaf()

    def add(self, depth: int, block: Block) -> None:
        """End what the line does not go on with, and add a block of one line."""
        self.open(depth, None)
        self.tip.blocks.append(block)

    def start_leaf(self, line: Cursor, depth: int, in_paragraph: bool, here: bool) -> bool:
        """Open the leaf block that the line starts, if it starts one.

        Args:
            line: The line, not blank.
            depth: How many containers it continues.
            in_paragraph: Whether a paragraph is open.
            here: Whether that paragraph is in the deepest container that the line continues.
        """
        rest, character = line.rest, line.character
        if character == "#" and (match := patterns.ATX.match(rest)):
            self.add(depth, _atx(line, rest, len(match[1]), match.end()))
        elif character in "`~" and (match := patterns.FENCE_OPEN.match(rest)):
            leaf = Leaf.fence(line, match[1] or match[3], match[2] or match[4] or "")
            self.open(depth, leaf)
        elif character == "<" and (kind := _html_kind(rest, in_paragraph)):
            self.open(depth, Leaf.html(line, kind))
        elif (
            here
            and character in "=-"
            and (match := patterns.SETEXT.match(rest))
            and (heading := _setext(self.leaf, line, match[1]))
        ):
            self.leaf = None
            self.tip.blocks.append(heading)
        elif character in "*-_" and patterns.RULE.match(rest):
            self.add(depth, Rule(line.span, (line.number, line.number + 1)))
        else:
            return False
        return True

    def text(self, line: Cursor, depth: int) -> None:
        """Add what is left of a line to a paragraph or a table, or end them if nothing is."""
        leaf = self.leaf
        if line.blank:
            self.open(depth, None)
        elif leaf is not None and leaf.kind == "paragraph":
            lazy = depth < len(self.containers)
            if not lazy and (before := _table(leaf, line)) is not None:
                if before is not leaf:
                    self.tip.blocks.append(before.build())
                return
            leaf.add_text(line)
        else:
            self.close_to(depth)
            if self.leaf is not None:  # a table, of which this is a row
                self.leaf.add_text(line)
            else:
                self.leaf = Leaf.paragraph(line)


def _atx(line: Cursor, rest: str, level: int, start: int) -> Heading:
    text = rest.rstrip(" \t")
    end = len(text.rstrip("#"))
    if end <= start:
        end = start if end < len(text) else len(text)
    elif text[end - 1] not in " \t":
        end = len(text)
    title = text[start:end].strip(" \t")
    left = line.offset + start
    return Heading(
        line.span,
        (line.number, line.number + 1),
        level,
        title,
        Span(left, left + len(title)),
        setext=False,
    )


def _setext(leaf: Leaf | None, line: Cursor, mark: str) -> Heading | None:
    """Return the heading made by underlining the paragraph, if that has text left for one."""
    if leaf is None:
        return None
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
    span = Span(content[0].start, line.end)
    return Heading(
        span,
        (line.number - len(content), line.number + 1),
        1 if mark[0] == "=" else 2,
        " ".join(part.text.strip(" \t") for part in content),
        Span(content[0].start, last.start + len(last.text.rstrip(" \t"))),
        setext=True,
    )


def _html_kind(rest: str, in_paragraph: bool) -> int:
    """Return the number of the start condition that the text meets, 0 if it meets none."""
    for kind, pattern in patterns.HTML_OPEN:
        if pattern.match(rest):
            return 0 if kind == 7 and in_paragraph else kind
    return 0


def _table(leaf: Leaf, line: Cursor) -> Leaf | None:
    """Turn the paragraph into a table if the line is a delimiter row for its last line.

    Returns:
        None if it is not; the paragraph before the table, or the leaf itself if there is none.
    """
    if line.indent > 3 or line.character not in "|:-":
        return None
    rest = line.rest
    header = leaf.content[-1]
    if "|" not in header.text or not patterns.TABLE_RULE.match(rest):
        return None
    if len(cells(header)) != len(cells(Line(rest, line.offset))):
        return None
    return leaf.to_table(line) or leaf
