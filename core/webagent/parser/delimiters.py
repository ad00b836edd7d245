"""Delimiters outside brackets and quotes: finding them, and splitting at them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PAIRS = {")": "(", "]": "[", "}": "{"}
_STRETCH = re.compile(r"[^\"'`()\[\]{}<>,:=]+")
# A fast path for most parentheses.
_PLAIN_PARENTHESES = re.compile(r"\([^\"'`()\[\]{}<>]*\)")
"""Parentheses that contain no other brackets and no quotes."""
_NESTING = re.compile(r"[\"'`()\[\]{}<>]")
_COMMA = re.compile(",")
_TICKS = re.compile(r"`+")
_QUOTED = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*+'", re.DOTALL),
}


def marks(text: str, start: int = 0, *, angles: bool = True) -> Iterator[tuple[int, str, int]]:
    """Yield `(index, character, depth)` of the characters outside quotes.

    Of a stretch without brackets, quotes, `,`, `:` and `=`, only the first character is yielded. The
    depth of a bracket is that of the text around it.

    Quoted text is `"…"`, `'…'` or code between runs of backticks. An apostrophe inside a word, or
    without a second one, is an ordinary character. `<` is a bracket only after a name. The `>` of
    `=>` and `->` is not a bracket.

    Args:
        text: The text.
        start: Index to start at, outside of quotes.
        angles: Whether `<` and `>` are brackets.
    """
    stack: list[str] = []
    index, end = start, len(text)
    # Quotes that nothing closes, so that the rest of the text is searched for each only once.
    unclosed: set[str] = set()
    while index < end:
        character = text[index]
        if character in "([{":
            yield index, character, len(stack)
            stack.append(character)
            index += 1
            continue
        if character in ")]}":
            # An open `<` inside other brackets was less-than: `(a < b)`.
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
    """Return start and end of each stretch between commas outside brackets and quotes.

    A `<` that nothing closes is read as less-than.
    """
    if _NESTING.search(text):
        cuts = _outer_commas(text)
    else:
        cuts = [match.start() for match in _COMMA.finditer(text)]
    starts = [0, *[cut + 1 for cut in cuts]]
    return list(zip(starts, [*cuts, len(text)], strict=True))


def _outer_commas(text: str) -> list[int]:
    """Return the indices of commas outside brackets and quotes."""
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

    `<…>` count as brackets if that leads to a result, and as less-than and greater-than otherwise.
    """
    if alone := _PLAIN_PARENTHESES.match(text, start):
        return alone.end() - 1
    for angles in (True, False):
        for index, character, depth in marks(text, start, angles=angles):
            if depth == 0 and index > start and character in ")]}>":
                return index
            if depth == 0 and index > start:
                break
    return -1


def first(text: str, wanted: str) -> int:
    """Return the first index of a character outside brackets and quotes, or -1.

    The `=` of `=>` does not count.
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
    """Return the index after the quoted text that starts here, or -1 if there is none."""
    mark = text[index]
    if mark in unclosed or (mark == "'" and index and _is_name(text[index - 1])):
        return -1
    quoted = _QUOTED[mark].match(text, index)
    if quoted is None:
        unclosed.add(mark)
        return -1
    return quoted.end()


def _code(text: str, index: int, length: int, unclosed: set[str]) -> int:
    """Return the index after a code span, or -1.

    Args:
        text: The text.
        index: Index after the opening backticks.
        length: Number of opening backticks.
        unclosed: Quotes known to have no end; a length that is not found is added.
    """
    run = f"`{length}"
    if run in unclosed:
        return -1
    end = backticks_end(text, index, length)
    if end < 0:
        unclosed.add(run)
    return end


def backticks_end(text: str, index: int, length: int) -> int:
    """Return the index after the next run of exactly `length` backticks, or -1."""
    while run := _TICKS.search(text, index):
        index = run.end()
        if index - run.start() == length:
            return index
    return -1
