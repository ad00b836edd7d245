"""Days and times for parameters: beginnings, ends, and what is over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from webagent.agent.deterministic.candidates.fits import Fit, cued
from webagent.agent.deterministic.candidates.parameters import Parameter, stems_of
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import planning, verbs_of
from webagent.agent.deterministic.reading.clock import is_in_half
from webagent.agent.deterministic.reading.language import english_stem
from webagent.agent.deterministic.reading.moments import months_later
from webagent.agent.deterministic.reading.value import MOMENTS, WHEN, Value
from webagent.agent.deterministic.reading.values import converted

_DAY: Final = ("07:00", "21:00")
"""Between these times people mean, unless they say otherwise."""
_SECONDS: Final = {"minute": 60, "hour": 3_600, "day": 86_400, "night": 86_400}
_RECORDS: Final = "transaction history payment expense record consumption usage statement bill invoice receipt reading sample harvest"
"""Records that a site keeps of the past."""
_REPORTED: Final = "expense claim invoice reading sample harvest consumption usage data"
"""Things that a person reports or takes away after the fact."""
_AHEAD: Final = frozenset(("due", "deadline", "expires", "expiry", "expiration", "valid", "next"))
_INCIDENTS: Final = "loss incident accident"
_MONTHS: Final = {"month": 1, "year": 12}
_DAY_ONLY: Final = re.compile(r"\D{0,8}\d{1,2}(?:st|nd|rd|th|\.)?")
_BEGINS_WEEK: Final = re.compile(r"\b(?:monday of|first day of (?:the|a) week|montag der|lundi de la semaine|lunes de la semaine)", re.IGNORECASE)  # fmt: skip
_PARTICIPLES: Final = frozenset(("paid", "lost", "done", "sent", "read", "taken", "born", "received", "made", "bought", "loss", "birth", "incident", "accident", "happened", "occurred"))  # fmt: skip


_WAKING: Final = stems_of("wake wakeup")


def moments(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:  # fmt: skip
    """Yield the days and times of a part of a goal."""
    kind = parameter.kind
    # `wake me at quarter to seven`
    spoken = _half_of(sentence, first, end) or ("am" if tool.words.keys() & _WAKING else "")
    values = [
        _past(_settled(value, spoken), sentence)
        if _is_over(parameter, tool, sentence, value)
        else _settled(value, spoken)
        for value in values
    ]  # fmt: skip
    for value in values:
        meant, score = _moment(value, kind, parameter)
        if meant is None or (kind == "time" and not tool.reads and _is_vague(value, parameter)):
            continue
        if kind == "date" and _BEGINS_WEEK.search(str(parameter.schema.get("description") or "")):
            day = date.fromisoformat(meant)
            meant = (day - timedelta(days=day.weekday())).isoformat()
        if value.bound and parameter.is_start != parameter.is_end:
            score += 0.4 if (value.bound == "max") == parameter.is_end else -0.8
        fit = cued(parameter, sentence, value, meant, score, first, end)
        others = (_moment(replace(value, value=one), kind, parameter)[0] for one in value.readings)
        readings = tuple(dict.fromkeys(one for one in others if one is not None))
        fit = replace(fit, readings=readings if len(readings) > 1 else ())
        if value.kind == "datetime" and kind != "datetime" and value.end - value.first > 1:
            place = value.first if kind == "date" else value.end - 1
            fit = replace(fit, tokens=frozenset((place,)))
        elif isinstance(value.value, tuple) and value.end - value.first > 1:
            # Both ends are in it, each for a parameter of its own; so are the day and the time of each.
            middle = (value.first + value.end) // 2
            last = parameter.is_end and not parameter.is_start
            half = range(middle, value.end) if last else range(value.first, middle)
            if value.kind == "datetimes" and kind != "datetime" and len(half) > 1:
                half = half[:1] if kind == "date" else half[1:]
            fit = replace(fit, tokens=frozenset(half))
        yield fit
    if kind == "month":
        yield from _months(parameter, sentence, first, end)
    if kind == "datetime":
        yield from _joined(parameter, sentence, values, first, end)


def _is_vague(value: Value, parameter: Parameter) -> bool:
    """Whether a value is a part of the day and not a time: `wake me tomorrow morning`."""
    spans = isinstance(value.value, tuple) and not any(c.isdigit() for c in value.text)
    return spans and parameter.is_start == parameter.is_end


def _months(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the months that are named alone: `december`."""
    for index, year, month in months_named(sentence, first, end):
        if sentence.in_value[index] is None:
            yield Fit(parameter, f"{year}-{month:02d}", frozenset((index,)), 1.3)


def months_named(sentence: Sentence, first: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the places of months with their year, which is the nearest one if none is said."""
    today = date.fromisoformat(sentence.today)
    for index in range(first, end):
        token, value = sentence.tokens[index], sentence.in_value[index]
        month = sentence.language.roles["months"].get(token.key)
        if month is None or (value is None and (token.is_stop or (sentence.verbs[index] and not token.is_capital))):  # fmt: skip
            continue
        said = value and sentence.tokens[value.end - 1].text
        years = (today.year - 1, today.year, today.year + 1)
        near = min(years, key=lambda y: abs((y - today.year) * 12 + month - today.month))
        yield index, int(said) if said and len(said) == 4 and said.isdecimal() else near, month


def _is_over(parameter: Parameter, tool: ToolWords, sentence: Sentence, value: Value) -> bool:
    """Whether a day is over by what it is the day of, by the tool, or by the goal."""
    if parameter.names & _AHEAD:
        return False
    if parameter.names & _PARTICIPLES or parameter.about & stems_of(_INCIDENTS):
        return True
    plans = bool(tool.verbs & planning())
    return _keeps_records(tool, plans) or (
        sentence.is_past(*sentence.clause_of(value.first)) and not plans
    )


def _keeps_records(tool: ToolWords, plans: bool) -> bool:
    """Whether a tool lists or takes what has happened: `list_payments`, `logFeeding`, `submitClaim`."""
    if tool.verbs & tool.described & verbs_of(("log",)):
        return True
    if tool.verbs & verbs_of(("export", "download")) and tool.words.keys() & stems_of(_REPORTED):
        return True
    nouns = _RECORDS if tool.reads else _REPORTED
    return not (plans and not tool.reads) and any(
        english_stem(noun) in tool.noun_stems for noun in nouns.split()
    )


def _half_of(sentence: Sentence, first: int, end: int) -> str:
    """Return the half of the day that a part of a goal speaks of: "pm" for `every evening at seven`."""
    found = {
        str(phrase[0].meaning[0])
        for i in range(first, end)
        if (phrase := sentence.language.phrase_at(sentence.tokens, i, "day_parts"))
        # `80 a night` is a price, not a time.
        and not ((value := sentence.in_value[i]) and value.kind not in WHEN)
    }
    return found.pop() if len(found) == 1 else ""


def ends_by_length(
    parameters: Sequence[Parameter], fits: Sequence[Fit], values: Sequence[Value]
) -> Iterator[Fit]:
    """Yield the end of a span of which the goal says the beginning and the length: `for three nights`."""
    used = frozenset[int]().union(*(fit.tokens for fit in fits))
    filled = {fit.parameter.path for fit in fits}
    lengths = [v for v in values if v.kind == "duration" and not used & {*range(v.first, v.end)}]
    for begin in fits:
        start = begin.parameter
        if start.kind not in ("date", "time", "datetime") or start.is_end or not start.is_start:
            continue
        stop = next(
            (p for p in parameters if p.kind == start.kind and p.path[:-1] == start.path[:-1] and p.is_end and not p.is_start),
            None,
        )  # fmt: skip
        if stop is None or stop.path in filled or not isinstance(begin.value, str):
            continue
        for length in lengths:
            if meant := _later(begin.value, length):
                yield Fit(stop, meant, frozenset(range(length.first, length.end)), 1.2)
                return


def lengths_by_ends(
    parameters: Sequence[Parameter], fits: Sequence[Fit], values: Sequence[Value]
) -> Iterator[Fit]:
    """Yield the length of a span whose ends the goal says, for a tool that takes no end: `from 2 to 5`."""
    filled = {fit.parameter.path for fit in fits}
    length = next((p for p in parameters if p.kind in ("number", "enum") and p.unit in _SECONDS and p.path not in filled), None)  # fmt: skip
    if length is None or any(p.kind in MOMENTS and p.is_end and not p.is_start for p in parameters):
        return
    taken = frozenset[int]().union(*(fit.tokens for fit in fits if fit.parameter.kind in MOMENTS))
    for value in values:
        own = frozenset(range(value.first, value.end))
        # `in the morning` does not say how long.
        is_exact = isinstance(value.value, tuple) and any(c.isdigit() for c in value.text)
        if not (is_exact and own & taken):
            continue
        try:
            start, end = (
                datetime.fromisoformat(one if "-" in one else f"2000-01-01T{one}")
                for one in value.value
            )
            count = (end - start).total_seconds() / _SECONDS[length.unit]
        except (TypeError, ValueError):
            # Only one of them has a time zone.
            continue
        allowed = [choice.value for choice in length.choices] or [count]
        if count > 0 and count in allowed and (count == int(count) or length.schema.get("type") != "integer"):  # fmt: skip
            yield Fit(length, int(count) if count == int(count) else count, own - taken, 1.2)
            return
    starts = [fit for fit in fits if fit.parameter.kind == "date"]
    ends = [v for v in values if v.kind == "date" and isinstance(v.value, str) and not taken & {*range(v.first, v.end)}]  # fmt: skip
    if length.unit in ("day", "night") and len(starts) == len(ends) == 1:
        # `we arrive on 5 May and leave on the 8th`
        begin, stop = (date.fromisoformat(one.value) for one in (starts[0], ends[0]))
        if stop < begin and _DAY_ONLY.fullmatch(ends[0].text):
            near = (months_later(begin.replace(day=1), ahead) for ahead in (0, 1))
            days = (day + timedelta(days=stop.day - 1) for day in near if day)
            stop = next((day for day in days if day > begin), stop)
        if stop > begin:
            own = frozenset(range(ends[0].first, ends[0].end))
            yield Fit(length, (stop - begin).days, own, 1.2)


def _later(start: str, length: Value) -> str:
    """Return the day or time that is a length after another; nothing if that is another kind."""
    if not isinstance(length.value, int | float):
        return ""
    has_day, has_time = "-" in start, ":" in start
    if length.unit in _MONTHS:
        months = round(length.value * _MONTHS[length.unit])
        day = months_later(date.fromisoformat(start[:10]), months) if has_day else None
        return f"{day.isoformat()}{start[10:]}" if day else ""
    seconds = converted(length, "second")
    if seconds is None or (not has_time and seconds % 86_400):
        return ""
    try:
        begin = datetime.fromisoformat(start if has_day else f"2000-01-01T{start}")
        later = begin + timedelta(seconds=float(seconds))
    except (OverflowError, ValueError):
        return ""
    if not has_day:
        return later.strftime("%H:%M") if later.date() == begin.date() else ""
    return later.isoformat(timespec="minutes")[: len(start)]


def _joined(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:
    """Yield days with a time that is said elsewhere."""
    days = [v for v in values if v.kind == "date" and v.value]
    times = [v for v in values if v.kind == "time" and v.value]
    for day in days:
        for time in times:
            fit = cued(parameter, sentence, day, f"{day.value}T{time.value}", 1.5, first, end)
            tokens = fit.tokens | frozenset(range(time.first, time.end))
            readings = tuple(f"{day.value}T{one}" for one in time.readings) or fit.readings
            score = fit.score - 0.02 * abs(day.first - time.first)
            yield replace(fit, tokens=tokens, score=score, readings=readings if len(readings) > 1 else ())  # fmt: skip
    for day in days:
        for span in (v for v in values if v.kind == "times" and isinstance(v.value, tuple)):
            place = 1 if parameter.is_end and not parameter.is_start else 0
            meant = f"{day.value}T{span.value[place]}"
            fit = cued(parameter, sentence, day, meant, 1.5, first, end)
            token = span.first + (span.end - span.first - 1 if place else 0)
            yield replace(fit, tokens=frozenset((token,)))


def _settled(value: Value, half: str) -> Value:
    """Return a value with one reading if one is likelier, in the half of the day, or the only one in the day."""
    if len(value.readings) < 2 or value.value is not None:
        return replace(value, readings=())
    if value.kind in ("time", "datetime") and half:
        fitting = [one for one in value.readings if is_in_half(str(one)[-5:], half)]
        if len(fitting) == 1:
            return replace(value, value=fitting[0], readings=())
    if value.kind not in ("time", "datetime", "times", "datetimes"):
        return replace(value, value=value.readings[0])

    def is_usual(reading: Any) -> bool:
        both = reading if isinstance(reading, tuple) else (reading,)
        return all(_DAY[0] <= str(one)[-5:] < _DAY[1] for one in both)

    usual = [one for one in value.readings if is_usual(one)]
    if len(usual) == 1:
        return replace(value, value=usual[0], readings=())
    return replace(value, value=value.readings[0])


def _past(value: Value, sentence: Sentence) -> Value:
    """Return a day without a year as the last such day before now."""
    if value.kind not in ("date", "dates", "datetime") or any(w.isdecimal() and len(w) == 4 for w in value.text.replace(".", " ").replace("/", " ").split()):  # fmt: skip
        return value
    keys = [token.key for token in sentence.tokens[value.first : value.end]]
    named = any(
        key in sentence.language.roles[role] for key in keys for role in ("months", "weekdays")
    )
    if not named and not any(key[0].isdecimal() for key in keys):
        # `tomorrow` is never over.
        return value
    both = value.value if isinstance(value.value, tuple) else (value.value,)
    if not all(isinstance(one, str) for one in both) or both[0][:10] <= sentence.today:
        return value
    days = [date.fromisoformat(one[:10]) for one in both]
    said = sentence.tokens[value.first : value.end]
    is_day_only = all(t.text.isdecimal() for t in said if t.is_figure) and not any(
        t.key in sentence.language.roles["months"] for t in said
    )
    try:
        if _is_weekday(value, sentence):
            earlier = [d - timedelta(days=7) for d in days]
        elif is_day_only:
            # `the 5th` is one of this month or of the last.
            earlier = [months_later(d, -1) or d for d in days]
        else:
            earlier = [months_later(d, -12) or d for d in days]
    except ValueError:
        return value
    if earlier[0].isoformat() > sentence.today:
        return value
    moved = tuple(f"{d.isoformat()}{one[10:]}" for d, one in zip(earlier, both, strict=True))
    return replace(value, value=moved if isinstance(value.value, tuple) else moved[0], readings=())


def _is_weekday(value: Value, sentence: Sentence) -> bool:
    weekdays = sentence.language.roles.get("weekdays", {})
    said = sentence.tokens[value.first : value.end]
    return any(t.key in weekdays for t in said) and not any(t.is_figure for t in said)


def _period_of(value: Value, kind: str, parameter: Parameter) -> tuple[Any, float]:
    """Return the week or month of a day or span, and how well it fits: `2027-W09`."""
    if value.kind not in ("date", "datetime", "dates", "datetimes"):
        return None, 0
    both = value.value if isinstance(value.value, tuple) else (value.value,)
    day = date.fromisoformat(
        str(both[-1 if parameter.is_end and not parameter.is_start else 0])[:10]
    )
    if kind == "month":
        return f"{day:%Y-%m}", 1.5
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}", 1.5


def _moment(value: Value, kind: str, parameter: Parameter) -> tuple[Any, float]:
    """Return what a value means for a parameter of a kind, and how well it fits."""
    if value.kind == kind:
        return value.value, 1.5
    if kind in ("week", "month"):
        return _period_of(value, kind, parameter)
    if value.kind == "datetime":
        day, _, time = str(value.value).partition("T")
        return (day, 1.2) if kind == "date" else (time, 1.2) if kind == "time" else (None, 0)
    if value.kind in ("dates", "times", "datetimes") and isinstance(value.value, tuple):
        wanted = {"dates": "date", "times": "time", "datetimes": "datetime"}[value.kind]
        if parameter.is_start == parameter.is_end:
            place, score = 0, 0.9
        else:
            place, score = int(parameter.is_end), 1.7
        meant = value.value[place]
        if wanted == "datetime" and kind in ("date", "time"):
            day, _, time = str(meant).partition("T")
            meant, wanted = (day, "date") if kind == "date" else (time, "time")
        return (meant, score) if wanted == kind else (None, 0)
    return None, 0
