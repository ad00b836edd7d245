"""Runs the planner without a page: tools are plain data, calls go to a function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from webagent.agent.deterministic import DeterministicPlanner
from webagent.agent.run import Done, Run
from webagent.agent.scene import Scene
from webagent.llm.chat import ToolCall
from webagent.modelcontext import from_model_context
from webagent.page.offers import Target
from webagent.page.snapshot import Snapshot
from webagent.registry.binding import Binding, Calling, ToolSource
from webagent.registry.values import encode

Caller = Callable[[str, dict[str, Any]], Awaitable[Any]]
_MOST_STEPS = 30


def bindings_from(tools: Sequence[Mapping[str, Any]]) -> list[Binding]:
    """Return tools, given as a page registers them, as a registry lists them."""
    return [
        Binding(
            from_model_context(tool),
            Target("modelContext", str(tool["name"])),
            str(tool["name"]),
            ToolSource.MODEL_CONTEXT,
            Calling.POSITIONAL if tool.get("calling") == "positional" else Calling.OBJECT,
            origin="https://site.example",
        )
        for tool in tools
    ]


async def plan_and_run(
    goal: str, tools: Sequence[Mapping[str, Any]], now: str, call: Caller,
    answers: Sequence[str] = (), snapshot: Snapshot | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Plan a goal and do its steps; questions are answered in order, then no more."""
    scene = Scene(
        snapshot or Snapshot(url="https://site.example/"),
        bindings_from(tools),
        datetime.fromisoformat(now),
    )
    run = Run(goal, "https://site.example", id="run")
    run.plan = await DeterministicPlanner().plan(run, scene)
    asked: list[str] = []
    waiting = list(answers)
    acts: list[ToolCall] = []
    for _ in range(_MOST_STEPS):
        # What a navigation leaves: the run as data, and a planner that has seen nothing.
        run = Run.from_dict(run.to_dict())
        reply = await DeterministicPlanner().next(run, scene)
        assert len(reply.calls) == 1, reply
        (step,) = reply.calls
        if step.name == "finish":
            return {
                "asked": asked, "text": step.arguments["text"], "plan": run.plan,
                "success": step.arguments["success"], "data": step.arguments.get("data"),
                "acts": acts,
            }  # fmt: skip
        value, error = None, None
        if step.name == "call_tool":
            try:
                value = encode(
                    await call(step.arguments["name"], dict(step.arguments["arguments"]))
                )
            except (ValueError, LookupError) as fault:
                error = {"kind": "invalid_arguments", "message": str(fault)}
        elif step.name == "communicate":
            asked += run.notes["deterministic"]["asked"]
            if waiting:
                value = {"answer": waiting.pop(0)}
            else:
                error = {"kind": "denied", "message": "nobody is there to be asked"}
        else:
            acts.append(step)
        run.entries.append(Done(step, scene.snapshot.url, value, error))
    raise AssertionError(f"no end after {_MOST_STEPS} steps: {run.done()[-3:]}")
