"""Text split where brackets and quotes allow it."""

from __future__ import annotations

from collections.abc import Iterator

_PAIRS = {")": "(", "]": "[", "}": "{"}


def marks(text: str, start: int = 0, *, angles: bool = True) -> Iterator[tuple[int, str, int]]:
    """Yield (index, character, depth) of the characters outside quotes.

    The depth of a bracket is that of what surrounds it. Quotes are `"…"`, `'…'` and runs of
    backticks; an apostrophe that no other closes, or within a word, is none. `<` opens a bracket
    after a name; the `>` of `=>` and `->` closes none.
    """
    stack: list[str] = []
    index, end = start, len(text)
    unclosed: set[str] = set()
    while index < end:
        character = text[index]
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
        elif character in "([{":
            yield index, character, len(stack)
            stack.append(character)
            index += 1
            continue
        elif character in ")]}":
            while stack and stack[-1] == "<":
                stack.pop()
            if stack and stack[-1] == _PAIRS[character]:
                stack.pop()
        elif angles and character == "<" and index and _is_name(text[index - 1]):
            yield index, character, len(stack)
            stack.append("<")
            index += 1
            continue
        elif character == ">" and stack and stack[-1] == "<" and text[index - 1] not in "=-":
            stack.pop()
        yield index, character, len(stack)
        index += 1


def split(text: str, separator: str = ",") -> list[tuple[int, int]]:
    """Return the stretches between separators outside brackets and quotes.

    A `<` that nothing closes is read as less-than.
    """
    for angles in (True, False):
        cuts = []
        depth = 0
        for index, character, level in marks(text, angles=angles):
            depth = level
            if level == 0 and character == separator:
                cuts.append(index)
        if depth == 0 or "<" not in text:
            break
    starts = [0, *(cut + 1 for cut in cuts)]
    return list(zip(starts, [*cuts, len(text)], strict=True))


def closing(text: str, start: int) -> int:
    """Return the index of the bracket that closes the one at `start`, or -1.

    Tried with `<…>` as brackets, then without.
    """
    for angles in (True, False):
        for index, character, depth in marks(text, start, angles=angles):
            if depth == 0 and index > start and character in ")]}>":
                return index
            if depth == 0 and index > start:
                break
    return -1


def first(text: str, wanted: str) -> int:
    """Return the index of the first of the characters outside brackets and quotes, or -1.

    `=` is not found in `=>`.
    """
    for index, character, depth in marks(text):
        if depth == 0 and character in wanted and text[index : index + 2] != "=>":
            return index
    return -1


def _is_name(character: str) -> bool:
    return character.isalnum() or character in "_$"


def _quote(text: str, index: int, unclosed: set[str]) -> int:
    """Return the index after a quoted stretch, or -1 if none starts here."""
    mark = text[index]
    if mark in unclosed or (mark == "'" and index and _is_name(text[index - 1])):
        return -1
    position = index + 1
    while position < len(text):
        if text[position] == "\\":
            position += 2
            continue
        if text[position] == mark:
            return position + 1
        position += 1
    unclosed.add(mark)
    return -1


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
    while (found := text.find("`", index)) >= 0:
        index = found
        while text.startswith("`", index):
            index += 1
        if index - found == length:
            return index
    return -1
