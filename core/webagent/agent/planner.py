"""Who turns a goal into a plan, and who says what comes next."""

from __future__ import annotations

from typing import Protocol

from webagent.agent.run import Plan, Run, Scene
from webagent.llm.chat import Reply


class Planner(Protocol):
    """Turns a goal into a plan."""

    async def plan(self, run: Run, scene: Scene) -> Plan:
        """Return what to do for the goal of a run.

        Raises:
            ModelError: The model that was asked gave no answer.
        """

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan:
        """Return another plan, since the last was rejected or the page surprised it.

        Args:
            run: With the plan that does not hold any more.
            scene: What there is now.
            reason: Why it does not hold.
        """


class Decider(Protocol):
    """Says what comes next: a model, or a planner that needs none."""

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the next words and calls, each call the name of an action and its arguments."""
