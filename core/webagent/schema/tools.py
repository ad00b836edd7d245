"""The schemas of a tool, from its author or from its types, and disagreements between the two."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from webagent.codegen.compiler import resolve
from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.codegen.types_section import shared_types
from webagent.schema.defaults import read_default
from webagent.schema.emit import Emitter, Schema, schema_of
from webagent.schema.validate_schema import Mismatch, check_schema, kind_of, short
from webagent.schema.validate_value import check_value
from webagent.tstypes.nodes import ArrayType, Name, Tuple, Type
from webagent.tstypes.utility_types import structure
from webagent.types import Manifest, Param, Tool

_MAX_DEPTH = 8
"""Most levels of schemas that are compared."""

_MAX_VALUES = 50
"""Most values of an `enum` that are compared."""


def tool_schemas(manifest: Manifest) -> list[dict[str, Any]]:
    """Return the tools as in the result of MCP's `tools/list`."""
    shared = shared_types(manifest)
    tools = []
    for tool in manifest.tools:
        schemas = json_schema(tool, types=shared)
        entry: dict[str, Any] = {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": schemas["input"],
        }
        if schemas["output"] is not None:
            entry["outputSchema"] = schemas["output"]
        tools.append(entry)
    return tools


def json_schema(tool: Tool, *, types: SharedTypes = NO_TYPES) -> dict[str, Schema | None]:
    """Return `{"input": schema, "output": schema or None}` of a tool, JSON Schema 2020-12.

    Args:
        tool: The tool.
        types: Shared types that it may name: `shared_types(manifest)`.
    """
    given = input_schema(tool, types=types)
    return {
        "input": {**given, "deprecated": True} if tool.behavior.deprecated else given,
        "output": output_schema(tool, types=types),
    }


def input_schema(tool: Tool, *, types: SharedTypes = NO_TYPES) -> Schema:
    """Return the schema of the object that holds a call's arguments by name."""
    return params_schema(tool, types) if tool.input_schema is None else tool.input_schema


def output_schema(tool: Tool, *, types: SharedTypes = NO_TYPES) -> Schema | None:
    """Return the schema of the result of a call; None if the tool does not declare it."""
    return returns_schema(tool, types) if tool.output_schema is None else tool.output_schema


def params_schema(tool: Tool, types: SharedTypes) -> Schema:
    """Return the schema of the input that the types of the parameters give."""
    emitter = Emitter(types)
    properties: dict[str, Schema] = {}
    required = []
    for param in tool.params:
        # Of two parameters with one name the first counts; `duplicate-param` reports the second.
        name = param.name.removeprefix("...")
        if name in properties:
            continue
        node = param_type(param, types)
        schema = emitter.schema(node)
        if param.description:
            schema["description"] = param.description
        if param.default is not None:
            default = read_default(param.default, node, types)
            if default.known:
                schema["default"] = default.value
        properties[name] = schema
        if param.required and not param.name.startswith("..."):
            required.append(name)
    found: Schema = {"type": "object", "properties": properties}
    return emitter.finish({**found, "required": required} if required else found)


def returns_schema(tool: Tool, types: SharedTypes) -> Schema | None:
    """Return the schema of the output that the return type gives; None for `void` and `unknown`."""
    if not tool.returns.strip():
        return None
    node = resolve(tool.returns, types).node
    if node in (Name("void"), Name("undefined"), Name("unknown"), Name("any")):
        return None
    return schema_of(node, types)


def param_type(param: Param, types: SharedTypes) -> Type:
    """Return the type of a parameter. That of `...rest` is always an array."""
    node = resolve(param.type, types).node
    if param.name.startswith("...") and not isinstance(structure(node, types), ArrayType | Tuple):
        return ArrayType(node)
    return node


class ResultCheck(NamedTuple):
    """The comparison of a result with the declaration of its tool."""

    mismatches: list[Mismatch]
    declared: str = ""
    """The declaration that it was checked against."""
    in_schema: bool = False
    """Whether that is the output schema."""


def result_mismatches(tool: Tool, value: Any, *, types: SharedTypes = NO_TYPES) -> ResultCheck:
    """Return the mismatches of an encoded result, and the declaration that it does not fit.

    The schema is checked first, and the return type only if the value fits the schema.
    """
    if tool.output_schema is not None and (found := check_schema(value, tool.output_schema)):
        return ResultCheck(found, "the schema under `### Output Schema`", in_schema=True)
    if not tool.returns.strip():
        return ResultCheck([])
    return ResultCheck(check_value(value, tool.returns, types=types), tool.returns)


def disagreement(schema: Any, typed: Any, path: str = "", depth: int = 0) -> str:
    """Return the first disagreement of a schema with the types, in words, or an empty text.

    Args:
        schema: The schema that the author wrote. It may be stricter than the types.
        typed: The schema of the types.
        path: The place of both: `items.price`.
        depth: Number of levels above that place.
    """
    if not isinstance(schema, dict) or not isinstance(typed, dict) or depth > _MAX_DEPTH:
        return ""
    where = f"`{path}`" if path else "the whole"
    kinds, others = _kinds(schema), _kinds(typed)
    if kinds and others and not kinds <= others:
        return f"{where} is {_words(kinds)} in the schema and {_words(others)} in the types"
    for value in _values(schema):
        # A type is printed on one line, with single spaces, so it cannot have such a value.
        if isinstance(value, str) and value != " ".join(value.split()):
            continue
        if check_schema(value, typed):
            text = short(json.dumps(value, ensure_ascii=False))
            return f"{where} may be `{text}` in the schema and not in the types"
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
    """Return the values of `const` or `enum`, up to `_MAX_VALUES`."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values[:_MAX_VALUES] if isinstance(values, list) else []


def _names(required: Any) -> set[str]:
    return (
        {name for name in required if isinstance(name, str)}
        if isinstance(required, list)
        else set()
    )


def _kinds(schema: dict[str, Any]) -> frozenset[str]:
    """Return the JSON types that a schema allows; an empty set if its top level does not limit them."""
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


def same(one: Any, other: Any) -> bool:
    """Whether two pieces of JSON data are the same. Other than in Python, `1` is not `true`."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
