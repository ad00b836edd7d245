"""The page's tools as a model may ask for them directly, beside the actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webagent.agent.actions.table import ActionTable
from webagent.agent.scene import Scene
from webagent.llm.chat import ToolCall, ToolDefinition
from webagent.registry import Binding, ToolRegistry
from webagent.schema import input_schema

_PREFIX = "tool_"
"""Before the name of a tool that is called as an action is."""


def direct_tools(scene: Scene, actions: Sequence[ToolDefinition]) -> list[ToolDefinition]:
    """Return the tools that can be called now, each under a name that no action has."""
    taken = {action.name for action in actions}
    return [_definition(binding, taken) for binding in scene.tools if binding.problem is None]


def as_action(call: ToolCall, actions: ActionTable, registry: ToolRegistry) -> ToolCall:
    """Return a call of an action; one that names a tool of the page calls that."""
    if call.name in actions:
        return call
    for name in (call.name, call.name.removeprefix(_PREFIX)):
        if name in registry.names():
            given = {"name": name, "arguments": dict(call.arguments)}
            return replace(call, name="call_tool", arguments=given)
    return call


def _definition(binding: Binding, taken: set[str]) -> ToolDefinition:
    name = f"{_PREFIX}{binding.name}" if binding.name in taken else binding.name
    schema = input_schema(binding.tool, types=binding.types)
    return ToolDefinition(name, binding.tool.description or binding.tool.title, schema)
