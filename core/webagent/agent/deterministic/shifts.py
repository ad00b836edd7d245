"""How a goal moves the days and hours of an earlier call: `half an hour later`, `make that 8`, `and from the 21st?`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Fit
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.phrases import phrase_length
from webagent.agent.deterministic.reading.value import Value

Path = tuple[str, ...]
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d{1,2}:\d\d)(.*)")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_HOUR: Final = re.compile(r"\d\d:\d\d")
_BARE: Final = re.compile(r"[1-9]:\d\d")
_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]) ?h ?([0-5]\d)")
_DAY: Final = timedelta(days=1)
_UNITS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": _DAY, "week": 7 * _DAY}  # fmt: skip
_LONG_PAST: Final = 14 * _DAY
"""A day of the month that is further back is one of the next month."""


def shift_of(sentence: Sentence, first: int, end: int) -> timedelta | None:
    """Return by how much a part of a goal says that something shall be later: `half an hour later`."""
    lengths = [
        v for v in sentence.values
        if v.kind == "duration" and v.unit in _UNITS and first <= v.first < end
    ]  # fmt: skip
    signs = [
        sign
        for kind, sign in (("later", 1), ("earlier", -1))
        if any(phrase_length(sentence, i, kind) for i in range(first, end))
    ]
    if len(lengths) != 1 or len(signs) != 1 or lengths[0].value is None:
        return None
    return signs[0] * float(lengths[0].value) * _UNITS[lengths[0].unit]


def shifted(known: Mapping[Path, Any], by: timedelta) -> dict[Path, Any]:
    """Return the days and times of a call, moved by a length of time; hours alone do not change the day."""
    found = {}
    for path, value in known.items():
        # An argument of a page may look like a date and not be one.
        with contextlib.suppress(ValueError, OverflowError):
            if _HOUR.fullmatch(str(value)) and abs(by) < _DAY:
                moment = datetime.combine(datetime.min, time.fromisoformat(value)) + _DAY + by
                if moment.date() == (datetime.min + _DAY).date():
                    found[path] = f"{moment:%H:%M}"
            elif _DATE.fullmatch(str(value)) and not by % _DAY:
                found[path] = (date.fromisoformat(value) + by).isoformat()
            elif match := _MOMENT.fullmatch(str(value)):
                moment = datetime.fromisoformat(f"{match[1]}T{match[2]:0>5}") + by
                found[path] = f"{moment:%Y-%m-%dT%H:%M}{match[3]}"
    return found


def moved(
    sentence: Sentence, new: Mapping[Path, Fit], known: Mapping[Path, Any], first: int, end: int
) -> dict[Path, Any]:
    """Return the moments of a call of which a part of a goal changes only the day, or only the hour.

    Args:
        sentence: The goal.
        new: The arguments that it says anew.
        known: Those of the call.
        first: First token of the part.
        end: End of the part.
    """
    values = [v for v in sentence.values if first <= v.first < end]
    days = [v.value for v in values if v.kind == "date" and v.value]
    hours = [_readings(v) for v in values if v.kind == "time"]
    timed = {path: m for path, value in known.items() if (m := _MOMENT.fullmatch(str(value)))}
    if not (new or days or hours) and len(values) == 1:
        if found := _by_number(sentence, values[0], known):
            return found
        hours = [hours_of(values[0])] if hours_of(values[0]) and len(timed) == 1 else []
    if (
        len(timed) == 2
        and len(hours) == 1
        and not days
        and len({m[1] for m in timed.values()}) == 1
    ):
        # `make it 1 pm` is when it begins, and it takes as long as before.
        begin = min((m[2] for m in timed.values()), key=_since_midnight)
        return shifted(known, _since_midnight(_nearest(hours[0], begin)) - _since_midnight(begin))
    found = _of_month(sentence, new, known) | _in_half(values, new, known)
    for path, match in timed.items():
        # `the 20th at noon` does not say which of two moments it is.
        if len(days) + len(hours) == 1 and (days or len(timed) == 1):
            day = (*days, match[1])[0]
            hour = _nearest(hours[0], match[2]) if hours else match[2]
            found[path] = f"{day}T{hour}{match[3]}"
    return found


def moment_for(kind: str, moment: str) -> str:
    """Return a moment as a parameter of a kind takes it; nothing if it has no day."""
    day, _, hour = moment.rpartition("T")
    return moment if kind == "datetime" and day else hour if kind == "time" else ""


def _by_number(sentence: Sentence, value: Value, known: Mapping[Path, Any]) -> dict[Path, Any]:
    """Return the only hour or the only day of a call with the number that a goal says: `make that 8`, `make it the 8th`."""
    clocks = {path: old for path, old in known.items() if _HOUR.fullmatch(str(old))}
    if len(clocks) == 2 and sentence.preposition[value.core] in ("until", "to", "from"):
        # `no, till 8`
        begin, end = sorted(clocks, key=lambda path: str(clocks[path]))
        path = begin if sentence.preposition[value.core] == "from" else end
        clocks = {path: clocks[path]}
    dates = {path: old for path, old in known.items() if _DATE.fullmatch(str(old)[:10])}
    if hours_of(value) and len(clocks) == 1:
        ((path, old),) = clocks.items()
        return {path: _nearest(hours_of(value), old)}
    if value.kind == "ordinal" and value.text[:1].isdigit() and len(dates) == 1:
        ((path, old),) = dates.items()
        day = _on_day(old[:10], value.value)
        return {path: f"{day}{old[10:]}"} if day else {}
    return {}


def _of_month(
    sentence: Sentence, new: Mapping[Path, Fit], known: Mapping[Path, Any]
) -> dict[Path, Any]:
    """Return days that are said without a month, in the month of those that they replace: `and from the 21st?`."""
    months = [sentence.language.roles[name] for name in ("months", "weekdays", "days", "periods")]
    found = {}
    for path, fit in new.items():
        old, day = str(known.get(path, "")), str(fit.value)
        keys = [sentence.tokens[i].key for i in fit.tokens]
        # `4/5/2027` says its month, too.
        whole = (
            any(key in words for key in keys for words in months) or sum(map(str.isdigit, keys)) > 2
        )
        if not whole and _DATE.fullmatch(old) and _DATE.fullmatch(day):
            found[path] = _on_day(old, int(day[8:])) or day
    return found


def _in_half(
    values: list[Value], new: Mapping[Path, Fit], known: Mapping[Path, Any]
) -> dict[Path, Any]:
    """Return hours in the half of the day of those that they replace: `make it 4:15`."""
    return {
        path: _nearest(_readings(value), str(known[path]))
        for path, fit in new.items()
        for value in values
        if value.kind == "time" and value.first in fit.tokens and _BARE.fullmatch(value.text)
        and _HOUR.fullmatch(str(known.get(path, "")))
    }  # fmt: skip


def _readings(value: Value) -> list[str]:
    """Return what a time may mean; `4:15` may be in the afternoon."""
    found = [str(one) for one in value.readings or (value.value,)]
    if _BARE.fullmatch(value.text):
        hour, minute = found[0].split(":")
        found.append(f"{int(hour) + 12}:{minute}")
    return found


def hours_of(value: Value) -> list[str]:
    """Return the times of the day that a number may mean, `HH:MM`; alone, `10h30` was read as a length of time."""
    if value.kind == "duration" and (clock := _CLOCK.fullmatch(value.text)):
        return [f"{int(clock[1]):02}:{clock[2]}"]
    if value.kind != "number" or not isinstance(value.value, int) or not 1 <= value.value <= 24:
        return []
    return [f"{hour:02}:00" for hour in (value.value % 24, value.value + 12) if hour < 24]


def _on_day(old: str, day: Any) -> str:
    """Return a day of the month of a date, or of the next month if that is long past; nothing if there is none."""
    with contextlib.suppress(ValueError, OverflowError, TypeError):
        was = date.fromisoformat(old)
        for month in (was.replace(day=1), was.replace(day=1) + 31 * _DAY):
            with contextlib.suppress(ValueError):
                if (found := month.replace(day=day)) >= was - _LONG_PAST:
                    return found.isoformat()
    return ""


def _nearest(hours: list[str], old: str) -> str:
    """Return the reading that is nearest to a time: `half past two`."""
    return min(hours, key=lambda one: abs(_since_midnight(one) - _since_midnight(old)))


def _since_midnight(clock: str) -> timedelta:
    hour, minute = map(int, clock.split(":")[:2])
    return timedelta(hours=hour, minutes=minute)
