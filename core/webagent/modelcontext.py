"""Tools of `document.modelContext` (WebMCP), and JSON Schema definitions, as tools and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.json_text import is_shallow
from webagent.parser.schemas import parse_schema
from webagent.schema.tools import input_schema, output_schema
from webagent.serializer import normalize_tool
from webagent.types import Behavior, Effect, Tool


def from_json_schema(
    name: str,
    input: Mapping[str, Any] | str | None = None,  # noqa: A002 - as `json_schema` calls it
    output: Mapping[str, Any] | str | None = None,
    *,
    description: str = "",
) -> Tool:
    """Return the tool that schemas describe; it keeps them where types cannot say the same.

    Args:
        name: Name of the tool.
        input: Schema of the object that holds the arguments by name, as data or as JSON text.
        output: Schema of the value.
        description: What the tool does.

    Raises:
        ValueError: A schema is not a JSON object, or is nested too deeply.
    """
    return normalize_tool(
        Tool(
            name=name,
            description=description,
            input_schema=_schema(input),
            output_schema=_schema(output),
        )
    )


def from_model_context(tool: Mapping[str, Any]) -> Tool:
    """Return a WebMCP tool `{name, title?, description, inputSchema?, annotations?}` as a tool.

    `inputSchema` and `outputSchema` are data or JSON text. Of the annotations `readOnlyHint`,
    `destructiveHint`, `consequentialHint`, `idempotentHint` and `untrustedContentHint` count.

    Raises:
        ValueError: A schema is not a JSON object, or is nested too deeply.
    """
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, Mapping) else {}
    found = from_json_schema(
        str(tool.get("name") or ""),
        tool.get("inputSchema"),
        tool.get("outputSchema"),
        description=str(tool.get("description") or ""),
    )
    title = tool.get("title") or hints.get("title") or ""
    behavior = Behavior(
        effect=_effect(hints),
        untrusted_output=hints.get("untrustedContentHint") is True,
        idempotent=hints.get("idempotentHint") is True,
    )
    return normalize_tool(found.model_copy(update={"title": str(title), "behavior": behavior}))


def to_model_context(tool: Tool, *, types: SharedTypes = NO_TYPES) -> dict[str, Any]:
    """Return a tool as `document.modelContext.registerTool` takes it, without `execute`.

    Args:
        tool: The tool.
        types: Shared types that it may name: `shared_types(manifest)`.
    """
    found: dict[str, Any] = {"name": tool.name}
    if tool.title:
        found["title"] = tool.title
    found["description"] = tool.description
    found["inputSchema"] = input_schema(tool, types=types)
    if (output := output_schema(tool, types=types)) is not None:
        found["outputSchema"] = output
    if annotations := _annotations(tool.behavior):
        found["annotations"] = annotations
    return found


def _schema(schema: Mapping[str, Any] | str | None) -> dict[str, Any] | None:
    if schema is None or schema == "":
        return None
    return parse_schema(schema if isinstance(schema, str) else _dump(schema))


def _dump(schema: Mapping[str, Any]) -> str:
    if not is_shallow(schema):
        raise ValueError("the schema is nested too deeply")
    try:
        return json.dumps(schema, allow_nan=False)
    except TypeError as error:
        raise ValueError(f"the schema is not JSON data: {error}") from None


def _effect(hints: Mapping[str, Any]) -> Effect:
    if hints.get("consequentialHint") is True or hints.get("destructiveHint") is True:
        return "irreversible"
    if hints.get("readOnlyHint") is True:
        return "read"
    return "write" if hints.get("readOnlyHint") is False else "unknown"


def _annotations(behavior: Behavior) -> dict[str, bool]:
    found: dict[str, bool] = {}
    if behavior.effect in ("read", "write"):
        found["readOnlyHint"] = behavior.effect == "read"
    elif behavior.effect == "irreversible":
        found["consequentialHint"] = True
    if behavior.idempotent:
        found["idempotentHint"] = True
    if behavior.untrusted_output:
        found["untrustedContentHint"] = True
    return found
