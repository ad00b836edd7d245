"""What a person's answer says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from webagent.agent.deterministic.arguments import fill
from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.clauses import goal_of
from webagent.agent.deterministic.describing import given_for
from webagent.agent.deterministic.forms import card_of_form
from webagent.agent.deterministic.picking import choose, pick_of
from webagent.agent.deterministic.results import items_of, value_for
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.state import State, Task
from webagent.agent.deterministic.words import STOP, words_of
from webagent.agent.run import Done
from webagent.registry.secrets import MASK, is_secret
from webagent.schema import check_schema


def take_answer(state: State, task: Task, cards: Mapping[str, Card], done: Done) -> None:
    """Write down what an answer says about the arguments that were asked for."""
    value = done.value
    answer = value.get("answer") if isinstance(value, Mapping) else value
    if done.error is not None or not isinstance(answer, str) or not answer.strip():
        task.state = "failed"
        task.said = f"I stopped, since I need to know {', '.join(state.asked)}"
        state.stopped = task.said
        return
    state.asked = []
    card = card_of_form(task.queue[0]) if task.page else cards.get(task.asked_for)
    if card is None:
        return
    clause = _clause_of(answer, datetime.fromisoformat(state.now))
    known = given_for(task, card.name)
    filled = fill(card, clause, given=known)
    paths = [tuple(path) for path in task.asked]
    secret = {slot.path for slot in card.slots if is_secret("".join(slot.words))}
    whole = _whole(clause, card, paths)
    for path, value in filled.values.items():
        if path not in known and path in paths and path not in secret and whole is None:
            task.given.append([card.name, list(path), value])
    for path in paths:
        if path in given_for(task, card.name):
            continue
        slot = next((s for s in card.slots if s.path == path), None)
        if slot is None:
            continue
        if is_secret("".join(slot.words)):
            # The driver puts in what was said; notes keep no secrets.
            task.given.append([card.name, list(path), MASK])
            continue
        chosen = _chosen_by(state, answer, clause, slot)
        if chosen is None and (len(paths) == 1 or path == whole):
            chosen = _plain_answer(answer, slot)
        if chosen is not None:
            task.given.append([card.name, list(path), chosen])


def _whole(clause: Clause, card: Card, paths: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the argument that a short answer without other values is whole: `Ada Lovelace`.

    Of several that were asked for, it is the first that takes words.
    """
    for slot in sorted(
        (s for s in card.slots if s.path in paths), key=lambda s: paths.index(s.path)
    ):
        if slot.kinds & {"person", "plain", "text", "place", "query"} and not slot.is_list:
            known = any(word.low in STOP or word.stem in slot.stems for word in clause.words)
            return slot.path if not clause.spans and len(clause.words) < 6 and not known else None
    return None


def _chosen_by(state: State, answer: str, clause: Clause, slot: Slot) -> Any:
    """Return what an answer picks of the things that were found last."""
    if not state.results or "id" not in slot.kinds:
        return None
    items = items_of(state.results[-1].value)
    about = tuple(word for word in clause.words if not word.is_sign)
    pick = pick_of(clause)
    picked = choose(items, pick, () if pick.chooses else about)
    if len(picked.items) == 1:
        return value_for(slot, picked.items[0])
    return None


def _plain_answer(answer: str, slot: Slot) -> Any:
    text = answer.strip()
    if slot.type == "string" and not slot.is_list and not slot.choices:
        value: Any = text
    elif slot.is_list and slot.type == "string" and not slot.choices:
        value = [part.strip() for part in text.replace(" and ", ",").split(",") if part.strip()]
    else:
        return None
    return value if not check_schema(value, slot.schema if not slot.is_list else {}) else None


def _clause_of(text: str, now: datetime) -> Clause:
    words = words_of(text[:1000])
    goal = goal_of(text[:1000], words, now)
    if goal.clauses:
        first = goal.clauses[0]
        return replace(first, verb="", verb_words=frozenset())
    return Clause((), (), text, "ask", "", frozenset())
