"""Literal types and the values they stand for."""

from __future__ import annotations

import json
import re

from webagent.tstypes.keys import property_key
from webagent.tstypes.nodes import LiteralType

_LONE = re.compile(r"[\ud800-\udfff\u2028\u2029\x7f-\x9f\ufeff]")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


def quoted(text: str) -> str:
    """Return a string literal in double quotes."""
    return _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def member_name(key: str) -> str:
    """Return a property's name as it is written in an object type."""
    return key if _IDENTIFIER.match(key) else quoted(key)


def literal(value: str | float | bool) -> LiteralType | None:
    """Return the type that has this value only; None if no literal can say it."""
    if isinstance(value, bool):
        return LiteralType("true" if value else "false")
    if isinstance(value, str):
        return LiteralType(quoted(value))
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return LiteralType(repr(value))


def literal_value(node: LiteralType) -> str | float | bool:
    """Return the value of a literal type; that of `10n` is an int."""
    text = node.text
    if text in ("true", "false"):
        return text == "true"
    if text[0] in "\"'`":
        return property_key(f'"{text[1:-1]}"')
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text)
    try:
        return sign * int(digits.removesuffix("n"), 0)
    except ValueError:
        number = sign * float(digits)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number


def is_bigint(node: LiteralType) -> bool:
    """Whether it is `10n`, a literal of type `bigint`."""
    return node.text[-1:] == "n" and node.text[0] not in "\"'`"
