"""Inference: the TypeScript type of results that calls have shown, where they show one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.schema.validate_schema import decode
from webagent.schema.validate_value import check_value
from webagent.tstypes import print_type
from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Index,
    Member,
    Name,
    Object,
    Type,
    member_name,
)

_DEEPEST = 12

_MOST_MEMBERS = 40
"""Keys beyond which an object is a record, whatever its keys look like."""

_MANY_KEYS = 12
"""Keys of one shape from which on an object is a record; not all of its values have each."""

_FEW_KEYS = 3
"""Keys of one shape from which on an object is a record, if they are data or hold objects."""

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z_$]*[0-9]?")
"""A key that an author has named. Others are data: ids, dates, paths, addresses."""

_EMPTY = ("null", "undefined")

_NAMES = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "undefined": "undefined",
    "bigint": "bigint",
    "date": "Date",
}


def is_empty(value: Any) -> bool:
    """Whether an encoded value says nothing of its type: null, nothing, or an empty one."""
    kind, inner = decode(value)
    return kind in _EMPTY or (kind in ("string", "array", "object") and not inner)


def inferred_type(declared: str, values: Sequence[Any], types: SharedTypes = NO_TYPES) -> str:
    """Return the type of results; the declared one where they only add `null` to it.

    Args:
        declared: The type in the manifest; empty without one.
        values: Encoded results.
        types: The types that the manifest shares.
    """
    kinds = {decode(value)[0] for value in values}
    solid = [value for value in values if decode(value)[0] not in _EMPTY]
    added = [kind for kind in _EMPTY if kind in kinds]
    is_declared = bool(declared.strip() and solid and added)
    if is_declared and not any(check_value(one, declared, types=types) for one in solid):
        return " | ".join([declared.strip(), *added])
    return observed_type(values)


def observed_type(values: Sequence[Any]) -> str:
    """Return one type that all these encoded values fit; empty where they show none.

    Null and empty objects alone show none: the next call may give anything.
    """
    kinds = {decode(value)[0] for value in values}
    if not kinds or all(
        kind == "null" or (kind == "object" and not inner) for kind, inner in map(decode, values)
    ):
        return ""
    return print_type(_type(values, 0))


def _type(values: Sequence[Any], depth: int) -> Type:
    found: dict[str, list[Any]] = {}
    for value in values:
        kind, inner = decode(value)
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
    inner = [item for value in values for item in value.values()]
    if not keys or len(keys) > _MOST_MEMBERS or _is_record(values, keys, inner):
        return Object((Index("name", Name("string"), _type(inner, depth + 1)),))
    members = (
        Member(
            member_name(key),
            _type([value[key] for value in values if key in value], depth + 1),
            optional=any(key not in value for value in values),
        )
        for key in keys
    )
    return Object(tuple(members))


def _is_record(
    values: Sequence[Mapping[str, Any]], keys: Sequence[str], inner: Sequence[Any]
) -> bool:
    """Whether objects are tables of things by name: many keys, and one shape behind all of them."""
    if len(keys) < _FEW_KEYS or not _of_one_shape(inner):
        return False
    if not any(map(_PLAIN_KEY.fullmatch, keys)):
        return True
    common = all(key in value for key in keys for value in values)
    if decode(inner[0])[0] in ("object", "array"):
        return not common or len(keys) >= _MANY_KEYS
    return len(keys) >= _MANY_KEYS


def _of_one_shape(values: Sequence[Any]) -> bool:
    """Whether values are of one kind; of objects, whether all have the same keys."""
    decoded = [decode(value) for value in values]
    if len({kind for kind, _ in decoded}) != 1:
        return False
    kind = decoded[0][0]
    return kind != "object" or len({frozenset(inner) for _, inner in decoded}) == 1
