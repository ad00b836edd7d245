"""What a planner tells a person: its plan, its questions, what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.results import at, field_by, fields_of, items_of, name_of
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.state import State
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.plan import PlanStep

_MOST_NAMED = 5


def plan_text(state: State, steps: Sequence[PlanStep]) -> str:
    """Return a plan in a sentence that starts with `I will`."""
    if not steps:
        return "I will say that nothing on this page can do that."
    return "I will " + ", then ".join(step.text for step in steps) + "."


def step_text(card: Card | None, clause: Clause) -> str:
    """Return what is done for a request, in its own words."""
    said = clause.text[:160].strip().rstrip(".!?")
    return f"use `{card.name}` to “{said}”" if card else f"“{said}”"


_PAGE_TEXTS: Final[Mapping[str, str]] = {
    "open": "open the page for",
    "click": "click for",
    "search": "use the site's search for",
    "login": "ask you how to sign in, and fill it in, for",
    "tables": "read the tables of the page for",
    "outline": "read the outline of the page for",
    "navigation": "read the navigation of the site for",
    "summary": "sum up the page for",
    "code": "look for code on the page for",
    "screenshot": "take a picture of the page for",
    "scroll": "scroll for",
    "read": "read the page for",
    "form": "fill in the form of the page for",
}


def page_text(intent: str, clause: Clause) -> str:
    """Return what is done on the page for a request."""
    said = clause.text[:160].strip().rstrip(".!?")
    return f"{_PAGE_TEXTS[intent]} “{said}”"


def question(card: Card, missing: Sequence[Slot]) -> str:
    """Return a question that names what is missing, and what may be chosen."""
    parts = []
    for slot in missing:
        part = f"`{slot.label}`"
        if slot.choices:
            named = [str(choice) for choice in slot.choices]
            part += f" ({', '.join(named[:12])}{', …' if len(named) > 12 else ''})"
        elif slot.description and len(slot.description) <= 90:
            part += f" ({slot.description.rstrip('.')})"
        parts.append(part)
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"for `{card.name}` I need {listed}: what should I use?"


def which(slot: Slot, items: Sequence[Any]) -> str:
    """Return a question that asks which of several is meant."""
    names = [named(item, items) for item in items[:_MOST_NAMED]]
    more = f" (and {len(items) - _MOST_NAMED} more)" if len(items) > _MOST_NAMED else ""
    return f"which one do you mean: {'; '.join(names)}{more}?"


def named(item: Any, others: Sequence[Any] = ()) -> str:
    """Return a thing in a few words: its name, and its price or date."""
    name = name_of(item)
    if not isinstance(item, Mapping):
        return name
    facts = []
    for nouns in (("price", "cost", "total", "amount"), ("date", "time", "start", "due")):
        path = field_by([item], [stem(noun) for noun in nouns])
        value = at(item, path) if path else None
        if value is not None and not isinstance(value, list) and str(value) != name:
            facts.append(f"{path[-1] if path else ''} {value}")
    return f"{name} ({', '.join(facts)})" if facts else name


def outcome(card: Card, value: Any, focus: Sequence[int]) -> str:
    """Return what a call gave, in words taken from it."""
    items = items_of(value)
    if isinstance(value, str) and value.strip():
        return f"`{card.name}`: {value.strip()[:400]}"
    if isinstance(value, bool | int | float):
        return f"`{card.name}`: {value}"
    if value is None:
        return f"`{card.name}` is done"
    if not items:
        return f"`{card.name}` found nothing"
    if len(items) == 1 and items[0] is value:
        return f"`{card.name}`: {_facts(value)}"
    chosen = [items[i] for i in focus if 0 <= i < len(items)] or items
    listed = "; ".join(named(item) for item in chosen[:_MOST_NAMED])
    more = f" and {len(chosen) - _MOST_NAMED} more" if len(chosen) > _MOST_NAMED else ""
    if card.reads:
        return f"`{card.name}` found {listed}{more}"
    return f"`{card.name}` is done: {listed}{more}"


def _facts(value: Mapping[str, Any]) -> str:
    parts = []
    for path, inner in fields_of(value):
        if isinstance(inner, str | int | float | bool) and str(inner):
            parts.append(f"{'.'.join(path)} {str(inner)[:120]}")
        if len(parts) >= 8:
            break
    return ", ".join(parts) or "done"
