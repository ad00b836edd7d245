"""Numbers for slots that count, measure, pay or number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from webagent.agent.deterministic.amounts import SECONDS, UNITS, plain
from webagent.agent.deterministic.fits import Fit, Fits, is_about, meant
from webagent.agent.deterministic.moments import MONTHS
from webagent.agent.deterministic.roles import FLAG_FILLERS, KEY_STOPS, LINKS, MAX, MIN
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import STOP, Word


class NumberFits(Fits):
    """Finds numbers by what they count and by their units."""

    def numbers(self, slot: Slot) -> Iterator[Fit]:
        """Yield the numbers that fit a slot."""
        if "month" in slot.stems and not slot.stems & {"number", "count"}:
            for index, word in enumerate(self._words):
                if word.low in MONTHS:
                    yield Fit(slot, MONTHS.index(word.low) + 1, 6.0, frozenset({index}))
        listed: list[tuple[float, Any, frozenset[int]]] = []
        if stem("stops") in slot.stems:
            for index, word in enumerate(self._words):
                if word.low in ("nonstop", "non-stop", "direct"):
                    listed.append((6.0, 0, frozenset({index})))
                    if not slot.is_list:
                        yield Fit(slot, 0, 6.0, frozenset({index}))
        for span in self._clause.spans:
            found = self._number(slot, span)
            if found is None:
                continue
            value, score = found
            if slot.type == "integer" and value != int(value):
                continue
            if not _in_bounds(slot, value):
                continue
            used = with_name(self._words, self._clause.verb_words, slot, span)
            if slot.is_list:
                listed.append((score, value, used))
            else:
                yield Fit(slot, value, score, used)
        if listed:
            best = max(score for score, _, _ in listed)
            values = [value for _, value, _ in listed]
            yield Fit(slot, values, best, frozenset().union(*(used for _, _, used in listed)))

    def _number(self, slot: Slot, span: Span) -> tuple[Any, float] | None:
        value, kinds = span.value, slot.kinds
        if span.kind == "id" and "id" in kinds and str(value).isdecimal():
            return int(value), 5.0
        if span.kind not in ("number", "money", "percent", "duration"):
            return None
        score = 0.5
        near = self._key_score(slot, span)
        score += near
        if span.unit == "age":
            return (value, 7.0) if stem("age") in slot.stems else None
        if span.kind == "money":
            if not kinds & {"money"} and kinds & {"count", "duration", "id", "rating", "limit", "percent",
                                                  "year"}:  # fmt: skip
                return None
            score += 4.0 if "money" in kinds else 1.0
        elif span.kind == "percent":
            if (
                not kinds & {"percent"}
                and kinds & {"count", "duration", "id", "money"}
                and not near
            ):
                return None
            score += 4.0 if "percent" in kinds else 0.5
        elif span.kind == "duration":
            converted = _converted(slot, span)
            if converted is None:
                return None
            value, extra = converted
            score += extra
        elif span.unit and (found := measured(slot, span)):
            value, extra = found
            score += extra
        else:
            score += self._plain_number(slot, span, near)
        if slot.stems & MAX and slot.stems & MIN == frozenset():
            if span.bound == "min":
                return None
            score += 3.0 if span.bound == "max" else -1.0
        elif slot.stems & MIN:
            if span.bound == "max":
                return None
            score += 3.0 if span.bound == "min" else -0.5
        elif span.bound and not slot.required:
            score -= 1.0
        return plain(value), score

    def _plain_number(self, slot: Slot, span: Span, near: float) -> float:
        """Score a bare number: of it only its neighbours say what it counts."""
        words, kinds = self._words, slot.kinds
        before = words[span.first - 1] if span.first else None
        after = words[span.end] if span.end < len(words) else None
        if "id" in kinds:
            if before is not None and is_about(self._card, slot, before.stem):
                return 5.0
            alone = [s for s in self._card.slots if "number" in s.kinds] == [slot]
            return 1.0 if near else 1.5 if alone and span.value >= 100 else -2.0
        score = 0.0
        if kinds & {"limit"}:
            lead = before is not None and before.low in (
                "top",
                "first",
                "best",
                "last",
                "latest",
                "only",
            )
            return 5.0 if lead else 2.5 if self._counts_subject(after) else 0.0
        if kinds & {"count"}:
            if span.first - 1 in self._clause.verb_words or self._counts_subject(after):
                score += 2.5
            elif after is None or after.low in ("of", "in", "to", "for", ",", "x"):
                score += 1.0
            if words[span.first].low[-1:] == "x":
                score += 2.0
        if slot.stems & {"width", "height"}:
            # `1200 by 800`.
            if after is not None and after.low in ("by", "x", "×") and "width" in slot.stems:
                score += 5.0
            if before is not None and before.low in ("by", "x", "×") and "height" in slot.stems:
                score += 5.0
        if "year" in kinds and 1000 <= span.value <= 2999:
            score += 4.0
        if "money" in kinds and (before is None or before.low in ("of", "for", "to", "at")):
            score += 1.0
        named = span.first - 1 not in self._clause.verb_words and not span.bound
        if named and is_about(self._card, slot, before.stem if before else "") and "count" in kinds:
            # `order 4512` names an order; it does not count them.
            score -= 3.0
        return score + (1.0 if slot.required else 0.0)

    def _counts_subject(self, after: Any) -> bool:
        if after is None:
            return False
        near = [w for w in self._words if w.start >= after.start][:3]
        return any(
            word.stem in self._card.subject
            or any(noun_likeness(word.stem, noun) >= 0.5 for noun in self._card.nouns)
            or word.low in ("copies", "copy", "pieces", "units", "items", "times", "results")
            for word in near
        )

    def _key_score(self, slot: Slot, span: Span) -> float:
        """Score how near to a number the name of the slot stands: `3 bedrooms`, `size 42`."""
        words = self._words
        heads = (
            slot.stems - MAX - MIN - FLAG_FILLERS - {"number", "id", "num", "of", "extra"}
            or slot.stems
        )
        score = 0.0
        for index in range(span.end, min(span.end + 3, len(words))):
            if words[index].is_sign or words[index].low in KEY_STOPS:
                break
            score = max(
                score, meant(words[index].stem, heads, slot.about) * (6.0 - (index - span.end))
            )
        for index in range(span.first - 1, max(-1, span.first - 4), -1):
            if words[index].low in (",", ".", "and", "or"):
                break
            if any(other.first <= index < other.end for other in self._clause.spans):
                break
            if meant(words[index].stem, heads, frozenset()) >= 0.6:
                score = max(score, 6.0 - (span.first - 1 - index))
            if words[index].low not in LINKS and words[index].low not in STOP:
                break
        return score


def with_name(
    words: Sequence[Word], verb_words: frozenset[int], slot: Slot, span: Span
) -> frozenset[int]:
    """Return a typed piece's words and those beside it that name the slot: `zip 94110`."""
    first, end = span.first, span.end
    if span.kind == "number" and span.unit and end - first > 1 and not measured(slot, span):
        # `250 g`: the unit may be the value of another slot.
        end -= 1
    heads = slot.stems - {"number", "count", "max", "min", "id"}
    if end < len(words) and meant(words[end].stem, heads, frozenset()) >= 0.5:
        end += 1
    while first > 0 and first - 1 not in verb_words and (
        meant(words[first - 1].stem, slot.stems, frozenset()) >= 0.6
        or words[first - 1].low in ("number", "id", "code", "#")
    ):  # fmt: skip
        first -= 1
    return frozenset(range(first, end))


def _converted(slot: Slot, span: Span) -> tuple[float, float] | None:
    """Return a duration in the unit of a slot, and how much that is worth."""
    if "year" in slot.kinds and "duration" not in slot.kinds:
        # The year of something is no length of time: `minYearBuilt` beside `5k a month`.
        return None
    names = slot.stems | slot.about
    for unit in SECONDS:
        if stem(unit) in slot.stems or stem(unit + "s") in slot.stems:
            if unit == span.unit or {unit, span.unit} == {"day", "night"}:
                return span.value, 6.0
            return span.value * SECONDS[span.unit] / SECONDS[unit], 4.0
    if "duration" in slot.kinds or any(stem(unit) in names for unit in SECONDS):
        for unit in SECONDS:
            if stem(unit) in slot.about or stem(unit + "s") in slot.about:
                if unit == span.unit:
                    return span.value, 4.5
                return span.value * SECONDS[span.unit] / SECONDS[unit], 3.5
        return span.value, 2.0
    return None


def measured(slot: Slot, span: Span) -> tuple[float, float] | None:
    """Return a measure in the unit that a slot's name or description tells."""
    if span.unit not in UNITS:
        return None
    dimension, size = UNITS[span.unit]
    for name in (*slot.words, *slot.about):
        single = name.removesuffix("s")
        for unit in (name, single):
            if unit in UNITS and UNITS[unit][0] == dimension and len(unit) > 1:
                return span.value * size / UNITS[unit][1], 5.0
    near = {"gram": {"weight", "mass"}, "metre": {"radius", "distanc", "length", "height", "width",
                                                  "rang"}, "degree": {"temperatur", "target"}}  # fmt: skip
    if slot.stems & near.get(dimension, set()):
        return span.value, 4.0
    return None


def _in_bounds(slot: Slot, value: float) -> bool:
    low, high = slot.schema.get("minimum"), slot.schema.get("maximum")
    if isinstance(low, int | float) and value < low:
        return False
    return not (isinstance(high, int | float) and value > high)
