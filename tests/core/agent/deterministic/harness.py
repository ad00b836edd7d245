"""Runs the planner without a browser: tools are plain data, calls go to functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from webagent.agent.actions.talk import answer_form
from webagent.agent.deterministic.planner import DeterministicPlanner
from webagent.agent.run import Done, PastRun, Plan, Run, Scene, past_of
from webagent.llm.chat import ToolCall
from webagent.modelcontext import from_model_context
from webagent.page.offers import Target
from webagent.page.snapshot import Snapshot
from webagent.page.values import encode
from webagent.registry.binding import Binding, Calling, ToolSource

Caller = Callable[[str, dict[str, Any]], Awaitable[Any]]
NOW = "2026-11-22T09:00"
"""A Sunday."""
ORIGIN = "https://site.example"
_MOST_STEPS = 30


@dataclass
class Outcome:
    """What a planner did with a goal."""

    run: Run
    plan: Plan
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    acts: list[ToolCall] = field(default_factory=list)
    """Actions of the page."""
    asked: list[str] = field(default_factory=list)
    """Names of the parameters that were asked for."""
    questions: list[str] = field(default_factory=list)
    forms: list[Any] = field(default_factory=list)
    """The schema of the answer to each question, as the person gets it."""
    text: str = ""
    success: bool = False
    data: Any = None

    @property
    def past(self) -> PastRun:
        """What the next goal of the tab knows of it."""
        return past_of(self.run, self.text, ok=self.success)


def bindings_from(tools: Sequence[Mapping[str, Any]]) -> list[Binding]:
    """Return tools, given as a page registers them, as a registry lists them."""
    return [
        Binding(
            from_model_context(tool),
            Target("modelContext", str(tool["name"])),
            str(tool["name"]),
            ToolSource.MODEL_CONTEXT,
            Calling.POSITIONAL if tool.get("calling") == "positional" else Calling.OBJECT,
            origin=ORIGIN,
        )
        for tool in tools
    ]


async def follow(
    goal: str,
    tools: Sequence[Binding],
    call: Callable[[str, dict[str, Any]], Any],
    *,
    answers: Sequence[str | Mapping[str, Any]] = (),
    act: Callable[[ToolCall], Any] = lambda _: {"did": "it", "navigates": False},
    snapshot: Snapshot | None = None,
    now: str = NOW,
    rejections: Sequence[str] = (),
    planner: Callable[[], Any] = DeterministicPlanner,
    earlier: Sequence[PastRun] = (),
) -> Outcome:
    """Plan a goal and do its steps; questions are answered in order, and then no more.

    An answer is words, or the values of a form.

    Before each step the run goes through its plain data and meets a planner that has seen
    nothing, as after a navigation. What `call` raises becomes the error of the call.
    """
    scene = Scene(
        snapshot or Snapshot(url=ORIGIN + "/"), tools, datetime.fromisoformat(now), earlier=earlier
    )
    run = Run(goal, ORIGIN, id="run")
    run.plan = await planner().plan(run, scene)
    for reason in rejections:
        run.plan = await planner().revise(run, scene, reason)
    outcome, waiting = Outcome(run, run.plan), list(answers)
    for _ in range(_MOST_STEPS):
        outcome.run = run = Run.from_dict(run.to_dict())
        reply = await planner().next(run, scene)
        (step,) = reply.calls
        value, error = None, None
        if step.name == "finish":
            outcome.text, outcome.success = step.arguments["text"], step.arguments["success"]
            outcome.data = step.arguments.get("data")
            return outcome
        if step.name == "call_tool":
            name, arguments = step.arguments["name"], dict(step.arguments["arguments"])
            outcome.calls.append((name, arguments))
            try:
                value = call(name, arguments)
                value = encode(await value if isinstance(value, Awaitable) else value)
            except Refused as fault:
                error = {"kind": "denied", "message": str(fault)}
            except (ValueError, LookupError) as fault:
                error = {"kind": "threw", "message": str(fault)}
        elif step.name == "communicate":
            outcome.asked += run.notes["deterministic"]["asked"]
            outcome.questions.append(step.arguments["question"])
            outcome.forms.append(answer_form(step.arguments.get("schema")))
            if waiting:
                given = waiting.pop(0)
                data = {"data": given} if isinstance(given, Mapping) else {}
                value = {"answer": str(given), **data}
            else:
                error = {"kind": "denied", "message": "nobody is there to be asked"}
        else:
            outcome.acts.append(step)
            value = act(step)
        run.entries.append(Done(step, scene.snapshot.url, value, error))
    raise AssertionError(f"no end after {_MOST_STEPS} steps: {run.done()[-3:]}")


def at_once(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Return the result of work that never waits, without an event loop: Node's Pyodide has none."""
    try:
        work.send(None)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome
    raise AssertionError("the work waits")


class Refused(Exception):
    """The person said no to a call."""


async def plan_and_run(
    goal: str, tools: Sequence[Mapping[str, Any]], now: str, call: Caller
) -> dict[str, Any]:
    """Return what was asked and said; what a scorer of whole sites takes."""
    outcome = await follow(goal, bindings_from(tools), call, now=now)
    return {"asked": outcome.asked, "text": outcome.text}
