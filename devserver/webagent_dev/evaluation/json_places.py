"""Where a value stands in a JSON file; `json` tells values, not places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from json.decoder import JSONDecoder

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line, from 1, of the value at a path, or of the nearest above it that is there.

    Args:
        text: JSON, read before without an error and not nested deeply.
        path: Keys and numbers that lead to the value.
    """
    at = _past_space(text, 0)
    for part in path:
        inner = _member(text, at, part) if isinstance(part, str) else _item(text, at, part)
        if inner is None:
            break
        at = inner
    return text.count("\n", 0, at) + 1


def lines_of_items(text: str) -> list[int]:
    """Return the line, from 1, of each item of a JSON list."""
    at = _past_space(text, 0)
    lines, line, counted = [], 1, 0
    at = _past_space(text, at + 1)
    while text[at] != "]":
        line += text.count("\n", counted, at)
        counted = at
        lines.append(line)
        at = _past_value(text, at)
    return lines


def path_text(path: Sequence[str | int]) -> str:
    """Return a path as people write it: `[2].expectedCall[0].functionName`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def _member(text: str, at: int, key: str) -> int | None:
    """Return where the value of a key begins; the last one counts, as it does for readers."""
    if text[at] != "{":
        return None
    found = None
    at = _past_space(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _past_space(text, _past_space(text, at) + 1)
        if name == key:
            found = at
        at = _past_value(text, at)
    return found


def _item(text: str, at: int, index: int) -> int | None:
    if text[at] != "[":
        return None
    at = _past_space(text, at + 1)
    while text[at] != "]":
        if index == 0:
            return at
        index -= 1
        at = _past_value(text, at)
    return None


def _past_value(text: str, at: int) -> int:
    """Return where what follows a value begins, behind its comma if there is one."""
    _, at = _DECODER.raw_decode(text, at)
    at = _past_space(text, at)
    return _past_space(text, at + 1) if text[at] == "," else at


def _past_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
