"""Days and times for parameters: beginnings, ends, and what is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Final

from webagent.agent.deterministic.candidates.fits import Fit, cued
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.values import Value

_DAY: Final = ("07:00", "21:00")
"""Between these times people mean, unless they say otherwise."""
_PARTICIPLES: Final = frozenset(("paid", "lost", "done", "sent", "read", "taken", "born", "received", "made", "bought", "loss", "birth", "incident", "accident", "happened", "occurred"))  # fmt: skip


def moments(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:
    """Yield the days and times of a part of a goal."""
    kind = parameter.kind
    over = sentence.is_past(first, end) or bool(parameter.names & _PARTICIPLES)
    values = [_past(_settled(value), sentence) if over else _settled(value) for value in values]
    for value in values:
        meant, score = _moment(value, kind, parameter)
        if meant is None:
            continue
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
            # Both ends are in it, each for a parameter of its own.
            middle = (value.first + value.end) // 2
            last = parameter.is_end and not parameter.is_start
            half = range(middle, value.end) if last else range(value.first, middle)
            fit = replace(fit, tokens=frozenset(half))
        yield fit
    if kind == "datetime":
        yield from _joined(parameter, sentence, values, first, end)


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
            if time.bound and parameter.is_start != parameter.is_end:
                score += 0.4 if (time.bound == "max") == parameter.is_end else -0.8
            yield replace(fit, tokens=tokens, score=score, readings=readings if len(readings) > 1 else ())  # fmt: skip
    for day in days:
        for span in (v for v in values if v.kind == "times" and isinstance(v.value, tuple)):
            place = 1 if parameter.is_end and not parameter.is_start else 0
            meant = f"{day.value}T{span.value[place]}"
            fit = cued(parameter, sentence, day, meant, 1.5, first, end)
            token = span.first + (span.end - span.first - 1 if place else 0)
            yield replace(fit, tokens=frozenset((token,)))


def _settled(value: Value) -> Value:
    """Return a value with one reading if one is likelier, or the only one that is in the day."""
    if len(value.readings) < 2 or value.value is not None:
        return replace(value, readings=())
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
    back = timedelta(days=7) if _is_weekday(value, sentence) else None
    try:
        earlier = [d - back if back else d.replace(year=d.year - 1) for d in days]
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


def _moment(value: Value, kind: str, parameter: Parameter) -> tuple[Any, float]:
    """Return what a value means for a parameter of a kind, and how well it fits."""
    if value.kind == kind:
        return value.value, 1.5
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
