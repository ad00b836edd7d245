"""What a person's answer says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

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
from webagent.agent.deterministic.words import STOP, Word, words_of
from webagent.agent.run import Done
from webagent.registry.secrets import MASK, is_secret
from webagent.schema import check_schema

_APART: Final = frozenset({"email", "phone", "url", "date", "time", "number"})
"""Kinds of values that may stand beside a name in one answer."""


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
    if any(path in paths and path != whole and _allows_few(card, path) for path in filled.values):
        whole = None
    for path, value in filled.values.items():
        if path not in known and path in paths and path not in secret and path != whole:
            task.given.append([card.name, list(path), value])
    for path in paths:
        if path in given_for(task, card.name):
            continue
        slot = next((s for s in card.slots if s.path == path), None)
        if slot is None:
            continue
        if is_secret("".join(slot.words)):
            # The driver has put a placeholder in its place; notes keep no secrets.
            placeholder = answer.strip() if MASK in answer else MASK
            task.given.append([card.name, list(path), placeholder])
            continue
        chosen = _chosen_by(state, answer, clause, slot)
        if chosen is None and (len(paths) == 1 or path == whole):
            left = _left(clause) if path == whole and clause.spans else []
            text = answer[left[0].start : left[-1].end] if left else answer
            chosen = _plain_answer(text, slot)
        if chosen is not None:
            task.given.append([card.name, list(path), chosen])


def _whole(clause: Clause, card: Card, paths: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the argument that a short answer is, without its other values: `Ada Lovelace`.

    Of several that were asked for, it is the first that takes words.
    """
    for slot in sorted(
        (s for s in card.slots if s.path in paths), key=lambda s: paths.index(s.path)
    ):
        if slot.kinds & {"person", "plain", "text", "place", "query"} and not slot.is_list:
            if clause.spans and (
                len(paths) == 1 or any(s.kind not in _APART for s in clause.spans)
            ):
                return None
            left = [word for word in _left(clause) if not word.is_sign]
            known = any(word.low in STOP or word.stem in slot.stems for word in left)
            return slot.path if 0 < len(left) < 6 and not known else None
    return None


def _left(clause: Clause) -> list[Word]:
    """Return the words of an answer that are no email address, day or such."""
    taken = {i for span in clause.spans for i in range(span.first, span.end)}
    left = [word for index, word in enumerate(clause.words) if index not in taken]
    while left and (left[-1].is_sign or left[-1].low == "and"):
        left.pop()
    return left


def _allows_few(card: Card, path: tuple[str, ...]) -> bool:
    """Whether an argument has values of its own, so that a word of an answer may be one."""
    return any(slot.path == path and (slot.choices or "bool" in slot.kinds) for slot in card.slots)


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
