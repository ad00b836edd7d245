"""The regular expression of a template literal type."""

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
"""The pattern of the text in a hole, by its type. JavaScript and Python read it alike."""

_LONGEST = 2_000
"""Most characters of a text that is matched with a template of several open holes."""


def pattern(node: Template) -> str:
    """Return the pattern of the texts that have the type, with `^` and `$`."""
    found = [_escape(_text(node.texts[0]))]
    for inner, text in zip(node.types, node.texts[1:], strict=True):
        found += (_hole(inner), _escape(_text(text)))
    return f"^{''.join(found)}$"


def fits(node: Template, text: str) -> bool:
    """Whether a text has the type of a template. A text that is too long to match counts as one."""
    # `re` backtracks over the open holes: its time is the length to the power of their number.
    open_holes = sum(1 for inner in node.types if isinstance(inner, Name))
    if open_holes > 3 or (open_holes > 1 and len(text) > _LONGEST):
        return True
    return re.search(pattern(node), text) is not None


def _hole(node: object) -> str:
    """Return the pattern of a hole."""
    if isinstance(node, LiteralType):
        value = literal_value(node)
        return _escape(str(value).lower() if isinstance(value, bool) else str(value))
    return _HOLES.get(node.name, _HOLES["string"]) if isinstance(node, Name) else _HOLES["string"]


def _text(raw: str) -> str:
    """Return a text of the template without its escapes."""
    return str(literal_value(LiteralType(f"`{raw}`")))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
