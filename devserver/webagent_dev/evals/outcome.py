"""Outcomes of runs, and the evaluation of a whole file; plain data for every report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from webagent.agent.redact import Vault
from webagent.llm.chat import Usage
from webagent.registry.secrets import Secrets
from webagent_dev.evals.case import UNSET, ActualCall, Case, ExpectedCall
from webagent_dev.evals.comparison import Row

Verdict = Literal["passed", "failed", "error"]
"""`error`: it could not be run, so that nothing is known."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of a case."""

    case: Case
    run: int
    """From 1."""
    verdict: Verdict
    rows: Sequence[Row] = ()
    said: str = ""
    """The last words of the agent."""
    asked: Sequence[str] = ()
    """Its questions, which nobody answered."""
    problem: str = ""
    """Why it could not be run, or not to its end."""
    seconds: float = 0.0
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: Decimal | None = Decimal(0)
    """None when the price is not known."""
    switched: bool = False
    """Whether the model failed and its fallback took over."""

    @property
    def passed(self) -> bool:
        """Whether all is as the case expects it."""
        return self.verdict == "passed"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, without the secrets of its goal."""
        data = {
            "name": self.case.name,
            "line": self.case.line,
            "run": self.run,
            "verdict": self.verdict,
            "goal": self.case.goal,
            "calls": [_row(row) for row in self.rows],
            "said": self.said,
            "asked": list(self.asked),
            "problem": self.problem,
            "seconds": round(self.seconds, 3),
            "steps": self.steps,
            "prompt": self.usage.prompt,
            "completion": self.usage.completion,
            "cached": self.usage.cached,
            "usd": None if self.usd is None else str(self.usd),
            "switched": self.switched,
        }
        masked: dict[str, Any] = self.secrets.mask_record(data)
        return masked

    @property
    def secrets(self) -> Secrets:
        """The secrets in its goal and in its calls."""
        secrets = Secrets()
        Vault(secrets, {}).take(f"{self.case.goal}\n{self.case.conversation}")
        for row in self.rows:
            if row.actual is not None and isinstance(row.actual.arguments, Mapping):
                secrets.learn_arguments(row.actual.arguments)
        return secrets


@dataclass(slots=True)
class Evaluation:
    """All runs of a file of cases."""

    file: str
    site: str
    with_page: bool
    model: str | None
    """None when the agent planned by itself."""
    planned: int
    """Runs that were meant to be."""
    outcomes: list[Outcome] = field(default_factory=list)
    stopped: str = ""
    """Why not all of them were; empty when they were."""
    runs: int = 1
    """How often each case is run."""
    differences: list[str] = field(default_factory=list)
    """Where the browser's own WebMCP has other tools than ours."""
    smoke: bool = False
    """Whether the expected calls themselves were made, without an agent."""
    configured_price: bool = False
    """Whether the price of tokens is the site's own, and not that of the table."""

    @property
    def agent(self) -> str:
        """The name of the model, or of the planner."""
        return self.model or "planner"

    @property
    def complete(self) -> bool:
        """Whether each run has an outcome."""
        return len(self.outcomes) == self.planned

    @property
    def passed(self) -> bool:
        """Whether each run was, and passed."""
        passed = all(outcome.passed for outcome in self.outcomes)
        return self.complete and passed and not self.differences

    @property
    def usage(self) -> Usage:
        """Tokens of all runs."""
        return sum((outcome.usage for outcome in self.outcomes), Usage())

    @property
    def usd(self) -> Decimal | None:
        """US dollars of all runs, None when a price is not known."""
        return usd_of(self.outcomes)

    @property
    def seconds(self) -> float:
        """How long the runs took, together."""
        return sum(outcome.seconds for outcome in self.outcomes)

    def count(self, verdict: Verdict) -> int:
        """Return how many runs have a verdict."""
        return sum(outcome.verdict == verdict for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "file": self.file,
            "in": self.site,
            "page": self.with_page,
            "model": self.model,
            "smoke": self.smoke,
            "planned": self.planned,
            "passed": self.count("passed"),
            "failed": self.count("failed"),
            "errors": self.count("error"),
            "stopped": self.stopped,
            **({"differences": self.differences} if self.differences else {}),
            "seconds": round(self.seconds, 3),
            "prompt": self.usage.prompt,
            "completion": self.usage.completion,
            "cached": self.usage.cached,
            "usd": None if self.usd is None else str(self.usd),
            "runs": [outcome.to_dict() for outcome in self.outcomes],
        }


def usd_of(outcomes: Sequence[Outcome]) -> Decimal | None:
    """Return the US dollars of runs, None when a price is not known."""
    total = Decimal(0)
    for outcome in outcomes:
        if outcome.usd is None:
            return None
        total += outcome.usd
    return total


def _row(row: Row) -> dict[str, Any]:
    return {
        "verdict": row.verdict,
        "expected": None if row.expected is None else expected_dict(row.expected),
        "made": None if row.actual is None else actual_dict(row.actual),
        "differences": [
            {"path": one.path, "expected": one.expected, "got": one.got} for one in row.differences
        ],
    }


def expected_dict(call: ExpectedCall) -> dict[str, Any]:
    """Return an expected call as the file has it, without its mock."""
    found: dict[str, Any] = {"functionName": call.name, "arguments": call.arguments}
    if call.result is not UNSET:
        found["result"] = call.result
    return found | ({"optional": True} if call.optional else {})


def actual_dict(call: ActualCall) -> dict[str, Any]:
    """Return a call that was made; what it gave may be long, or secret, and is left out."""
    found: dict[str, Any] = {"name": call.name, "arguments": dict(call.arguments)}
    return found | ({"error": dict(call.error)} if call.error else {})
