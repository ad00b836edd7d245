"""Spans: `from A to B`, `between A and B`, `A–B`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from webagent.agent.deterministic.reading.clock import Moment, is_neutral
from webagent.agent.deterministic.reading.moments import moment_at
from webagent.agent.deterministic.reading.numbers import Source, spelled_number
from webagent.agent.deterministic.reading.quantities import Amount, amount_at
from webagent.agent.deterministic.reading.value import Value, amount_value, as_written

_BARE = 1_000
_LONGEST_WAIT = 120
"""Days within which each number of a day has come twice."""
_EARLIEST = 7
"""The hour from which a bare number is one of the morning."""
_DAYED = frozenset(("du", "au", "del", "al"))
"""Prepositions with an article, behind which a bare number is a day."""
_Side = tuple[Moment | None, Amount | None, int, int]
"""A moment or an amount, its end, and its first token."""


def span_at(source: Source, at: int) -> list[Value]:
    """Return `from A to B`, `between A and B`, `A–B`: two moments, or the least and the most."""
    opening = source.role(at, "range_starts")
    start = opening[1] if opening else at
    if start >= len(source.tokens):
        return []
    if (
        opening is None
        and not source.tokens[at].is_figure
        and source.key(at) not in source.language.phrases
    ):
        return []
    left = _side(source, start)
    if left is None and opening and (filler := source.role(start, "moment_joins")):
        left = _side(source, filler[1]) if filler[1] < len(source.tokens) else None
    if left is None:
        return []
    join = source.role(left[2], "range_joins")
    if join is None and opening and opening[0] == "and":
        # `between five hundred and two thousand`: the word joins no number, but two.
        number = spelled_number(source, left[3], joins=False)
        if number is not None and number.end < left[2]:
            left = (None, Amount("number", number.end, number), number.end, left[3])
            join = source.role(left[2], "range_joins")
    if join is None or join[1] >= len(source.tokens):
        return []
    meaning = join[0]
    if meaning == "and" and (opening is None or opening[0] != "and"):
        return []
    second = join[1]
    right = _side(source, second)
    while right is None and second + 1 < len(source.tokens) and second < join[1] + 2:
        if not source.role(second, "moment_joins"):
            return []
        second += 1
        right = _side(source, second)
    if right is None:
        return []
    hours = _hours_between(source, at, left, right) if opening is not None else []
    return (
        hours
        or _moments_between(source, at, left, right)
        or _amounts_between(
            source, at, left, right, second, is_sure=opening is not None or meaning == "-"
        )
    )


def _side(source: Source, at: int) -> _Side | None:
    moment = moment_at(source, at)
    amount = amount_at(source, at)
    if moment and (amount is None or moment.end >= amount.end):
        return moment, amount, moment.end, at
    if amount is None:
        return None
    end = amount.end
    if (
        amount.number.whole
        and source.is_glued(end)
        and source.key(end) in source.language.ordinal_signs
    ):
        # `5.` and `5th` are days, if a month follows.
        end += 1
    return None, amount, end, at


def _moments_between(source: Source, at: int, left: _Side, right: _Side) -> list[Value]:
    first, last, end = left[0], right[0], right[2]
    if first is None and last is None:
        return _days_between(source, at, left, right)
    if first and first.kind == "date" and last is None:
        # `March 5 to 9`, `5 March to 9`.
        day, number = first.readings[0], right[1].number if right[1] else None
        if number is None or right[1] is None or right[1].kind != "number" or first.weekday:
            return []
        whole = number.whole
        if whole is None or not int(day[8:]) < whole <= 31 or len(first.readings) > 1:
            return []
        other = _day_of(day, whole)
        end = right[1].end
        return [_between(source, "dates", at, end, left[3], (day, other))] if other else []
    if last and last.kind == "date" and first is None:
        whole = left[1].number.whole if left[1] and left[1].kind in ("number", "ordinal") else None
        day = last.readings[0]
        if whole is None or not 0 < whole <= 31 or len(last.readings) > 1 or last.weekday:
            return []
        if whole >= int(day[8:]):
            # `from the 28th to the 3rd of May` begins in April.
            start = _day_of(_month_before(day), whole) if at < left[3] else ""
            return [_between(source, "dates", at, end, left[3], (start, day))] if start else []
        if source.role(right[3], "months"):
            # `move task 9 to Feb 26`: the month of two days is behind them.
            return []
        start = _day_of(day, whole)
        if start and not last.is_dated and date.fromisoformat(start) < source.now.date():
            start, day = _a_year_later(start), _a_year_later(day)
        return [_between(source, "dates", at, end, left[3], (start, day))] if start else []
    first = first or _hour_like(left, last)
    last = last or _hour_like(right, first)
    if first is None or last is None:
        return []
    end = max(last.end, right[2] if right[0] else last.end)
    if first.kind == last.kind == "time":
        if not first.is_sure and last.is_sure:
            first = _before(first, last.readings[0])
        elif first.is_sure and not last.is_sure:
            last = _after(last, first.readings[0])
        if first.is_sure and last.is_sure:
            return [
                _between(source, "times", at, end, left[3], (first.readings[0], last.readings[0]))
            ]
        readings = tuple((time, _after(last, time).readings[0]) for time in sorted(first.readings))
        return [replace(_between(source, "times", at, end, left[3], None), readings=readings)]
    if first.kind == last.kind and first.kind in ("date", "datetime", "dates"):
        if (
            len(first.readings) > 1
            and len(last.readings) == len(first.readings)
            and not first.is_sure
        ):
            pairs = tuple(zip(first.readings, last.readings, strict=True))
            return [replace(_between(source, "dates", at, end, left[3], None), readings=pairs)]
        start, stop = first.readings[0], last.readings[0]
        if first.kind == "dates":
            start, stop = start[0], stop[1]
        is_year_last = last.is_dated and not first.is_dated and not first.weekday
        if is_year_last and first.kind == "date":
            start = _same_year(start, stop)
        elif stop < start:
            stop = (
                _a_week_later(stop)
                if last.weekday
                else _a_year_later(stop)
                if not last.is_dated
                else stop
            )
        kind = "datetimes" if first.kind == "datetime" else "dates"
        return [_between(source, kind, at, end, left[3], (start, stop))] if start <= stop else []
    if first.kind == "datetime" and last.kind == "time" and last.is_sure:
        stop = f"{first.readings[0][:10]}T{last.readings[0]}"
        return [_between(source, "datetimes", at, end, left[3], (first.readings[0], stop))]
    return []


def _hours_between(source: Source, at: int, left: _Side, right: _Side) -> list[Value]:
    """Return the hours of a span that are bare numbers, beside a day: `on Sunday from 10 till 1`."""
    numbers = [side[1].number.whole if side[1] and side[1].kind == "number" and not side[0] else None for side in (left, right)]  # fmt: skip
    first, last = numbers
    if first is None or last is None or not (0 < first <= 12 and 0 < last <= 12):
        return []
    if at > 0 and source.role(at - 1, "day_parts"):
        # `Sunday morning from 8 to 12` says the half of the day.
        return []
    # `on the 5th`, `5 May`
    numbered = at > 1 and source.role(at - 1, "months") and source.tokens[at - 2].is_figure
    signed = source.key(at - 1) in source.language.ordinal_signs if at else False
    dated = at > 0 and bool(source.role(at - 1, "weekdays", "days") or numbered or signed)
    behind = right[2] + (source.role(right[2], "date_cues") is not None)
    dated = dated or source.role(behind, "weekdays", "days") is not None
    if not dated or not is_neutral(source, right[2]):
        return []
    start = first if first >= _EARLIEST else first + 12
    stop = last if last > start else last + 12
    span = (f"{start:02d}:00", f"{stop:02d}:00")
    return [_between(source, "times", at, right[2], left[3], span)] if start < stop < 24 else []


def _days_between(source: Source, at: int, left: _Side, right: _Side) -> list[Value]:
    """Return the days of a span without a month: `from the 3rd to the 5th`, `du 3 au 5`."""
    numbers = [_day_number(source, side) for side in (left, right)]
    if None in numbers or not is_neutral(source, right[2]):
        return []
    found: list[str] = []
    day = source.now.date()
    for _ in range(_LONGEST_WAIT):
        if day.day == numbers[len(found)]:
            found.append(day.isoformat())
            if len(found) == len(numbers):
                return [_between(source, "dates", at, right[2], left[3], tuple(found))]
        day += timedelta(days=1)
    return []


def _day_number(source: Source, side: _Side) -> int | None:
    """Return the number of a day that is written as one: `5th`, or `5` behind `au`."""
    amount, end, at = side[1], side[2], side[3]
    signed = end - 1 > at and source.key(end - 1) in source.language.ordinal_signs
    dayed = at > 0 and source.key(at - 1) in _DAYED
    if amount is None or not (signed or dayed) or amount.kind not in ("number", "ordinal"):
        return None
    return amount.number.whole


def _between(source: Source, kind: str, at: int, end: int, core: int, value: Any) -> Value:
    return Value(kind, at, end, value, as_written(source, core, end), core=core)  # type: ignore[arg-type]


def _hour_like(side: _Side, other: Moment | None) -> Moment | None:
    """Return the hour that a bare number is beside a time: `2 to 4pm`."""
    amount = side[1]
    if (
        other is None
        or other.kind not in ("time", "datetime")
        or amount is None
        or amount.kind != "number"
    ):
        return None
    hour = amount.number.whole
    if hour is None or not 0 <= hour <= 24:
        return None
    if hour > 12 or hour == 0:
        return Moment("time", amount.end, (f"{hour % 24:02d}:00",))
    times = (f"{hour % 12:02d}:00", f"{hour % 12 + 12:02d}:00")
    if other.is_sure and not other.half and other.kind == "time":
        return Moment("time", amount.end, (f"{hour:02d}:00",))
    return Moment("time", amount.end, times, is_sure=False)


def _before(moment: Moment, last: str) -> Moment:
    """Return the reading of a time that is the nearest before another."""
    earlier = [time for time in moment.readings if time < last] or [max(moment.readings)]
    return replace(moment, readings=(max(earlier),), is_sure=True)


def _after(moment: Moment, first: str) -> Moment:
    later = [time for time in moment.readings if time > first] or [min(moment.readings)]
    return replace(moment, readings=(min(later),), is_sure=True)


def _day_of(day: str, number: int) -> str:
    try:
        return date.fromisoformat(day).replace(day=number).isoformat()
    except ValueError:
        return ""


def _month_before(day: str) -> str:
    """Return the first day of the month before that of a day."""
    last = date.fromisoformat(day).replace(day=1) - timedelta(days=1)
    return last.replace(day=1).isoformat()


def _a_week_later(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=7)).isoformat()


def _a_year_later(day: str) -> str:
    return f"{int(day[:4]) + 1:04d}{day[4:]}"


def _same_year(day: str, other: str) -> str:
    year = int(other[:4]) - (day[5:] > other[5:10])
    return f"{year:04d}{day[4:]}"


def _amounts_between(
    source: Source, at: int, left: _Side, right: _Side, second: int, *, is_sure: bool
) -> list[Value]:
    one, other = left[1], right[1]
    if one is None or other is None or left[0] or right[0]:
        return []
    fits = one.kind == other.kind and one.unit == other.unit
    if one.kind == "number" and not fits:
        one, fits = replace(one, kind=other.kind, unit=other.unit), True
    elif other.kind == "number" and one.kind == "money" and not fits:
        other, fits = replace(other, kind="money", unit=one.unit), True
    if not fits or not (is_sure or other.unit):
        return []
    if not is_sure and one.kind == "number":
        return []
    if one.number.readings[0] >= other.number.readings[0]:
        return []
    least = amount_value(source, left[3], at, one)
    most = amount_value(source, second, second, other)
    scale = source.role(right[3] + 1, "number_scales", "scales")
    if scale and left[1] and not left[1].unit and least.value < _BARE < most.value:
        # `70 to 90k`: the thousands are said once.
        least = replace(least, value=least.value * scale[0], readings=())
    # The word between them belongs to the first, so no goal is cut there.
    return [replace(least, end=second, bound="min"), replace(most, bound="max")]
