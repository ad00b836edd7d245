"""How tools, parameters and the ends of runs are worded for a person, in whole sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.fits import Filled
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.replies import is_hidden
from webagent.agent.deterministic.results import called, intended, to_do
from webagent.agent.deterministic.results.measures import clean, unit_name, written
from webagent.agent.person import NOBODY, NOT_ALLOWED
from webagent.speech import listed, say, spoken

_MOST_CHOICES: Final = 12
_MOST_OPTIONS: Final = 50
_LONGEST_ABOUT: Final = 160
_FORMATS: Final[Mapping[str, Mapping[str, str]]] = {
    "date": {"format": "date"}, "time": {"format": "time"}, "datetime": {"format": "date-time"},
    "email": {"format": "email"}, "url": {"format": "uri"},
}  # fmt: skip
_IDS: Final = frozenset(("id", "ids", "uuid", "slug", "key", "ref"))
_ENDS: Final = (".", "!", "?", "…", "؟", ".”", "!”", "?”", ".“", ". »", ".»", ":")
_ON_PAGE: Final = frozenset(
    ("form", "login", "scroll", "screenshot", "open", "click", "search", "summary")
)
"""What is done on a page, where it is more than to read it."""


def doing(tool: ToolWords | None, name: str = "") -> str:
    """Return what a tool does, as it stands behind `Shall I`; of one that is gone its name."""
    if tool is None:
        return to_do(name)
    return to_do(tool.name, tool.verbs, tool.title, tool.description)


def name_of(tool: ToolWords | None, name: str = "") -> str:
    """Return the name of a tool for people; of one that is gone the words of its name."""
    return called(tool.name if tool else name, tool.title if tool else "")


def planned(tool: ToolWords, filled: Filled) -> str:
    """Return what a call will do with what the goal gives for it: `add “Dune” to the basket (quantity 2)`."""
    fits = [
        fit for fit in filled.fits
        if not is_hidden(fit.parameter) and isinstance(fit.value, str | int | float) and not fit.poured
        # A word that stands where a name may be is shown when it was found.
        and not (fit.is_name and str(fit.value).islower())
    ]  # fmt: skip
    named = next((fit for fit in fits if fit.is_name), None) or next((fit for fit in fits if fit.parameter.is_query), None)  # fmt: skip
    facts = [
        f"{label(fit.parameter)} {_shown(fit.parameter, fit.value).rstrip('.')}"
        for fit in fits
        if fit is not named
    ]
    thing = str(named.value) if named else ""
    if not (thing or facts):
        return doing(tool, tool.name)
    return intended(tool.name, tool.verbs, tool.title, thing, facts[:4]) or doing(tool, tool.name)


def label(parameter: Parameter) -> str:
    """Return what a parameter is called: its title, or the words of its name without `id` and a unit."""
    title = parameter.schema.get("title")
    if isinstance(title, str) and title.strip():
        return clean(title.strip().rstrip(":*"), 60)
    words = [word.lower() for word in identifier_words(parameter.path[-1])]
    if len(words) > 1 and words[-1] in _IDS:
        words = words[:-1]
    unit = ""
    if parameter.unit and len(words) > 1 and words[-1] in unit_name(parameter.unit, 2):
        words, unit = words[:-1], unit_name(parameter.unit, 2)
    if words in (["id"], ["ids"]) and len(parameter.path) > 1:
        words = [word.lower() for word in identifier_words(parameter.path[-2])]
    text = " ".join(words)
    text = spoken().labels.get(text, text)
    return clean(say("in_unit", label=text, unit=unit) if unit else text, 60)


def asking(tool: ToolWords, missing: Sequence[Parameter], *, choices: bool = True) -> str:
    """Return the question for what a call lacks, with the choices there are.

    Args:
        tool: The tool that is to be called.
        missing: The parameters that it lacks.
        choices: Whether the question lists what may be answered.
    """
    if len(missing) > 1:
        known = [f"{label(p)}{_choices(p, ' (', ')') if choices else ''}" for p in missing]
        return say("ask_values", doing=doing(tool), tool=name_of(tool), values=listed(known))
    (parameter,) = missing
    name = label(parameter)
    if said := _choices(parameter, "", ""):
        return (
            say("ask_choice_of", label=name, choices=said)
            if choices
            else say("ask_label", label=name)
        )
    if parameter.kind == "boolean":
        return say("ask_yes_or_no", doing=doing(tool), tool=name_of(tool), label=name)
    if parameter.names_thing and not is_hidden(parameter):
        noun = name if name not in _IDS else " ".join(identifier_words(tool.name)[-1:]).lower()
        return say("ask_thing", label=noun)
    text = say("ask_value", doing=doing(tool), tool=name_of(tool), label=name)
    # A form explains the value next to its field.
    return f"{text} {_about(parameter, name)}".rstrip() if choices else text


def form(tool: ToolWords, missing: Sequence[Parameter]) -> dict[str, Any] | None:
    """Return the schema of the answer to the question for the values that a call lacks.

    Its properties have the paths of the parameters as names: `address.city`. A single text needs no
    schema, and a secret is asked for without one.
    """
    if any(map(is_hidden, missing)):
        return None
    fields = {".".join(p.path): _field(p) for p in missing}
    first, *others = fields.values()
    if (
        not others
        and first.keys() <= {"title", "description", "type"}
        and first.get("type") == "string"
    ):
        return None
    title = asking(tool, missing, choices=False)
    return {"type": "object", "title": title, "properties": fields, "required": [*fields]}


def form_of_choices(name: str, title: str, choices: Iterable[tuple[Any, str]]) -> dict[str, Any]:
    """Return the schema of an answer that is one of several values.

    Args:
        name: Of the value.
        title: The question.
        choices: The values, and what tells them apart.
    """
    options = [
        {"const": value} | ({"title": text} if text != str(value) else {})
        for value, text in choices
    ]
    fields = {name: {"oneOf": options}}
    return {"type": "object", "title": title, "properties": fields, "required": [name]}


def form_of_ways(name: str, ways: Mapping[str, str]) -> dict[str, Any]:
    """Return the schema of the answer that chooses a tool, or says yes to the only one.

    Args:
        name: Of the answer.
        ways: The tools, and what they do.
    """
    if len(ways) == 1:
        (way,) = ways.values()
        only = {"properties": {name: {"type": "boolean"}}, "required": [name]}
        return {"type": "object", "title": say("shall_i", what=way), **only}
    named = [(tool, way[:1].upper() + way[1:]) for tool, way in ways.items()]
    return form_of_choices(name, say("which_way"), named)


def _field(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of one value as a person gives it."""
    name = label(parameter)
    field: dict[str, Any] = {"title": name[:1].upper() + name[1:]}
    if about := _about(parameter, name):
        field["description"] = about
    values = [choice.value for choice in parameter.choices if choice.value not in (None, "")]
    if values and len(values) <= _MOST_OPTIONS:
        titles = _titles(parameter)
        return field | {
            "oneOf": [
                {"const": value} | ({"title": titles[str(value)]} if str(value) in titles else {})
                for value in values
            ]
        }
    kind = parameter.schema.get("type")
    if parameter.kind in ("number", "boolean"):
        bounds = {key: parameter.schema.get(key) for key in ("minimum", "maximum", "multipleOf")}
        known = {key: value for key, value in bounds.items() if value is not None}
        return field | {"type": "integer" if kind == "integer" else parameter.kind} | known
    return field | {"type": "string", **_FORMATS.get(parameter.kind, {})}


def _choices(parameter: Parameter, start: str, end: str) -> str:
    """Return what a parameter allows, in a person's words, if that is little enough to be listed."""
    values = [choice.value for choice in parameter.choices if choice.value not in (None, "")]
    if not values or len(values) > _MOST_CHOICES or parameter.kind == "boolean":
        return ""
    texts = [_shown(parameter, value) for value in values]
    return f"{start}{listed(texts, joint='or')}{end}"


def _shown(parameter: Parameter, value: Any) -> str:
    """Return a value as a person reads it: the title of a choice, if it has one."""
    return _titles(parameter).get(str(value)) or clean(written(value), 60)


def _titles(parameter: Parameter) -> dict[str, str]:
    """Return the titles of choices by their values; a first choice without a value has one too."""
    values, titles = parameter.schema.get("enum"), parameter.schema.get("x-titles")
    if not isinstance(values, list) or not isinstance(titles, list):
        return {}
    return {
        str(value): clean(str(title), 60)
        for value, title in zip(values, titles, strict=False)
        if title
    }


def _about(parameter: Parameter, name: str) -> str:
    """Return the first sentence of a description that says more than the name does."""
    told = str(parameter.schema.get("description") or "").strip()
    first = re.split(r"(?<=[.!?])\s", told[:400], maxsplit=1)[0]
    words = {word.lower() for word in re.findall(r"[^\W\d_]+", first)}
    if len(words - {"the", "a", "an", "of", "your", *name.split()}) < 2:
        return ""
    return whole(clean(first, _LONGEST_ABOUT))


_FAULTS: Final[Mapping[str, str]] = {
    "unknown_tool": "missing",
    "missing_function": "missing",
    "invalid_arguments": "arguments",
    "invalid_result": "unreadable",
    "not_cloneable": "unreadable",
    "too_large": "too_much",
    "not_logged_in": "login",
    "rate_limited": "often",
    "timeout": "slow",
    "page_gone": "left",
    "navigated": "left",
    "origin_mismatch": "moved",
}
"""The text for people of failures whose messages are written for models and developers."""


def failure(kind: str, message: str, *, is_answer: bool, doing: str, tool: str) -> str:
    """Return what failed and why, in words for people: the site's own where it has some.

    Args:
        kind: The kind of the error.
        message: Its text.
        is_answer: Whether an answer of the person was waited for.
        doing: What the tool does.
        tool: The name of the tool; empty if none was called.
    """
    reason = say(f"fault_{_FAULTS[kind]}") if kind in _FAULTS else message
    if kind == "denied" and message.startswith(NOT_ALLOWED):
        nobody = NOBODY in message
        if tool:
            return say("not_asked" if nobody else "not_allowed", doing=doing, tool=tool)
        return say("stopped_unasked" if nobody else "stopped")
    if kind == "denied" and is_answer:
        return say("unanswered")
    if tool:
        return say("not_done" if kind == "denied" else "not_possible", doing=doing, tool=tool, reason=reason)  # fmt: skip
    return say("stopped_because" if kind == "denied" else "not_worked", reason=reason)


def requested(sentence: Sentence, first: int, end: int) -> str:
    """Return a part of a goal without the joints and signs around it."""
    while first < end and (
        (sentence.tokens[first].is_sign and not sentence.is_quoted(frozenset({first})))
        or sentence.roles[first] in ("conjunctions", "polite")
    ):
        first += 1
    return sentence.excerpt(first, end).strip(" ,;.!?") if first < end else ""


def on_page(intent: str, text: str) -> str:
    """Return what is done on the page for a part of a goal, as it stands behind `I will`."""
    done = say(f"will_{intent if intent in _ON_PAGE else 'read'}")
    named = text and intent != "summary"
    return say("for_words", done=done, words=clean(text, 120)) if named else done


def plan_text(parts: Sequence[str]) -> str:
    """Return what is planned as one sentence, from what stands behind `I will`."""
    return say("plan", steps=say("then").join(parts))


def whole(text: str) -> str:
    """Return a text as a sentence: with a capital, if it begins with a plain word, and a full stop."""
    text = text.strip()
    first = text.split(" ", 1)[0]
    if first.isalpha() and first.islower():
        text = text[:1].upper() + text[1:]
    return text if not text or text.endswith(_ENDS) else f"{text}."
