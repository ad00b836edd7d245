"""A fast path for plain types: those that print exactly as they are written.

Most types are plain: words, arrays, unions, and objects of such. One regular expression recognises
them, so they need not be read, resolved and printed.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from webagent.tstypes.known_names import LIBRARY, PRIMITIVES

_LONGEST = 2_000
"""Most characters of a type that is matched."""
_DEEPEST = 8
"""Most levels of objects that are matched."""

_LITERAL = re.compile(r"\"[^\"\\\r\n;{}]*\"|'[^'\\\r\n;{}]*'")
# `0` stands for a literal and `{}` for an object that is already matched.
_BARE = r"(?:[A-Za-z0$_][\w$]*|\{\})"
_ONE = rf"(?:Array<{_BARE}>|{_BARE})(?:\[\])?"
_TYPE = rf"{_ONE}(?: \| {_ONE})*"
_MEMBER = rf"[A-Za-z_$][\w$]*\??: {_TYPE}"
_OBJECT = re.compile(rf"\{{ {_MEMBER}(?:; {_MEMBER})* \}}", re.ASCII)
_WHOLE = re.compile(_TYPE, re.ASCII)
_WORD = re.compile(r"[\w$]+\??[:<]?", re.ASCII)
_KNOWN = frozenset(
    ["0", "true", "false", "Array<", *PRIMITIVES]
    + [name for name, arity in LIBRARY.items() if arity == (0, 0)]
)


class Plain(NamedTuple):
    """The properties of a plain type."""

    names: AbstractSet[str]
    """Names in it that are not of TypeScript's library."""
    one_object: bool
    """Whether the whole type is one object with members."""


_WORD_ONLY = Plain(frozenset(), False)


def plain_type(text: str) -> Plain | None:
    """Return the properties of a plain type, or None for a type that may not be plain.

    A plain type compiles if its names are known. No two of its members have the same name.
    """
    if text in PRIMITIVES:
        return _WORD_ONLY
    return _matched(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=2_048)
def _matched(text: str) -> Plain | None:
    if '"' in text or "'" in text:
        text = _LITERAL.sub("0", text)
    # Replaces objects from the inside out, one level in each turn.
    rest = text
    for _ in range(_DEEPEST):
        if "{ " not in rest:
            break
        rest = _OBJECT.sub("{}", rest)
    if _WHOLE.fullmatch(rest) is None:
        return None
    others = set(_WORD.findall(text)) - _KNOWN
    if ":" not in text:
        return Plain(others, False)
    names = {word for word in others if word[-1] != ":"}
    keys = others - names if names else others
    if "?" in text:
        keys = {word.rstrip("?:") for word in keys}
    # As many different keys as colons: no key is there twice, in whatever object.
    return Plain(names, rest == "{}") if len(keys) == text.count(":") else None


def plain_members(text: str) -> list[str]:
    """Return the members of a plain type that is one object, as written."""
    pieces = text[2:-2].split("; ")
    if "{" not in text[1:]:
        return pieces
    # Pieces of an inner object are put together again.
    members: list[str] = []
    depth = 0
    for piece in pieces:
        if depth:
            members[-1] += f"; {piece}"
        else:
            members.append(piece)
        depth += piece.count("{") - piece.count("}")
    return members
