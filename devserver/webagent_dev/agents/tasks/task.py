"""One task of a client, whatever protocol it came by."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

Protocol = Literal["a2a", "browsy"]
State = Literal["working", "input_required", "completed", "failed", "cancelled", "rejected"]
UNFINISHED: tuple[State, ...] = ("working", "input_required")


@dataclass(slots=True)
class Task:
    """A task as it is now.

    What is in it is written to a file: no password, no token and nothing else by which somebody
    logs in belongs there.
    """

    id: str
    protocol: Protocol
    context_id: str = ""
    """What tasks of one conversation share."""
    state: State = "working"
    reason: str = ""
    """Why it failed, in words; empty otherwise."""
    data: dict[str, Any] = field(default_factory=dict)
    """What the protocol wants to know of it, as JSON has it; written down anew when it is replaced."""
    said: dict[str, Any] | None = None
    """What the protocol tells of its state, as JSON has it; small, and written down each time."""
    created: float = field(default_factory=time.time)
    """In seconds since the epoch."""
    updated: float = field(default_factory=time.time)
    """When its state was last said; lists have the latest first."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens in it."""
        return self.state not in UNFINISHED


@dataclass(frozen=True, slots=True)
class Numbered:
    """One event of a task; the first has the number 1."""

    seq: int
    event: dict[str, Any]
