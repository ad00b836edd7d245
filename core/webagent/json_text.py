"""JSON that strangers wrote, JSON for them, and that of our own files.

Python reads data nested thousands of levels deep, but freeing it exhausts the stack inside a page;
so depth is looked at before anything is built.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

DEEPEST = 64
"""Levels of nesting that are read."""

STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
"""A string of JSON, as a regular expression. One that nothing closes reaches to the end, so that no
quote in it is looked at again."""

_BETWEEN = re.compile(rf'[^][{{}}"]*+(?:{STRING}[^][{{}}"]*+)*+', re.DOTALL)
"""The text between two brackets, strings included."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(text: str, *, deepest: int = DEEPEST) -> Any:
    """Return the data that a JSON text holds.

    Args:
        text: The text.
        deepest: Levels of nesting that are read.

    Raises:
        ValueError: It is not JSON, contains `NaN` or `Infinity`, or is nested too deeply.
    """
    level = 0
    for mark in _BETWEEN.sub("", text):
        if mark in "[{":
            level += 1
            if level > deepest:
                raise ValueError("it is nested too deeply")
        elif mark in "]}":
            level -= 1
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.lower()} in line {error.lineno}") from None
    except ValueError as error:
        if "int_max_str_digits" in str(error):
            raise ValueError("a number in it has too many digits") from None
        raise


def packaged_json(module: str, name: str) -> Any:
    """Return the data of a file of this package.

    `importlib.resources` finds it too, but a page takes a fiftieth of a second to import that.

    Args:
        module: `__file__` of a module.
        name: The file, from the module's folder.
    """
    return json.loads((Path(module).parent / name).read_text("utf-8"))


def utf8_json(text: str) -> bytes:
    r"""Return a JSON text in UTF-8, with each lone surrogate as the six characters `\ud800`.

    JavaScript strings may hold lone surrogates. UTF-8 cannot encode them, and most servers refuse
    a request in which JSON escapes them.
    """
    return _LONE_SURROGATE.sub(lambda match: rf"\\u{ord(match[0]):04x}", text).encode()


def is_shallow(data: Any) -> bool:
    """Whether data has no more levels than are read; what contains itself has."""
    left = [(data, 1)]
    while left:
        inner, level = left.pop()
        if isinstance(inner, dict | list | tuple):
            if level > DEEPEST:
                return False
            values = inner.values() if isinstance(inner, dict) else inner
            left.extend((value, level + 1) for value in values)
    return True


def _refuse(word: str) -> Any:
    raise ValueError(f"`{word}` is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"`{text[:20]}` is too large a number")
    return number
