"""Schemas that hold at once, as one schema, as far as their keywords can be joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_TIGHTER: Mapping[str, Callable[[Any, Any], Any]] = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}


def merged(schemas: Sequence[Any]) -> Any:
    """Return one schema that whatever fits all of these fits; it may let more pass."""
    found: Any = True
    for schema in schemas:
        found = _both(found, schema)
    return found


def _both(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    if not isinstance(one, Mapping):
        return other
    if not isinstance(other, Mapping):
        return one
    joined = dict(one)
    for key, value in other.items():
        joined[key] = _word(key, joined[key], value) if key in joined else value
    return False if joined.get("type") == [] else joined


def _word(key: str, one: Any, other: Any) -> Any:
    if key in _TIGHTER:
        return _TIGHTER[key](one, other)
    if key == "type":
        return _types(one, other)
    if key == "enum":
        return [value for value in one if value in other]
    if key == "required":
        return [*dict.fromkeys([*one, *other])]
    if key in ("properties", "$defs"):
        return {
            name: _both(one.get(name, True), other.get(name, True))
            for name in dict.fromkeys([*one, *other])
        }
    if key in ("items", "additionalProperties", "propertyNames"):
        return _both(one, other)
    if key == "uniqueItems":
        return one or other
    return other


def _types(one: Any, other: Any) -> Any:
    names, others = _listed(one), _listed(other)
    both = [name for name in names if name in others]
    if "integer" not in both and "integer" in (*names, *others) and "number" in (*names, *others):
        both.append("integer")
    return both[0] if len(both) == 1 else both


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
