"""The ports of planning: a planner makes plans, a decider chooses the next step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from webagent.agent.run import Plan, Run, RunResult, Scene
from webagent.llm.chat import Reply


class Planner(Protocol):
    """Turns a goal into a plan."""

    async def plan(self, run: Run, scene: Scene) -> Plan | None:
        """Return what to do for the goal of a run; None if the decider makes the plan.

        Raises:
            ModelError: The model gave no reply.
        """

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan | None:
        """Return another plan, because the last one was rejected or does not fit the page.

        None if the decider makes it.

        Args:
            run: The run, with the last plan.
            scene: The page now.
            reason: Why another plan is needed.
        """


class Decider(Protocol):
    """Chooses the next step: a model, or a planner that needs none."""

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the next words and calls. Each call names an action and its arguments."""


class Replay(Planner, Decider, Protocol):
    """A planner and decider that runs kept programs, and leaves the rest to others."""

    def problem(self, run: Run, scene: Scene) -> str | None:
        """Return why the program does not fit any more; None if it does, or none runs."""

    async def keep(self, run: Run, result: RunResult) -> None:
        """Keep a finished run as a program, if it can be repeated."""


class Programs(Protocol):
    """The kept programs of an agent (`webagent.replay.Programs`)."""

    def replay(
        self,
        planner: Planner | None,
        decider: Decider,
        mask: Callable[[Any], Any],
        *,
        goes_on: bool,
    ) -> Replay:
        """Return what runs them.

        Args:
            planner: Plans what no program is for; None if the decider does.
            decider: Decides what no program is for.
            mask: Masks secrets in a record.
            goes_on: Whether these read in the transcript what was done, and go on from there.
        """
