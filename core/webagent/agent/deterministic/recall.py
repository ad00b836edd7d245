"""What earlier requests of a goal said and found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.picking import pick_of
from webagent.agent.deterministic.results import items_of, text_stems
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.state import State, Task
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.words import Word, split_identifier
from webagent.schema import check_schema


def said_before(state: State, slot: Slot, task: Task) -> Any:
    """Return what an earlier request of the goal gave for a parameter of the same name."""
    number = state.tasks.index(task)
    if slot.kinds & {"text", "query", "bool", "choice", "money", "count"}:
        return None
    for found in reversed(state.results):
        if found.task >= number:
            continue
        for name, value in found.given.items():
            alike = frozenset(map(stem, split_identifier(name))) == slot.stems
            if alike and len(slot.path) == 1 and not check_schema(value, slot.schema):
                return value
    return None


def is_field(state: State, slot: Slot, clause: Clause) -> bool:
    """Whether what was found last has a parameter among its fields, and one of it is meant."""
    if not state.results or not pick_of(clause).chooses:
        return False
    items = items_of(state.results[-1].value)
    return bool(items) and isinstance(items[0], Mapping) and slot.name in items[0]


def looked_for(state: State, about: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words that a finder searched for, if they still tell its results apart."""
    items = items_of(state.results[-1].value) if state.results else []
    hits = sum(
        all(w.stem in stems or w.low in stems for w in about) for stems in map(text_stems, items)
    )
    return tuple(about) if 0 < hits < len(items) else ()


def is_named(about: Sequence[Word], items: Sequence[Any]) -> bool:
    """Whether something that was found has a word of what was looked for, if it was said."""
    said = {form for word in about if not word.is_sign for form in (word.stem, word.low)}
    return not said or any(said & text_stems(item) for item in items)
