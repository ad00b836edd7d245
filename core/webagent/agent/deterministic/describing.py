"""How a request describes the thing that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webagent.agent.deterministic.arguments import Filled
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.picking import Pick
from webagent.agent.deterministic.results import text_stems
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.state import Task
from webagent.agent.deterministic.words import Word


def given_for(task: Task, tool: str) -> dict[tuple[str, ...], Any]:
    """Return what was found out about the arguments of a tool since, by path."""
    return {tuple(path): value for name, path, value in task.given if name == tool}


def is_reference(slot: Slot) -> bool:
    """Whether a slot names something that a site knows by an id."""
    return ("id" in slot.kinds and not slot.is_list) or (
        slot.is_list and slot.words[-1:] in (("ids",),)
    )


def bounds_of(clause: Clause, used: frozenset[int]) -> list[Span]:
    """Return the amounts, days and times that a thing must keep to."""
    return [
        span for span in clause.spans
        if ((span.bound and span.kind in ("money", "number")) or span.kind in ("time", "date")) and not used & set(range(span.first, span.end))
    ]  # fmt: skip


def described_by(filled: Filled, pick: Pick, clause: Clause) -> tuple[Word, ...]:
    """Return the words that describe which thing is meant."""
    card = filled.card
    used = filled.used
    chosen = {clause.words[index].start for index in pick.used}
    taken = {clause.words[index].start for index in used}
    start = min(pick.used, default=0)
    for index in range(start):
        # `the times of the cheapest one`: what is wanted of it does not describe it.
        if clause.words[index].low == "of":
            taken |= {word.start for word in clause.words[:index]}
    return tuple(
        word for word in filled.leftover.words
        if word.start not in chosen and word.start not in taken and word.stem not in card.subject
    )  # fmt: skip


def is_queried(filled: Filled) -> bool:
    """Whether what is left of a request is what the tool searched for."""
    return any(fit.used and fit.used == filled.leftover.used for fit in filled.fits)


def searched_by(filled: Filled, items: Sequence[Any]) -> tuple[Word, ...]:
    """Return the words that were searched for, if some of what was found has all of them."""
    words = tuple(word for word in filled.leftover.words if not word.is_sign)
    if not words:
        return ()
    hits = sum(
        all(w.stem in stems or w.low in stems for w in words) for stems in map(text_stems, items)
    )
    return words if 0 < hits < len(items) else ()
