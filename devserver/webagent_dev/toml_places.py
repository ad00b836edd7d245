"""Where a key stands in a TOML file; `tomllib` tells values, not places."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

Place = tuple[int, int]
"""Line and column, both from 1, the column in code points."""

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def place_of_key(text: str, path: Sequence[str | int]) -> Place:
    """Return where the key at `path` is written, or the nearest key above it that is.

    The first lines of the file up to the end of the statement that makes a key are the shortest
    beginning of the file that holds the key; so TOML's own parser finds it, however it is written.
    """
    names = [part for part in path if isinstance(part, str)]
    lines = text.splitlines(keepends=True)
    while names:
        first = 0
        for last in range(1, len(lines) + 1):
            try:
                data = tomllib.loads("".join(lines[:last]))
            except tomllib.TOMLDecodeError:
                # In the middle of a value of several lines.
                continue
            if _holds(data, names):
                return _place_of_name(lines, first, last, names[-1])
            first = last
        names.pop()
    return 1, 1


def place_of_error(text: str, error: tomllib.TOMLDecodeError) -> tuple[Place, str]:
    """Return where a file stops being TOML, and why, in lower case."""
    message = str(error)
    match = _AT.search(message)
    reason = message[: match.start()] if match else message
    reason = reason[:1].lower() + reason[1:]
    if match and match[1]:
        return (int(match[1]), int(match[2])), reason
    lines = text.splitlines() or [""]
    return (len(lines), len(lines[-1]) + 1), reason


def _holds(data: Any, names: Sequence[str]) -> bool:
    for name in names:
        if isinstance(data, list):
            # An array of tables: the last one is the one being written.
            data = data[-1] if data else None
        if not isinstance(data, dict) or name not in data:
            return False
        data = data[name]
    return True


def _place_of_name(lines: Sequence[str], first: int, last: int, name: str) -> Place:
    """Return where a name stands in the lines of a statement, else where the statement begins."""
    key = re.compile(rf"""(?<![\w-])(["']?){re.escape(name)}\1(?=\s*[.=\]])""")
    start = None
    for number in range(first, last):
        line = lines[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if match := key.search(line):
            return number + 1, match.start() + 1
        start = start or (number + 1, len(line) - len(line.lstrip()) + 1)
    return start or (first + 1, 1)
