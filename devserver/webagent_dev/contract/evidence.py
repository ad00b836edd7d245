"""All that was seen of one tool, and what it comes to: proofs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from webagent.errors import NotLoggedIn
from webagent_dev.contract.report import PROOFS, Place, Proof, Verdict
from webagent_dev.contract.session import Outcome, is_untold
from webagent_dev.testing.contract.faults import Fault, Judge
from webagent_dev.testing.contract.noise import NoiseKind
from webagent_dev.testing.contract.places import Places

_MOST_KEPT = 50
"""Values of a tool, and arguments of a parameter, that are kept."""
_FROM_CALLS = ("result", "errors", "time", "quiet")
"""Proofs that rest on all calls, whatever these were made for."""


class Evidence:
    """Gathers the outcomes of one tool, and keeps the first fault of each kind."""

    def __init__(self, tool: str, judge: Judge, places: Places) -> None:
        """Gather for a tool."""
        self.tool = tool
        self.faults: dict[str, Fault] = {}
        self.seen: dict[str, list[Any]] = {}
        """Encoded values that its parameters were given in calls that were answered."""
        self.answered: list[Outcome] = []
        self.values: list[Any] = []
        self.signed_out: Outcome | None = None
        """A call that was refused since nobody is signed in."""
        self.held_back = False
        """Whether sample code called a tool that may not be called."""
        self.untold = False
        """Whether it failed, and nothing told why."""
        self.tried: Mapping[str, Any] = {}
        """The last generated arguments."""
        self._judge = judge
        self._places = places
        self._settled: dict[str, Proof] = {}
        self._calls: Counter[str] = Counter()
        self._spent_ms: Counter[str] = Counter()
        self._remarks: dict[str, dict[str, None]] = {}

    @property
    def base(self) -> Mapping[str, Any]:
        """Encoded arguments by name of a call that was answered, or else of one that was tried."""
        return self.answered[0].named if self.answered else self.tried

    def is_signed_out(self) -> bool:
        """Whether it answered nothing, since nobody is signed in."""
        return self.signed_out is not None and not self.answered

    @property
    def in_time(self) -> bool:
        """Whether no call took too long; after one that did, no more are worth waiting for."""
        return "time" not in self.faults

    def judged(self, proof: str, outcome: Outcome, *, declared: bool = True) -> list[Fault]:
        """Take an outcome of a call that was made for a proof; return its faults, not yet kept."""
        self._calls[proof] += 1
        self._spent_ms[proof] += round(outcome.result.duration_ms)
        error = outcome.result.error
        if isinstance(error, NotLoggedIn):
            self.signed_out = self.signed_out or outcome
            return []
        found = [*self._judge.faults(outcome, declared=declared)]
        self.untold |= is_untold(error) and not outcome.heard(NoiseKind.THROWN)
        if error is None and declared:
            self._learn(outcome)
        for noise in outcome.heard(NoiseKind.CONSOLE, NoiseKind.FOREIGN_REQUEST):
            kind = "its console" if noise.kind is NoiseKind.CONSOLE else "the network"
            self.remark("quiet", f"{kind} told during `{outcome.call}`: {noise.text[:200]}", most=3)
        return found

    def take(self, proof: str, outcome: Outcome, *, declared: bool = True) -> list[Fault]:
        """Take an outcome, and keep its faults."""
        found = self.judged(proof, outcome, declared=declared)
        self.keep(found)
        return found

    def keep(self, faults: Iterable[Fault]) -> None:
        """Keep the faults of proofs that have none yet."""
        for fault in faults:
            self.faults.setdefault(fault.proof, fault)

    def remark(self, proof: str, text: str, *, most: int = 10) -> None:
        """Note what is worth knowing though nothing is broken."""
        noted = self._remarks.setdefault(proof, {})
        if len(noted) < most:
            noted[text] = None

    def settle(
        self, proof: str, verdict: Verdict, message: str = "", place: Place | None = None
    ) -> None:
        """Say how a proof came out, unless a fault says otherwise."""
        self._settled[proof] = Proof(proof, verdict, message, place)

    def passed(self, proof: str) -> None:
        """Say that a proof came out well, unless a fault says otherwise."""
        self.settle(proof, Verdict.PASSED)

    def skipped(self, proof: str, message: str, place: Place | None = None) -> None:
        """Say that a proof was not tried, and what would have it tried."""
        self.settle(proof, Verdict.SKIPPED, message, place)

    def proofs(self) -> tuple[Proof, ...]:
        """Return what all of it comes to, in the order of `PROOFS`."""
        made = sum(self._calls.values())
        return tuple(proof for name in PROOFS if (proof := self._proof(name, made)) is not None)

    def _proof(self, name: str, made: int) -> Proof | None:
        settled = self._settled.get(name)
        if settled is None and name in _FROM_CALLS and made and not self.is_signed_out():
            settled = Proof(name, Verdict.PASSED)
        fault = self.faults.get(name)
        verdict = Verdict.FAILED if fault else settled.verdict if settled else None
        if verdict is None:
            return None
        remarks = tuple(self._remarks.get(name, ()))
        calls, spent_ms = self._calls[name], float(self._spent_ms[name])
        if fault is not None:
            return Proof(
                name,
                verdict,
                fault.message,
                fault.place,
                fault.call,
                fault.declared,
                fault.path,
                remarks,
                calls,
                spent_ms,
            )
        assert settled is not None
        return Proof(
            name,
            verdict,
            settled.message,
            settled.place,
            remarks=remarks,
            calls=calls,
            duration_ms=spent_ms,
        )

    def _learn(self, outcome: Outcome) -> None:
        if len(self.values) < _MOST_KEPT:
            self.values.append(outcome.result.value)
            self.answered.append(outcome)
        for name, value in outcome.named.items():
            known = self.seen.setdefault(name, [])
            if value not in known and len(known) < _MOST_KEPT:
                known.append(value)
