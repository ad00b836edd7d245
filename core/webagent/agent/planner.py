"""The ports of planning: a planner makes plans, a decider chooses the next step."""

from __future__ import annotations

from typing import Protocol

from webagent.agent.run import Plan, Run, Scene
from webagent.llm.chat import Reply


class Planner(Protocol):
    """Turns a goal into a plan."""

    async def plan(self, run: Run, scene: Scene) -> Plan:
        """Return what to do for the goal of a run.

        Raises:
            ModelError: The model gave no reply.
        """

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan:
        """Return another plan, because the last one was rejected or does not fit the page.

        Args:
            run: The run, with the last plan.
            scene: The page now.
            reason: Why another plan is needed.
        """


class Decider(Protocol):
    """Chooses the next step: a model, or a planner that needs none."""

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the next words and calls. Each call names an action and its arguments."""
