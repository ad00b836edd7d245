"""Which of several things is meant: `the cheapest`, `the second one`, `the one by Tolkien`, `all`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from webagent.agent.deterministic.amounts import ordinal_of
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.orders import DATE, PRICE, SIZE, order_at
from webagent.agent.deterministic.results import (
    at,
    field_by,
    fields_of,
    is_id,
    name_of,
    number_in,
    text_stems,
)
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import is_noun
from webagent.agent.deterministic.words import STOP, Word

_LEVELS: Final = {
    word: level
    for level, words in enumerate(
        ("none trivial negligible", "low minor green small beginner easy", "normal moderate medium "
         "yellow standard intermediate", "high major amber orange severe hard advanced large",
         "urgent critical red extreme emergency highest blocker")
    )
    for word in words.split()
}  # fmt: skip
_DAY: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_ALL: Final = frozenset({"all", "each", "every", "both", "everything"})
ANAPHORS: Final = frozenset(
    {"it", "that", "this", "them", "those", "these", "one", "ones", "they", "both"}
)


@dataclass(frozen=True, slots=True)
class Pick:
    """What a request says about which of several is meant."""

    number: int = 0
    """Counted from 1, from the end if below 0; 0 if nothing is said."""
    order: tuple[tuple[str, ...], bool] | None = None
    """Nouns of the field to order by, and whether the largest comes first."""
    every: bool = False
    refers: bool = False
    """Whether something said before is meant: `it`, `that one`."""
    used: frozenset[int] = frozenset()
    word: str = ""
    """As the request says it."""

    @property
    def chooses(self) -> bool:
        """Whether it says which one."""
        return bool(self.number or self.order)


@dataclass(frozen=True, slots=True)
class Picked:
    """What was chosen."""

    items: list[Any] = field(default_factory=list)
    why: str = ""
    """Why it is none, or why others were passed over; empty if there is nothing to say."""
    doubtful: bool = False
    """Whether several are equally good."""


def pick_of(clause: Clause) -> Pick:
    """Return which of several a request means."""
    words = clause.words
    quoted = {
        i for span in clause.spans if span.kind in ("quoted", "date", "dates", "time")
        for i in range(span.first, span.end)
    }  # fmt: skip
    for index in range(len(words)):
        if index in quoted:
            continue
        if found := order_at(words, index):
            order, end = found
            text = " ".join(w.text for w in words[index:end])
            # `the second cheapest` is the second of that order.
            number = ordinal_of(words[index - 1].low) or 1 if index else 1
            return Pick(number, order, used=frozenset(range(index, end)), word=text)
    for index, word in enumerate(words):
        if index in quoted or index in clause.verb_words:
            continue
        low, before = word.low, words[index - 1].low if index else ""
        number = ordinal_of(low) or (-1 if low == "last" else 0)
        if not number:
            continue
        after = words[index + 1].low if index + 1 < len(words) else ""
        if after in (
            "name",
            "names",
            "class",
            "time",
            "aid",
            "week",
            "month",
            "year",
            "line",
            "floor",
        ):
            continue
        if low in ("first", "last") and before and (before == "due" or (
            before.endswith("s") and len(before) > 3 and index > 1
            and words[index - 2].low in ("that", "which", "who"))):  # fmt: skip
            # `the one that departs last`: the verb says by which field.
            fields = (words[index - 1].stem, *DATE)
            used = frozenset({index - 1, index})
            return Pick(1, (fields, low == "last"), used=used, word=f"{before} {low}")
        if after in ("available", "free") and number == 1:
            return Pick(1, used=frozenset({index, index + 1}), word="first available")
        if before in ("the", "my", "that", "", "number") or after in (
            "one", "result", "item", "option", "entry", "of", "hit", "match",
        ):  # fmt: skip
            return Pick(number, used=frozenset({index}), word=word.text)
    every = any(
        word.low in _ALL and index + 1 < len(words) and index not in quoted
        and words[index + 1].low in ("of", "the", "them", "these", "those", "one", "my")
        for index, word in enumerate(words)
    ) or any(word.low in ("both", "them", "those", "these") for word in words)  # fmt: skip
    refers = any(
        word.low in ANAPHORS and index not in quoted and _stands_alone(words, index)
        for index, word in enumerate(words)
    )
    return Pick(every=every, refers=refers or every)


def _stands_alone(words: Sequence[Word], index: int) -> bool:
    """Whether `that` or `this` is no article: `that book` refers too, `that you buy` does not."""
    if words[index].low in ("that", "this"):
        after = words[index + 1].low if index + 1 < len(words) else ""
        before = words[index - 1].low if index else ""
        return not after or after not in STOP or after == "one" or before in ("with", "to", "for")
    return True


def choose(
    items: Sequence[Any],
    pick: Pick,
    about: Sequence[Word] = (),
    spans: Sequence[Span] = (),
    *,
    in_stock: bool = False,
) -> Picked:
    """Return what is meant of some things.

    Args:
        items: The things.
        pick: Which of them.
        about: Words that must be in them, as far as any has them.
        spans: Amounts that they must keep to: `under £10`.
        in_stock: Whether what is sold out is passed over.
    """
    if not items:
        return Picked(why="there are none")
    found = _about(items, about)
    told = pick.chooses or pick.refers or any(_says(item, span) for item in items for span in spans)
    if found is None and told and not any(word.is_capital or is_noun(word.stem) for word in about):
        # `the late one at 20:45`: what else is said of it decides.
        found = list(items)
    if found is None:
        wanted = " ".join(word.text for word in about)
        return Picked(why=f"none of them fits “{wanted}”")
    spans = [span for span in spans if span.bound or any(_says(item, span) for item in found)]
    kept = [item for item in found if all(_keeps(item, span, items) for span in spans)]
    if not kept:
        return Picked(why="none of them is " + " and ".join(_bound_text(span) for span in spans))
    why = ""
    if in_stock:
        there = [item for item in kept if not is_sold_out(item)]
        gone = [name_of(item) for item in kept if is_sold_out(item)]
        if not there:
            names = ", ".join(gone[:3])
            return Picked(why=f"{names} is sold out" if len(gone) == 1 else f"{names} are sold out")
        if gone:
            why = f"passed over what is sold out: {', '.join(gone[:3])}"
        kept = there
    if pick.order:
        ordered = _ordered(kept, pick.order)
        if ordered is None:
            return Picked(why=f"nothing in them says which is the {pick.word}")
        kept = ordered
    if pick.number:
        index = pick.number - 1 if pick.number > 0 else len(kept) + pick.number
        if not 0 <= index < len(kept):
            return Picked(why=f"there are only {len(kept)}")
        return Picked([kept[index]], why)
    return Picked(kept, why, doubtful=len(kept) > 1)


def _about(items: Sequence[Any], about: Sequence[Word]) -> list[Any] | None:
    """Return the things with the most of some words; None if none has any."""
    wanted = [word for word in about if word.low not in STOP and not word.is_sign]
    if not wanted:
        return list(items)
    scores = []
    for item in items:
        stems = text_stems(item)
        scores.append(sum(word.stem in stems or word.low in stems for word in wanted))
    best = max(scores)
    if best == 0 or (best < len(wanted) and len(wanted) <= 2 and best * 2 < len(wanted)):
        return None
    kept = [item for item, score in zip(items, scores, strict=True) if score == best]
    exact = [item for item in kept if name_of(item).lower() == " ".join(w.low for w in wanted)]
    return exact or kept


def _says(item: Any, span: Span) -> bool:
    """Whether a thing has a day or a time among its values."""
    return any(isinstance(v, str) and str(span.value) in v for _, v in fields_of(item))


def _keeps(item: Any, span: Span, items: Sequence[Any]) -> bool:
    if not span.bound:
        return _says(item, span)
    nouns = PRICE if span.kind == "money" else SIZE + PRICE
    path = field_by(items, nouns)
    value = number_in(at(item, path)) if path else None
    if value is None:
        return True
    most = float(span.value)
    return value <= most if span.bound == "max" else value >= most


def _bound_text(span: Span) -> str:
    return ("at most " if span.bound == "max" else "at least ") + span.text.split()[-1]


def _ordered(items: Sequence[Any], order: tuple[tuple[str, ...], bool]) -> list[Any] | None:
    nouns, largest = order
    if items and not isinstance(items[0], Mapping):
        numbers = [number_in(item) for item in items]
        if any(number is None for number in numbers):
            return None
        return sorted(items, key=lambda item: number_in(item) or 0.0, reverse=largest)
    for path in _fields_for(items, nouns):
        keyed = []
        for position, item in enumerate(items):
            level = _level(at(item, path), nouns)
            if level is not None:
                keyed.append((-level if largest else level, position, item))
        if keyed:
            keyed.sort(key=lambda entry: entry[:2])
            return [item for _, _, item in keyed]
    return None


def _fields_for(items: Sequence[Any], nouns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of fields that nouns mean, the likeliest first; what numbers things orders none."""
    seen = set()
    for group in (nouns[:1], nouns):
        path = field_by(items, group)
        if path is not None and path not in seen and not is_id(path[-1]):
            seen.add(path)
            yield path
    for noun in nouns:
        path = field_by(items, (noun,))
        if path is not None and path not in seen and not is_id(path[-1]):
            seen.add(path)
            yield path
    if nouns[-len(SIZE) :] == SIZE:
        figures = [
            path
            for path, value in fields_of(items[0])
            if isinstance(value, int | float)
            and not isinstance(value, bool)
            and not is_id(path[-1])
        ]
        # The only figure there is tells the largest.
        yield from figures if len(figures) == 1 else ()
    if nouns[-1:] == DATE[-1:] and (dated := _dated_field(items)) is not None:
        yield dated


def _dated_field(items: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the path of a field whose values are days or months: `2026-10`."""
    for path, value in fields_of(items[0]):
        if isinstance(value, str) and _DAY.match(value):
            return path
    return None


def _level(value: Any, nouns: Sequence[str]) -> float | None:
    if isinstance(value, str) and value.lower() in _LEVELS:
        return float(_LEVELS[value.lower()])
    number = number_in(value)
    # Of what was paid and what was received the larger sum is the larger one.
    return abs(number) if number is not None and nouns[-len(SIZE) :] == SIZE else number


def is_sold_out(item: Any) -> bool:
    """Whether a thing says that there is none of it."""
    if not isinstance(item, Mapping):
        return False
    for name, value in item.items():
        low = str(name).lower().replace("_", "")
        if low in ("stock", "instock", "available", "availability", "quantityavailable", "inventory",
                   "seatsleft", "soldout"):  # fmt: skip
            if low == "soldout":
                return value is True
            if value is False or value == 0:
                return True
            if isinstance(value, str) and value.lower().replace("_", " ").replace("-", " ") in (
                "out of stock", "sold out", "unavailable", "none",
            ):  # fmt: skip
                return True
    return False


_SHOWING: Final = frozenset(
    map(stem, ("show", "tell", "give", "see", "read", "list", "say", "display", "let"))
)


def only_shows(clause: Clause) -> bool:
    """Whether a request only asks to be shown what was found: `and tell me what it says`."""
    if clause.verb not in _SHOWING or pick_of(clause).chooses:
        return False
    rest = [
        word for index, word in enumerate(clause.words)
        if index not in clause.verb_words and word.low not in STOP and not word.is_sign
        and word.low not in ANAPHORS
    ]  # fmt: skip
    known = ("says", "result", "results", "found", "say", "means", "answer", "know")
    unknown = [word for word in rest if word.low not in known]
    return not unknown and not clause.spans
