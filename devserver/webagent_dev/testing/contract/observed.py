"""The TypeScript type that values turned out to have, as an author could declare it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webagent.schema.mismatch import opened
from webagent.tstypes import print_type
from webagent.tstypes.literals import member_name
from webagent.tstypes.nodes import ArrayType, Combined, Index, Member, Name, Object, Type

_DEEPEST = 12
_MOST_MEMBERS = 40
"""Keys beyond which an object is taken for a table of things by name."""
_NAMES = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "undefined": "undefined",
    "bigint": "bigint",
    "date": "Date",
}


def observed_type(values: Sequence[Any]) -> str:
    """Return one type that all these encoded values fit; empty without values."""
    return print_type(_type(values, 0)) if values else ""


def _type(values: Sequence[Any], depth: int) -> Type:
    found: dict[str, list[Any]] = {}
    for value in values:
        kind, inner = opened(value)
        found.setdefault(kind, []).append(inner)
    types = [_of_kind(kind, inner, depth) for kind, inner in found.items()]
    if len(types) == 1:
        return types[0]
    if not types or Name("unknown") in types:
        return Name("unknown")
    return Combined("|", tuple(types))


def _of_kind(kind: str, values: Sequence[Any], depth: int) -> Type:
    if depth > _DEEPEST:
        return Name("unknown")
    if kind == "array":
        return ArrayType(_type([item for value in values for item in value], depth + 1))
    if kind == "object":
        return _object(values, depth)
    return Name(_NAMES.get(kind, "unknown"))


def _object(values: Sequence[Mapping[str, Any]], depth: int) -> Type:
    keys = list(dict.fromkeys(key for value in values for key in value))
    if len(keys) > _MOST_MEMBERS:
        inner = _type([item for value in values for item in value.values()], depth + 1)
        return Object((Index("name", Name("string"), inner),))
    members = (
        Member(
            member_name(key),
            _type([value[key] for value in values if key in value], depth + 1),
            optional=any(key not in value for value in values),
        )
        for key in keys
    )
    return Object(tuple(members))
