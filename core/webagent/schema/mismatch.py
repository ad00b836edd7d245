"""Mismatches between a value and its type or schema, and the decoding of tagged values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_FOUND = 20
"""Most mismatches of a check, which then stops."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")
# The values of `$type` that the page writes, see `webagent.page.values`. Another one is plain data.
_TAGS = frozenset(
    [
        "undefined",
        "bigint",
        "number",
        "date",
        "map",
        "set",
        "binary",
        "error",
        "regexp",
        "circular",
        "function",
        "symbol",
        "element",
    ]
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A place where a value does not fit its type or schema."""

    path: str
    """The place: `items[2].price`. Empty for the whole value."""
    expected: str
    got: str

    def __str__(self) -> str:
        text = f"expected {self.expected}, got {self.got}"
        return f"{self.path}: {text}" if self.path else text


def decode(value: Any) -> tuple[str, Any]:
    """Return the kind of an encoded value, and its content.

    `{"$type": "date", "value": "2026-01-01"}` is `("date", "2026-01-01")`, and `[1]` is
    `("array", [1])`.
    """
    if value is None:
        return "null", None
    # Before numbers: in Python a bool is an int.
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, int | float):
        return "number", value
    if isinstance(value, str):
        return "string", value
    if isinstance(value, list | tuple):
        return "array", value
    if isinstance(value, Mapping):
        tag, inner = value.get("$type"), value.get("value")
        # The escape for data of the page that has a property `$type` itself.
        if tag == "object" and isinstance(inner, Mapping):
            return "object", inner
        if isinstance(tag, str) and tag in _TAGS:
            return tag, inner
        return "object", value
    return type(value).__name__, value


def kind_of(value: Any) -> str:
    """Return the kind of an encoded value, such as `string` or `date`."""
    return decode(value)[0]


def join(path: str, key: str) -> str:
    """Return the path of a property: `a.b`, or `a["b c"]`."""
    if not _IDENTIFIER.match(key):
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key


def short(text: str) -> str:
    """Return a text for a message, cut after 80 characters."""
    return text if len(text) <= 80 else f"{text[:79]}…"
