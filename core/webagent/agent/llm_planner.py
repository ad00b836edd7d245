"""Planner and decider that ask a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webagent.agent.actions.table import direct_tools
from webagent.agent.actions.talk import MakePlan, plan_of
from webagent.agent.broker import Broker
from webagent.agent.prompting import Builder
from webagent.agent.run import Plan, Run, Scene
from webagent.llm.chat import Reply, ToolDefinition

_PLAN = (
    "Make a plan for the goal and call `make_plan` with it; do nothing else yet. One sentence that "
    "starts with `I will`, then one line per step, `- …`, naming in backticks the tool it calls, or "
    "the action and the button or link that it uses. The person is asked about each change that the "
    "plan does not name."
)


class ModelPlanner:
    """Asks a model for plans."""

    def __init__(self, builder: Builder, broker: Broker) -> None:
        """Create a planner.

        Args:
            builder: Writes the messages.
            broker: Sends them.
        """
        self._builder = builder
        self._broker = broker

    async def plan(self, run: Run, scene: Scene) -> Plan:
        """Return the model's plan."""
        return await self._ask(run, scene, _PLAN)

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan:
        """Return the model's next plan."""
        return await self._ask(run, scene, f"The plan does not hold: {reason}\n\n{_PLAN}")

    async def _ask(self, run: Run, scene: Scene, ask: str) -> Plan:
        tools = [MakePlan.definition]
        messages = self._builder.build(run, scene, tools, ask=ask)
        reply = await self._broker.send(run, messages, tools)
        for call in reply.calls:
            text = call.arguments.get("plan")
            if call.name == "make_plan" and isinstance(text, str) and text.strip():
                return plan_of(text, scene.tools)
        # Some models write the plan down instead of calling anything.
        return plan_of(reply.text or f"work on this: {run.goal}", scene.tools)


class ModelDecider:
    """Asks a model what comes next."""

    def __init__(
        self,
        builder: Builder,
        broker: Broker,
        actions: Callable[[], Sequence[ToolDefinition]],
        *,
        direct: bool = False,
    ) -> None:
        """Create a decider.

        Args:
            builder: Writes the messages.
            broker: Sends them.
            actions: Returns the definitions of all actions.
            direct: Whether the model is offered the page's tools next to them.
        """
        self._builder = builder
        self._broker = broker
        self._actions = actions
        self._direct = direct

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the model's next words and calls."""
        actions = self._actions()
        tools = [*actions, *(direct_tools(scene, actions) if self._direct else ())]
        messages = self._builder.build(run, scene, tools)
        return await self._broker.send(run, messages, tools)
