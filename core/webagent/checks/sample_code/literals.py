"""Values that are written out in sample code: `"shoes"`, `-2`, `{ id: 3, tags: ["a"] }`."""

from __future__ import annotations

import re
from typing import Any, Final

from webagent.checks.sample_code.javascript import Code, Kind

UNKNOWN: Final = object()
"""The value of anything that is not written out, such as a variable or a call."""
UNDEFINED: Final = {"$type": "undefined"}

_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}
_DEEPEST = 20
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?\Z")


def read_literal(code: Code, first: int, depth: int = 0) -> tuple[Any, int]:
    """Return the value that starts at a token, as encoded data, and the index after it.

    Args:
        code: The tokens.
        first: The index of the first token of the value.
        depth: How many values are around it.
    """
    if depth > _DEEPEST or first >= len(code.tokens):
        return UNKNOWN, first
    token = code.tokens[first]
    if token.kind is Kind.NAME and token.text in _WORDS:
        return _WORDS[token.text], first + 1
    if token.kind is Kind.STRING or (token.kind is Kind.TEMPLATE and token.text.endswith("`")):
        return _text(token.text), first + 1
    if token.text == "-" and first + 1 < len(code.tokens):
        value, end = read_literal(code, first + 1, depth + 1)
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return (-value if plain else UNKNOWN), end
    if token.kind is Kind.NUMBER and _NUMBER.match(token.text):
        return float(token.text) if "." in token.text else int(token.text), first + 1
    if token.text == "[" and first in code.closes:
        return _array(code, first, depth)
    if token.text == "{" and first in code.closes:
        return _object(code, first, depth)
    return UNKNOWN, first + 1


def _array(code: Code, opening: int, depth: int) -> tuple[Any, int]:
    close, index = code.closes[opening], opening + 1
    values = []
    while index < close:
        value, index = read_literal(code, index, depth + 1)
        if value is UNKNOWN or (index < close and code.tokens[index].text != ","):
            return UNKNOWN, close + 1
        values.append(value)
        index += 1
    return values, close + 1


def _object(code: Code, opening: int, depth: int) -> tuple[Any, int]:
    close, index = code.closes[opening], opening + 1
    values: dict[str, Any] = {}
    while index < close:
        key = code.tokens[index]
        named = key.kind in (Kind.NAME, Kind.STRING) and index + 1 < close
        if not named or code.tokens[index + 1].text != ":":
            return UNKNOWN, close + 1
        value, index = read_literal(code, index + 2, depth + 1)
        if value is UNKNOWN or (index < close and code.tokens[index].text != ","):
            return UNKNOWN, close + 1
        values[key.text if key.kind is Kind.NAME else str(_text(key.text))] = value
        index += 1
    # `$type` marks values that JSON cannot hold.
    return (UNKNOWN if "$type" in values else values), close + 1


def _text(literal: str) -> str:
    """Return the text of a string literal; of its escapes only those of quotes matter here."""
    return _ESCAPE.sub(r"\1", literal[1:-1])
