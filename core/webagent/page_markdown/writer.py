"""Writes Markdown block by block; text stays text, whatever characters it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

_MOST_CHARACTERS = 2_000_000
_MOST_CONTAINERS = 12
"""Lists and quotations in one another; deeper ones are not indented further."""

_SPACE = re.compile(r"[\t\n\f\r ]+")
_MARKS = re.compile(r"[\\`*_\[\]<|~]|&(?=#|[A-Za-z0-9]{1,40};)")
"""Characters that begin something in the middle of a line: code, a link, HTML, an entity, a table."""
_LINE_MARK = re.compile(r"(?m)^(?:(?=[#+=>-])|([0-9]{1,9})(?=[.)]))")
"""The place of what would begin something at the start of a line: a heading, a list."""
_BACKTICKS = re.compile(r"`+")


def plain_text(text: str) -> str:
    """Return a text as it is written in the middle of a line, so that nothing in it is Markdown."""
    return _MARKS.sub(_escaped, text)


class TooLong(Exception):
    """The Markdown of a page is longer than any reader wants it."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a piece of text is written."""

    href: str = ""
    image: str = ""
    """The address of a picture, whose description the text is."""
    strong: bool = False
    em: bool = False
    code: bool = False


@dataclass(slots=True)
class _Container:
    """The beginnings of the lines of a list item or a quotation."""

    mark: str
    rest: str
    tight: bool = False
    """Whether an item of the same list is right before it."""


class Writer:
    """The Markdown of one page as it grows."""

    def __init__(self) -> None:
        self.level = 0
        """Of the heading whose text comes; 0 outside of headings."""
        self.has_heading = False
        self._lines: list[str] = []
        self._length = 0
        self._pieces: list[tuple[str, Style]] = []
        self._spaced = True
        self._containers: list[_Container] = []
        self._code: list[str] | None = None
        self.language = ""
        self._rows: list[list[str]] | None = None
        self._is_headed = False
        self._in_item = False

    @property
    def containers(self) -> int:
        """How many containers are around the present place."""
        return len(self._containers)

    # Text

    def add(self, text: str, style: Style) -> None:
        """Write text, in which all white space counts as one space."""
        if self._code is not None:
            self._code.append(text)
            return
        text = _SPACE.sub(" ", text)
        if self._spaced:
            text = text.lstrip(" ")
        if text:
            self._spaced = text.endswith(" ")
            self._pieces.append((text, style))

    def line_end(self) -> None:
        """End a line within a paragraph."""
        if self._code is not None:
            self._code.append("\n")
        elif self._pieces:
            self._spaced = True
            self._pieces.append(("\n", Style()))

    def end_block(self) -> None:
        """End a paragraph or a heading."""
        if self._code is not None:
            return
        if self._rows is not None:
            self.add(" ", Style())
            return
        text = self._taken(one_line=self.level > 0)
        if not text:
            return
        if self.level:
            self.has_heading = self.has_heading or self.level == 1
            # A row of number signs at its end would count as its end.
            stem = text.rstrip("#")
            end = "\\" + text[len(stem) :] if stem != text else ""
            text = f"{'#' * self.level} {stem}{end}"
        else:
            text = _LINE_MARK.sub(_escaped_mark, text)
        self._block(text.replace("\n", "\\\n").split("\n"))

    def rule(self) -> None:
        """Write a line across."""
        self.end_block()
        if self._rows is None and self._code is None:
            self._block(["***"])

    # Containers

    def contain(self, mark: str, rest: str) -> None:
        """Begin an item or a quotation."""
        if self._rows is None and self._code is None and len(self._containers) < _MOST_CONTAINERS:
            self._containers.append(_Container(mark, rest, self._in_item))
        self._in_item = False

    def leave(self, containers: int, *, is_item: bool) -> None:
        """Keep the first containers, and end those inside of them."""
        was_written = len(self._containers) > containers and not self._containers[containers].mark
        del self._containers[containers:]
        self._in_item = is_item and was_written

    def _block(self, lines: Sequence[str]) -> None:
        """Write the lines of a block, each with what its containers begin with."""
        fresh = [one for one in self._containers if one.mark]
        around = "".join(one.rest for one in self._containers if not one.mark)
        if self._lines and not (fresh and fresh[0].tight):
            self._line(around.rstrip())
        first = "".join(one.mark or one.rest for one in self._containers)
        for one in fresh:
            one.mark = ""
        rest = "".join(one.rest for one in self._containers)
        self._line((first + lines[0]).rstrip())
        for line in lines[1:]:
            self._line((rest + line).rstrip())
        self._in_item = False

    def _line(self, line: str) -> None:
        self._length += len(line) + 1
        if self._length > _MOST_CHARACTERS:
            raise TooLong
        self._lines.append(line)

    # Code

    def begin_code(self) -> None:
        """Begin a block of code, whose white space counts."""
        if self._rows is None:
            self.end_block()
            self._code, self.language = [], ""

    def end_code(self) -> None:
        """End it."""
        if self._code is None:
            return
        text = "".join(self._code).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        self._code = None
        if text.strip():
            fence = "`" * max(3, _longest(text) + 1)
            self._block([fence + self.language, *text.split("\n"), fence])

    # Tables

    def begin_table(self) -> None:
        """Begin a table."""
        self.end_block()
        if self._code is None:
            self._rows, self._is_headed = [], False

    def begin_row(self) -> None:
        """Begin a row of it."""
        if self._rows is not None:
            self._rows.append([])

    def begin_cell(self, *, is_heading: bool) -> None:
        """Begin a cell of the row."""
        if self._rows is not None:
            # Text between cells is dropped.
            self._taken(one_line=True)
            if not self._rows:
                self._rows.append([])
            self._is_headed |= is_heading and len(self._rows) == 1

    def end_cell(self) -> None:
        """End it."""
        if self._rows:
            self._rows[-1].append(self._taken(one_line=True))

    def end_table(self) -> None:
        """End the table."""
        rows, self._rows = [row for row in self._rows or () if any(row)], None
        self._pieces, self._spaced = [], True
        if not rows:
            return
        # Cells that the first row lacks would be lost in all others.
        width = max(map(len, rows))
        head = rows.pop(0) if self._is_headed else []
        head += [""] * (width - len(head))
        self._block([_row(head), _row(["---"] * width), *map(_row, rows)])

    def page(self, title: str) -> str:
        """Return all of it, below a title where no heading is one."""
        top = f"# {plain_text(title)}\n\n" if title and not self.has_heading else ""
        return top + "\n".join(self._lines) + ("\n" if self._lines else "")

    def _taken(self, *, one_line: bool) -> str:
        """Return what was added, as the Markdown of a paragraph, and begin anew."""
        pieces, self._pieces, self._spaced = self._pieces, [], True
        merged: list[tuple[str, Style]] = []
        for style, group in groupby(pieces, key=lambda piece: piece[1]):
            text = "".join(text for text, _ in group)
            merged.append((text.replace("\n", " ") if one_line else text, style))
        written = ""
        parts: list[str] = []
        for href, members in groupby(merged, key=lambda piece: piece[1].href):
            inner = _styled([(text, replace(style, href="")) for text, style in members])
            text = inner.strip(" \n")
            if href and text:
                before, _, after = inner.partition(text)
                if parts and parts[-1].endswith("!"):
                    parts[-1] = parts[-1][:-1] + "\\!"
                inner = f"{before}[{text}]({href}){after}"
            if inner:
                parts.append(inner)
        written = "".join(parts).strip(" \n")
        return re.sub(r" *\n *", "\n", written)


def _styled(pieces: Sequence[tuple[str, Style]]) -> str:
    """Return pieces of text, each in its style."""
    parts: list[str] = []
    for index, (text, style) in enumerate(pieces):
        inner = text.strip(" \n")
        if not inner:
            parts.append(text)
            continue
        before, _, after = text.partition(inner)
        last = before[-1:] or (parts[-1][-1:] if parts else "")
        following = after[:1] or (pieces[index + 1][0][:1] if index + 1 < len(pieces) else "")
        if style.image:
            written = f"![{plain_text(inner)}]({style.image})"
        elif style.code:
            written = _code_span(inner)
        else:
            written = plain_text(inner)
            mark = ("**" if style.strong else "") + ("*" if style.em else "")
            # Marks count only at the edges of words, and not beside others.
            if mark and last != "*" and _is_edge(last, inner[0]) and _is_edge(following, inner[-1]):
                lines = written.split("\n")
                written = "\n".join(f"{mark}{line.strip(' ')}{mark}" for line in lines)
        parts.append(f"{before}{written}{after}")
    return "".join(parts)


def _is_edge(outside: str, inside: str) -> bool:
    return inside.isalnum() or not outside.isalnum()


def _code_span(text: str) -> str:
    text = text.replace("\n", " ").replace("|", "\\|") if "|" in text else text.replace("\n", " ")
    marks = "`" * (_longest(text) + 1)
    padded = f" {text} " if "`" in (text[0], text[-1]) else text
    return f"{marks}{padded}{marks}"


def _longest(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def _escaped_mark(match: re.Match[str]) -> str:
    return f"{match[1] or ''}\\"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
