"""What an agent means to do, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One thing of a plan."""

    text: str
    """What will be done, for a person: `search for “harbour”`."""
    action: str = ""
    """Which action it will be, if that is known already."""
    tool: str = ""
    """Which tool of the page it calls, if that is known already."""
    effect: str = ""
    """`read`, `write`, `irreversible` or `unknown`; empty when it is not known yet."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an agent means to do."""

    text: str
    """In a sentence that starts with `I will`."""
    steps: Sequence[PlanStep] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        steps = [
            {"text": s.text, "action": s.action, "tool": s.tool, "effect": s.effect}
            for s in self.steps
        ]
        return {"text": self.text, "steps": steps}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Return what `to_dict` wrote down."""
        return cls(str(data["text"]), tuple(PlanStep(**step) for step in data["steps"]))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a plan was accepted."""

    accepted: bool
    by: str
    """`policy`, `person` or `caller`."""
    reason: str = ""
