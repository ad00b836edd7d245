"""A fast path for plain types: those that print exactly as they are written.

Most types are plain: words, arrays, unions, and objects of such. One regular expression recognises
them, so they need not be read, resolved and printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from webagent.tstypes.known_names import LIBRARY, PRIMITIVES

LONGEST = 2_000
"""Most characters of a type that is worth a match."""
_DEEPEST = 3
"""Most levels of objects that are matched. Each doubles the time to compile the expression."""

_LITERAL = re.compile(r"\"[^\"\\\r\n;{}]*+\"|'[^'\\\r\n;{}]*+'")
_NAME = r"[A-Za-z_$][\w$]*+"
_WORD = rf"{_NAME}|{_LITERAL.pattern}|\{{\}}"


def _member(one: str) -> str:
    """Return the expression of a member, by that of one part of its type."""
    part = rf"(?:Array<{one}>|{one})(?:\[\])?+"
    return rf"{_NAME}\??+: (?:{part}(?: \| |(?![\w$\[{{\"'])))++(?<!\| )"


def _nested(levels: int) -> str:
    """Return the expression of one part of a type, with up to `levels` levels of objects."""
    if not levels:
        return f"(?:{_WORD})"
    member = _member(_nested(levels - 1))
    return rf"(?:{_WORD}|\{{ (?:{member}(?:; |(?= \}})))++(?<!; ) \}})"


_MEMBER = re.compile(_member(_nested(_DEEPEST - 1)), re.ASCII)
_KNOWN = frozenset(
    f"{before}{word}{after}"
    for word in ("0", "true", "false", "|", "{", "}", "{}", *PRIMITIVES, *LIBRARY)
    if LIBRARY.get(word, (0, 0)) == (0, 0)
    for before in ("", "Array<")
    for after in ("", ";", "[]", "[];", ">", ">;", ">[]", ">[];")
)
"""Words between two spaces of a plain type, besides keys and the names of other types."""


_NO_NAMES: AbstractSet[str] = frozenset()


class Plain(NamedTuple):
    """The properties of a plain type."""

    names: AbstractSet[str]
    """Names in it that are not of TypeScript's library."""
    members: Sequence[str]
    """The members of a type that is one object, as written."""


@lru_cache(maxsize=2_048)
def plain_type(text: str) -> Plain | None:
    """Return the properties of a plain type, or None for a type that may not be plain.

    A plain type compiles if its names are known. No two of its members have the same name.

    Args:
        text: The type, of up to `LONGEST` characters.
    """
    members = _MEMBER.findall(text, 2, len(text) - 2) if text[:2] == "{ " else []
    if not members or f"{{ {'; '.join(members)} }}" != text:
        members = []
        if _MEMBER.fullmatch(f"_: {text}") is None:
            return None
    if '"' in text or "'" in text:
        text = _LITERAL.sub("0", text)
    words = set(text.replace("?:", ":").split()) - _KNOWN
    own = [word for word in words if word[-1] != ":"]
    # As many different keys as colons: no key is there twice, in whatever object.
    if len(words) - len(own) < text.count(":"):
        return None
    if not own:
        return Plain(_NO_NAMES, members)
    return Plain({word.removeprefix("Array<").rstrip("[]>;") for word in own}, members)
