"""Which tool a request means: its verb against the tool's verb, its nouns against the tool's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.choices import forms_of
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import (
    READ_VERBS,
    WRITE_VERBS,
    is_noun,
    noun_likeness,
    verb_likeness,
)
from webagent.agent.deterministic.words import STOP

_TYPED: Final = frozenset({"date", "dates", "time", "times", "money", "percent", "email", "url",
                           "phone", "quoted", "id", "ordinal"})  # fmt: skip
_SETTING: Final = frozenset(map(stem, ("change", "set", "make", "choose", "pick", "select", "switch", "use",
                                       "update", "put", "turn", "apply", "adjust", "mark", "configure")))  # fmt: skip
_ACTIONS: Final = frozenset(
    map(stem, ("action", "operation", "mode", "command", "op", "state", "power"))
)
_GENERIC: Final = frozenset(
    map(stem, ("show", "get", "find", "list", "see", "check", "tell", "give", "read", "look", "open", "search",
               "view", "display", "fetch", "browse", "retrieve", "lookup", "seek", "load", "pull", "plan"))
)  # fmt: skip
"""Verbs with which anything that can be read is asked for."""
_SPECIAL: Final = frozenset(
    map(
        stem,
        (
            "compare",
            "calculate",
            "convert",
            "translate",
            "estimate",
            "validate",
            "verify",
            "recommend",
        ),
    )
)
"""Verbs of tools that do more than read what is there."""
_VAGUE: Final = frozenset(map(stem, ("get", "show", "give", "make", "do", "have", "want", "need", "let",
                                     "see", "put", "set", "go", "take", "use", "list", "check",
                                     "find", "tell", "open")))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a tool."""

    card: Card
    verb: float
    """How far the verbs mean the same, from 0 to 1; below 0 where they speak against it."""
    nouns: float
    """How much of the request's other words the tool's words explain."""
    covered: float
    """How much of the tool's name the request says, from 0 to 1."""
    matched: frozenset[int]
    """Indices of words that the tool's words explain."""
    hinted: bool = False
    """Whether it has what the question asks for without naming it: `how much is …`."""

    @property
    def score(self) -> float:
        """All of it in one number."""
        return 2.2 * self.verb + self.nouns + 1.3 * self.covered


class Ranking:
    """Ranks the tools of a site."""

    def __init__(self, cards: Sequence[Card]) -> None:
        """Learn which words tell these tools apart."""
        self._cards = cards
        counts: Counter[str] = Counter()
        for card in cards:
            counts.update(
                {*card.nouns, *card.lead, *(s for slot in card.slots for s in slot.stems)}
            )
        self._counts = counts

    @property
    def cards(self) -> Sequence[Card]:
        """The tools."""
        return self._cards

    def rank(
        self, clause: Clause, forbidden: Collection[str] = (), context: Collection[str] = ()
    ) -> list[Evidence]:
        """Return the tools that a request could mean, the likeliest first.

        Args:
            clause: The request.
            forbidden: Stems of verbs of what must not be done.
            context: Stems of what `it` and `the first one` in it are.
        """
        content = _content(clause)
        meant = _meant(clause)
        found = []
        for card in self._cards:
            if any(verb_likeness(verb, card.verb) >= 0.75 for verb in forbidden) and not card.reads:
                continue
            evidence = self._evidence(card, clause, content, [*meant, *context])
            if evidence is not None:
                found.append(evidence)
        found.sort(key=lambda evidence: -evidence.score)
        return found

    def _weight(self, word: str) -> float:
        count = self._counts.get(word, 0)
        return 1.0 / (1.0 + 0.12 * max(0, count - 1)) if count else 0.9

    def _evidence(
        self, card: Card, clause: Clause, content: Sequence[int], meant: Sequence[str]
    ) -> Evidence | None:
        verb = _verb_score(card, clause)
        if verb < -0.9:
            return None
        nouns, matched = 0.0, set()
        for index in content:
            word = clause.words[index].stem
            value = _match(card, word)
            if value:
                nouns += value * self._weight(word)
                matched.add(index)
        hints = sorted((_match(card, word) * self._weight(word) for word in meant), reverse=True)
        nouns += 0.5 * sum(hints[:2])
        said = [clause.words[index].stem for index in content]
        covered = 0.0
        if card.nouns:
            covered = max(_share(said, card.nouns), 0.8 * _share([*said, *meant], card.nouns))
            covered = max(covered, 0.7 * _share(said, [*card.subject]))
        elif card.verb and verb >= 1:
            covered = 0.5
        if not matched and verb < 0.4 and not hints:
            return None
        hinted = any(_match(card, word) >= 0.7 for word in meant)
        return Evidence(card, verb, nouns, covered, frozenset(matched), hinted)


def _share(said: Sequence[str], nouns: Sequence[str]) -> float:
    """Return how many of some nouns are said."""
    shares = [max((noun_likeness(s, noun) for s in said), default=0.0) for noun in nouns]
    return sum(shares) / len(shares) if shares else 0.0


_QUESTIONS: Final[Mapping[str, str]] = {
    "how much": "price cost amount", "how many": "count number quantity", "where is": "status track location",
    "where are": "status track location", "where can": "location store place near", "when does": "hours time schedule date",
    "when is": "date time schedule", "when do": "date hours time schedule", "when will": "date time status",
    "what time": "time hours schedule", "how long": "duration time", "how far": "distance",
    "how do i get": "route direction map location", "how to get": "route direction", "who is": "person contact",
    "have to do": "task todo", "need to do": "task todo", "to do": "task todo", "right now": "current now",
    "at the moment": "current now", "can i afford": "price budget", "am i owed": "balance",
    "do i have": "list my", "do i owe": "balance bill", "on my plate": "task", "is it going to": "forecast weather",
    "will it": "forecast weather", "what's on": "schedule event program", "what is on": "schedule event program",
    "what's new": "news recent change update",
    "what is new": "news recent change update",
    "check out": "order checkout cart",
    "coming up": "upcoming next schedule", "how is": "status", "how are": "status",
    "what's in": "list contents", "what is in": "list contents", "did i": "history past", "have i": "history my",
}  # fmt: skip
"""Stems of what a question asks for without naming it."""


def _meant(clause: Clause) -> list[str]:
    text = " " + " ".join(word.low for word in clause.words) + " "
    found: list[str] = []
    for phrase, words in _QUESTIONS.items():
        if f" {phrase} " in text:
            found += [stem(word) for word in words.split()]
    return found


def _content(clause: Clause) -> list[int]:
    """Return the indices of the words that say something."""
    typed = {i for span in clause.spans if span.kind in _TYPED for i in range(span.first, span.end)}
    return [
        index for index, word in enumerate(clause.words)
        if index not in typed and index not in clause.verb_words and not word.is_sign
        and (word.low not in STOP or word.low in ("all",)) and not word.low.isdecimal()
    ]  # fmt: skip


def _match(card: Card, word: str) -> float:
    """Return how far a word of a request is a word of a tool."""
    best = 0.0
    if word in card.nouns:
        return 1.0
    if word == card.verb:
        best = 0.8
    best = max(best, 0.75 * max((noun_likeness(word, noun) for noun in card.nouns), default=0.0))
    if best < 0.7:
        if word in card.lead:
            best = max(best, 0.7)
        elif word in card.values:
            best = max(best, 0.6)
        elif word in card.asks:
            best = max(best, 0.55)
        elif word in card.fields:
            best = max(best, 0.35)
        elif word in card.rest or word in card.told:
            best = max(best, 0.3)
        elif best < 0.3 and is_noun(word):
            if any(noun_likeness(word, other) >= 0.75 for other in card.lead):
                best = max(best, 0.4)
            elif any(noun_likeness(word, other) >= 0.75 for other in card.asks):
                best = max(best, 0.3)
    return best


def _verb_score(card: Card, clause: Clause) -> float:
    """Return how far the request's verb is the tool's; -1 where the one rules the other out."""
    verb = clause.verb
    if not verb:
        if clause.mood == "tell":
            return 0.0
        return 0.45 if card.reads else (-1.0 if clause.mood == "ask" and not clause.wanted else 0.0)
    own = verb_likeness(verb, card.verb) if card.verb else 0.0
    best = own
    for other in card.verbs:
        own_name = other == verb and other in card.nouns
        best = max(best, 1.0 if own_name else 0.85 * verb_likeness(verb, other))
    if verb in card.nouns or verb in card.lead:
        best = max(best, 0.6)
    if card.open and verb in _SETTING:
        return max(best, 0.65)
    if not card.reads:
        best = max(best, _sets(card, verb))
        for index, word in enumerate(clause.words):
            # `mark it as spam by moving it`: another verb of the request may be the tool's.
            by = index not in clause.verb_words and word.low.endswith("ing")
            if by and card.verb and verb_likeness(word.stem, card.verb) >= 0.75:
                best = max(best, 0.7)
    reads = verb in READ_VERBS and verb not in WRITE_VERBS
    writes = verb not in READ_VERBS
    if reads and not card.reads and best < 0.7:
        return -1.0
    if writes and card.reads and max(own, best - 0.2) < 0.6:
        return -1.0
    if card.reads and not card.verb and verb in _GENERIC:
        best = max(best, 0.6)
    if best:
        return best if best >= 0.4 or card.reads else -0.3
    if card.reads and verb in _GENERIC:
        return 0.15 if card.verb in _SPECIAL else 0.35
    return 0.1 if verb in _VAGUE and not clause.verb_words else -0.6


def _sets(card: Card, verb: str) -> float:
    """Return how far a verb sets what a tool that has no verb is about, or one of its actions."""
    best = 0.0
    if verb in _SETTING and (not card.verb or card.verb in _SETTING):
        best = 0.65
    for slot in card.slots:
        if slot.choices and slot.stems & _ACTIONS:
            for choice in slot.choices:
                for form in forms_of(str(choice)):
                    best = max(best, 0.75 * verb_likeness(verb, form))
    return best
