"""The table of an agent's actions."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from webagent.agent.actions.base import Action, ActionWithIntent, Context, check_arguments
from webagent.agent.actions.call_tool import CallTool, SearchTools
from webagent.agent.actions.click import HOVER, AnswerDialog, Click, ClickLink, Drag
from webagent.agent.actions.forms import EnterData, Upload
from webagent.agent.actions.keyboard import PressKey
from webagent.agent.actions.navigate import SCROLL, WAIT, GotoUrl, Search
from webagent.agent.actions.read import PAGE_READS, ReadFile, TakeScreenshot
from webagent.agent.actions.run_code import ExecuteJs
from webagent.agent.actions.talk import Communicate, FinishRun, MakePlan, TakeNote
from webagent.agent.permissions import Intent
from webagent.agent.toolset import PREFIX
from webagent.errors import UnknownTool
from webagent.llm.chat import ToolCall, ToolDefinition
from webagent.registry import ToolRegistry


def default_actions() -> tuple[Action, ...]:
    """Return the actions of every agent, unless it is configured with others."""
    return (
        MakePlan(),
        ExecuteJs(),
        CallTool(),
        SearchTools(),
        GotoUrl(),
        ClickLink(),
        Click(),
        EnterData(),
        HOVER,
        Drag(),
        PressKey(),
        AnswerDialog(),
        Upload(),
        SCROLL,
        WAIT,
        ReadFile(),
        Search(),
        *PAGE_READS,
        TakeScreenshot(),
        Communicate(),
        TakeNote(),
        FinishRun(),
    )


class ActionTable:
    """Actions by name."""

    def __init__(self, actions: Sequence[Action]) -> None:
        """Create a table of these actions."""
        self._actions: dict[str, Action] = {}
        self._known: dict[str, Action] = {}
        """Each action that was ever in the table, for definitions that name it."""
        for action in actions:
            self.register(action)

    def register(self, action: Action, name: str | None = None) -> None:
        """Add an action, instead of one of the same name.

        Args:
            action: The action.
            name: Its name, if not the one in its definition.
        """
        name = name or action.definition.name
        self._actions[name] = self._known[name] = action

    def replace(self, definitions: Sequence[Action | ToolDefinition]) -> None:
        """Offer these actions and no others.

        Raises:
            UnknownTool: There is no action for a definition; nothing is changed.
        """
        actions = [self._defined(each) for each in definitions]
        self._actions.clear()
        for action in actions:
            self.register(action)

    def extend(self, definitions: Sequence[Action | ToolDefinition]) -> None:
        """Offer these actions too, instead of those of the same name.

        Raises:
            UnknownTool: There is no action for a definition; nothing is changed.
        """
        for action in [self._defined(each) for each in definitions]:
            self.register(action)

    def _defined(self, definition: Action | ToolDefinition) -> Action:
        """Return the action of a definition: the one of its name, in the definition's words."""
        if not isinstance(definition, ToolDefinition):
            return definition
        known = self._known.get(definition.name)
        if known is None:
            raise UnknownTool(
                f"there is no action `{definition.name}` that could be offered",
                help=f"pass an action with `perform`, or name one of {', '.join(self._known)}",
            )
        return known if known.definition == definition else _Redefined(definition, known)

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


class _Redefined:
    """An action with another definition."""

    def __init__(self, definition: ToolDefinition, action: Action) -> None:
        self.definition = definition
        self._action = action

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent | None:
        """Return the intent of the action."""
        if isinstance(self._action, ActionWithIntent):
            return await self._action.intent(arguments, context)
        return Intent(self.definition.name, arguments=arguments)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Take the action, if the arguments fit its own definition too."""
        own = self._action.definition
        call = ToolCall(context.call.id, own.name, dict(arguments))
        return await self._action.perform(check_arguments(own, call), context)


def as_action(call: ToolCall, actions: ActionTable, registry: ToolRegistry) -> ToolCall:
    """Return a call of an action; a call that names a tool of the page becomes `call_tool`."""
    if call.name in actions:
        return call
    for name in (call.name, call.name.removeprefix(PREFIX)):
        if name in registry.names():
            given = {"name": name, "arguments": dict(call.arguments)}
            return replace(call, name="call_tool", arguments=given)
    return call
