"""Text split where brackets and quotes allow it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PAIRS = {")": "(", "]": "[", "}": "{"}
_STRETCH = re.compile(r"[^\"'`()\[\]{}<>,:=]+")
_ALONE = re.compile(r"\([^\"'`()\[\]{}<>]*\)")
"""Parentheses without other brackets and quotes inside."""
_NESTING = re.compile(r"[\"'`()\[\]{}<>]")
_COMMA = re.compile(",")
_TICKS = re.compile(r"`+")
_QUOTED = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*+'", re.DOTALL),
}


def marks(text: str, start: int = 0, *, angles: bool = True) -> Iterator[tuple[int, str, int]]:
    """Yield (index, character, depth) of the characters outside quotes.

    These are brackets, quotes that are none, `,`, `:` and `=`; of a stretch of other characters,
    the first. The depth of a bracket is that of what surrounds it. Quotes are `"…"`, `'…'` and runs
    of backticks; an apostrophe that no other closes, or within a word, is none. `<` opens a bracket
    after a name; the `>` of `=>` and `->` closes none.
    """
    stack: list[str] = []
    index, end = start, len(text)
    unclosed: set[str] = set()
    while index < end:
        character = text[index]
        if character in "([{":
            yield index, character, len(stack)
            stack.append(character)
            index += 1
            continue
        if character in ")]}":
            while stack and stack[-1] == "<":
                stack.pop()
            if stack and stack[-1] == _PAIRS[character]:
                stack.pop()
            yield index, character, len(stack)
            index += 1
            continue
        if stretch := _STRETCH.match(text, index):
            yield index, character, len(stack)
            index = stretch.end()
            continue
        if character == "`":
            length = 1
            while text.startswith("`", index + length):
                length += 1
            close = _code(text, index + length, length, unclosed)
            index = close if close > 0 else index + length
            continue
        if character in "\"'":
            close = _quote(text, index, unclosed)
            if close > 0:
                index = close
                continue
        elif angles and character == "<" and index and _is_name(text[index - 1]):
            yield index, character, len(stack)
            stack.append("<")
            index += 1
            continue
        elif character == ">" and stack and stack[-1] == "<" and text[index - 1] not in "=-":
            stack.pop()
        yield index, character, len(stack)
        index += 1


def split(text: str) -> list[tuple[int, int]]:
    """Return the stretches between commas outside brackets and quotes.

    A `<` that nothing closes is read as less-than.
    """
    if _NESTING.search(text):
        cuts = _outer_commas(text)
    else:
        cuts = [match.start() for match in _COMMA.finditer(text)]
    starts = [0, *[cut + 1 for cut in cuts]]
    return list(zip(starts, [*cuts, len(text)], strict=True))


def _outer_commas(text: str) -> list[int]:
    for angles in (True, False):
        cuts = []
        depth = 0
        for index, character, level in marks(text, angles=angles):
            depth = level
            if level == 0 and character == ",":
                cuts.append(index)
        if depth == 0 or "<" not in text:
            break
    return cuts


def closing(text: str, start: int) -> int:
    """Return the index of the bracket that closes the one at `start`, or -1.

    Tried with `<…>` as brackets, then without.
    """
    if alone := _ALONE.match(text, start):
        return alone.end() - 1
    for angles in (True, False):
        for index, character, depth in marks(text, start, angles=angles):
            if depth == 0 and index > start and character in ")]}>":
                return index
            if depth == 0 and index > start:
                break
    return -1


def first(text: str, wanted: str) -> int:
    """Return the index of the first such character outside brackets and quotes, or -1.

    `=` is not found in `=>`.
    """
    if wanted not in text:
        return -1
    for index, character, depth in marks(text):
        if depth == 0 and character == wanted and text[index : index + 2] != "=>":
            return index
    return -1


def _is_name(character: str) -> bool:
    return character.isalnum() or character in "_$"


def _quote(text: str, index: int, unclosed: set[str]) -> int:
    """Return the index after a quoted stretch, or -1 if none starts here."""
    mark = text[index]
    if mark in unclosed or (mark == "'" and index and _is_name(text[index - 1])):
        return -1
    quoted = _QUOTED[mark].match(text, index)
    if quoted is None:
        unclosed.add(mark)
        return -1
    return quoted.end()


def _code(text: str, index: int, length: int, unclosed: set[str]) -> int:
    """Return the index after a code span, or -1; looks for each length of a run once in vain."""
    run = f"`{length}"
    if run in unclosed:
        return -1
    end = backticks_end(text, index, length)
    if end < 0:
        unclosed.add(run)
    return end


def backticks_end(text: str, index: int, length: int) -> int:
    """Return the index after the next run of exactly so many backticks, or -1."""
    while run := _TICKS.search(text, index):
        index = run.end()
        if index - run.start() == length:
            return index
    return -1
