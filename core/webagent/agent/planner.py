"""The ports of planning: a planner makes plans, a decider chooses the next step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from webagent.agent.run import Plan, Run, RunResult, Scene
from webagent.llm.chat import Reply, ToolCall
from webagent.registry.sentences import sentence


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


class OneCall:
    """Plans nothing and decides on one call that is known beforehand, as of an undo."""

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Decide on a call.

        Args:
            tool: A tool of the manifest of the page's own site.
            arguments: Its arguments by name.
        """
        self._tool = tool
        self._arguments = arguments

    async def plan(self, run: Run, scene: Scene) -> None:
        """Return None: the call is the plan."""

    async def revise(self, run: Run, scene: Scene, reason: str) -> None:
        """Return None: there is nothing else to do."""

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the call, and then the end of the run with its outcome."""
        tool = scene.own_tool(self._tool, run.origin)
        made = run.done()
        if tool is not None and not made:
            given = {"name": self._tool, "arguments": dict(self._arguments)}
            return Reply(calls=(ToolCall(f"{run.id}-1", "call_tool", given),))
        if tool is None:
            text = f"`{self._tool}` is not a tool of this site"
        elif error := made[-1].error:
            text = error["message"]
        else:
            results = [made[-1].value, *run.results(scene.earlier)]
            text = sentence(tool.tool.behavior.done, self._arguments, results)
        end = {"text": text, "success": bool(made) and made[-1].ok}
        return Reply(calls=(ToolCall(f"{run.id}-2", "finish", end),))
