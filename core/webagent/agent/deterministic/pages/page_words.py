"""The text of a snapshot as a person reads it: lines under their headings, cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_QUOTED: Final = r'"([^"\n]{0,600})"'
_MARK: Final = re.compile(
    rf"(?<!\\)\[\d{{1,9}}\] ([\w-]{{1,40}})(?: {_QUOTED}| to \S{{1,90}})?"
    rf"(?: \([a-z, ]{{1,80}}\))?(?: = {_QUOTED})?(?: \{{[^}}\n]{{0,1000}}\}})?"
)
_LEAD: Final = re.compile(r"\s*(?:- |\d{1,4}\. )?(#{1,6} )?")
_HIDDEN: Final = dict.fromkeys(
    (0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0)
)
"""Characters that nobody sees, or that turn what is read round."""
_SENTENCE_END: Final = re.compile(
    r"(?<=[^\W\d_]{3})[.!?؟。]+[”\"»)]{0,2}\s+(?=[^\sa-zà-ÿ])|[!?؟。]+\s+|(?<=[)%€$£\d])\.\s+(?=[^\W\da-zà-ÿ]\w)"
)
_LONGEST_LINE: Final = 10_000
_SHORT: Final = 160
"""Characters of a line that stays one passage."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a short line, or the row of a table."""

    text: str
    heading: int
    """Its heading's place in the list; -1 above all."""
    line: int
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """The first row of its table."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the one above it."""

    text: str
    level: int
    parent: int


@dataclass(frozen=True, slots=True)
class PageText:
    """All that can be read on a page."""

    units: Sequence[Unit]
    headings: Sequence[Heading]

    def above(self, heading: int) -> Iterator[str]:
        """Yield the headings that a part of the page is under, the nearest first."""
        for _ in range(6):
            if heading < 0:
                return
            yield self.headings[heading].text
            heading = self.headings[heading].parent


def read_out(line: str) -> str:
    """Return a line of a page without its marks; empty if it has nothing but controls.

    The name of a link stays where the line says something else too.
    """
    if "[" not in line:
        return _plain(line)
    if not any(letter.isalnum() for letter in _LEAD.sub("", _MARK.sub(" ", line), count=1)):
        return ""
    return _plain(_MARK.sub(lambda mark: _name(mark) if mark[1] == "link" else " ", line))


def unmarked(text: str) -> str:
    """Return a sentence with the names of elements in the place of their marks."""
    marked = re.compile(f"`?{_MARK.pattern}`?")
    return marked.sub(lambda mark: f"“{_name(mark)}”" if _name(mark) else "it", text)


def _plain(line: str) -> str:
    text = _LEAD.sub("", line[:_LONGEST_LINE], count=1).replace("\\[", "[").translate(_HIDDEN)
    return " ".join(text.split())


def _name(mark: re.Match[str]) -> str:
    return mark[2] or ""


@lru_cache(maxsize=4)
def page_text(text: str) -> PageText:
    """Return the text of a snapshot by its lines and headings."""
    units: list[Unit] = []
    headings: list[Heading] = []
    open_: list[int] = []
    columns: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n")):
        lead = _LEAD.match(line)
        if lead and lead[1]:
            named = _plain(_MARK.sub(lambda mark: _name(mark), line))
            level = len(lead[1]) - 1
            while open_ and headings[open_[-1]].level >= level:
                open_.pop()
            if named:
                headings.append(Heading(named[:200], level, open_[-1] if open_ else -1))
                open_.append(len(headings) - 1)
            columns = ()
            continue
        said = read_out(line)
        if not any(letter.isalnum() for letter in said):
            columns = ()
            continue
        under = open_[-1] if open_ else -1
        cells = tuple(cell.strip() for cell in said.split(" | ")) if " | " in said else ()
        if not cells:
            columns = ()
            units += [Unit(part, under, number) for part in sentences(said)]
        elif not columns or len(columns) != len(cells):
            columns = cells
            units.append(Unit(said, under, number, cells))
        else:
            units.append(Unit(said, under, number, cells, columns))
    return PageText(units, headings)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a short text stays whole."""
    if len(text) <= _SHORT and not _SENTENCE_END.search(text):
        return [text]
    found, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return [part for part in found if part]


def shortened(text: str, most: int) -> str:
    """Return a text of whole sentences; only the first is cut, and shows it."""
    if len(text) <= most:
        return text
    kept = ""
    for part in sentences(text):
        if len(kept) + len(part) + 1 > most:
            break
        kept = f"{kept} {part}".strip()
    return kept or text[: most - 1].rsplit(" ", 1)[0] + "…"
