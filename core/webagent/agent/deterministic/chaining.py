"""Where an id comes from that nobody gave: a tool of the site that finds the thing first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webagent.agent.deterministic.arguments import Filled, fill
from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import Word

_FINDERS: Final = frozenset(map(stem, ("search", "list", "find", "get", "show", "query", "browse", "fetch",
                                       "lookup", "filter", "view", "explore")))  # fmt: skip
_PLAIN: Final = frozenset({"id", "ids", "number", "no", "code", "refer", "ref", "key", "slug", "sku",
                           "identifi", "uuid", "index"})  # fmt: skip


def without(clause: Clause, gone: Collection[int], verb: str = "") -> Clause:
    """Return a request without some of its words."""
    kept = [index for index in range(len(clause.words)) if index not in gone]
    moved = {index: place for place, index in enumerate(kept)}
    spans = tuple(
        replace(span, first=moved[span.first], end=moved[span.end - 1] + 1)
        for span in clause.spans
        if all(index in moved for index in range(span.first, span.end))
    )
    return replace(
        clause,
        words=tuple(clause.words[index] for index in kept),
        spans=spans,
        verb=verb or clause.verb,
        verb_words=frozenset(moved[index] for index in clause.verb_words if index in moved),
    )


def finders(cards: Sequence[Card], card: Card, slot: Slot, clause: Clause) -> list[Card]:
    """Return the tools that could find what a slot wants, the likeliest first.

    They only read, and what they give back has it: as their output says, or as their name does.
    """
    nouns = (slot.stems - _PLAIN) | slot.parents or frozenset(card.nouns)
    found = []
    for order, other in enumerate(cards):
        if other is card or not other.reads or other.problem:
            continue
        score = _score(other, card, slot, nouns)
        if score <= 0 or not _callable(other, card, slot, clause):
            continue
        found.append((-score, order, other))
    found.sort(key=lambda entry: entry[:2])
    return [other for _, _, other in found]


def _score(other: Card, card: Card, slot: Slot, nouns: frozenset[str]) -> float:
    about = set(other.nouns) | set(other.subject)
    likeness = max((noun_likeness(n, a) for n in nouns for a in about), default=0.0)
    score = 0.0
    if likeness >= 0.5:
        score += 2.0 * likeness
    elif set(card.nouns) & about:
        score += 1.0
    if slot.name in other.outputs:
        score += 1.5
    elif slot.stems & other.fields and score:
        score += 0.5
    if not score:
        return 0.0
    if other.verb in _FINDERS or not other.verb:
        score += 0.5
    if any("query" in s.kinds for s in other.slots):
        score += 0.3
    if any(s.required and "id" in s.kinds for s in other.slots):
        score -= 1.5
    return score


def _callable(other: Card, card: Card, slot: Slot, clause: Clause) -> bool:
    """Whether a finder can be called without what is looked for."""
    return all(s.name != slot.name and s.stems != slot.stems for s in other.required())


def _is_of(card: Card, word: Word) -> bool:
    return any(noun_likeness(word.stem, noun) >= 0.6 for noun in card.nouns)


def asked_of(
    finder: Card,
    clause: Clause,
    filled: Filled,
    given: Mapping[tuple[str, ...], Any] | None = None,
) -> tuple[Filled, tuple[Word, ...]]:
    """Return the arguments of a finder for what a request describes, and the words left over.

    What became an argument of the tool itself describes nothing.
    """
    gone = set(filled.used - filled.leftover.used)
    for index, word in enumerate(clause.words):
        # `to my basket`: where it goes says nothing of the thing.
        if _is_of(filled.card, word) and not _is_of(finder, word):
            gone.add(index)
    rest = without(clause, gone, verb=finder.verb)
    found = fill(finder, rest, given=given)
    words = tuple(
        word for word in found.leftover.words
        if word.stem not in filled.card.subject and word.stem not in finder.subject
    )  # fmt: skip
    query_took = any("query" in fit.slot.kinds for fit in found.fits)
    return found, () if query_took else words
