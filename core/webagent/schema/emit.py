"""The JSON Schema 2020-12 of a type.

Objects may have further properties, as in TypeScript. Types without a counterpart in JSON (functions,
symbols, objects of the page) allow any value. A date is a string, a map the list of its pairs, and a
set the list of its members. Shared types become `$defs`.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.schema.templates import pattern
from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Index,
    LiteralType,
    Name,
    Object,
    Template,
    Tuple,
    Type,
    literal_value,
)
from webagent.tstypes.printer import print_type
from webagent.tstypes.utility_types import structure

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, as JSON data."""

MOST_DEFINITIONS = 100
"""Most shared types that one schema defines. Further ones allow any value."""

_NAMES: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "bigint": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "never": {"not": {}},
    "undefined": {"not": {}},
    "void": {"not": {}},
    "object": {"type": "object"},
    "Date": {"type": "string", "format": "date-time"},
    "URL": {"type": "string", "format": "uri"},
}
_FEW = 50
"""Most branches of a union that a new one is compared with. More would take quadratic time."""
_ABSENT = (Name("undefined"), Name("void"))


def schema_of(node: Type, shared: SharedTypes = NO_TYPES) -> Schema:
    """Return the schema of a resolved type, with `$defs` for the shared types in it."""
    emitter = Emitter(shared)
    return emitter.finish(emitter.schema(node))


class Emitter:
    """Turns types into schemas that share one set of `$defs`."""

    def __init__(self, shared: SharedTypes) -> None:
        self.shared = shared
        self.keys: dict[str, str] = {}
        self.waiting: list[tuple[str, Type]] = []

    def finish(self, root: Schema) -> Schema:
        """Return a schema with the definitions of all shared types that were emitted."""
        definitions: dict[str, Schema] = {}
        # A definition may refer to further shared types, which then wait, too.
        while self.waiting:
            key, body = self.waiting.pop(0)
            definitions[key] = self.schema(body)
        return {**root, "$defs": definitions} if definitions else root

    def schema(self, node: Type) -> Schema:
        """Return the schema of a type, with a `$ref` for each shared type."""
        node = structure(node, self.shared)
        if isinstance(node, Name):
            return self._name(node)
        if isinstance(node, LiteralType):
            return _choice([literal_value(node)])
        if isinstance(node, Template):
            return {"type": "string", "pattern": pattern(node)}
        if isinstance(node, ArrayType):
            return _with("array", items=self.schema(node.element))
        if isinstance(node, Tuple):
            return self._tuple(node)
        if isinstance(node, Object):
            return self._object(node)
        if isinstance(node, Combined):
            return self._union(node) if node.operator == "|" else self._intersection(node)
        return {}

    def _name(self, node: Name) -> Schema:
        body = self.shared.body(node)
        if body is not None:
            return self._reference(node, body)
        if node.name == "Set":
            return _with("array", items=self.schema(node.arguments[0]))
        if node.name == "Map":
            pair = {
                "type": "array",
                "prefixItems": [self.schema(argument) for argument in node.arguments],
                "minItems": 2,
                "maxItems": 2,
            }
            return {"type": "array", "items": pair}
        return dict(_NAMES.get(node.name, {}))

    def _reference(self, node: Name, body: Type) -> Schema:
        text = print_type(node)
        if text not in self.keys:
            if len(self.keys) >= MOST_DEFINITIONS:
                return {}
            # A `/` or `~` in the key would need an escape in `$ref`.
            plain = re.sub(r"[^A-Za-z0-9_$]+", "_", text).strip("_") or "type"
            taken = set(self.keys.values())
            key = plain if plain not in taken else f"{plain}_{len(taken)}"
            self.keys[text] = key
            self.waiting.append((key, body))
        return {"$ref": f"#/$defs/{self.keys[text]}"}

    def _tuple(self, node: Tuple) -> Schema:
        fixed = [element for element in node.elements if not element.rest]
        found: Schema = {"type": "array"}
        if fixed:
            found["prefixItems"] = [self.schema(element.type) for element in fixed]
        if needed := sum(1 for element in fixed if not element.optional):
            found["minItems"] = needed
        rest = next((element for element in node.elements if element.rest), None)
        if rest is None:
            found["maxItems"] = len(fixed)
        else:
            inner = structure(rest.type, self.shared)
            if isinstance(inner, ArrayType) and (items := self.schema(inner.element)):
                found["items"] = items
        return found

    def _object(self, node: Object) -> Schema:
        found: Schema = {"type": "object"}
        properties: dict[str, Schema] = {}
        required = []
        for member in node.members:
            if isinstance(member, Index):
                if inner := self.schema(member.type):
                    found.update(_index(structure(member.key, self.shared), inner))
                continue
            key = member.key
            properties[key] = self.schema(member.type)
            if member.doc:
                properties[key]["description"] = member.doc
            if not member.optional and not may_be_absent(member.type):
                required.append(key)
        if properties or not node.members:
            found["properties"] = properties
        if required:
            found["required"] = required
        return found

    def _union(self, node: Combined) -> Schema:
        """Return the simplest schema of a union: `enum`, a list of types, or `anyOf`."""
        values: list[Any] = []
        others: list[Schema] = []
        for branch in dict.fromkeys(branches(node)):
            branch = structure(branch, self.shared)
            if isinstance(branch, LiteralType):
                values.append(literal_value(branch))
            elif branch not in _ABSENT and (schema := self.schema(branch)) not in others[:_FEW]:
                others.append(schema)
        # A branch that allows any value makes the others meaningless.
        if {} in others:
            return {}
        # TypeScript has `boolean` as `true | false`.
        if any(value is True for value in values) and any(value is False for value in values):
            values = [value for value in values if not isinstance(value, bool)]
            others.append({"type": "boolean"})
        if values and others == [{"type": "null"}]:
            return _choice([*values, None])
        if values:
            others.insert(0, _choice(values))
        if len(others) == 1:
            return others[0]
        if not others:
            return {"not": {}}
        if all(other.keys() == {"type"} for other in others):
            return {"type": [other["type"] for other in others]}
        return {"anyOf": others}

    def _intersection(self, node: Combined) -> Schema:
        """Return one schema for objects without a common property, else `allOf`."""
        schemas = [self.schema(inner) for inner in node.types]
        objects = [s for s in schemas if s.keys() <= {"type", "properties", "required"}]
        names = [name for s in objects for name in s.get("properties", ())]
        if len(objects) < len(schemas) or len(set(names)) < len(names):
            return {"allOf": schemas}
        if any(schema.get("type") != "object" for schema in schemas):
            return {"allOf": schemas}
        properties = {k: v for schema in schemas for k, v in schema.get("properties", {}).items()}
        required = [name for schema in schemas for name in schema.get("required", ())]
        found: Schema = {"type": "object", "properties": properties}
        return {**found, "required": required} if required else found


def branches(node: Type) -> list[Type]:
    """Return the types of a union, with nested unions flattened. Another type is its only branch."""
    found: list[Type] = []
    left = [node]
    while left:
        inner = left.pop()
        if isinstance(inner, Combined) and inner.operator == "|":
            left.extend(reversed(inner.types))
        else:
            found.append(inner)
    return found


def may_be_absent(node: Type) -> bool:
    """Whether a type includes `undefined`. `any` and `unknown` do not count."""
    return any(branch in _ABSENT for branch in branches(node))


def _with(kind: str, **inner: Schema) -> Schema:
    return {"type": kind, **{key: schema for key, schema in inner.items() if schema}}


def _index(key: Type, value: Schema) -> Schema:
    if isinstance(key, Template):
        return {"patternProperties": {pattern(key): value}}
    if key == Name("number"):
        return {"patternProperties": {r"^-?[0-9]+(?:\.[0-9]+)?$": value}}
    # JSON has no properties with a symbol as the key.
    return {} if key == Name("symbol") else {"additionalProperties": value}


def _choice(values: list[Any]) -> Schema:
    """Return the schema of a few scalar values."""
    kinds = list(dict.fromkeys(_kind(value) for value in values))
    # By kind, too, as 1 and True are one key in Python.
    unique = list({(_kind(value), value): value for value in values}.values())
    kind = kinds[0] if len(kinds) == 1 else kinds
    return {"type": kind, **({"const": unique[0]} if len(unique) == 1 else {"enum": unique})}


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"
