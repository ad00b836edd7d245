"""Where a value is not what is expected, and what is inside the values that travel."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_FOUND = 20
"""Mismatches after which a check stops."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")
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
    """A place where a value is not what its type or schema says."""

    path: str
    """Where: `items[2].price`; empty for the whole value."""
    expected: str
    got: str

    def __str__(self) -> str:
        text = f"expected {self.expected}, got {self.got}"
        return f"{self.path}: {text}" if self.path else text


def opened(value: Any) -> tuple[str, Any]:
    """Return the kind of an encoded value, and what is in it."""
    if value is None:
        return "null", None
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
        if tag == "object" and isinstance(inner, Mapping):
            return "object", inner
        if isinstance(tag, str) and tag in _TAGS:
            return tag, inner
        return "object", value
    return type(value).__name__, value


def kind_of(value: Any) -> str:
    """Return the JSON type of a value."""
    return opened(value)[0]


def join(path: str, key: str) -> str:
    """Return the path of a property: `a.b`, or `a["b c"]`."""
    if not _IDENTIFIER.match(key):
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key


def short(text: str) -> str:
    """Return a text, cut where it is too long for a message."""
    return text if len(text) <= 80 else f"{text[:79]}…"
