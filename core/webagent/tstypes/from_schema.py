"""The type of a JSON Schema. Limits that TypeScript lacks (bounds, patterns, formats) are dropped."""

from __future__ import annotations

from typing import Any

from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Element,
    Index,
    Member,
    Name,
    Object,
    Tuple,
    Type,
    literal,
    member_name,
)

_DEEPEST = 40
"""Most levels of schemas that are read."""
_MOST_STEPS = 5_000
"""Most schemas read for one root. References to references would cost exponential time."""
_LONGEST_TUPLE = 50
"""Most elements of a tuple; a longer one is an array."""

UNKNOWN = Name("unknown")
_SIMPLE = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}


def type_of(schema: Any, root: Any = None) -> Type:
    """Return the type of a schema. It allows all values that the schema allows, and perhaps more.

    Args:
        schema: JSON data. Anything but a schema is `unknown`.
        root: The schema that `$ref` refers to, if it is another one.
    """
    return SchemaReader(schema if root is None else root).type(schema)


class SchemaReader:
    """Reads the types of schemas within one root, with one limit of steps for all of them."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.steps = 0
        self.open: list[str] = []

    def type(self, schema: Any, depth: int = 0) -> Type:
        """Return the type of a schema; `unknown` beyond a limit."""
        self.steps += 1
        if self.steps > _MOST_STEPS or depth > _DEEPEST:
            return UNKNOWN
        if schema is False:
            return Name("never")
        if not isinstance(schema, dict):
            return UNKNOWN
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], depth)
        # Values say more than a `type` next to them.
        if "const" in schema:
            return _value(schema["const"])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return _union([_value(value) for value in schema["enum"]])
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list) and schema[word]:
                return _union([self.type(inner, depth + 1) for inner in schema[word]])
        if isinstance(schema.get("allOf"), list) and schema["allOf"]:
            return self._all_of(schema, depth)
        return self._by_type(schema, depth)

    def _by_type(self, schema: dict[str, Any], depth: int) -> Type:
        """Return the type that `type` names, or that other keywords imply."""
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return _union([self._kind(kind, schema, depth) for kind in kinds] or [UNKNOWN])
        if kinds is None:
            kinds = next(
                (kind for word, kind in _IMPLIED if isinstance(schema.get(word), dict | list)), None
            )
        # `nullable` is of OpenAPI 3.0, whose schemas people copy.
        node = self._kind(kinds, schema, depth)
        return _union([node, Name("null")]) if schema.get("nullable") is True else node

    def _kind(self, kind: Any, schema: dict[str, Any], depth: int) -> Type:
        if not isinstance(kind, str):
            return UNKNOWN
        if kind in _SIMPLE:
            return Name(_SIMPLE[kind])
        if kind == "array":
            return self._array(schema, depth)
        return self._object(schema, depth) if kind == "object" else UNKNOWN

    def _array(self, schema: dict[str, Any], depth: int) -> Type:
        first, items = schema.get("prefixItems"), schema.get("items", True)
        # Before 2020-12 the schemas of a tuple were in `items`.
        if isinstance(items, list):
            first, items = items, schema.get("additionalItems", True)
        if not isinstance(first, list) or not first or len(first) > _LONGEST_TUPLE:
            return ArrayType(self.type(items, depth + 1))
        needed = schema.get("minItems", 0)
        needed = needed if isinstance(needed, int) else 0
        elements = [
            Element(self.type(inner, depth + 1), optional=index >= needed)
            for index, inner in enumerate(first)
        ]
        if items is not False and schema.get("maxItems") != len(first):
            elements.append(Element(ArrayType(self.type(items, depth + 1)), rest=True))
        return Tuple(tuple(elements))

    def _object(self, schema: dict[str, Any], depth: int) -> Type:
        properties, more = schema.get("properties"), schema.get("additionalProperties")
        if not isinstance(properties, dict):
            if isinstance(more, dict) and more:
                return Name("Record", (Name("string"), self.type(more, depth + 1)))
            return Name("object")
        required = schema.get("required")
        needed = (
            {name for name in required if isinstance(name, str)}
            if isinstance(required, list)
            else set()
        )
        members: list[Member | Index] = [
            Member(
                member_name(name),
                self.type(inner, depth + 1),
                optional=name not in needed,
                doc=description(inner),
            )
            for name, inner in properties.items()
        ]
        # The index signature has to fit the members, so its values cannot be more specific.
        if isinstance(more, dict):
            members.append(Index("key", Name("string"), UNKNOWN))
        return Object(tuple(members))

    def _all_of(self, schema: dict[str, Any], depth: int) -> Type:
        own = {key: value for key, value in schema.items() if key != "allOf"}
        nodes = [self.type(inner, depth + 1) for inner in schema["allOf"]]
        if "type" in own or "properties" in own:
            nodes.append(self.type(own, depth + 1))
        known = [node for node in dict.fromkeys(nodes) if node != UNKNOWN]
        if not known:
            return UNKNOWN
        return known[0] if len(known) == 1 else Combined("&", tuple(known))

    def _reference(self, pointer: str, depth: int) -> Type:
        """Return the type at `#/$defs/name`. A schema that contains itself is `unknown` there."""
        if not pointer.startswith("#") or pointer in self.open:
            return UNKNOWN
        target = self.root
        for part in pointer[1:].split("/")[1:]:
            # In this order, as `~01` is the escape of `~1`.
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or key not in target:
                return UNKNOWN
            target = target[key]
        self.open.append(pointer)
        node = self.type(target, depth + 1)
        self.open.pop()
        return node


# Schemas often leave out `type`; these keywords show what is meant.
_IMPLIED = (("properties", "object"), ("items", "array"), ("prefixItems", "array"))


def description(schema: Any) -> str:
    """Return the description of a schema on one line, or an empty text."""
    text = schema.get("description") if isinstance(schema, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def _value(value: Any) -> Type:
    if value is None:
        return Name("null")
    if isinstance(value, str | bool | int | float):
        return literal(value) or Name("number")
    return UNKNOWN


def _union(types: list[Type]) -> Type:
    """Return the union of types, without duplicates and nested unions."""
    flat: dict[Type, None] = {}
    for node in types:
        inner = node.types if isinstance(node, Combined) and node.operator == "|" else (node,)
        flat.update(dict.fromkeys(inner))
    if UNKNOWN in flat:
        return UNKNOWN
    return next(iter(flat)) if len(flat) == 1 else Combined("|", tuple(flat))
