"""What a call leaves of a goal: words, values, names and orders that it does not take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import are_akin, generic, recording
from webagent.agent.deterministic.reading.value import WHEN, Value

_MOSTLY: Final = 0.67
"""How much of a clause is left by a call that it says nothing for."""
_NAMED: Final = 0.4
"""How much of a name is left by a call that does not take it."""


def object_left(
    left: Mapping[int, float], sentence: Sentence, first: int, end: int, lead: int
) -> float:
    """Return how much of what is spoken of first a call leaves: `massage` of `book a massage`."""
    for index in range(first, end):
        if index == lead and lead in sentence.orders:
            continue
        if sentence.weights[index] >= 1 and (sentence.is_noun(index) or not sentence.verbs[index]):
            return left.get(index, 0.0)
    return 0.0


def reasons(left: Mapping[int, float], sentence: Sentence, first: int, end: int) -> list[range]:
    """Return the clauses that say why, and ask for nothing that a call does."""
    found = []
    for at, until in sentence.clauses:
        span = range(max(at, first), min(until, end))
        inside = [i for i in span if i in left]
        weight = sum(sentence.weights[i] for i in inside)
        asks = sentence.asks(span.start, span.stop) or any(
            i in sentence.orders or sentence.roles[i] in ("wanting", "polite") for i in span
        )
        if sum(left[i] for i in inside) > _MOSTLY * weight and not asks:
            found.append(span)
    return found


def context(left: Mapping[int, float], spans: Sequence[range]) -> float:
    """Return how much of what a call leaves is in clauses that say why."""
    return sum(left.get(i, 0.0) for span in spans for i in span)


def orders_left(
    tool: ToolWords, sentence: Sentence, first: int, end: int, valued: frozenset[int]
) -> int:
    """Return how many verbs with which something is ordered the tool does not do."""
    own = tool.verbs | tool.described
    own |= frozenset() if tool.reads else tool.noun_stems
    said = (sentence.verbs[i] for i in sentence.orders if first <= i < end and i not in valued)
    return sum(not verbs & (own | generic()) and not are_akin(verbs, own) for verbs in said)


def names_left(
    left: Mapping[int, float], sentence: Sentence, used: frozenset[int], beside: frozenset[int]
) -> int:
    """Return how many words of names a call leaves; a title such as `Dr.` does not count."""
    return sum(
        sentence.is_name(i)
        and not sentence.tokens[i].is_title
        and i not in used
        and i not in beside
        and weight > _NAMED
        for i, weight in left.items()
    )


def said_beside(
    left: Mapping[int, float], sentence: Sentence, spans: Sequence[range]
) -> frozenset[int]:
    """Return the words of the clauses that say why: `Ana was great` beside `give lesson 4 five stars`."""
    subjects = sentence.language.roles["subjects"]
    found = {
        i for span in spans for i in span
        # A name alone says nothing (`a parcel, to Ana Lund`); `was` is a word of questions too.
        if any(sentence.verbs[j] or sentence.roles[j] == "questions" or sentence.tokens[j].key in subjects for j in span)
    }  # fmt: skip
    return frozenset() if all(i in found for i in left) else frozenset(found)


def unused_values(
    tool: ToolWords, sentence: Sentence, first: int, end: int, used: frozenset[int], beside: frozenset[int]
) -> list[Value]:  # fmt: skip
    """Return the values that a call does not take, though the goal may mean them for it.

    Words `beside` say why: `I fell yesterday. Freeze my pass`.
    """
    takes_days = any(one.kind in WHEN for one in tool.parameters)
    # The opening hours are those of Sundays too.
    tells_all = tool.reads and not tool.parameters
    orders = any(first <= i < end for i in sentence.orders)

    def is_meant(value: Value) -> bool:
        taken_back = value.negated or sentence.is_corrected(value)
        if taken_back or value.kind in ("ordinal", "boolean") or _says_little(sentence, value):
            return False
        if value.kind in WHEN and (value.first in beside or tells_all):
            return False
        # What is ordered or written down is done today anyway.
        return takes_days or not (orders or tool.verbs & recording()) or not _is_today(sentence, value)  # fmt: skip

    return [
        value for value in sentence.values
        if first <= value.first and value.end <= end and used.isdisjoint(range(value.first, value.end)) and is_meant(value)
    ]  # fmt: skip


def _says_little(sentence: Sentence, value: Value) -> bool:
    """Whether words only look like a value: `a bit`, `the best rated one`."""
    small = all(sentence.roles[i] == "fillers" for i in range(value.first, value.end))
    return small or sentence.is_pro_form(value.first)


def has_begun(sentence: Sentence, value: Value) -> bool:
    """Whether a value is a day, or a span of days, that has begun: `last week`, `this year`."""
    days = _days(value)
    return bool(days) and days[0] <= sentence.today


def _is_today(sentence: Sentence, value: Value) -> bool:
    """Whether a value is today, or a span of days around it: `this week`."""
    days = _days(value)
    return bool(days) and days[0] <= sentence.today <= days[-1]


def _days(value: Value) -> list[str]:
    """Return the first and the last day of a value, if it has both."""
    days = value.value if isinstance(value.value, list | tuple) else (value.value,)
    return [] if value.kind not in ("date", "dates") or None in days else [*map(str, days)]
