"""Typed values of a text with their places: numbers, money, days, times, quotes, ids and more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import product
from typing import Any, Final

from webagent.agent.deterministic.reading.clock import Moment, is_in_half, is_neutral, part_at
from webagent.agent.deterministic.reading.codes import code_at, fixed_values
from webagent.agent.deterministic.reading.language import Language
from webagent.agent.deterministic.reading.moments import moment_at, moment_later, months_later
from webagent.agent.deterministic.reading.numbers import Source
from webagent.agent.deterministic.reading.quantities import Amount, amount_at, convert
from webagent.agent.deterministic.reading.spans import span_at
from webagent.agent.deterministic.reading.tokens import Token
from webagent.agent.deterministic.reading.value import (
    WHEN,
    Value,
    amount_value,
    as_written,
    moment_value,
)

__all__ = ["Value", "converted", "values_of"]

_TIMES: Final = frozenset({"time", "datetime", "times", "datetimes"})
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20|21)\d\d(?!\d)")
_EARLIEST_SHIFTED: Final = "01:00"
_YEARS: Final = range(1900, 2200)
_BACK: Final = 4
"""Words between a negator and the value that it denies."""


def values_of(text: str, tokens: Sequence[Token], language: Language, now: datetime) -> list[Value]:
    """Return the values of a text, in order."""
    source = Source(text, tokens, language, now)
    fixed = fixed_values(source)
    found: list[Value] = []
    parts: dict[int, str] = {}
    at = 0
    while at < len(tokens):
        values = [fixed[at]] if at in fixed else _read(source, at, found, parts)
        values = [value for value in values if not _crosses(value, fixed, at)]
        found += values
        at = values[-1].end if values else at + 1
    found = _carried(source, _joined(source, _with_hours(source, found, parts), parts))
    return _with_negations(source, _with_halves(found, parts, now))


def converted(value: Value, unit: str) -> int | float | None:
    """Return a value in another unit of the same dimension, or nothing."""
    if not isinstance(value.value, int | float) or isinstance(value.value, bool):
        return None
    return convert(value.value, value.unit, unit)


def _crosses(value: Value, fixed: dict[int, Value], at: int) -> bool:
    """Whether a value goes on into a quotation or an address."""
    return at not in fixed and any(inner in fixed for inner in range(at + 1, value.end))


# --- Values by their words ----------------------------------------------------------------


def _read(source: Source, at: int, found: list[Value], parts: dict[int, str]) -> list[Value]:
    """Return the value that starts at a token, or the two of a span."""
    token, language = source.tokens[at], source.language
    if not (
        token.is_figure
        or token.key in language.phrases
        or token.key in language.patterns
        or token.is_sign
        or (language.compound_numbers and token.text[0].isalpha())
        or not token.text.isalpha()
    ):
        return []
    if span := span_at(source, at):
        return span
    if same := _same_day(source, at, found):
        return [same]
    timed = any(value.kind in _TIMES for value in found)
    best = _single(source, at, at, timed)
    for role in ("bounds", "moment_bounds"):
        bound = language.phrase_at(source.tokens, at, role)
        if bound is None or bound[1] >= len(source.tokens):
            continue
        value = _single(source, bound[1], at, timed)
        if value is None:
            continue
        is_year = (
            value.kind == "number" and value.value in _YEARS and not source.role(at, "range_starts")
        )
        is_moment = value.kind in WHEN or (is_year and role == "moment_bounds")
        if is_moment != (role == "moment_bounds") and not (is_moment and len(bound[0].keys) > 1):
            continue
        if value.kind in ("ordinal", "id", "boolean"):
            continue
        if (
            best is None
            or value.end > best.end
            or (value.end == best.end and best.kind == value.kind)
        ):
            best = replace(value, first=at, bound=bound[0].meaning)
    moment = moment_at(source, best.core) if best and best.kind in WHEN else None
    if best and moment and moment.half:
        parts[best.core] = moment.half
    if best is None and (part := _part(source, at, found, parts)):
        return [part]
    return [best] if best else []


def _same_day(source: Source, at: int, found: Sequence[Value]) -> Value | None:
    """Return the day that was named before, or the one beside it: `the same day`, `la veille`."""
    phrase = source.role(at, "same_days")
    before = (one.value for one in reversed(found) if one.kind == "date" and one.value)
    named = next(before, None) if phrase else None
    if phrase is None or named is None:
        return None
    day = moment_later(datetime.fromisoformat(named), timedelta(days=phrase[0]))
    return moment_value(source, at, at, Moment("date", phrase[1], (day.date().isoformat(),))) if day else None  # fmt: skip


def _part(source: Source, at: int, found: list[Value], parts: dict[int, str]) -> Value | None:
    behind = bool(found) and found[-1].end == at and found[-1].kind in ("date", "dates")
    part = part_at(source, at, behind_day=behind)
    if part is None:
        return None
    parts[at] = part.half
    return moment_value(source, at, at, part)


def _single(source: Source, at: int, first: int, timed: bool) -> Value | None:
    """Return the longest value that starts at a token, spans aside; `timed` if a time is before it."""
    token, language = source.tokens[at], source.language
    moment = moment_at(source, at)
    amount = amount_at(source, at)
    if amount is not None and first == at and _is_pronoun(source, at, amount):
        amount = None
    if (
        moment
        and moment.is_duration
        and amount
        and amount.end >= moment.end
        and not _is_clock(source, at, timed)
    ):
        moment = None
    if moment is not None and (amount is None or moment.end >= amount.end):
        return moment_value(source, at, first, moment)
    ordinal = _ordinal(source, at)
    if ordinal is not None and (amount is None or ordinal.end >= amount.end):
        return ordinal
    if (code := code_at(source, at)) and (amount is None or code.end > amount.end):
        return code
    if amount is not None:
        return amount_value(source, at, first, amount)
    if token.text[0].isalpha() and (known := language.phrase_at(source.tokens, at, "booleans")):
        return Value(
            "boolean", at, known[1], known[0].meaning, as_written(source, at, known[1]), core=at
        )
    return None


def _is_clock(source: Source, at: int, timed: bool) -> bool:
    """Whether hours are those of the clock by what is before them: `à 2 h`, not `pendant 2 h`."""
    if at > 0 and timed and source.role(at - 1, "length_cues"):
        # `à 21 h pour 2 heures`
        return False
    return at > 0 and bool(
        source.role(at - 1, "clock_cues", "days", "weekdays", "months", "day_parts")
        or (source.tokens[at - 1].is_figure and source.key(at) != "h")
    )


def _ordinal(source: Source, at: int) -> Value | None:
    token = source.tokens[at]
    end = 0
    if token.text.isdecimal() and len(token.text) < 5 and source.is_glued(at + 1):
        sign = source.key(at + 1)
        # A full stop makes an ordinal only inside a sentence.
        inside = sign.isalpha() or (
            at + 2 < len(source.tokens) and not source.tokens[at + 2].is_sign
        )
        if sign in source.language.ordinal_signs and inside:
            value, end = int(token.text), at + 2
    if not end and (named := source.role(at, "ordinals")):
        value, end = named
    return Value("ordinal", at, end, value, as_written(source, at, end), core=at) if end else None


def _is_pronoun(source: Source, at: int, amount: Amount) -> bool:
    """Whether a number word stands for a thing: `the red one`, `that one`, `one that fits`."""
    if amount.kind == "number" and amount.end == at + 1 and source.role(at, "articles"):
        return True
    if amount.kind != "number" or amount.end != at + 1 or not source.role(at, "number_pronouns"):
        return False
    before, after = at - 1, at + 1
    verb = at > 0 and source.tokens[before].stem in source.language.verbs
    # `the best rated one`
    exact = any(source.role(i, "superlatives") is not None for i in range(max(0, at - 2), at))
    if after < len(source.tokens) and not source.tokens[after].is_sign:
        follows = not source.tokens[after].is_stop or source.key(after) == "of"
        named = at > 0 and (source.tokens[before].is_stop or verb or source.tokens[before].is_sign)
        determined = exact or (at > 0 and source.role(before, "pronouns", "ordinals") is not None)
        return not follows or determined or not (at == 0 or named)
    return exact or not verb


def _with_hours(source: Source, found: list[Value], parts: dict[int, str]) -> list[Value]:
    """Read a bare number as an hour beside a part of the day: `seven in the evening`, `morning at 7`."""
    hours: list[Value] = []
    for at, value in enumerate(found):
        last = hours[-1] if hours else None
        if last is not None and last.kind == "time" and (last.bound, value.bound) == ("min", "max") and last.end == value.first and _may_be_hour(value):  # fmt: skip
            # `Sunday morning between 8 and 12`
            hour = value.value if f"{value.value:02d}:00" > last.value else value.value + 12
            span = (last.value, f"{hour % 24:02d}:00")
            text = as_written(source, last.core, value.end)
            hours[-1] = replace(last, kind="times", end=value.end, value=span, text=text, bound="")
            continue
        half = _half_beside(source, found, at, parts) if _may_be_hour(value) else ""
        if half:
            both = (f"{value.value % 12 + more:02d}:00" for more in (0, 12))
            time = next(time for time in both if is_in_half(time, half))
            if last is not None and (last.bound, value.bound) == ("min", "max") and last.end == value.first and _may_be_hour(last):  # fmt: skip
                # `between 6 and 8 in the evening`
                late, early = (f"{last.value % 12 + more:02d}:00" for more in (12, 0))
                start = late if late < time or early >= time else early
                text = as_written(source, last.core, value.end)
                hours[-1] = replace(last, kind="times", end=value.end, value=(start, time), text=text, bound="")  # fmt: skip
                continue
            value = replace(value, kind="time", value=time, readings=())
            parts[value.core] = half
            if hours and hours[-1].core in parts and hours[-1].kind == "times":
                # The part of the day says no more than the hour.
                part = hours.pop()
                day = hours[-1] if hours else None
                if day is not None and day.kind == "date" and day.end == part.first:
                    hours[-1] = replace(day, end=part.end)
        elif last and (last.kind == "time" or (last.kind == "times" and last.core not in parts)) and value.kind == "times" and value.core in parts and last.end == value.first:  # fmt: skip
            hours[-1] = replace(last, end=value.end)
            continue
        hours.append(value)
    return hours


def _may_be_hour(value: Value) -> bool:
    whole = isinstance(value.value, int) and not value.unit and not value.readings
    return value.kind == "number" and whole and 1 <= value.value <= 12


def _half_beside(source: Source, found: list[Value], at: int, parts: dict[int, str]) -> str:
    value = found[at]
    counted = source.role(value.end, "prepositions")
    led = source.role(value.core - 1, "prepositions") if value.core else None
    if (counted is not None and counted[0] == "of") or (led is not None and led[0] == "for"):
        # `Friday evening, four of us`, `tomorrow morning for two`
        return ""
    after = found[at + 1] if at + 1 < len(found) else None
    if after is not None and after.core in parts and after.kind == "times" and after.first == value.end:  # fmt: skip
        return parts[after.core]
    before = found[at - 1] if at else None
    if before is not None and before.core in parts and value.first - before.end <= 1:
        if source.tokens[value.core - 1].is_sign and not is_neutral(source, value.end):
            # `Monday morning, 3 adults`
            return ""
        cue = source.role(
            value.core - 1, "clock_cues", "date_cues", "moment_joins", "moment_bounds"
        )
        bound = value.first < value.core or cue is not None
        return parts[before.core] if bound else ""
    return ""


# --- What values say together -------------------------------------------------------------


def _joined(source: Source, found: list[Value], parts: dict[int, str]) -> list[Value]:
    """Make one value of a day and a time beside each other."""
    joined: list[Value] = []
    for value in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.core in parts
            and last.kind == "times"
            and value.kind == "time"
        ):
            # `tomorrow morning at 9`: the time is in that part of the day.
            day = joined[-2] if len(joined) > 1 else None
            if day is not None and day.kind == "date" and _are_beside(source, last, value):
                parts[day.core] = parts[last.core]
                joined.pop()
                last = replace(day, end=last.end)
        if last is not None and last.kind == "datetime" and value.end > value.first == last.end:
            if value.core in parts and value.kind == "times":
                # `7 o'clock tomorrow morning`: said twice.
                joined[-1] = _in_part(last, parts[value.core], value.end)
                continue
            bounds = (last.bound, value.bound) if None not in (last.value, value.value) else ()
            if value.kind == "datetime" and bounds == ("min", "max"):
                pair = (last.value, value.value)
                text = as_written(source, last.core, value.end)
                joined[-1] = replace(
                    last, kind="datetimes", end=value.end, value=pair, text=text, bound=""
                )
                continue
        if (
            last is not None
            and _are_beside(source, last, value)
            and (both := _both(source, last, value, parts))
        ):
            joined[-1] = both
        else:
            joined.append(value)
    return joined


def _carried(source: Source, found: list[Value]) -> list[Value]:
    """Read a number of a day, or a day without a year, as one after the day before it: `on 28 May … on the 3rd`."""
    before: Value | None = None
    for at, value in enumerate(found):
        if value.kind != "date" or not isinstance(value.value, str) or value.readings:
            continue
        words = range(value.core, value.end)
        named = any(source.role(i, "months") for i in words)
        whole = bool(_YEAR.search(value.text)) or value.text.count(".") > 1
        if before is not None and not whole:
            start = date.fromisoformat(str(before.value))
            months = range(1) if named else range(2)
            firsts = (months_later(start.replace(day=1), ahead) for ahead in months)
            day = value.value[5:] if named else ""
            meant = (f"{start.year}-{day}" if named else f"{first:%Y-%m}-{value.value[8:]}" for first in firsts if first)  # fmt: skip
            is_number = all(source.tokens[i].is_figure or source.tokens[i].is_stop or source.tokens[i].is_sign or source.key(i) in source.language.ordinal_signs for i in words)  # fmt: skip
            later = next((one for one in meant if one > str(before.value) and _exists(one)), None)
            if later and (is_number or (named and _YEAR.search(before.text))):
                found[at] = value = replace(value, value=later)
        if named or whole:
            before = value
    return found


def _exists(day: str) -> bool:
    try:
        return bool(date.fromisoformat(day))
    except ValueError:
        return False


def _in_part(value: Value, half: str, end: int) -> Value:
    times = [reading for reading in value.readings if is_in_half(reading[-5:], half)]
    if len(times) == 1:
        return replace(value, value=times[0], readings=(), end=end)
    return replace(value, end=end)


def _are_beside(source: Source, one: Value, other: Value) -> bool:
    if {one.kind, other.kind} not in ({"date", "time"}, {"date", "times"}, {"times", "time"}):
        return False
    at = one.end
    for _ in range(3):
        if at >= other.core or at >= other.first:
            return True
        joint = source.role(at, "moment_joins")
        if joint is None:
            return False
        at = joint[1]
    return at >= other.first


def _both(source: Source, one: Value, other: Value, parts: dict[int, str]) -> Value | None:
    if "date" not in (one.kind, other.kind):
        return None
    day, time = (one, other) if one.kind == "date" else (other, one)
    if day is other and day.bound and not time.bound:
        # `at 7, until 31 October`
        return None
    if time.kind == "times" and time.core in parts and time.first == time.core:
        return None
    half = parts.get(day.core, "")
    times = time.readings or (time.value,)
    if half and time.kind == "time" and time.core not in parts:
        times = (_in_half(times, half),)
    days = day.readings or (day.value,)
    readings: tuple[Any, ...] = tuple(f"{d}T{t}" for d, t in product(days, times))
    if time.kind == "times":
        readings = tuple((f"{d}T{t[0]}", f"{d}T{t[1]}") for d, t in product(days, times))
    now = source.now.isoformat(timespec="minutes")[:16]
    if len(readings) > 1 and len(days) == 1 and time.kind == "time":
        # Of two times today, one that is over is not meant.
        readings = (
            tuple(reading for reading in readings if reading > now or reading[:10] != now[:10])
            or readings
        )
    is_sure = len(readings) == 1 or (
        day.value is not None and (time.value is not None or len(times) == 1)
    )
    first, end = min(one.first, other.first), max(one.end, other.end)
    bound = one.bound or other.bound
    return Value(
        "datetime" if time.kind == "time" else "datetimes", first, end,
        readings[0] if is_sure else None, as_written(source, one.core, end), bound=bound,
        readings=readings if len(readings) > 1 else (), core=one.core,
    )  # fmt: skip


def _in_half(times: Sequence[str], half: str) -> str:
    """Return the time of the day that is in a half of it: `heute Abend um 7 Uhr`."""
    time = next((time for time in times if is_in_half(time, half)), times[0])
    later = f"{int(time[:2]) + 12}{time[2:]}"
    is_shifted = _EARLIEST_SHIFTED <= time < "12:00" and not is_in_half(time, half)
    return later if is_shifted and is_in_half(later, half) else time


def _with_halves(found: list[Value], parts: dict[int, str], now: datetime) -> list[Value]:
    """Choose between morning and evening by a part of the day that was said beside."""
    for index, value in enumerate(found):
        if value.kind not in ("time", "datetime") or value.value is not None:
            continue
        for near in found[max(0, index - 1) : index + 2]:
            half = parts.get(near.core, "") if near is not value and near.kind in WHEN else ""
            if half and (near.first - value.end <= 1 and value.first - near.end <= 2):
                times = [r for r in value.readings if is_in_half(r[-5:], half)]
                if len(times) == 1:
                    found[index] = value = replace(value, value=times[0], readings=())
    return found


def _with_negations(source: Source, found: list[Value]) -> list[Value]:
    for index, value in enumerate(found):
        # `I don't need PR-115, take it out`: what a verb denies of the only thing is why.
        is_thing = value.kind == "id" or (value.kind == "number" and value.text.isdecimal() and len(value.text) > 2)  # fmt: skip
        is_only = is_thing and sum(other.kind == value.kind for other in found) == 1
        if _is_negated(source, value, found[index - 1] if index else None, is_only=is_only):
            found[index] = replace(value, negated=True)
    return found


def _is_negated(source: Source, value: Value, before: Value | None, *, is_only: bool) -> bool:
    """Whether `without`, `not on` or `except` is before a value, with nothing of weight between."""
    at = value.first - 1
    limit = max(before.end if before else 0, at - _BACK)
    if before and before.negated and before.end >= value.first - 2:
        joins = [source.role(inner, "conjunctions") for inner in range(before.end, value.first)]
        if all(join and join[0] in ("and", "or") for join in joins) or (
            value.first - before.end == 1 and source.key(before.end) in ",/"
        ):
            return True
    while at >= limit:
        for start in range(max(limit, at - 2), at + 1):
            denied = source.language.phrase_at(source.tokens, start, "without", "negators")
            if denied and denied[1] == at + 1:
                return True
        token = source.tokens[at]
        small = source.role(at, "moment_joins", "prepositions", "ones")
        if not (token.is_stop or small) or token.is_sign or (is_only and not small):
            return False
        if source.role(at, "conjunctions"):
            return False
        at -= 1
    return False
