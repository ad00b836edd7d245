"""Choices of the order of a list, such as `price_asc`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Choice, Parameter, stems_of
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.language import english_stem, language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.items import MEANINGS
from webagent.agent.deterministic.results.pick import INSTEAD

_SORTING: Final = frozenset(("sort", "sorted", "sorting", "order", "ordered", "ordering", "orderby", "sortby"))  # fmt: skip
_BESIDE: Final = frozenset(("by", "results", "result", "list", "direction", "dir", "field", "key", "option"))  # fmt: skip
"""Words beside those in the name of a parameter that puts in order."""
_SIDES: Final = {
    "min": frozenset(("asc", "ascending", "increasing")),
    "max": frozenset(("desc", "descending", "decreasing")),
}
_ENDS: Final = _SIDES["min"] | _SIDES["max"] | {"low", "high", "to", "by", "first"}
"""Words of choices that say nothing of what is compared."""
_USUAL: Final = {"price": "min", "distance": "min", "duration": "min", "rating": "max"}
"""By what is compared the end that comes first where nobody says which."""
_KINDS: Final = frozenset(("price", "duration", "distance", "rating", "weight", "size", "age", "count", "date"))  # fmt: skip
_SAID_BEFORE: Final = 6
"""Words from `sorted` to what things are sorted by."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What a choice says about an order."""

    stems: frozenset[str]
    """Stems of the words for what is compared."""
    kinds: frozenset[str]
    """What is compared: a price, a rating."""
    side: str
    """The end that comes first: "min", "max", or nothing where the choice does not say."""

    def begins_with(self, side: str) -> bool:
        """Whether an end comes first, as far as the choice says."""
        usual = {_USUAL[kind] for kind in self.kinds if kind in _USUAL}
        return side == self.side if self.side else side in usual or not usual


def is_order(parameter: Parameter) -> bool:
    """Whether a parameter says in which order things are listed."""
    return bool(parameter.names & _SORTING) and parameter.names <= _SORTING | _BESIDE


def orders(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the order that a superlative names: `newest first`, `from cheapest to most expensive`."""
    known = [(_order(str(choice.value)), choice) for choice in parameter.choices if not choice.is_code]  # fmt: skip
    if not is_order(parameter) and len({one.side for one, _ in known} - {""}) < 2:
        return []
    for index in range(first, end):
        phrase = sentence.language.phrase_at(sentence.tokens, index, "superlatives")
        if phrase is None or sentence.in_value[index] is not None:
            # `at most` is a bound.
            continue
        kind, side = map(str, phrase[0].meaning)
        near = (*range(max(first, index - 2), index), *range(phrase[1], min(end, phrase[1] + 3)))
        beside = frozenset[str]().union(*(sentence.tokens[i].glosses for i in near))
        worth = [(_worth(one, kind, beside), choice) for one, choice in known if one.begins_with(side)]  # fmt: skip
        best, choice = max(worth, key=lambda each: each[0], default=(0.0, None))
        if choice is not None and best:
            after = sentence.in_value[phrase[1]] if phrase[1] < end else None
            until = after.end if after and after.kind == "ordinal" else phrase[1]
            return [Fit(parameter, choice.value, frozenset(range(index, until)), 1.2)]
    return []


def _worth(order: _Order, kind: str, beside: frozenset[str]) -> float:
    """Return how well an order fits a superlative and the words beside it."""
    kinds = INSTEAD.get(kind, (kind,))
    fitting = next((4.0 - at for at, name in enumerate(kinds) if name in order.kinds), 0.0)
    if order.side and not (order.stems or order.kinds):
        # `descending` says nothing of what is compared.
        fitting = 1.0
    # `highest fare first`
    named = not kind and any(beside & MEANINGS[one] for one in order.kinds)
    return fitting + 3.0 * len(beside & order.stems) + 1.5 * named


def compared(choice: Choice) -> Choice:
    """Return a choice by what it compares: `price` for `price_low_to_high`."""
    ends = frozenset(map(english_stem, _ENDS))
    names = tuple(tuple(words for words in row if not words & ends) or row for row in choice.names)
    return replace(choice, names=names)


def said_order(choice: Choice, sentence: Sentence, tokens: frozenset[int], first: int, end: int) -> float | None:  # fmt: skip
    """Return how well the words around a choice say that things are put in this order, if they do."""
    at, until = min(tokens), max(tokens) + 1
    sorting = stems_of("sort")
    around = range(max(first, at - _SAID_BEFORE), min(end, until + 2))
    ordered = any(sentence.tokens[i].glosses & sorting for i in around if i not in tokens)
    if not ordered and sentence.preposition[at] != "by":
        # `a rating of at least 4` sorts nothing.
        return None
    order = _order(str(choice.value))
    said = next((side for side, stems in _directions().items() if any(sentence.tokens[i].glosses & stems for i in range(at, min(end, until + 2)))), "")  # fmt: skip
    usual = next((_USUAL[kind] for kind in sorted(order.kinds) if kind in _USUAL), "")
    return 0.3 * (order.side == (said or usual)) if order.side else 0.0


@cache
def _directions() -> dict[str, frozenset[str]]:
    return {"min": stems_of("ascending"), "max": stems_of("descending")}


@cache
def _superlatives() -> Sequence[tuple[str, str, str]]:
    """Return the English words for an end of an order with what they compare, the longest first."""
    said = language("en").roles["superlatives"].items()
    rows = [(word, str(meaning[0]), str(meaning[1])) for word, meaning in said]
    return sorted(rows, key=lambda row: -len(row[0]))


@lru_cache(maxsize=4096)
def _order(value: str) -> _Order:
    words = identifier_words(value)
    text = f" {' '.join(words)} "
    said = next((row for row in _superlatives() if f" {row[0]} " in text), ("", "", ""))
    side = next((side for side, own in _SIDES.items() if own & {*words}), said[2])
    if "low" in words and "high" in words:
        side = "min" if words.index("low") < words.index("high") else "max"
    rest = {*words} - {*said[0].split(), *_ENDS}
    stems = frozenset(map(english_stem, rest))
    kinds = frozenset(kind for kind in _KINDS if MEANINGS[kind] & stems)
    return _Order(stems, kinds | {said[1]} - {""}, side)
