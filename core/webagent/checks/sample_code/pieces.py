"""Pieces of sample code, each with its tokens and its place in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from webagent.checks.sample_code.javascript import Code, read_code
from webagent.parser import ToolPlace
from webagent.source import Source, Span
from webagent.types import Tool

MAX_SAMPLE = 100_000
"""Most characters of sample code that is read. No real sample is longer."""

_REMEMBERED = 4_000
"""Most characters of a text whose pieces are cached."""

_LANGUAGES = ("", "js", "javascript", "mjs", "node", "ts", "typescript")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\r\n]*)", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]+")


class Piece(NamedTuple):
    """A piece of sample code, such as one fence.

    Attributes:
        text: The code, with single line ends.
        starts: Offset of each line in `text`.
        lines: Offset of each line in the source, from `origin`.
        code: The tokens of `text`.
        origin: An offset in the source, before which a change moves all lines alike.
    """

    text: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]
    code: Code
    origin: int = 0

    def span(self, start: int, end: int) -> Span:
        """Return the place in the source of `text[start:end]`."""
        line = bisect_right(self.starts, start) - 1
        first = self.origin + self.lines[line] + start - self.starts[line]
        return Span(first, first + max(1, end - start))


def read_pieces(source: Source, tool: Tool, place: ToolPlace) -> tuple[Piece, ...]:
    """Return the pieces of a tool's sample code: each fence of JavaScript, or the text without fences."""
    if not tool.sample_code or len(tool.sample_code) > MAX_SAMPLE:
        return ()
    text, span = source.text, place.sample_code
    if not text or span is None:
        return (_piece(tool.sample_code, (place.name.start,) * (tool.sample_code.count("\n") + 1)),)
    # A fence may be indented.
    origin = text.rfind("\n", 0, span.start) + 1
    section = text[origin : place.span.end]
    read = _pieces_of if len(section) <= _REMEMBERED else _pieces_of.__wrapped__
    inside = Span(span.start - origin, span.end - origin)
    return tuple(piece._replace(origin=origin) for piece in read(section, inside, tool.sample_code))


@lru_cache(maxsize=2_048)
def _pieces_of(text: str, span: Span, sample_code: str) -> tuple[Piece, ...]:
    """Return the pieces of sample code that begins at a span of a text.

    The text of most tools is the same after the next change of the file, so it is cached.
    """
    # The sample code of a tool may be in several subsections. Its fences are those whose text,
    # without white space, is next in it.
    inside = _without_spaces(sample_code)
    found = []
    position = 0
    for language, start, end in fences(text, span.start, len(text)):
        body = text[start:end]
        squeezed = _without_spaces(body)
        if not inside.startswith(squeezed, position):
            break
        position += len(squeezed)
        if language in _LANGUAGES and body.strip():
            found.append(_piece_at(body, start))
    if found or text.startswith(("```", "~~~"), span.start):
        return tuple(found)
    return (_piece_at(text[span.start : span.end], span.start),)


def _piece_at(body: str, start: int) -> Piece:
    """Return the piece of a text that is in the source at an offset."""
    lines = [(match[0], start + match.start()) for match in _LINE.finditer(body)]
    return _piece("\n".join(line for line, _ in lines), tuple(at for _, at in lines))


def _piece(text: str, lines: tuple[int, ...]) -> Piece:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return Piece(text, tuple(starts[:-1]), lines, read_code(text))


def fences(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the code of each fence in `text[start:end]`: language, start and end.

    This is faster than the Markdown scanner, and enough where fences are not inside other blocks.
    """
    start = text.rfind("\n", 0, start) + 1
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text, start, end):
        if opened is None:
            opened = match
        elif match[1].startswith(opened[1]) and not match[2].strip():
            yield _language(opened[2]), opened.end(), match.start()
            opened = None
    if opened is not None:
        yield _language(opened[2]), opened.end(), end


def _language(info: str) -> str:
    words = info.split(maxsplit=1)
    return words[0].strip("{}.").lower() if words else ""


def _without_spaces(text: str) -> str:
    return "".join(text.split())
