"""Types that are written as they are printed, told from others without being read.

Most types are: words, arrays, unions, and objects of such. For them a pattern says in one step what
reading, resolving and printing would say.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from webagent.tstypes.known_names import LIBRARY, PRIMITIVES

_LONGEST = 2_000
"""Length, in characters, of a type that is looked at."""
_DEEPEST = 8
"""Objects inside one another that are looked at."""

_LITERAL = re.compile(r"\"[^\"\\\r\n;{}]*\"|'[^'\\\r\n;{}]*'")
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
    """The names of a plain type, and whether it is one object."""

    names: AbstractSet[str]
    """Names that it uses and the library does not have."""
    one_object: bool
    """Whether it is one object type with members, in no union or array."""


_WORD_ONLY = Plain(frozenset(), False)


def plain_type(text: str) -> Plain | None:
    """Return what there is to know of a plain type, None if a text is none or may be none.

    A plain type whose names are known compiles, and prints as the text that it is. No two of its
    members have one name.
    """
    if text in PRIMITIVES:
        return _WORD_ONLY
    if len(text) > _LONGEST:
        return None
    if '"' in text or "'" in text:
        text = _LITERAL.sub("0", text)
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
    return Plain(names, rest == "{}") if len(keys) == text.count(":") else None


def plain_members(text: str) -> list[str]:
    """Return the members of a plain type that is one object."""
    pieces = text[2:-2].split("; ")
    if "{" not in text[1:]:
        return pieces
    members: list[str] = []
    depth = 0
    for piece in pieces:
        if depth:
            members[-1] += f"; {piece}"
        else:
            members.append(piece)
        depth += piece.count("{") - piece.count("}")
    return members
