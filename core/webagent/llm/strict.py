"""OpenAI's strict subset of JSON Schema, whose arguments a model cannot write wrongly.

A schema that does not fit is sent as it is, and not as strict: to make it fit would change what it
means. The limits are the lowest that OpenAI has published.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 5
"""Levels of objects and arrays."""
MOST_PROPERTIES = 100
"""Properties of all objects."""
MOST_VALUES = 500
"""Values of all enums."""
MOST_CHARACTERS = 15_000
"""Characters of all names of properties and definitions, and of all values."""

_TYPES = frozenset({"string", "number", "integer", "boolean", "null", "object", "array"})
_ANYWHERE = frozenset({"type", "description", "title", "enum", "const"})
_KEYWORDS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"format"}),
    "number": frozenset(
        {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    ),
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
}
"""Keywords that belong to one type; others belong to all."""
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)


def fits_strict(schema: Mapping[str, Any]) -> bool:
    """Whether a schema of a tool's parameters fits the strict subset.

    Every property is required, no other is allowed, and each schema has a type, is one of several
    (`anyOf`) or a definition (`$ref` to `$defs`).
    """
    subset = _Subset(schema)
    own = {key: value for key, value in schema.items() if key != "$defs"}
    return (
        own.get("type") == "object"
        and subset.definitions is not None
        and subset.fits(own, 1)
        and all(subset.fits(inner, 1) for inner in subset.definitions.values())
    )


class _Subset:
    """One schema, and what has been counted in it."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        found = schema.get("$defs", {})
        self.definitions: Mapping[str, Any] | None = found if isinstance(found, Mapping) else None
        self._properties = self._values = 0
        self._characters = sum(map(len, self.definitions or ()))

    def fits(self, schema: Any, level: int) -> bool:
        """Whether a schema inside the schema fits; the root is on level 1."""
        if not isinstance(schema, Mapping) or level > DEEPEST:
            return False
        if "$ref" in schema:
            return len(schema) == 1 and self._definition(schema["$ref"]) is not None
        if "anyOf" in schema:
            return schema.keys() <= {"anyOf", "description", "title"} and self._union(
                schema["anyOf"], level
            )
        types = schema.get("type")
        types = types if isinstance(types, list) else [types]
        if not types or not all(isinstance(one, str) and one in _TYPES for one in types):
            return False
        allowed = _ANYWHERE.union(
            *(_KEYWORDS.get("number" if one == "integer" else one, ()) for one in types)
        )
        return (
            schema.keys() <= allowed
            and self._counted(schema)
            and str(schema.get("format", "date")) in _FORMATS
            and ("object" not in types or self._object(schema, level))
            and ("array" not in types or self.fits(schema.get("items"), level + 1))
        )

    def _object(self, schema: Mapping[str, Any], level: int) -> bool:
        properties, required = schema.get("properties"), schema.get("required", [])
        if not isinstance(properties, Mapping) or not isinstance(required, list):
            return False
        self._properties += len(properties)
        self._characters += sum(map(len, properties))
        return (
            schema.get("additionalProperties") is False
            and sorted(map(str, required)) == sorted(properties)
            and self._properties <= MOST_PROPERTIES
            and self._characters <= MOST_CHARACTERS
            and all(self.fits(inner, level + 1) for inner in properties.values())
        )

    def _union(self, variants: Any, level: int) -> bool:
        if not isinstance(variants, list) or not variants:
            return False
        if any(isinstance(one, Mapping) and "anyOf" in one for one in variants):
            return False
        # OpenAI refuses objects that begin with the same key, since it could not choose early.
        firsts = [first for one in variants if (first := self._first_key(one)) is not None]
        return len(firsts) == len(set(firsts)) and all(self.fits(one, level) for one in variants)

    def _first_key(self, schema: Any) -> str | None:
        if isinstance(schema, Mapping) and "$ref" in schema:
            schema = self._definition(schema["$ref"])
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        return next(iter(properties), "") if isinstance(properties, Mapping) else None

    def _definition(self, reference: Any) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
            return None
        return (self.definitions or {}).get(reference.removeprefix("#/$defs/"))

    def _counted(self, schema: Mapping[str, Any]) -> bool:
        """Whether the values of a schema are within the limits of all."""
        values = schema.get("enum", [])
        if not isinstance(values, list):
            return False
        if "const" in schema:
            values = [*values, schema["const"]]
        self._values += len(values)
        self._characters += sum(len(str(value)) for value in values)
        return self._values <= MOST_VALUES and self._characters <= MOST_CHARACTERS
