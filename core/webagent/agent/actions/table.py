"""The actions of an agent by name, and those it has from the start."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from webagent.agent.actions.base import Action
from webagent.agent.actions.call_tool import CallTool
from webagent.agent.actions.click import Click, ClickLink
from webagent.agent.actions.entering import EnterData
from webagent.agent.actions.looking import LOOKING
from webagent.agent.actions.navigate import SCROLL, WAIT, GotoUrl, Search
from webagent.agent.actions.picturing import TakeScreenshot
from webagent.agent.actions.planning import MakePlan
from webagent.agent.actions.read import ReadFile
from webagent.agent.actions.run_code import ExecuteJs
from webagent.agent.actions.talk import Communicate, Finishing
from webagent.errors import UnknownTool
from webagent.llm.chat import ToolDefinition


def default_actions() -> tuple[Action, ...]:
    """Return the actions that every agent has, unless it is given others."""
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
        *LOOKING,
        TakeScreenshot(),
        Communicate(),
        Finishing(),
    )


class ActionTable:
    """Actions by name."""

    def __init__(self, actions: Sequence[Action]) -> None:
        """Start with these."""
        self._actions: dict[str, Action] = {}
        for action in actions:
            self.register(action)

    def register(self, action: Action, name: str | None = None) -> None:
        """Take an action, instead of one of the same name.

        Args:
            action: What to do.
            name: What to call it, if not as its definition does.
        """
        self._actions[name or action.definition.name] = action

    def remove(self, name: str) -> None:
        """Drop an action.

        Raises:
            UnknownTool: There is none of that name.
        """
        self.get(name)
        del self._actions[name]

    def get(self, name: str) -> Action:
        """Return an action.

        Raises:
            UnknownTool: There is none of that name; the error names the nearest.
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
