"""How tools, parameters and the ends of runs are worded for a person, in whole sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from webagent.agent.deterministic.candidates.fits import Filled
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.replies import is_hidden
from webagent.agent.deterministic.results import called, intended, to_do
from webagent.agent.deterministic.results.measures import clean, unit_name, written
from webagent.speech import listed, say, spoken

_MOST_CHOICES: Final = 12
_LONGEST_ABOUT: Final = 160
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
    """Return what a tool is called; of one that is gone the words of its name."""
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
        f"{label(fit.parameter)} {clean(written(fit.value), 60)}"
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


def asking(tool: ToolWords, missing: Sequence[Parameter]) -> str:
    """Return the question for what a call lacks, with the choices there are."""
    if len(missing) > 1:
        known = [f"{label(p)}{_choices(p, ' (', ')')}" for p in missing]
        return say("ask_values", doing=doing(tool), tool=name_of(tool), values=listed(known))
    (parameter,) = missing
    name = label(parameter)
    if choices := _choices(parameter, "", ""):
        return say("ask_choice_of", label=name, choices=choices)
    if parameter.kind == "boolean":
        return say("ask_yes_or_no", doing=doing(tool), tool=name_of(tool), label=name)
    if parameter.names_thing and not is_hidden(parameter):
        noun = name if name not in _IDS else " ".join(identifier_words(tool.name)[-1:]).lower()
        return say("ask_thing", label=noun)
    text = say("ask_value", doing=doing(tool), tool=name_of(tool), label=name)
    return f"{text} {_about(parameter, name)}".rstrip()


def _choices(parameter: Parameter, start: str, end: str) -> str:
    """Return what a parameter allows, in a person's words, if that is little enough to be listed."""
    titles = parameter.schema.get("x-titles")
    values = [choice.value for choice in parameter.choices if choice.value not in (None, "")]
    if not values or len(values) > _MOST_CHOICES or parameter.kind == "boolean":
        return ""
    texts = [clean(str(value), 60) for value in values]
    if isinstance(titles, list) and len(titles) == len(parameter.choices) == len(values):
        texts = [clean(str(title), 60) or text for title, text in zip(titles, texts, strict=True)]
    return f"{start}{listed(texts, joint='or')}{end}"


def _about(parameter: Parameter, name: str) -> str:
    """Return the first sentence of a description that says more than the name does."""
    told = str(parameter.schema.get("description") or "").strip()
    first = re.split(r"(?<=[.!?])\s", told[:400], maxsplit=1)[0]
    words = {word.lower() for word in re.findall(r"[^\W\d_]+", first)}
    if len(words - {"the", "a", "an", "of", "your", *name.split()}) < 2:
        return ""
    return whole(clean(first, _LONGEST_ABOUT))


def requested(sentence: Sentence, first: int, end: int) -> str:
    """Return a part of a goal without the joints and signs around it."""
    while first < end and (
        sentence.tokens[first].is_sign or sentence.roles[first] in ("conjunctions", "polite")
    ):
        first += 1
    return sentence.excerpt(first, end).strip(" ,;.!?") if first < end else ""


def on_page(intent: str, text: str) -> str:
    """Return what is done on the page for a part of a goal, as it stands behind `I will`."""
    done = say(f"will_{intent if intent in _ON_PAGE else 'read'}")
    return say("for_words", done=done, words=clean(text, 120)) if text else done


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
