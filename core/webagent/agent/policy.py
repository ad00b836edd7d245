"""What an agent may do by itself, what it has to ask for, and what it may never do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from webagent.agent.intent import Intent
from webagent.agent.run import Run


class Ruling(StrEnum):
    """What becomes of an intent."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says of one intent."""

    ruling: Ruling
    reason: str = ""
    """Why it has to be asked for, or is refused; for the person, or for the model."""
    session: bool = False
    """Whether the person may allow it for the rest of the session."""


class Judge(Protocol):
    """A policy: one question, answered for every action before it is taken."""

    async def judge(self, intent: Intent, run: Run) -> Decision:
        """Return whether an intent runs, is asked for, or is refused.

        It is asked of each step of a plan too, so it must do nothing but judge.
        """


class Policy:
    """Reads run, writes ask, and what cannot be taken back asks every time.

    What says nothing of its effect counts as a write. Whatever is sent to another origin, and
    going there, asks every time too.
    """

    def __init__(self, *, allow: Collection[str] = (), allow_writes: bool = False) -> None:
        """Create the policy.

        Args:
            allow: Tools, actions, and keys of intents, whose writes need no yes.
            allow_writes: Whether no write needs one.
        """
        self._allow = frozenset(allow)
        self._allow_writes = allow_writes

    async def judge(self, intent: Intent, run: Run) -> Decision:
        """Return what becomes of an intent, by its effect and by whom it reaches."""
        if intent.to and intent.to != run.origin:
            return Decision(Ruling.ASK, f"this goes to another site: `{intent.to}`")
        match intent.effect:
            case "read":
                return Decision(Ruling.RUN)
            case "irreversible":
                return Decision(Ruling.ASK, "this cannot be taken back")
        names = {intent.tool, intent.action, intent.key} - {""}
        allowed = names & self._allow or intent.key in run.allowed
        if self._allow_writes or allowed:
            return Decision(Ruling.RUN)
        unknown = "the site does not say what this changes"
        reason = "this changes something" if intent.effect == "write" else unknown
        return Decision(Ruling.ASK, reason, session=bool(intent.tool or intent.label))
