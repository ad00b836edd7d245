"""A goal as it was read: its tokens and values, and what each word does in the sentence."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Final

from webagent.agent.deterministic.candidates.verbs import keeping
from webagent.agent.deterministic.reading.language import Language, detect, language, verbs_in
from webagent.agent.deterministic.reading.tokens import Token, tokens_of
from webagent.agent.deterministic.reading.values import Value, values_of

_ENDS: Final = frozenset(".!?;\n")
_ASKING: Final = frozenset("?؟")
_COUNTED: Final = frozenset(("number", "ordinal", "duration", "quantity", "date", "dates", "time"))
"""Kinds of values that the words of a title may look like: `A Year of Rooks`."""
_RATED: Final = frozenset(("number", "duration", "quantity"))
_ENGLISH: Final = frozenset(
    ("to", "for", "with", "and", "on", "at", "from", "my", "is", "it", "by")
)
"""Small words of English titles, which another language quotes: `Night Bus to Lisbon`."""
_ARTICLES: Final = frozenset(("das", "le", "la", "l'", "les", "el", "los", "las"))
_LINKS: Final = frozenset(("of", "the", "a", "an", "de", "du", "del", "la", "le"))
_INFINITIVES: Final = ("ar", "er", "ir", "re")
"""What the infinitives of French and Spanish end with: `rappelle-moi d'appeler maman`."""
_NOUN_ENDS: Final = ("ung", "keit", "heit", "schaft")
"""What only nouns end with in German: `Bestellung`."""
_HAVING: Final = frozenset(("habe", "haben", "hat", "habt"))
_DONE: Final = re.compile(
    r"(?:\w{2,5})?ge\w{3,}(?:t|en)|(?:be|er|ver|ent|zer)\w{3,}(?:t|en)|\w{3,}iert"
)
"""German participles, behind `haben`."""
_ARRIVES: Final = "arriv"
"""The stem of the verb for where something ends."""
_NEGATED_WORDS: Final = 4
"""Words after `without` that are denied."""


@cache
def _warning() -> frozenset[str]:
    """Return the verbs before a moment that is still to come: `warn me when it is ready`."""
    stem = language("en").stem
    return frozenset(
        map(stem, ("notify", "warn", "alert", "remind", "email", "text", "ping", "message"))
    )


@cache
def _telling() -> frozenset[str]:
    """Return the verbs before a message: `tell Ana that …`, `comment on 12 that …`."""
    stem = language("en").stem
    words = "tell text message write email notify inform say ping comment note reply answer mention"
    return frozenset(map(stem, words.split()))


@cache
def _relatives() -> frozenset[str]:
    """Return the nouns that stand before the name of a person: `my daughter Lena`."""
    stem = language("en").stem
    words = "daughter son child kid friend wife husband partner mother father mum dad sister brother colleague boss neighbour teacher doctor"
    return frozenset(map(stem, words.split()))


@cache
def _things() -> frozenset[str]:
    """Return the nouns that say nothing of what is meant: `the first result`."""
    return frozenset(map(language("en").stem, ("result", "thing", "option", "entry", "hit")))


@cache
def _excluding() -> frozenset[str]:
    stem = language("en").stem
    return frozenset(map(stem, ("exclude", "omit")))


def titles_of(tokens: Sequence[Token], speech: Language) -> frozenset[int]:
    """Return the words of names of several words that are written with capitals."""
    # In `de Burgos a Gijón` the small word is a preposition.
    links = (
        _LINKS - speech.roles["prepositions"].keys()
        | {"of", "de", "du", "del"}
        | ({"des"} if speech.code == "fr" else set())
    )
    links |= _ENGLISH - speech.stop
    found: set[int] = set()
    at = 0
    while at < len(tokens):
        end, capitals = at, 0
        while end < len(tokens) and (
            # `zwei Packungen Ramipril`
            (tokens[end].is_capital and tokens[end].text != "I" and not speech.phrase_at(tokens, end, "counters"))
            or (end > at and tokens[end].low in links and end + 1 < len(tokens) and (tokens[end + 1].is_capital or tokens[end + 1].low in links))
        ):  # fmt: skip
            capitals += tokens[end].is_capital
            end += 1
        begins = at == 0 or tokens[at - 1].text in ".!?:"
        first = at + begins
        # German writes all nouns with capitals.
        foreign = (
            speech.code != "de"
            or any(tokens[i].low in _LINKS for i in range(at, end))
            or not any(tokens[i].is_capital and tokens[i].glosses for i in range(first, end))
        )
        while end > at and not tokens[end - 1].is_capital:
            end -= 1
        if (
            capitals - begins >= 2
            and foreign
            and any(tokens[i].is_capital for i in range(first, end))
        ):
            found.update(range(first, end))
        at = max(end, at + 1)
    return frozenset(found)


def _is_one_of(value: Value, tokens: Sequence[Token], speech: Language) -> bool:
    """Whether a number counts nothing: `one of my servers`."""
    if value.kind != "number" or value.value != 1 or value.end >= len(tokens):
        return False
    if tokens[value.first].is_figure or value.end - value.first > 1:
        return False
    return speech.roles["prepositions"].get(tokens[value.end].key) == "of"


def _rated(values: Sequence[Value], tokens: Sequence[Token], speech: Language) -> list[Value]:
    """Return values of which a number has the rate right behind it: `350 a month`."""
    found: list[Value] = []
    for value in values:
        before = found[-1] if found else None
        is_rate = value.kind in ("duration", "quantity") and value.value == 1 and tokens[value.first].key in speech.roles["rates"]  # fmt: skip
        if is_rate and before is not None and before.kind in _RATED and before.end == value.first:
            found[-1] = replace(before, end=value.end, rate=value.unit)
        else:
            found.append(value)
    return found


@dataclass(frozen=True)
class Sentence:
    """A text with its tokens and values."""

    text: str
    tokens: Sequence[Token]
    values: Sequence[Value]
    language: Language
    today: str = ""
    """The day on which it is read, as `2027-03-05`."""
    excludes: bool = False
    """Whether what it orders to leave out is denied."""

    @classmethod
    def read(cls, text: str, now: datetime, speech: Language | None = None) -> Sentence:
        """Read a text; its language is found unless it is given."""
        speech = speech or detect(text)
        tokens = tokens_of(text, speech)
        titles = titles_of(tokens, speech)
        values = [
            value for value in values_of(text, tokens, speech, now)
            if (value.kind not in _COUNTED or not titles.issuperset(range(value.core, value.end)))
            and not _is_one_of(value, tokens, speech)
        ]  # fmt: skip
        return cls(text, tokens, _rated(values, tokens, speech), speech, now.date().isoformat())

    def part(self, first: int, end: int) -> Sentence:
        """Return a part of it, as if it had been written alone."""
        values = [
            replace(value, first=value.first - first, end=value.end - first, core=value.core - first)
            for value in self.values if value.first >= first and value.end <= end
        ]  # fmt: skip
        return replace(self, tokens=self.tokens[first:end], values=values)

    def is_name(self, index: int) -> bool:
        """Whether a word is written like a name, and not only because of where it is."""
        return index < len(self.tokens) and self._names[index]

    @cached_property
    def _names(self) -> Sequence[bool]:
        return [*map(self._is_name, range(len(self.tokens)))]

    def _is_name(self, index: int) -> bool:
        token = self.tokens[index]
        if index in self.titles or (token.is_file and self.in_value[index] is None):
            return True
        if not token.is_capital or token.is_stop or self.in_value[index] is not None:
            return False
        begins = index == 0 or self.tokens[index - 1].text in {*_ENDS, ":"}
        if begins or self.language.code == "de":
            # `ein Ersatzrad`
            kind = index > 0 and self.tokens[index - 1].key in self.language.roles["articles"]
            return not (
                kind or self.roles[index] or any(gloss.startswith("#") for gloss in token.glosses)
            )
        return True

    def is_in_name(self, index: int) -> bool:
        """Whether a word is a part of a name of more words."""
        beside = (i for i in (index - 1, index + 1) if 0 <= i < len(self.tokens))
        return self.is_name(index) and any(self.is_name(i) for i in beside)

    def is_pro_form(self, index: int) -> bool:
        """Whether a word stands for a thing that was named before: `the late one`, but not `one ticket`."""
        if index == 0 or self.tokens[index].key not in self.language.roles.get(
            "number_pronouns", ()
        ):
            return False
        before = self.tokens[index - 1]
        return not before.is_sign and index - 1 not in self.orders and not self.roles[index - 1]

    def is_quoted(self, indexes: frozenset[int]) -> bool:
        """Whether words are in quotation marks."""
        values = [self.in_value[i] for i in indexes]
        return bool(values) and all(value and value.kind == "quoted" for value in values)

    def is_comma(self, index: int) -> bool:
        """Whether a token is a comma, or the end."""
        return index >= len(self.tokens) or self.tokens[index].text == ","

    def is_noun(self, index: int) -> bool:
        """Whether a word may be a noun."""
        return self.tokens[index].is_noun

    def is_past(self, first: int, end: int) -> bool:
        """Whether a part of it speaks of what is over: `wir haben gezahlt`, but not `wir haben einen Hund`."""
        said = self.language.roles["past"]
        return any(
            self.tokens[i].key in said
            and (self.tokens[i].key not in _HAVING or any(_DONE.fullmatch(t.key) for t in self.tokens[i + 1 : end]))
            for i in range(first, end)
        )  # fmt: skip

    def clause_of(self, index: int) -> tuple[int, int]:
        """Return the smallest clause that a token is in."""
        return next(span for span in self.clauses if index < span[1])

    def is_owned(self, first: int, end: int) -> bool:
        """Whether a part of it speaks of what the person has or does: `my appointment`."""
        possessives = self.language.roles["possessives"]
        return any(self.tokens[i].key in possessives for i in range(first, end))

    def names_own(self, first: int, end: int) -> bool:
        """Whether a part of it names a thing of the person: `my appointment`, but not `I would like`."""
        return any(self.tokens[i].key in self.language.roles["owners"] for i in range(first, end))

    @cached_property
    def known(self) -> dict[tuple[Any, ...], Any]:
        """Results about parts of it, by their kind and the part: most are needed many times."""
        return {}

    def asks(self, first: int, end: int) -> bool:
        """Whether a part of it is a question by its first words or its mark: `my answer is "no?"` is not."""
        known = self.known.get(("asks", first, end))
        if known is None:
            known = self.known["asks", first, end] = self._asks(first, end)
        return bool(known)

    def _asks(self, first: int, end: int) -> bool:
        spoken = [
            i for i in range(first, end)
            if not ((value := self.in_value[i]) and value.kind == "quoted")
        ]  # fmt: skip
        if any(self.tokens[i].text in _ASKING for i in spoken):
            return True
        words = (i for i in spoken if not self.tokens[i].is_sign)
        lead = next(
            (i for i in words if self.roles[i] not in ("polite", "conjunctions", "wanting")), end
        )
        asked = next(
            (i for i in range(lead, min(lead + 3, end)) if self.roles[i] == "questions"), end
        )
        if lead < asked < end and self.verbs[lead] & _warning() and self.question_at(asked) == "when":  # fmt: skip
            return False
        # `is` asks only where it begins: `my name is Ana` does not.
        return asked < end and (asked == lead or self.question_at(asked) != "is")

    def question_at(self, index: int) -> str:
        """Return what a question asks for by the words that begin at a token: `how much`, or nothing."""
        phrase = self.language.phrase_at(self.tokens, index, "questions")
        return str(phrase[0].meaning) if phrase else ""

    def values_in(self, first: int, end: int) -> Sequence[Value]:
        """Return the values of a part of it that it does not deny or take back."""
        return [v for v in self._meant_values if v.first >= first and v.end <= end]

    @cached_property
    def _meant_values(self) -> Sequence[Value]:
        return [v for v in self.values if not (v.negated or self.is_corrected(v))]

    def is_corrected(self, value: Value) -> bool:
        """Whether a value is taken back: `6, no wait, 8`."""
        for index in range(value.end, min(value.end + 4, len(self.tokens))):
            phrase = self.language.phrase_at(self.tokens, index, "corrections")
            if phrase is not None:
                near = range(phrase[1], phrase[1] + 5)
                return any(one.kind == value.kind and one.first in near for one in self.values)
        return False

    def is_withdrawn(self, first: int) -> bool:
        """Whether what is said from a token on is taken back, and nothing else is said instead: `no wait, leave it`."""
        for index in range(first + 1, len(self.tokens)):
            phrase = self.language.phrase_at(self.tokens, index, "withdrawals")
            if phrase is not None:
                after = range(phrase[1], len(self.tokens))
                instead = any(value.first in after for value in self.values)
                return not instead and not any(
                    i in self.orders and not self.verbs[i] & keeping() for i in after
                )
        return False

    @cached_property
    def titles(self) -> frozenset[int]:
        """Words of names of several words, the small ones included: `What the Tide Owes`."""
        return titles_of(self.tokens, self.language)

    @cached_property
    def roles(self) -> Sequence[str]:
        """By token what it does: a role of the language's phrases, or nothing."""
        found = [""] * len(self.tokens)
        at = 0
        while at < len(self.tokens):
            phrase = self.language.phrase_at(
                self.tokens, at, "polite", "wanting", "negators", "without", "conjunctions", "questions", "pronouns",
                "prepositions", "quantifiers", "superlatives", "counters", "fillers",
            )  # fmt: skip
            if phrase is None:
                at += 1
                continue
            for index in range(at, phrase[1]):
                if index not in self.titles and not self._is_polite_you(index) and not self._is_article(index):  # fmt: skip
                    found[index] = phrase[0].role
            at = phrase[1]
            if phrase[0].role == "superlatives" and at < len(found) and self.is_participle(at):
                # `the highest rated one`
                found[at] = "superlatives"
                at += 1
        return found

    def _is_article(self, index: int) -> bool:
        """Whether what may be a pronoun belongs to the noun behind it: `das Ibuprofen`, `la crème`."""
        token, after = self.tokens[index], index + 1
        if token.key not in _ARTICLES or after >= len(self.tokens) or self.in_value[after]:
            return False
        said = index > 0 and self.tokens[index - 1].key in self.language.roles["subjects"]
        if said or self.tokens[after].is_stop:
            return False
        return self.tokens[after].is_capital if self._writes_nouns else self.is_noun(after)

    def _is_polite_you(self, index: int) -> bool:
        """Whether a German pronoun is the polite `Sie`, which stands for no thing."""
        token = self.tokens[index]
        begins = index == 0 or self.tokens[index - 1].text in _ENDS
        return self._writes_nouns and token.is_stop and token.is_capital and not begins

    @cached_property
    def preposition(self) -> Sequence[str]:
        """By token the English preposition that stands before it, over articles."""
        found = [""] * len(self.tokens)
        said = ""
        for index, token in enumerate(self.tokens):
            meaning = self.language.roles.get("prepositions", {}).get(token.key)
            if meaning:
                said = str(meaning)
                if said in ("at", "in") and index and _ARRIVES in self.verbs[index - 1]:
                    # `arriving at Gatwick`
                    said = "to"
                continue
            found[index] = said
            # `for a new machine`, `for my daughter Lena`
            names = bool(token.glosses & _relatives()) and self.is_name(index + 1)
            if not token.is_stop and not names and "new" not in token.glosses:
                said = ""
        return found

    def message_at(self, first: int, end: int) -> int:
        """Return where a message begins: `tell Ana that …`, `… saying …`; -1 if there is none."""
        said = self.language.roles["that_clauses"]
        for index, after in self._sayings:
            if first < index < end - 1 and after + 1 < end:
                return after + (self.tokens[after].key in said)
        lead = self.lead(first, end)
        if lead not in self.orders or not self.verbs[lead] & _telling():
            return -1
        for index in range(lead + 1, end - 1):
            if self.tokens[index].key in said:
                return index + 1
        subjects = self.language.roles["subjects"]
        return next(
            (
                i for i in range(lead + 2, end - 1)
                if not subjects.keys().isdisjoint((self.tokens[i].key, self.tokens[i].key.partition("'")[0])) and self.weights[i - 1] and self.roles[i - 1] not in ("prepositions", "conjunctions")
                and self.in_value[i] is None and i - 1 not in self.orders
            ),
            -1,
        )  # fmt: skip

    @cached_property
    def _sayings(self) -> Sequence[tuple[int, int]]:
        """The words that announce what somebody says, and their ends: `saying`."""
        phrases = (
            (i, self.language.phrase_at(self.tokens, i, "prepositions"))
            for i in range(len(self.tokens))
        )
        return [(i, found[1]) for i, found in phrases if found and found[0].meaning == "saying"]

    def task_at(self, first: int, end: int) -> int:
        """Return where a deed begins that is to be done later: `remind me to …`; -1 if there is none."""
        lead = self.lead(first, end)
        for index in range(lead + 1, end):
            before = self.tokens[index - 1].low
            if not self.verbs[index] or lead not in self.orders:
                continue
            if self.language.code == "en":
                if before == "to":
                    return index
            elif self._writes_nouns:
                # `…, die Tonne rauszustellen`
                comma = next((i for i in range(index, lead, -1) if self.tokens[i].text == ","), -1)
                if comma > 0 and (before == "zu" or "zu" in self.tokens[index].low[1:-2]):
                    return next(i for i in range(comma + 1, index + 1) if self.weights[i] and not self.in_value[i])  # fmt: skip
            elif self.tokens[index].key.endswith(_INFINITIVES) and not any(self.weights[i] >= 1 for i in range(lead + 1, index)):  # fmt: skip
                return index
        return -1

    @cached_property
    def exclusions(self) -> frozenset[int]:
        """Orders to leave something out: `exclude flights with two stops`."""
        return frozenset(i for i in self.orders if self.verbs[i] & _excluding())

    @cached_property
    def excluding(self) -> Sentence:
        """The same, where what is to be left out is denied; for tools that do not do it themselves."""
        found = replace(self, excludes=True)
        values = [replace(v, negated=v.negated or found.denied[v.core]) for v in self.values]
        return replace(found, values=values)

    @cached_property
    def denied(self) -> Sequence[bool]:
        """By token whether the goal denies it: `without breakfast`, `not the blue one`."""
        found = [False] * len(self.tokens)
        for index, role in enumerate(self.roles):
            if role != "without" and not (self.excludes and index in self.exclusions):
                continue
            left = _NEGATED_WORDS
            for after in range(index, len(self.tokens)):
                ends = self.tokens[after].text in ".,;!?" or self.language.phrase_at(self.tokens, after, "that_clauses") or self._goes_on(after + 1)  # fmt: skip
                if after > index and (ends or not left):
                    break
                found[after] = True
                left -= not self.tokens[after].is_stop
        return found

    @cached_property
    def verbs(self) -> Sequence[frozenset[str]]:
        """By token the English stems of the verb that it may be."""
        return [
            frozenset()
            if token.is_sign or token.is_stop or index in self.titles or (self._writes_nouns and token.is_capital and (not self._begins(index) or self._is_compound(token) or token.low.endswith(_NOUN_ENDS)))
            else self._verbs_of(token)
            for index, token in enumerate(self.tokens)
        ]  # fmt: skip

    def _is_compound(self, token: Token) -> bool:
        """Whether a word is known by its parts only: `Impftermin`."""
        return token.stem not in self.language.glosses and token.is_noun

    def _verbs_of(self, token: Token) -> frozenset[str]:
        found = verbs_in(token.glosses)
        return found | {token.stem} if found and self.language.code == "en" else found

    def is_small(self, indexes: Iterable[int]) -> bool:
        """Whether words are no nouns, by how a German goal writes these."""
        capitals = any(t.is_capital and not self._begins(i) for i, t in enumerate(self.tokens))
        return self._writes_nouns and capitals and not any(self.tokens[i].is_capital for i in indexes)  # fmt: skip

    @property
    def _writes_nouns(self) -> bool:
        """Whether its language writes nouns with a capital, and the goal does so."""
        return self.language.code == "de"

    def _begins(self, index: int) -> bool:
        """Whether a sentence begins with a word, over courtesies."""
        while index > 0 and self.roles[index - 1] in ("polite", "conjunctions", "wanting"):
            index -= 1
        return index == 0 or self.tokens[index - 1].text in {*_ENDS, *":,"}

    @cached_property
    def denied_verbs(self) -> frozenset[str]:
        """Verbs right behind a negation: `don't unlock`."""
        return frozenset[str]().union(*(
            self.verbs[near]
            for index, role in enumerate(self.roles) if role == "negators" and not self.is_comma(index + 1)
            # `n'annulez pas` denies what stands before it.
            for near in range(index + 1 - 2 * (self.language.code == "fr" and index > 0), min(index + 4, len(self.tokens)))
        ))  # fmt: skip

    @cached_property
    def orders(self) -> frozenset[int]:
        """Verbs with which a sentence or clause begins, or that end one in German."""
        return frozenset(
            index
            for index, verbs in enumerate(self.verbs)
            if verbs and not self.is_name(index) and self.roles[index] not in ("questions", "fillers") and self.may_order(index)
            and (self._begins(index) or self._goes_on(index))
        ) | self._infinitives  # fmt: skip

    @cached_property
    def _infinitives(self) -> frozenset[int]:
        """Verbs that order at the end of a German clause: `Bestellung 7 bitte stornieren`."""
        found: set[int] = set()
        for first, end in self.clauses if self._writes_nouns else ():
            words = [i for i in range(first, end) if not self.tokens[i].is_sign and self.roles[i] != "polite"]  # fmt: skip
            told = any(self.tokens[i].key in self.language.roles["subjects"] for i in words)
            wanted = any(self.roles[i] == "wanting" for i in words)
            last = words[-1] if words else first
            if len(words) > 1 and self.verbs[last] and self.tokens[last].key.endswith("n") and (wanted or not told) and not self.asks(first, end):  # fmt: skip
                found.add(last)
        return frozenset(found)

    def lead(self, first: int, end: int) -> int:
        """Return the word that says what a part of it asks for: the first one, or the infinitive at its end."""
        lead = next((i for i in range(first, end) if self.weights[i]), first)
        if lead in self.orders:
            return lead
        return next((i for i in sorted(self._infinitives) if first <= i < end), lead)

    def may_order(self, index: int) -> bool:
        """Whether a verb has the form of an order, and is not what the sentence is about."""
        return not (self.is_participle(index) or self._is_subject(index))

    def is_participle(self, index: int) -> bool:
        """Whether a word only goes on with a sentence: `leaving on Monday`."""
        token = self.tokens[index]
        if self.language.code != "en":
            return False
        # `spent 20 on food` reports a deed.
        bent = token.low.endswith(("ed", "ing")) and token.stem != token.low
        return bent or token.key in self.language.roles["past"]

    def is_deed(self, index: int) -> bool:
        """Whether a verb tells what somebody did: `I deleted it by mistake`."""
        subjects = self.language.roles["subjects"]
        return index > 0 and self.is_participle(index) and self.tokens[index - 1].key in subjects

    def _is_subject(self, index: int) -> bool:
        """Whether a word is what the sentence is about: `bike 33871 has a flat tyre`."""
        after = index + 1
        while after < len(self.tokens) and (value := self.in_value[after]):
            after = value.end
        return self.is_noun(index) and after < len(self.tokens) and self.question_at(after) == "is"

    def _goes_on(self, index: int) -> bool:
        """Whether a verb begins what is to be done next: `… and save the newest`."""
        if index == 0 or index >= len(self.tokens) or self.roles[index - 1] != "conjunctions":
            return False
        if not self.verbs[index]:
            return False
        after = index + 1
        behind = after < len(self.tokens) and (
            self.tokens[after].is_stop or bool(self.roles[after])
        )
        # `and move guests.xlsx`
        named = self.is_name(after) or (
            after < len(self.tokens) and self.in_value[after] is not None
        )
        return behind or named or not self.is_noun(index)

    @cached_property
    def in_value(self) -> Sequence[Value | None]:
        """By token the value that it belongs to."""
        found: list[Value | None] = [None] * len(self.tokens)
        for value in self.values:
            for index in range(value.first, value.end):
                found[index] = found[index] or value
        return found

    @cached_property
    def weights(self) -> Sequence[float]:
        """By token how much it says: nothing for signs, stop words and courtesies."""
        found = []
        for index, token in enumerate(self.tokens):
            role = self.roles[index]
            if index in self.titles:
                found.append(1.0)
            elif self.in_value[index] is not None:
                found.append(0.8)
            elif (
                token.is_sign
                or token.is_stop
                or role in ("polite", "wanting", "conjunctions", "questions")
                or role in ("prepositions", "quantifiers", "pronouns", "counters", "fillers")
            ):
                found.append(0.0)
            elif role in ("superlatives", "negators", "without"):
                found.append(0.3)
            elif token.glosses & _things() and index and (self.roles[index - 1] == "superlatives" or ((value := self.in_value[index - 1]) and value.kind == "ordinal")):  # fmt: skip
                # `the first result`
                found.append(0.0)
            else:
                found.append(1.0)
        return found

    def excerpt(self, first: int, end: int) -> str:
        """Return the text of some tokens as it was written."""
        return self.text[self.tokens[first].start : self.tokens[end - 1].end]

    def in_title(self, index: int) -> bool:
        """Whether a comma is a part of a name: `Soup, Mostly`."""
        if index + 1 >= len(self.tokens) or self.tokens[index].text != ",":
            return False
        # `Tom, Ann and Raj` are three names, and `Nils Berg, IBAN …` is followed by another thing.
        after = index + 2
        goes_on = after < len(self.tokens) and (
            self.tokens[after].text == "," or self.roles[after] == "conjunctions"
        )
        if after < len(self.tokens) and self.tokens[after].is_figure:
            # `Ruth Abel, Birkenallee 4` goes on with a street.
            return False
        both = self.is_name(index - 1) and self.is_name(index + 1)
        known = self.language.code == "de" and bool(self.tokens[index - 1].glosses)
        return both and not (goes_on or known or self.tokens[index + 1].text.isupper())

    @cached_property
    def clauses(self) -> Sequence[tuple[int, int]]:
        """Places where the goal may be cut, as the smallest parts: `(first, end)` of tokens."""
        cuts = [0]
        for index, token in enumerate(self.tokens):
            if self.in_value[index] is not None and index > self.in_value[index].first:  # type: ignore[union-attr]
                continue
            role = self.roles[index]
            ends = token.text in _ENDS or (
                token.text in ",:" and index and not self.in_title(index)
            )
            if ends and index + 1 < len(self.tokens):
                cuts.append(index + 1)
            elif (
                role == "conjunctions"
                and index
                and self.language.roles["conjunctions"].get(token.key) != "or"
            ):
                cuts.append(index)
        cuts.append(len(self.tokens))
        places = sorted(set(cuts))
        parts = [(a, b) for a, b in itertools.pairwise(places) if b > a]
        merged: list[tuple[int, int]] = []
        for first, end in parts:
            says = any(self.weights[i] for i in range(first, end))
            if merged and not says:
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((first, end))
        return merged
