"""What is said of the fields of things, in clauses of short sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.items import (
    Field,
    Item,
    columns,
)
from webagent.agent.deterministic.results.measures import clean, figures, written
from webagent.agent.deterministic.results.question import Question
from webagent.speech import listed, say, spoken

LONGEST: Final = 600
MOST_SHOWN: Final = 5
MOST_FACTS: Final = 6
LONGEST_NAME: Final = 70


def flag_text(subject: str, label: str, value: bool) -> str:
    """Return what a flag says: `Salt Roads is not available`, `it has no parking`.

    Only English makes a clause of the label; elsewhere the value stands next to it.
    """
    if not spoken().is_english:
        fact = say("fact", label=label, value=written(value))
        return say("fact_about", subject=subject, fact=fact) if subject not in ("", "it") else fact
    first, _, rest = label.partition(" ")
    last = label.rpartition(" ")[2]
    if first != "has" and (first in _PLACES or last in _QUALITIES or last.endswith(_ENDINGS)):
        return f"{subject} is {'' if value else 'not '}{label}"
    return f"{subject} has {'' if value else 'no '}{rest if first == 'has' and rest else label}"


_PLACES: Final = ("in", "on", "at", "out", "under")
_ENDINGS: Final = ("ed", "able", "ible", "ing", "ful", "ive", "ent", "ant", "ic", "less", "ory", "al", "y")  # fmt: skip
_QUALITIES: Final = frozenset(
    ["open", "closed", "free", "done", "paid", "due", "new", "old", "online", "offline", "full", "empty", "on", "off", "up", "down", "read", "unread", "hidden", "taken", "sold", "true", "default", "public", "own", "late", "early", "overdue", "vegan", "safe", "ok", "valid", "secure", "complete", "alone", "here", "there"]
)  # fmt: skip


def spaced(name: str) -> str:
    """Return the words of a name as a program writes it: `release_date`."""
    return clean(" ".join(identifier_words(name)), 40)


_UNTOLD: Final = frozenset(("currenc", "url", "href"))
"""Words of fields that are told with others, or that nobody reads."""


def main_fields(items: Sequence[Item]) -> list[Field]:
    """Return the fields worth telling, in the order of the result."""
    found = []
    named = any(item.name for item in items)
    for field in columns(items):
        text = field.value if isinstance(field.value, str) else ""
        if not field.path or field.value is None or field.value == () or len(text) > 160:
            continue
        if text.startswith(("http://", "https://", "data:")) or (text and not text.strip()):
            continue
        if "id" in field.meanings and named and all(field.path != item.naming for item in items):
            continue
        if text and field.words & _UNTOLD:
            continue
        found.append(field)
    return found


def clause_of(field: Field, question: Question, subject: str = "it") -> str:
    """Return `the deposit is 450 EUR`, `it renews on 1 January 2028`, `there are 23 pieces`."""
    label = label_of(field)
    value = value_text(field, question)
    if field.is_flag:
        return flag_text(subject, label, bool(field.value))
    if not spoken().is_english:
        return say("fact", label=label, value=value)
    measure = field.measure
    is_time = measure is not None and measure.unit in ("moment", "clock")
    joint = "at" if measure and measure.unit == "clock" else "on"
    if is_time and label in _HAPPENING:
        return f"{subject} {label.removesuffix('s')}s {joint} {value}"
    if is_time and label.endswith("ed"):
        return f"{subject} was {label} {joint} {value}"
    if label.rpartition(" ")[2] in language("en").roles["prepositions"]:
        return f"{subject} is {label} {value}"
    return f"the {label} {'are' if is_plural(label) else 'is'} {value}"


_HAPPENING: Final = frozenset(["open", "opens", "close", "closes", "start", "starts", "end", "ends", "begin", "begins", "depart", "departs", "arrive", "arrives", "renew", "renews", "expire", "expires"])  # fmt: skip


def is_plural(label: str) -> bool:
    """Return whether a label is a plural."""
    return label.endswith("s") and not label.endswith(("ss", "us", "is"))


def value_text(field: Field, question: Question) -> str:
    """Return a field's value as a person reads it; a price has cents or none."""
    value = field.value
    if (
        "price" in field.meanings
        and not field.unit
        and isinstance(value, float)
        and abs(value) < 1e12
    ):
        has_cents = value != round(value) and value == round(value, 2)
        return figures(f"{value:.2f}") if has_cents else written(value)
    told = written(value, field.unit, field.currency, question.unit)
    # A sentence keeps no full stop inside another one.
    return told.removesuffix(".") if told.count(" ") > 2 else told


def label_of(field: Field) -> str:
    """Return what a field is called in a sentence."""
    around = spaced(field.path[-2]) if len(field.path) > 1 else ""
    if around and field.label in around.split():
        around = ""
    if around.endswith("s") and not around.endswith("ss"):
        # `temperatures.bedroom`: the bedroom temperature.
        return clean(f"{field.label} {around[:-1]}", 40)
    text = clean(f"{around} {field.label}".strip(), 40) or "value"
    return spoken().labels.get(text, text)


def brief(field: Field, question: Question) -> str:
    """Return a fact for brackets: `deposit 450 EUR`, `25 minutes`, `not available`."""
    value = value_text(field, question)
    label = label_of(field)
    if field.is_flag:
        return flag_text("", label, bool(field.value)).strip().removeprefix("is ")
    return (
        value
        if field.unit and label in field.meanings | {"value", "energy", "volume"}
        else f"{label} {value}"
    )


def _joined(clauses: Sequence[str]) -> str:
    # What stands next to a label has commas of its own.
    return listed(clauses) if spoken().is_english else say("clause_joint").join(clauses)


def sentence_of(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence."""
    text = _joined(clauses)
    return text[:1].upper() + text[1:] + ("" if text.rstrip("”").endswith((".", "!", "?")) else ".")


def facts(items: Sequence[Item], fields: Sequence[Field], question: Question) -> str:
    """Tell the asked fields of things."""
    shown = items[:MOST_SHOWN]
    if len(shown) == 1:
        item = shown[0]
        own = [one for field in fields if (one := item.field(field.path))]
        name = "" if any(one.path == item.naming for one in own) else clean(item.name, LONGEST_NAME)
        if (
            name
            and len(own) == 1
            and (clause := clause_of(own[0], question, name)).startswith(name)
        ):
            return sentence_of([clause])
        clauses = [clause_of(one, question) for one in own]
        if not name:
            return sentence_of(clauses)
        return say("facts_of", name=name, facts=_joined(clauses))
    sentences = []
    for field in fields[:2]:
        texts = []
        for item in shown:
            one = item.field(field.path)
            if one is None or one.value is None:
                continue
            value = value_text(one, question)
            texts.append(
                say("value_for", value=value, name=clean(item.name, LONGEST_NAME))
                if item.name and field.path != item.naming
                else value
            )
        sentences.append(_fitted_fact(_beginning(label_of(field)), texts, len(items)))
    return " ".join(sentences)


def _beginning(label: str) -> str:
    """Return the words before the values of several things."""
    if not spoken().is_english:
        return say("fact", label=label, value="").rstrip()
    verb = "are" if is_plural(label) else "is"
    return "It is" if label in language("en").roles["prepositions"] else f"The {label} {verb}"


def _fitted_fact(start: str, texts: list[str], count: int) -> str:
    more = count - len(texts)
    while len(texts) > 1 and len(start) + sum(len(text) + 2 for text in texts) > LONGEST // 2:
        texts, more = texts[:-1], more + 1
    return f"{start} {listed(texts, len(texts) + max(more, 0))}."
