"""What a planner tells a person: its plan, its questions, what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.greeting import asks_what_there_is
from webagent.agent.deterministic.phrasing import called, counted, done, fact, said_back
from webagent.agent.deterministic.results import at, field_by, fields_of, items_of, name_of
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.state import State
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.run import PlanStep

_MOST_NAMED = 5


def plan_text(state: State, steps: Sequence[PlanStep]) -> str:
    """Return a plan in a sentence that starts with `I will`."""
    if state.stopped:
        return f"I will stop: {state.stopped}."
    if asks_what_there_is(state.goal):
        return "I will say what I can do here."
    if not steps:
        return "I will say that nothing on this page can do that."
    return "I will " + ", then ".join(step.text for step in steps) + "."


def nothing_for(clause: Clause) -> str:
    """Return that a request cannot be served, as fits a question or a task."""
    asked = clause.mood == "ask" and not clause.wanted
    said = f"“{clause.text[:120]}”"
    return (
        f"I do not find an answer to {said} on this page"
        if asked
        else f"nothing on this page can do {said}"
    )


def step_text(clause: Clause) -> str:
    """Return what is done for a request, in its own words."""
    return said_back(clause)


_PAGE_STEPS: Final[Mapping[str, tuple[str, str]]] = {
    "open": ("click_link", "read"),
    "click": ("click", "unknown"),
    "search": ("search", "read"),
    "login": ("enter_data", "write"),
    "tables": ("table_details", "read"),
    "outline": ("section_outline", "read"),
    "navigation": ("navigation_outline", "read"),
    "summary": ("get_summary", "read"),
    "code": ("find_code", "read"),
    "screenshot": ("take_screenshot", "read"),
    "scroll": ("scroll", "read"),
    "read": ("finish", "read"),
    "form": ("enter_data", "read"),
}
"""Action and effect of what is done on the page; a form is only filled in."""


def page_step(intent: str, clause: Clause) -> PlanStep:
    """Return what is done on the page for a request."""
    action, effect = _PAGE_STEPS[intent]
    if intent == "form" and any(word.low in ("submit", "send", "post") for word in clause.words):
        effect = "write"
    if intent == "open" and any(span.kind == "url" for span in clause.spans):
        action = "goto_url"
    return PlanStep(said_back(clause), action, "", effect)


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
    return f"to {called(card)} I need {listed}: what should I use?"


def which(slot: Slot, items: Sequence[Any]) -> str:
    """Return a question that asks which of several is meant."""
    names = [named(item) for item in items[:_MOST_NAMED]]
    more = f" (and {len(items) - _MOST_NAMED} more)" if len(items) > _MOST_NAMED else ""
    return f"which one do you mean: {'; '.join(names)}{more}?"


def named(item: Any, currency: str = "") -> str:
    """Return a thing in a few words: its name, and its price or date."""
    name = name_of(item)
    if not isinstance(item, Mapping):
        return name
    facts = []
    for nouns in (("price", "cost", "total", "amount"), ("date", "time", "start", "due")):
        path = field_by([item], [stem(noun) for noun in nouns])
        value = at(item, path) if path else None
        if path and value is not None and not isinstance(value, list) and str(value) != name:
            facts.append(fact(path[-1], value, currency))
    return f"{name} ({', '.join(facts)})" if facts else name


def outcome(
    card: Card, value: Any, focus: Sequence[int], picked: str = "", currency: str = ""
) -> str:
    """Return what a call gave, in words taken from it.

    Args:
        card: The tool.
        value: What it gave.
        focus: Numbers of the things in it that are meant; empty for all.
        picked: What was chosen for the call, in words.
        currency: Of sums in it.
    """
    items = items_of(value)
    if not card.reads:
        return _changed(card, value, items, currency, picked)
    label = called(card)
    label = label[:1].upper() + label[1:]
    if isinstance(value, str) and value.strip():
        return f"{label}: {value.strip()[:400]}"
    if isinstance(value, bool):
        return f"{label}: {'yes' if value else 'no'}"
    if isinstance(value, int | float):
        return f"{label}: {value}"
    if not items:
        return f"I found {counted(card, 0)}"
    if len(items) == 1 and items[0] is value:
        return f"{label}: {_facts(value, currency)}"
    chosen = [items[i] for i in focus if 0 <= i < len(items)] or items
    listed = "; ".join(named(item, currency) for item in chosen[:_MOST_NAMED])
    more = f" and {len(chosen) - _MOST_NAMED} more" if len(chosen) > _MOST_NAMED else ""
    return f"I found {counted(card, len(chosen))}: {listed}{more}"


def filled_in(tool: str, pending: Mapping[str, Any]) -> str:
    """Return that a form is filled in, with what, and that a person has to send it."""
    return (
        f"I filled in the form to {tool} ({_facts(pending['filled'], '')}) - "
        f"pending: {pending['pending']}"
    )


def led_to(tool: str, value: Any) -> str:
    """Return what the page says to which a call has led."""
    listed = "; ".join(named(item) for item in items_of(value)[:_MOST_NAMED])
    label = f"{tool[:1].upper()}{tool[1:]}"
    return f"{label}: {listed}" if listed else f"{label}: the page has changed"


def _changed(card: Card, value: Any, items: Sequence[Any], currency: str, picked: str) -> str:
    """Return what was changed: what was chosen for it, or what came of it."""
    what = done(card)
    what = what[:1].upper() + what[1:]
    if picked:
        return f"{what}: {picked}"
    if isinstance(value, str) and value.strip():
        return f"{what}: {value.strip()[:400]}"
    if items and items[0] is value:
        facts = _facts(value, currency)
        return f"{what}: {facts}" if facts not in ("ok: yes", "success: yes", "done") else what
    listed = "; ".join(named(item, currency) for item in items[:_MOST_NAMED])
    return f"{what}: {listed}" if listed else what


def _facts(value: Mapping[str, Any], currency: str) -> str:
    parts = []
    for path, inner in fields_of(value):
        if currency and path[-1].lower() == "currency":
            # The sums have it.
            continue
        if isinstance(inner, str | int | float | bool) and str(inner):
            parts.append(
                fact(path[-1], str(inner)[:200] if isinstance(inner, str) else inner, currency)
            )
        if len(parts) >= 8:
            break
    return ", ".join(parts) or "done"
