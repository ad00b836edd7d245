"""The regular expression that a template literal type comes to."""

from __future__ import annotations

import re

from webagent.tstypes.nodes import LiteralType, Name, Template, literal_value

_SPECIAL = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_HOLES = {
    "string": r"[\s\S]*",
    "number": r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?",
    "bigint": r"-?[0-9]+",
    "boolean": "(?:true|false)",
}
"""What may stand in a hole of each type, as JavaScript and Python both read it."""

_LONGEST = 2_000
"""Length, in characters, of a text up to which several open holes are tried."""


def pattern(node: Template) -> str:
    """Return the pattern that the whole of a fitting text matches."""
    found = [_escape(_text(node.texts[0]))]
    for inner, text in zip(node.types, node.texts[1:], strict=True):
        found += (_hole(inner), _escape(_text(text)))
    return f"^{''.join(found)}$"


def fits(node: Template, text: str) -> bool:
    """Whether a text is one of a template; a text too long to be tried is taken to be."""
    open_holes = sum(1 for inner in node.types if isinstance(inner, Name))
    if open_holes > 3 or (open_holes > 1 and len(text) > _LONGEST):
        return True
    return re.search(pattern(node), text) is not None


def _hole(node: object) -> str:
    if isinstance(node, LiteralType):
        value = literal_value(node)
        return _escape(str(value).lower() if isinstance(value, bool) else str(value))
    return _HOLES.get(node.name, _HOLES["string"]) if isinstance(node, Name) else _HOLES["string"]


def _text(raw: str) -> str:
    return str(literal_value(LiteralType(f"`{raw}`")))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
