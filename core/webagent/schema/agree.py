"""Whether a schema and the types beside it speak of the same values."""

from __future__ import annotations

import json
from typing import Any

from webagent.schema.mismatch import kind_of, short
from webagent.schema.validate_schema import check_schema

_DEEPEST = 8
_MOST_VALUES = 50
"""Values of an `enum` that are compared."""


def disagreement(schema: Any, typed: Any, path: str = "", depth: int = 0) -> str:
    """Return where a schema says something else than one made from types, empty if nowhere.

    Args:
        schema: The schema that an author wrote; it may be stricter.
        typed: The schema that the types come to.
        path: Where both stand: `items.price`.
        depth: How deep that is.
    """
    if not isinstance(schema, dict) or not isinstance(typed, dict) or depth > _DEEPEST:
        return ""
    where = f"`{path}`" if path else "the whole"
    kinds, others = _kinds(schema), _kinds(typed)
    if kinds and others and not kinds <= others:
        return f"{where} is {_words(kinds)} in the schema and {_words(others)} in the types"
    for value in _values(schema):
        # A type stands on one line, with single spaces.
        if isinstance(value, str) and value != " ".join(value.split()):
            continue
        if check_schema(value, typed):
            said = short(json.dumps(value, ensure_ascii=False))
            return f"{where} may be `{said}` in the schema and not in the types"
    return _properties(schema, typed, path, depth) or disagreement(
        schema.get("items"), typed.get("items"), f"{path}[]", depth + 1
    )


def _properties(schema: dict[str, Any], typed: dict[str, Any], path: str, depth: int) -> str:
    own, other = schema.get("properties"), typed.get("properties")
    if not isinstance(own, dict) or not isinstance(other, dict):
        return ""
    prefix = f"{path}." if path else ""
    for name in own:
        if name not in other:
            return f"`{prefix}{name}` is in the schema and not in the types"
    for name in other:
        if name not in own:
            return f"`{prefix}{name}` is in the types and not in the schema"
    needed, expected = _names(schema.get("required")), _names(typed.get("required"))
    for name in own:
        if (name in needed) != (name in expected):
            one, two = ("required", "optional") if name in needed else ("optional", "required")
            return f"`{prefix}{name}` is {one} in the schema and {two} in the types"
    for name in own:
        if found := disagreement(own[name], other[name], f"{prefix}{name}", depth + 1):
            return found
    return ""


def _values(schema: dict[str, Any]) -> list[Any]:
    """Return the values that a schema names as the only ones, the first few."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values[:_MOST_VALUES] if isinstance(values, list) else []


def _names(required: Any) -> set[str]:
    return (
        {name for name in required if isinstance(name, str)}
        if isinstance(required, list)
        else set()
    )


def _kinds(schema: dict[str, Any]) -> frozenset[str]:
    """Return the JSON types that a schema allows, none if it does not say so at its top."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        kinds = [kinds]
    if isinstance(kinds, list):
        return frozenset("number" if kind == "integer" else str(kind) for kind in kinds)
    for word in ("anyOf", "oneOf"):
        inner = schema.get(word)
        if isinstance(inner, list):
            found = [
                _kinds(branch) if isinstance(branch, dict) else frozenset() for branch in inner
            ]
            return frozenset().union(*found) if all(found) else frozenset()
    return frozenset(kind_of(value) for value in _values(schema))


def _words(kinds: frozenset[str]) -> str:
    return " or ".join(f"`{kind}`" for kind in sorted(kinds))
