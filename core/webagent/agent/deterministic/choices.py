"""Which of the values that a parameter allows a request names: by word, by meaning, by description."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness, verb_likeness
from webagent.agent.deterministic.words import STOP, split_identifier, stems_of

_NEGATIVE: Final = frozenset({"not", "no", "without", "except", "isn't", "aren't", "excluding"})
_ACTIONS: Final = frozenset(
    {"action", "operation", "mode", "command", "op", "do", "state", "power"}
)
_QUALITIES: Final = tuple(
    frozenset(map(stem, line.split()))
    for line in (
        "large big huge l",
        "small little tiny s",
        "medium regular normal standard average middle default m",
        "high important top",
        "urgent critical emergency asap immediately immediate highest",
        "low minor unimportant",
        "cheap cheapest price inexpensive budget affordable lowest",
        "fast quick express fastest quickest rapid",
        "new newest latest recent date recently",
        "old oldest earliest",
        "rating rated best top score popular popularity",
        "vegetarian veggie",
        "car driving drive",
        "transit public bus train metro subway",
        "walking walk foot pedestrian",
        "cycling bike bicycle cycle",
        "open unresolved outstanding",
        "closed resolved done finished complete completed",
        "active current ongoing running",
        "daily day",
        "weekly week",
        "monthly month",
        "yearly annual annually year",
        "once single",
        "online virtual remote video telehealth telemedicine",
        "in-person person onsite physical",
        "one-way oneway single",
        "round-trip roundtrip return round",
        "pickup collect collection collected",
        "delivery deliver ship delivered home",
        "english en eng", "german de deu deutsch germany", "french fr fra france",
        "spanish es spa spain", "italian it ita italy", "portuguese pt por", "dutch nl nld",
        "polish pl pol", "swedish sv swe", "japanese ja jpn", "chinese zh zho", "russian ru rus",
        "danish da dan", "norwegian no nor", "finnish fi fin", "turkish tr tur", "arabic ar ara",
        "korean ko kor", "greek el ell", "czech cs ces", "ukrainian uk ukr",
        "upcoming coming future soon", "current ongoing now",
        "metric celsius centigrade", "imperial fahrenheit",
        "on enable enabled activate", "off disable disabled deactivate",
        "morning am", "afternoon pm", "evening night",
        "economy coach", "business executive",
        "male man", "female woman",
        "eur euro euros €", "usd dollar dollars $ bucks", "gbp pound pounds £ quid sterling",
        "jpy yen ¥", "chf franc francs", "sek krona kronor", "inr rupee rupees",
        "suv offroad", "automatic auto", "manual stick",
        "email mail", "phone call telephone", "sms text", "post mail",
        "ascending asc lowest increasing", "descending desc highest decreasing",
        "house home", "apartment flat", "stolen theft", "lost missing",
        "stocks stock", "bug defect", "feature enhancement improvement",
        "mon monday", "tue tuesday", "wed wednesday", "thu thursday", "fri friday",
        "sat saturday", "sun sunday",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a request names, and which words name it."""

    value: Any
    score: float
    used: frozenset[int]


@lru_cache(maxsize=4096)
def forms_of(value: str) -> tuple[str, ...]:
    """Return the stems that a value goes by: its words, or the name of a sign like 🍄."""
    if value and not any(letter.isalnum() for letter in value):
        named = [unicodedata.name(letter, "") for letter in value[:2]]
        return tuple(stem(word.lower()) for word in " ".join(named).split() if word.isalpha())[:6]
    return tuple(stem(word) for word in split_identifier(value))


def choices_in(
    clause: Clause, slot: Slot, known: frozenset[str], taken: frozenset[int]
) -> list[Choice]:
    """Return the values of a slot that a request names, the surest first.

    Args:
        clause: The request.
        slot: With choices.
        known: Stems that the tool uses for other things.
        taken: Indices of words that mean something else.
    """
    found: list[Choice] = []
    about = _described(slot)
    known |= {
        word.stem
        for word in clause.words
        if any(noun_likeness(word.stem, other) >= 0.6 for other in known)
    }
    for value in slot.choices:
        best: Choice | None = None
        for choice in _matches(clause, slot, value, known, taken, about.get(str(value), ())):
            if best is None or choice.score > best.score:
                best = choice
        if best is not None:
            found.append(best)
    found.sort(key=lambda choice: (-choice.score, min(choice.used, default=0)))
    return _apart(found)


def _apart(found: Sequence[Choice]) -> list[Choice]:
    kept: list[Choice] = []
    used: set[int] = set()
    for choice in found:
        if not used & choice.used:
            kept.append(choice)
            used |= choice.used
    return kept


def _matches(
    clause: Clause,
    slot: Slot,
    value: Any,
    known: frozenset[str],
    taken: frozenset[int],
    about: tuple[str, ...],
) -> Iterator[Choice]:
    text = str(value)
    forms = forms_of(text)
    distinct = [form for form in forms if form not in slot.stems] or list(forms)
    acts = bool(slot.stems & _ACTIONS)
    words = clause.words
    near = _named_near(clause, slot)
    is_sign = bool(text) and not any(letter.isalnum() for letter in text)
    for index, word in enumerate(words):
        if index in taken:
            continue
        on_verb = index in clause.verb_words and not acts
        bonus = 1.5 if any(abs(index - at) <= 3 for at in near) else 0.0
        if _denied(words, index):
            continue
        if word.low == text.lower() and not on_verb:
            yield Choice(value, 5.0 + bonus + (0.5 if word.text == text else 0), frozenset({index}))
            continue
        length = len(forms)
        if forms and tuple(_parts(words[index : index + length])) == forms and not on_verb:
            if length == 1 and word.low in STOP and word.low != text.lower():
                continue
            yield Choice(value, 4.5 + 0.5 * length + bonus, frozenset(range(index, index + length)))
        elif "-" in word.text and tuple(map(stem, split_identifier(word.text))) == forms:
            yield Choice(value, 5.0 + bonus, frozenset({index}))
        elif on_verb:
            continue
        elif length > 1 and word.stem in distinct and word.low not in STOP:
            whole = forms if word.stem in known else distinct
            share = sum(1 for form in whole if any(w.stem == form for w in words)) / len(whole)
            # Signs have long names of which people say one word.
            if (
                share > 0.5
                or (is_sign and word.stem not in known)
                or (share == 0.5 and word.stem not in known)
            ):
                used = frozenset(
                    i for i, w in enumerate(words)
                    if w.stem in forms and abs(i - index) <= length and i not in taken
                )  # fmt: skip
                yield Choice(value, 2.5 + 2 * share + bonus, used | {index})
        elif acts and index in clause.verb_words and _acts_like(clause.verb, forms):
            yield Choice(value, 4.0, frozenset())
        elif word.low not in STOP or word.low in ("on", "off"):
            likeness = _likeness(word.stem, forms, slot)
            if likeness == 1.0 or (likeness and word.stem not in known):
                yield Choice(value, 1.2 + 2.2 * likeness + bonus, frozenset({index}))
            elif word.stem in about and word.stem not in known:
                yield Choice(value, 2.6 + bonus, frozenset({index}))
    if acts and clause.verb and _acts_like(clause.verb, forms):
        yield Choice(value, 3.5, frozenset())


def _parts(words: Sequence[Any]) -> Iterator[str]:
    return (word.stem for word in words)


def _acts_like(verb: str, forms: Sequence[str]) -> bool:
    return any(verb_likeness(verb, form) >= 0.75 or alike(verb, form) for form in forms)


def alike(one: str, other: str) -> bool:
    """Whether two stems name the same quality: big and large."""
    return one != other and any(one in group and other in group for group in _QUALITIES)


def _likeness(word: str, forms: Sequence[str], slot: Slot) -> float:
    """Return how far a word means what a value says; only values of one word have meanings."""
    if len(forms) > 2 or not forms:
        return 0.0
    for form in forms:
        if alike(word, form):
            return 1.0
    if len(forms) == 1:
        named = word in slot.stems or len(slot.choices) > 30
        return 0.0 if named else noun_likeness(word, forms[0])
    return 0.0


def _denied(words: Sequence[Any], index: int) -> bool:
    return any(word.low in _NEGATIVE for word in words[max(0, index - 2) : index])


def _named_near(clause: Clause, slot: Slot) -> list[int]:
    return [index for index, word in enumerate(clause.words) if word.stem in slot.stems]


def _described(slot: Slot) -> dict[str, tuple[str, ...]]:
    """Return what a description says of each value: `order` to buy, map 'heart' to Cardiology."""
    found: dict[str, tuple[str, ...]] = {}
    text = slot.description
    if not text or len(slot.choices) > 40:
        return found
    places = []
    for value in slot.choices:
        match = re.search(rf"(?<![\w-]){re.escape(str(value))}(?![\w-])", text, re.IGNORECASE)
        if match:
            places.append((match.start(), match.end(), str(value)))
    places.sort()
    for number, (start, end, value) in enumerate(places):
        stop = places[number + 1][0] if number + 1 < len(places) else len(text)
        after = re.split(r"[;,.|\n)]", text[end:stop], maxsplit=1)[0][:80]
        before = text[places[number - 1][1] if number else 0 : start]
        mapped = re.search(
            r"['\"‘“]([^'\"’”]{2,40})['\"’”](?: \w+)? (?:to|=|→|->|means|is) ?['\"‘“]?$", before
        )
        words = stems_of(after) + (stems_of(mapped.group(1).replace("/", " ")) if mapped else ())
        found[value] = tuple(word for word in words if word not in slot.stems)
    shared = [word for words in found.values() for word in set(words)]
    return {
        value: tuple(word for word in words if shared.count(word) == 1)
        for value, words in found.items()
    }
