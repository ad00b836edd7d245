"""One request of a goal, and the goal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from webagent.agent.deterministic.amounts import ordinal_of
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.words import Word

Mood = Literal["do", "ask", "tell"]
"""Whether something is to be done, is asked, or only told."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One request of a goal."""

    words: tuple[Word, ...]
    spans: tuple[Span, ...]
    text: str
    """The goal's own words."""
    mood: Mood
    verb: str
    """Stem of what is to be done; empty when nothing says so."""
    verb_words: frozenset[int]
    """Indices of the words that say it."""
    wanted: bool = False
    """Whether it begins with words that want to have or see something: `do you have …`."""
    zone: str = ""
    """Offset of the person's clock from UTC, such as `+01:00`; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What somebody asks for."""

    clauses: tuple[Clause, ...]
    forbidden: frozenset[str]
    """Stems of verbs of what must not be done."""
    text: str


def joined_to(request: Clause, told: Clause) -> Clause:
    """Return a request with the words of another that only adds to it."""
    offset = len(request.words)
    spans = tuple(
        replace(span, first=span.first + offset, end=span.end + offset) for span in told.spans
    )
    return replace(
        request,
        words=request.words + told.words,
        spans=request.spans + spans,
        text=f"{request.text} ({told.text})",
    )


def halves_of(clause: Clause, at: int) -> tuple[Clause, Clause]:
    """Return the two requests of `get the weather and the forecast`, which share a verb.

    Args:
        clause: The request.
        at: Index of the word where the second begins, behind `and`.
    """
    first = tuple(span for span in clause.spans if span.end < at)
    second = tuple(
        replace(span, first=span.first - at, end=span.end - at)
        for span in clause.spans
        if span.first >= at
    )
    text = clause.text
    cut = clause.words[at].start - clause.words[0].start
    return (
        replace(clause, words=clause.words[: at - 1], spans=first, text=text[:cut]),
        replace(
            clause, words=clause.words[at:], spans=second, text=text[cut:], verb_words=frozenset()
        ),
    )


def is_pick_word(low: str) -> bool:
    """Whether a word chooses one of several: `cheapest`, `second`, `last`."""
    return (
        ordinal_of(low) is not None
        or low in ("last", "latest")
        or (low.endswith("est") and len(low) > 5)
    )
