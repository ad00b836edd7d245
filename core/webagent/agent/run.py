"""A run of the agent as data: everything it needs to go on after the page was left.

A run is JSON all through, so that it can be kept while the page navigates, shown, and replayed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from webagent.agent.plan import Plan
from webagent.llm.chat import ToolCall, Usage

VERSION = 1
"""Of what `to_dict` writes; a run of another version is not taken up again."""


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the model, of the person, or of the driver."""

    by: Literal["agent", "person", "driver"]
    text: str
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class Done:
    """An action that was taken, and what came of it."""

    call: ToolCall
    """Its name is the action's."""
    url: str
    """Of the page on which it was taken."""
    value: Any = None
    """JSON, as `webagent.registry.values` encodes it."""
    error: Mapping[str, str] | None = None
    """As `ToolError.to_dict` gives it; None when it went well."""
    duration_ms: float = 0.0
    kind: Literal["done"] = "done"

    @property
    def ok(self) -> bool:
        """Whether there was no error."""
        return self.error is None


Entry = Said | Done
"""One line of a transcript."""


@dataclass(slots=True)
class Spent:
    """What a run has used up so far."""

    steps: int = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    usd: str | None = "0"
    """Decimal number; None as soon as the price of anything is unknown."""


@dataclass(slots=True)
class Run:
    """One goal that an agent works on."""

    goal: str
    origin: str
    """Origin of the page it started on: no other is acted on."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    started: float = field(default_factory=time.time)
    """Seconds since 1970."""
    plan: Plan | None = None
    entries: list[Entry] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    pending: ToolCall | None = None
    """The action that is being taken: what was under way when the page went."""
    allowed: list[str] = field(default_factory=list)
    """What the person has allowed for the rest of the session: names of tools and actions."""
    resumed: int = 0
    """How often it was taken up again on another page."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What its planner wants to know again; JSON."""

    def done(self) -> list[Done]:
        """Return the actions that were taken, in order."""
        return [entry for entry in self.entries if isinstance(entry, Done)]

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data."""
        entries = [_entry_dict(entry) for entry in self.entries]
        return {
            "version": VERSION,
            "id": self.id,
            "goal": self.goal,
            "origin": self.origin,
            "started": self.started,
            "plan": self.plan.to_dict() if self.plan else None,
            "entries": entries,
            "spent": asdict(self.spent),
            "pending": self.pending.to_dict() if self.pending else None,
            "allowed": self.allowed,
            "resumed": self.resumed,
            "notes": self.notes,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Run:
        """Return what `to_dict` wrote down.

        Raises:
            ValueError: It is of another version, or was not written by `to_dict`.
        """
        try:
            if data["version"] != VERSION:
                raise ValueError(f"version {data['version']} of a run is not read here")
            spent = dict(data["spent"])
            return cls(
                str(data["goal"]),
                str(data["origin"]),
                str(data["id"]),
                float(data["started"]),
                Plan.from_dict(data["plan"]) if data["plan"] else None,
                [_entry(entry) for entry in data["entries"]],
                Spent(**(spent | {"usage": Usage(**spent["usage"])})),
                ToolCall.from_dict(data["pending"]) if data["pending"] else None,
                [str(name) for name in data["allowed"]],
                int(data["resumed"]),
                dict(data["notes"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"this is no run - {error!r}") from error


def _entry_dict(entry: Entry) -> dict[str, Any]:
    """Return a line as plain data; results may be large, and are not copied."""
    if isinstance(entry, Said):
        return {"by": entry.by, "text": entry.text, "kind": entry.kind}
    return {
        "call": entry.call.to_dict(),
        "url": entry.url,
        "value": entry.value,
        "error": None if entry.error is None else dict(entry.error),
        "duration_ms": entry.duration_ms,
        "kind": entry.kind,
    }


def _entry(data: Mapping[str, Any]) -> Entry:
    if data["kind"] == "said":
        return Said(**data)
    return Done(**(dict(data) | {"call": ToolCall.from_dict(data["call"])}))
