"""Which things of a result a goal means: `the cheapest`, `the second one`, `all but the blue one`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import Token, is_near, owner
from webagent.agent.deterministic.results.bounds import Asked, on_day, within_bounds
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Item,
    Result,
    columns,
    stems_of_name,
)
from webagent.agent.deterministic.results.measures import clean, is_money, written
from webagent.speech import say

_MOST_WORDS: Final = 20_000
_MOST_TOKENS: Final = 120
_MOST_OPTIONS: Final = 8
_DENIED: Final = 4
"""Words behind a negator that it denies."""
COMPARING: Final = frozenset(("compar", "differ", "versus", "vs"))
INSTEAD: Final[Mapping[str, tuple[str, ...]]] = {
    "duration": ("duration", "distance"),
    "size": ("size", "weight", "count", "distance"),
    "distance": ("distance", "duration"),
    "date": ("date", "age"),
    "age": ("age", "date"),
    "speed": ("speed", "duration"),
    "price": ("price",),
}
"""What else an order may be by: the longest trail has no duration, but a length."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order of things: by which field, and from which end."""

    path: tuple[str, ...]
    way: str
    """"min" or "max"."""
    word: str
    """The goal's word for it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The things that a goal means."""

    items: tuple[Item, ...]
    is_sure: bool
    """Whether the goal says so, or only one is left. If not, the items are all that fit."""
    reason: str = ""
    """Why none fits, as a sentence."""
    order: Order | None = None
    options: tuple[str, ...] = ()
    """What tells the items apart, for a question with choices."""
    named: frozenset[int] = field(default=frozenset())
    """Indexes of the tokens that name the things."""


def pick(result: Result, asked: Asked) -> Choice:
    """Return the things of a result that a goal means."""
    items = (spoken_part(result, asked) or result).items
    if not items:
        return Choice((), True, say("nothing_found"))
    tokens = asked.tokens[:_MOST_TOKENS]
    items, dated = on_day(items, asked, tokens)
    left, reason = within_bounds(items, replace(asked, used=asked.used | dated))
    if not left:
        return Choice((), True, reason)
    order, end = _order(left, asked, tokens)
    by_order = frozenset(range(*end)) if order or end[1] else frozenset()
    denied = _denied(asked, tokens) - asked.given
    left = _without(left, tokens, denied)
    if not left:
        return Choice((), True, say("all_excluded"))
    taken = denied | by_order | asked.orders | _kinds(tokens, result) | _valued(asked)
    if any(value.kind == "ordinal" for value in asked.values):
        # `what vegan stuff does the first one have` counts all that was shown.
        taken |= asked.used
    words = [at for at in range(len(tokens)) if at not in taken]
    left, named = _by_words(left, asked, tokens, words)
    left, flags = _by_flags(left, asked, tokens, denied, by_order)
    named |= dated | flags
    if order is not None:
        chosen = _first_of(left, order, _how_many(asked, *end))
        return Choice(chosen, True, order=order, named=named)
    place = _place(asked, tokens, named | by_order)
    if place is not None:
        if not -len(left) <= place < len(left):
            return Choice((), True, say("only", count=len(left)))
        number = _how_many(asked, *_span_of(asked, place))
        chosen = (
            left[place : place + number]
            if place >= 0
            else left[max(place + 1 - number, -len(left)) :]
        )
        return Choice(chosen, True, named=named)
    if len(left) == 1:
        return Choice(left, True, named=named)
    return Choice(left, False, options=options_of(left), named=named)


def _valued(asked: Asked) -> frozenset[int]:
    """Return the tokens of values that became arguments: the `2` of `until May 2` names nothing that has a 2."""
    return asked.used & frozenset(
        at for value in asked.values if value.kind not in ("quoted", "id")
        for at in range(value.first, value.end)
    )  # fmt: skip


def _kinds(tokens: Sequence[Token], result: Result) -> frozenset[int]:
    """Return the tokens that say what all things are: `which tournaments are there`, where one is a cup."""
    nouns = stems_of_name(result.noun)
    return frozenset(
        at for at, token in enumerate(tokens) if token.glosses & nouns and not token.is_capital
    )


def spoken_part(result: Result, asked: Asked) -> Result | None:
    """Return the list inside of a single thing that the goal speaks of, if it does."""
    if result.is_list or not result.parts:
        return None
    tokens = asked.tokens[:_MOST_TOKENS]
    spoken = {stem for token in tokens if not token.is_stop for stem in token.glosses}
    for name, items, count in result.parts:
        if spoken & stems_of_name(name) or (
            len(result.parts) == 1 and _order(items, asked, tokens)[0]
        ):
            return Result(items, items, count, True, name)
    return None


def _order(
    items: tuple[Item, ...], asked: Asked, tokens: Sequence[Token]
) -> tuple[Order | None, tuple[int, int]]:
    """Return the order that a superlative names, and where it stands."""
    for at in range(len(tokens)):
        found = asked.language.phrase_at(tokens, at, "superlatives")
        bound = asked.language.phrase_at(tokens, at, "bounds")
        if found is None or (bound and bound[1] > found[1]) or any(value.first <= at < value.core for value in asked.values):  # fmt: skip
            # "longer" orders, "longer than" and "at least 3" are bounds.
            continue
        phrase, end = found
        if until := _sorted_until(asked, tokens, at, end):
            return None, (at, until)
        kind, way = str(phrase.meaning[0]), str(phrase.meaning[1])
        path = _column_of_order(items, kind, [*tokens[max(0, at - 2) : at], *tokens[end : end + 3]])
        if path is not None:
            if kind == "rating" and any("price" in f.meanings for f in columns(items) if f.path == path):  # fmt: skip
                # The best price is the lowest.
                way = "min" if way == "max" else "max"
            word = " ".join(token.low for token in tokens[at:end]).removeprefix("the ")
            return Order(path, way, word), (at, end)
    for value in asked.values:
        # "due first" is an order by date, and the first of free times is the earliest.
        if value.kind == "ordinal" and value.value in (1, -1):
            path = _timed_by(items, tokens[value.first - 1] if value.first else None)
            if path is not None:
                way, word = ("min", "first") if value.value == 1 else ("max", "last")
                return Order(path, way, word), (value.first, value.end)
    return None, (0, 0)


def _sorted_until(asked: Asked, tokens: Sequence[Token], at: int, end: int) -> int:
    """Return the end of words that only put things in order: `the longest first`, `from cheapest to most expensive`."""
    first = (value.end for value in asked.values if value.first == end and value.kind == "ordinal" and value.value == 1)  # fmt: skip
    behind = (asked.language.phrase_at(tokens, i, "superlatives") for i in range(end, min(end + 3, len(tokens))))  # fmt: skip
    is_start = at > 0 and asked.language.phrase_at(tokens, at - 1, "range_starts") is not None
    other = next(filter(None, behind), None) if is_start else None
    return next(first, other[1] if other else 0)


def _column_of_order(
    items: Sequence[Item], kind: str, beside: Sequence[Token]
) -> tuple[str, ...] | None:
    spoken = {stem for token in beside if not token.is_stop for stem in token.glosses}
    best, most = None, 0.0
    for at, field_ in enumerate(columns(items)):
        measure = field_.measure
        if measure is None or ("id" in field_.meanings and measure.unit != "moment"):
            # A month may be the id of a bill.
            continue
        is_dated = measure.unit in ("moment", "clock") or (
            kind == "date" and "year" in field_.words
        )
        if kind and is_dated != (kind in ("date", "age")):
            continue
        kinds = INSTEAD.get(kind, (kind,))
        fitting = next((4.0 - at for at, name in enumerate(kinds) if name in field_.meanings), 0.0)
        if kind == "price" and is_money(measure.unit):
            fitting += 0.5
        if kind == "date" and is_dated:
            fitting = max(fitting, 1.0)
        score = fitting + 3.0 * len(spoken & field_.words)
        if any(spoken & MEANINGS.get(name, frozenset()) for name in field_.meanings):
            score += 1.5
        if score and score - at / 100 > most:
            best, most = field_.path, score - at / 100
    return best


def _timed_by(items: Sequence[Item], before: Token | None) -> tuple[str, ...] | None:
    """Return the field with a time that a word names, or with the time of things that are nothing else."""
    timed = [one for one in columns(items) if one.measure and one.measure.unit in ("moment", "clock")]  # fmt: skip
    named = [one for one in timed if before and before.glosses & one.words]
    naming = next((one for item in items if (one := item.field(item.naming))), None)
    only_times = naming is None or naming.meanings & {"id", "date"}
    return next((one.path for one in named or (timed if only_times else ())), None)


def _first_of(items: tuple[Item, ...], order: Order, number: int) -> tuple[Item, ...]:
    """Return the first things of an order; with the last of them all that are equal to it."""
    measured: list[tuple[float, int, Item]] = []
    for item in items:
        found = item.field(order.path)
        measure = found.measure if found else None
        if measure:
            measured.append(
                (measure.number if order.way == "min" else -measure.number, len(measured), item)
            )
    measured.sort(key=lambda entry: entry[:2])
    if not measured:
        return items
    last = measured[min(number, len(measured)) - 1][0]
    first = tuple(item for at, (key, _, item) in enumerate(measured) if at < number or key == last)
    clock = next((one.path for one in columns(first) if one.measure and one.measure.unit == "clock"), order.path)  # fmt: skip
    # On one day the time decides.
    return _first_of(first, replace(order, path=clock), number) if len(first) > number and clock != order.path else first  # fmt: skip


def _how_many(asked: Asked, start: int, end: int) -> int:
    """Return the number beside a superlative: `the two cheapest`."""
    for value in asked.values:
        beside = value.kind == "number" and (value.end == start or value.first == end)
        if beside and isinstance(value.value, int) and 1 <= value.value <= 50:
            return value.value
    return 1


def _place(asked: Asked, tokens: Sequence[Token], named: frozenset[int]) -> int | None:
    """Return the index that an ordinal names."""
    for value in asked.values:
        if (
            value.kind == "ordinal"
            and isinstance(value.value, int)
            and value.value
            and not value.negated
        ):
            if value.first in asked.used or value.first in named:
                continue
            return value.value - 1 if value.value > 0 else value.value
    return None


def _span_of(asked: Asked, place: int) -> tuple[int, int]:
    """Return where the ordinal stands that names an index."""
    ordinals = (v for v in asked.values if v.kind == "ordinal" and v.value in (place + 1, place))
    return next(((v.first, v.end) for v in ordinals), (-1, -1))


def _denied(asked: Asked, tokens: Sequence[Token]) -> frozenset[int]:
    """Return the tokens that a negator denies."""
    found: set[int] = set()
    for at in range(len(tokens)):
        match = asked.language.phrase_at(tokens, at, "without", "negators")
        if match is None:
            continue
        for place in range(match[1], len(tokens)):
            token = tokens[place]
            if token.is_sign or asked.language.phrase_at(tokens, place, "conjunctions"):
                break
            if len(found) > _DENIED * 4 or place - match[1] >= _DENIED + 2:
                break
            found.add(place)
    return frozenset(found)


def _without(
    items: tuple[Item, ...], tokens: Sequence[Token], denied: frozenset[int]
) -> tuple[Item, ...]:
    """Leave out the things that have a denied word which others lack."""
    places = [at for at in sorted(denied) if not tokens[at].is_stop and not tokens[at].is_sign]
    if not places:
        return items
    index = _Index(items)
    for at in places:
        holders = index.holders(tokens[at])
        if holders and len(holders) < len(items):
            return tuple(item for place, item in enumerate(items) if place not in holders)
    return items


def _by_flags(
    items: tuple[Item, ...],
    asked: Asked,
    tokens: Sequence[Token],
    denied: frozenset[int],
    taken: frozenset[int],
) -> tuple[tuple[Item, ...], frozenset[int]]:
    """Keep the things whose flag is as the goal says: `which are available`, `not done`."""
    named: set[int] = set()
    asks = any(asked.language.phrase_at(tokens, at, "questions") for at in range(len(tokens)))
    # "pause my alert" does not mean the one that is paused.
    said = [
        at for at, token in enumerate(tokens)
        if not token.is_stop and at not in taken | asked.used
        and (asks or at in denied or token.stem not in asked.language.verbs)
    ]  # fmt: skip
    for field_ in columns(items):
        at = next((at for at in said if field_.is_flag and tokens[at].glosses & field_.words), None)
        wanted = at is not None and at not in denied
        kept = tuple(i for i in items if (one := i.field(field_.path)) and one.value is wanted)
        if at is not None and kept:
            items = kept
            named.add(at)
    return items, frozenset(named)


class _Index:
    """The words of things, each with the things that have it."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.places: dict[str, set[int]] = {}
        self.stems: dict[str, set[int]] = {}
        self.initials: dict[str, list[str]] = {}
        english = language("en")
        read = 0
        for place, item in enumerate(items):
            for field_ in item.fields:
                values = field_.value if isinstance(field_.value, tuple) else (field_.value,)
                for value in values:
                    if read > _MOST_WORDS:
                        return
                    if isinstance(value, bool) or value is None:
                        continue
                    for word in _WORD.findall(str(value)[:300]):
                        read += 1
                        key = english.key(word)
                        if key not in self.places:
                            self.initials.setdefault(key[0], []).append(key)
                        self.places.setdefault(key, set()).add(place)
                        if key.isalpha():
                            for stem in (*english.gloss(english.stem(key), key), *stems_of_name(key)):  # fmt: skip
                                self.stems.setdefault(stem, set()).add(place)

    def holders(self, token: Token) -> set[int]:
        """Return the things that have a word, its translation, or else one that is written alike."""
        found = set(self.places.get(token.key, ())) | set(self.places.get(owner(token.key), ()))
        if len(parts := _WORD.findall(token.key)) > 1:
            # `stand-up` is written here as two words.
            found |= set.intersection(*(self.places.get(part, set()) for part in parts))
        for stem in (token.stem, *token.glosses):
            found |= self.stems.get(stem, set())
        if found or len(token.key) < 5 or token.is_stop:
            return found
        for word in self.initials.get(token.key[0], ()):
            if is_near(token.key, word):
                found |= self.places[word]
        return found


_WORD: Final = re.compile(r"[^\W_]+")
_ARTICLES: Final = frozenset(("the", "a", "an"))
"""English names keep them in any language: `entferne The Hobbit`."""


def _by_words(
    items: tuple[Item, ...], asked: Asked, tokens: Sequence[Token], words: Sequence[int]
) -> tuple[tuple[Item, ...], frozenset[int]]:
    """Keep the things that most of the goal's words speak for; a word of few things weighs more."""
    index = _Index(items)
    scores = [0.0] * len(items)
    by_word: dict[int, set[int]] = {}
    said = {token.key for token in tokens}
    whole = {
        at for at, item in enumerate(items)
        if item.name and all(language("en").key(word) in said for word in _WORD.findall(item.name[:300]))
    }  # fmt: skip
    for at in words:
        token = tokens[at]
        if token.is_sign or token.is_stop or token.key in _ARTICLES:
            continue
        holders = index.holders(token)
        if at in asked.given:
            # A search for `piano` may find what has no such word, but `Dune` is the thing of that name.
            holders &= whole
        if code := asked.language.roles["currencies"].get(token.key):
            # `my alert for the yen`
            holders |= index.places.get(str(code).lower(), set())
        if not holders:
            continue
        by_word[at] = holders
        if len(holders) < len(items):
            for place in holders:
                scores[place] += 1 / len(holders) + 0.5
    named = frozenset(by_word)
    most = max(scores)
    kept = {place for place, score in enumerate(scores) if score > most - 0.01}
    # `Dune` is the book of that name, and not `A Guide to Dune`.
    kept = kept & whole or kept
    if any(token.glosses & COMPARING for token in tokens):
        # In `compare A with B` each has words of its own.
        for place in sorted(range(len(items)), key=lambda at: -scores[at]):
            if any(place in holders and not holders & kept for holders in by_word.values()):
                kept.add(place)
    return tuple(item for place, item in enumerate(items) if place in kept), named


def options_of(items: Sequence[Item]) -> tuple[str, ...]:
    """Return each thing with what tells it from the others."""
    shown = items[:_MOST_OPTIONS]
    names = [item.name for item in shown]
    telling = [] if len(set(names)) == len(names) and all(names) else [
        field_.path
        for field_ in columns(shown)
        if field_.path != shown[0].naming and len({repr(other.value) for item in shown if (other := item.field(field_.path))}) > 1
    ]  # fmt: skip
    found = []
    for item in shown:
        facts = [
            written(one.value, one.unit, one.currency)
            for path in telling[:2]
            if (one := item.field(path))
        ]
        name = clean(item.name, 60) if item.name else ""
        found.append(f"{name} ({', '.join(facts)})" if name and facts else name or ", ".join(facts))
    return tuple(found)
