"""A model for tests: it says what the test has written down."""

from __future__ import annotations

from typing import Any

from webagent.llm.chat import ToolCall
from webagent.llm.scripted import Scripted, ScriptedModel


class ModelScript:
    """What the model of the test's agent will say, reply by reply; without any there is no model.

    The first reply is the plan, which begins with "I will"; then come actions, the last of them
    `finish`.

    Attributes:
        model: It, with the `conversations` that it was given; None before anything was written.
    """

    def __init__(self) -> None:
        """Say nothing yet."""
        self.model: ScriptedModel | None = None
        self._calls = 0

    def __call__(self, *replies: Scripted) -> ScriptedModel:
        """Let the model say this, instead of what was written before; return it.

        Args:
            replies: Words, what the methods below return, lists of those, or an exception that is
                raised.
        """
        self.model = ScriptedModel(*replies)
        return self.model

    def tool(self, name: str, /, **arguments: Any) -> ToolCall:
        """Return the reply that calls a tool of the page."""
        return self.action("call_tool", name=name, arguments=arguments)

    def code(self, code: str) -> ToolCall:
        """Return the reply that runs a program."""
        return self.action("execute_js", code=code)

    def finish(self, text: str = "done", *, success: bool = True) -> ToolCall:
        """Return the reply that ends the run."""
        return self.action("finish", text=text, success=success)

    def action(self, action: str, /, **arguments: Any) -> ToolCall:
        """Return the reply that asks for any action of the agent (docs/actions.md)."""
        self._calls += 1
        return ToolCall(f"call-{self._calls}", action, arguments)
