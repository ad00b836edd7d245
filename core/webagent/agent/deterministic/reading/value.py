"""A value that a text names, and how one is made of what was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from webagent.agent.deterministic.reading.clock import Moment
from webagent.agent.deterministic.reading.numbers import Source, number_at, plain
from webagent.agent.deterministic.reading.quantities import Amount
from webagent.agent.deterministic.reading.tokens import text_of

Kind = Literal[
    "number", "money", "percent", "quantity", "ordinal", "date", "time", "datetime", "dates",
    "times", "datetimes", "duration", "quoted", "url", "email", "phone", "id", "secret", "boolean",
]  # fmt: skip
MOMENTS: Final = frozenset(("date", "time", "datetime"))
"""Kinds of values that are a day or a time."""
WHEN: Final = MOMENTS | {f"{kind}s" for kind in MOMENTS}
"""Those, and spans of them."""
Bound = Literal["", "min", "max"]
_TOTALS: Final = frozenset((3, 4, 5, 6, 7, 10, 20, 100))
"""The most that a mark can be."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a text names."""

    kind: Kind
    first: int
    """Its first token; the words of a bound or a span belong to it (`at least`, `from`)."""
    end: int
    value: Any
    """A number, a date "2027-03-05", a time "19:00", "2027-03-05T19:00", two of them, or a text.

    It is the likelier of two readings, or None if neither is.
    """
    text: str
    """As it was written, without the words of a bound."""
    unit: str = ""
    bound: Bound = ""
    rate: str = ""
    negated: bool = False
    readings: tuple[Any, ...] = ()
    core: int = 0
    """Its first token behind the words of a bound."""


def text_value(kind: Kind, first: int, end: int, text: str) -> Value:
    """Return a value that is its own text."""
    return Value(kind, first, end, text, text, core=first)


def as_written(source: Source, first: int, end: int) -> str:
    """Return the text of some tokens."""
    return text_of(source.text, source.tokens, first, end)


def moment_value(source: Source, at: int, first: int, moment: Moment) -> Value:
    """Return a day or time as a value."""
    readings = moment.readings if len(moment.readings) > 1 else ()
    value = moment.readings[0] if moment.is_sure else None
    text, end, bound = as_written(source, at, moment.end), moment.end, ""
    if after := source.role(end, "bounds_after"):
        # `in 2020 or later`
        bound, end = after
    return Value(moment.kind, first, end, value, text, bound=bound, readings=readings, core=at)  # type: ignore[arg-type]


def _behind_total(source: Source, amount: Amount) -> int:
    """Return the end of an amount, over the most that it could be: `7 out of 10`."""
    joint = source.role(amount.end, "totals") if amount.kind == "number" else None
    most = number_at(source, joint[1]) if joint else None
    if most is None or most.whole not in _TOTALS or max(amount.number.readings) > most.whole:
        return amount.end
    return most.end


def amount_value(source: Source, at: int, first: int, amount: Amount) -> Value:
    """Return an amount as a value, with the words of a bound behind it: `or more`."""
    numbers = tuple(plain(value) for value in amount.number.readings)
    end, bound = _behind_total(source, amount), ""
    text = as_written(source, at, amount.end)
    if after := source.role(end, "bounds_after"):
        bound, end = after[0], after[1]
    elif source.key(end) == "+" and source.is_glued(end):
        bound, end = "min", end + 1
    elif amount.kind == "number" and (after := source.role(end + 1, "bounds_after")):
        # `5 stars or more`: the bound is behind what is counted.
        counted = not (source.tokens[end].is_stop or source.tokens[end].is_sign)
        # `3 Zimmer maximal 900 Euro`: one word may be of what follows.
        ends = after[1] >= len(source.tokens) or source.tokens[after[1]].is_sign
        bound = after[0] if counted and (ends or after[1] - end > 2) else ""
    return Value(
        amount.kind, first, end, numbers[0], text, amount.unit, bound, amount.rate,  # type: ignore[arg-type]
        readings=numbers if len(numbers) > 1 else (), core=at,
    )  # fmt: skip
