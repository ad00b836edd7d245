"""The table of an agent's actions: the default ones, and the page's tools offered as actions."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from webagent.agent.actions.base import Action
from webagent.agent.actions.call_tool import CallTool
from webagent.agent.actions.click import Click, ClickLink
from webagent.agent.actions.forms import EnterData
from webagent.agent.actions.navigate import SCROLL, WAIT, GotoUrl, Search
from webagent.agent.actions.read import PAGE_READS, ReadFile, TakeScreenshot
from webagent.agent.actions.run_code import ExecuteJs
from webagent.agent.actions.talk import Communicate, FinishRun, MakePlan
from webagent.agent.run import Scene
from webagent.errors import UnknownTool
from webagent.llm.chat import ToolCall, ToolDefinition
from webagent.registry import Binding, ToolRegistry
from webagent.schema import input_schema


def default_actions() -> tuple[Action, ...]:
    """Return the actions of every agent, unless it is configured with others."""
    return (
        MakePlan(),
        ExecuteJs(),
        CallTool(),
        GotoUrl(),
        ClickLink(),
        Click(),
        EnterData(),
        SCROLL,
        WAIT,
        ReadFile(),
        Search(),
        *PAGE_READS,
        TakeScreenshot(),
        Communicate(),
        FinishRun(),
    )


class ActionTable:
    """Actions by name."""

    def __init__(self, actions: Sequence[Action]) -> None:
        """Create a table of these actions."""
        self._actions: dict[str, Action] = {}
        for action in actions:
            self.register(action)

    def register(self, action: Action, name: str | None = None) -> None:
        """Add an action, instead of one of the same name.

        Args:
            action: The action.
            name: Its name, if not the one in its definition.
        """
        self._actions[name or action.definition.name] = action

    def remove(self, name: str) -> None:
        """Remove an action.

        Raises:
            UnknownTool: There is no action of that name.
        """
        self.get(name)
        del self._actions[name]

    def get(self, name: str) -> Action:
        """Return an action.

        Raises:
            UnknownTool: There is no action of that name; the error names the nearest.
        """
        if action := self._actions.get(name):
            return action
        near = difflib.get_close_matches(name[:200], self._actions, n=3)
        names = [f"`{other}`" for other in near or self._actions]
        hint = "did you mean " + " or ".join(names) if near else "there are " + ", ".join(names)
        raise UnknownTool(f"there is no action `{name}`, and no tool", help=hint)

    def __contains__(self, name: str) -> bool:
        return name in self._actions

    def definitions(self) -> list[ToolDefinition]:
        """Return the definitions of all actions, each under its name here."""
        return [
            definition if definition.name == name else replace(definition, name=name)
            for name, definition in ((n, a.definition) for n, a in self._actions.items())
        ]


_PREFIX = "tool_"
"""Prefix of a tool that has the name of an action."""


def direct_tools(scene: Scene, actions: Sequence[ToolDefinition]) -> list[ToolDefinition]:
    """Return the page's tools that can be called now, each with a name that no action has."""
    taken = {action.name for action in actions}
    return [_definition(binding, taken) for binding in scene.tools if binding.problem is None]


def as_action(call: ToolCall, actions: ActionTable, registry: ToolRegistry) -> ToolCall:
    """Return a call of an action; a call that names a tool of the page becomes `call_tool`."""
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
