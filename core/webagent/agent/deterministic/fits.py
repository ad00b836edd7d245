"""What could go into a slot, and what all who look for it know of the request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.chunks import Chunk
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.picking import pick_of
from webagent.agent.deterministic.roles import END, START
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import STOP


@dataclass(frozen=True, slots=True)
class Fit:
    """A value for a slot."""

    slot: Slot
    value: Any
    score: float
    used: frozenset[int]
    """Indices of the words it was read from."""


class Fits:
    """A request and a tool, for those who look for values."""

    def __init__(self, clause: Clause, chunks: Sequence[Chunk], card: Card) -> None:
        """Look at a request for a tool."""
        self._clause = clause
        self._words = clause.words
        self._chunks = chunks
        self._card = card
        self._picked = pick_of(clause).used
        self._typed = frozenset(
            i
            for span in clause.spans
            for i in range(span.first, span.end)
            if span.kind not in ("ordinal", "number", "id", "duration")
        )

    def between(self, first: int, end: int) -> str:
        """Return the words from one index to another as they were written."""
        parts: list[str] = []
        for index in range(first, end):
            word = self._words[index]
            glued = index > first and word.start == self._words[index - 1].end
            parts.append(word.text if glued or not parts else " " + word.text)
        return "".join(parts)


def side_of(slot: Slot) -> str:
    """Return whether a slot holds the start or the end of something."""
    names = slot.stems
    if slot.words[:2] == ("check", "in") or "checkin" in slot.words:
        return "start"
    if slot.words[:2] == ("check", "out") or "checkout" in slot.words:
        return "end"
    ends, starts = bool(names & END), bool(names & START)
    if ends != starts:
        return "end" if ends else "start"
    return ""


def meant(word: str, heads: frozenset[str], about: frozenset[str]) -> float:
    """Return how far a word means a slot."""
    if word in heads:
        return 1.0
    best = max((noun_likeness(word, head) for head in heads), default=0.0)
    return max(best, 0.6 if word in about and len(word) > 3 else 0.0)


def is_about(card: Card, slot: Slot, word: str) -> bool:
    """Whether a word is what a tool is about: `order` before the number of an order."""
    if not word:
        return False
    if word in card.subject or word in slot.stems or word in slot.parents:
        return word not in STOP
    return any(noun_likeness(word, noun) >= 0.6 for noun in card.nouns)
