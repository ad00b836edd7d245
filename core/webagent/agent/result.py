"""What a run comes to."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webagent.agent.person import GivenFile
from webagent.agent.run import Done, Run, Spent
from webagent.errors import Denied, InternalError, RateLimited, ToolError, ToolTimeout
from webagent.llm.errors import ModelError
from webagent.results import Call


@dataclass(frozen=True, slots=True)
class Finish:
    """What an action gives that ends the run."""

    text: str
    success: bool = True
    data: Any = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The outcome of one run."""

    ok: bool
    text: str
    """What the agent says in the end."""
    run: Run
    """With its transcript, and what it has used up."""
    data: Any = None
    """What it found; JSON."""
    error: ToolError | None = None
    """Why the goal was not reached; None when it was."""
    files: tuple[GivenFile, ...] = ()
    """Pictures that were taken since the page was opened."""
    calls: tuple[Call, ...] = ()
    """The calls of tools, those of programs among them."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as it crosses borders, as that of a call or a program, and more."""
        outcome: dict[str, Any] = (
            {"ok": True, "value": self.data}
            if self.error is None
            else {"ok": False, "error": self.error.to_dict()}
        )
        return {
            **outcome,
            "text": self.text,
            "run_id": self.run.id,
            "goal": self.run.goal,
            "steps": self.run.spent.steps,
            "spent": spent_dict(self.run.spent),
            "files": [
                {"name": f.name, "type": f.type, "data": base64.b64encode(f.data).decode()}
                for f in self.files
            ],
            "logs": [],
            "calls": [
                {"id": c.id, "name": c.name, "source": c.source, "arguments": c.arguments}
                for c in self.calls
            ],
            "duration_ms": round(self.run.spent.seconds * 1000, 3),
        }


def spent_dict(spent: Spent) -> dict[str, Any]:
    """Return what was used up as plain data; `usd` is None when the price is unknown."""
    return {
        "steps": spent.steps,
        "seconds": round(spent.seconds, 3),
        "prompt": spent.usage.prompt,
        "completion": spent.usage.completion,
        "cached": spent.usage.cached,
        "usd": spent.usd,
    }


def calls_of(run: Run, sources: Mapping[str, str]) -> tuple[Call, ...]:
    """Return the calls of tools in a run, in order.

    Args:
        run: With what was done.
        sources: The source of each tool by its name.
    """
    made = [call for done in run.done() for call in _calls(done)]
    return tuple(
        Call(number, name, sources.get(name, ""), arguments)
        for number, (name, arguments) in enumerate(made, 1)
    )


def _calls(done: Done) -> list[tuple[str, Any]]:
    if done.call.name == "call_tool":
        given = done.call.arguments
        return [(str(given.get("name", "")), given.get("arguments") or {})]
    calls = done.value.get("calls") if isinstance(done.value, dict) else None
    if done.call.name != "execute_js" or not isinstance(calls, list):
        return []
    return [(str(call["name"]), call["arguments"]) for call in calls]


_AS_TOOL_ERROR: dict[str, type[ToolError]] = {
    "rate_limited": RateLimited,
    "timeout": ToolTimeout,
    "credentials_refused": Denied,
    "quota_exhausted": Denied,
}
"""What the failures of a model are called at the doors, where the kinds are a closed set."""


def failure_of(error: ModelError) -> ToolError:
    """Return the failure of a model as every door tells failures."""
    return _AS_TOOL_ERROR.get(error.kind, InternalError)(f"the model gave no reply - {error}")
