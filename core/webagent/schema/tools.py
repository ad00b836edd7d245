"""The schemas of a tool: what its types say, unless it brings schemas of its own."""

from __future__ import annotations

import json
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.codegen.types import resolve
from webagent.schema.defaults import read_default
from webagent.schema.emit import Emitter, Schema, schema_of
from webagent.schema.mismatch import Mismatch
from webagent.schema.validate_schema import check_schema
from webagent.schema.validate_value import check_value
from webagent.tstypes.nodes import ArrayType, Name, Tuple, Type
from webagent.tstypes.utility_types import structure
from webagent.types import Param, Tool


def json_schema(tool: Tool, *, types: SharedTypes = NO_TYPES) -> dict[str, Schema | None]:
    """Return `{"input": schema, "output": schema or None}` of a tool, JSON Schema 2020-12.

    Args:
        tool: The tool.
        types: Shared types that it may name: `shared_types(manifest)`.
    """
    return {
        "input": input_schema(tool, types=types),
        "output": output_schema(tool, types=types),
    }


def input_schema(tool: Tool, *, types: SharedTypes = NO_TYPES) -> Schema:
    """Return the schema of the object that holds a call's arguments by name."""
    return params_schema(tool, types) if tool.input_schema is None else tool.input_schema


def output_schema(tool: Tool, *, types: SharedTypes = NO_TYPES) -> Schema | None:
    """Return the schema of what a call gives; None if the tool does not say."""
    return returns_schema(tool, types) if tool.output_schema is None else tool.output_schema


def result_mismatches(
    tool: Tool, value: Any, *, types: SharedTypes = NO_TYPES
) -> tuple[list[Mismatch], str]:
    """Return where an encoded value is not what a tool declares, and what it declares there."""
    if tool.output_schema is not None and (found := check_schema(value, tool.output_schema)):
        return found, "the schema under `### Output Schema`"
    if not tool.returns.strip():
        return [], ""
    return check_value(value, tool.returns, types=types), tool.returns


def params_schema(tool: Tool, types: SharedTypes) -> Schema:
    """Return what the parameters alone say of the input."""
    emitter = Emitter(types)
    properties: dict[str, Schema] = {}
    required = []
    for param in tool.params:
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
    """Return what the return type alone says of the output; None for `void` and the unknown."""
    if not tool.returns.strip():
        return None
    node = resolve(tool.returns, types).node
    if node in (Name("void"), Name("undefined"), Name("unknown"), Name("any")):
        return None
    return schema_of(node, types)


def param_type(param: Param, types: SharedTypes) -> Type:
    """Return the type of a parameter's argument; that of `...rest` is an array."""
    node = resolve(param.type, types).node
    if param.name.startswith("...") and not isinstance(structure(node, types), ArrayType | Tuple):
        return ArrayType(node)
    return node


def same(one: Any, other: Any) -> bool:
    """Whether two pieces of JSON data are the same, `1` and `true` told apart."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
