"""Which things of a result keep the days and bounds of a goal: `on Friday`, `under 50 euros`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from webagent.agent.deterministic.reading.language import Language
from webagent.agent.deterministic.reading.moments import months_later
from webagent.agent.deterministic.reading.quantities import convert, dimension
from webagent.agent.deterministic.reading.tokens import Token
from webagent.agent.deterministic.reading.values import Value
from webagent.agent.deterministic.results.items import Field, Item, columns
from webagent.agent.deterministic.results.measures import clean, is_money, measure_of
from webagent.speech import say


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person said, as it was read."""

    tokens: Sequence[Token]
    values: Sequence[Value]
    language: Language
    used: frozenset[int] = frozenset()
    """Indexes of tokens that became arguments; they are not looked for again in a date or a bound."""
    orders: frozenset[int] = frozenset()
    """Indexes of the verbs that say what is to be done, and name no thing."""
    given: frozenset[int] = frozenset()
    """Indexes of tokens that the call took which found the things: they hold for all of them."""

    def has_used(self, value: Value) -> bool:
        """Whether a value became an argument, with the words before it or without: `in the morning`."""
        return not self.used.isdisjoint(range(value.first, value.end))


def on_day(
    items: tuple[Item, ...], asked: Asked, tokens: Sequence[Token]
) -> tuple[tuple[Item, ...], frozenset[int]]:
    """Keep the things of the day and time that the goal names, and return their tokens: `my wash on Friday`."""
    named: set[int] = set()
    for value in asked.values:
        if asked.has_used(value) or value.kind not in ("date", "time", "datetime") or value.negated or value.bound == "max":  # fmt: skip
            continue
        readings = [str(one) for one in value.readings or (value.value,)]
        kept = items
        if value.kind != "time":
            said = tokens[value.core : value.end]
            days = (day for one in readings for day in _days_alike(one[:10], said, asked))
            # The day itself comes before those that it may be as well.
            kept = next((found for day in days if (found := _of_day(items, day))), ())
        timed = _at_time(kept, [one[-5:] for one in readings]) if value.kind != "date" else ()
        if timed or (kept and value.kind != "time"):
            items = timed or kept
            named.update(range(value.first, value.end))
    return items, frozenset(named)


def _at_time(items: tuple[Item, ...], clocks: Sequence[str]) -> tuple[Item, ...]:
    wanted = {measure.number for one in clocks if (measure := measure_of(one))}
    return tuple(
        item for item in items
        if any(
            (measure := one.measure) and measure.unit in ("moment", "clock") and measure.number % 1440 in wanted
            for one in item.fields
        )
    )  # fmt: skip


def _days_alike(text: str, said: Sequence[Token], asked: Asked) -> list[date]:
    """Return the days that words may be, the likelier first: the 31st of October of this or the last year."""
    day, roles = date.fromisoformat(text), asked.language.roles
    if any(len(token.text) == 4 and token.is_figure for token in said):
        return [day]
    if any(token.key in roles["months"] for token in said):
        years = (day.year, day.year - 1)
        return [day.replace(year=year) for year in years if (day.month, day.day) != (2, 29)] or [day]  # fmt: skip
    if any(token.key in roles["weekdays"] for token in said):
        return [day, day - timedelta(days=7)]
    if any(token.is_figure for token in said):
        return [day, months_later(day, -1) or day]
    return [day]


def _of_day(items: tuple[Item, ...], day: date) -> tuple[Item, ...]:
    start = measure_of(day.isoformat())
    return tuple(
        item for item in items
        if start and any(
            (measure := one.measure) and measure.unit == "moment" and measure.number // 1440 == start.number // 1440
            for one in item.fields
        )
    )  # fmt: skip


def within_bounds(items: tuple[Item, ...], asked: Asked) -> tuple[tuple[Item, ...], str]:
    """Keep the things within the goal's bounds, and say which none keeps."""
    for value in asked.values:
        if asked.has_used(value) or not (value.bound or isinstance(value.value, tuple)):
            continue
        path = column_of(items, value, asked)
        if path is None:
            continue
        kept = tuple(item for item in items if _keeps(item.field(path), value))
        for other in (*value.readings, _year_before(value)) if not kept else ():
            kept = kept or tuple(
                item for item in items if _keeps(item.field(path), replace(value, value=other))
            )
        if (
            not kept
            and value.kind in ("date", "dates")
            and not any(c.isdigit() for c in value.text)
        ):
            # A month or a weekday without a year may be the last one.
            continue
        if not kept:
            return (), say("outside_bounds", count=len(items), bound=clean(value.text, 40))
        items = kept
    return items, ""


def _year_before(value: Value) -> object:
    """Return the same span a year ago: `my report from March` may be of the last one."""
    ends = value.value if isinstance(value.value, tuple) else (value.value,)
    if value.kind != "dates" or any(c.isdigit() for c in value.text):
        return value.value
    return tuple(str(months_later(date.fromisoformat(str(end)), -12) or end) for end in ends)


def column_of(items: Sequence[Item], value: Value, asked: Asked) -> tuple[str, ...] | None:
    """Return the field that a bound is about: by its unit, or by the words before it."""
    near = asked.tokens[max(0, value.first - 4) : value.first]
    spoken = {stem for token in near for stem in token.glosses}
    best, most = None, 0.0
    for field_ in columns(items):
        measure = field_.measure
        if measure is None or isinstance(field_.value, bool):
            continue
        score = 2.0 * len(spoken & field_.words) + _unit_likeness(value, field_, measure.unit)
        if score > most and not (
            value.kind != "number" and _unit_likeness(value, field_, measure.unit) <= 0
        ):
            best, most = field_.path, score
    return best


def _unit_likeness(value: Value, field_: Field, unit: str) -> float:
    if value.kind == "money":
        return 2.0 if is_money(unit) or "price" in field_.meanings else 0.0
    if value.kind in ("quantity", "duration"):
        return 2.0 if unit and dimension(unit) == dimension(value.unit) else 0.0
    if value.kind in ("date", "datetime", "dates", "datetimes"):
        return 1.0 if unit == "moment" else 0.0
    if value.kind in ("time", "times"):
        return {"clock": 1.5, "moment": 1.0}.get(unit, 0.0)
    if value.kind == "number":
        return (
            0.5
            if "price" in field_.meanings
            else 0.2
            if unit not in ("moment", "clock") and "id" not in field_.meanings
            else 0.0
        )
    return 0.0


def _keeps(field_: Field | None, value: Value) -> bool:
    measure = field_.measure if field_ else None
    if measure is None:
        return False
    ends = value.value if isinstance(value.value, tuple) else (value.value, value.value)
    low, high = (_limit(end, value, measure.unit) for end in ends)
    number = measure.number
    if measure.unit == "moment" and value.kind in ("time", "times"):
        number %= 1440
    if measure.unit == "moment" and value.kind in ("date", "dates"):
        number //= 1440
        low, high = (limit // 1440 if limit is not None else None for limit in (low, high))
    is_range = isinstance(value.value, tuple)
    below = (is_range or value.bound == "min") and low is not None and number < low
    above = (is_range or value.bound == "max") and high is not None and number > high
    return (below or above) == value.negated


def _limit(end: object, value: Value, unit: str) -> float | None:
    if value.kind in ("quantity", "duration", "money") and isinstance(end, int | float):
        if unit == "cent":
            return float(end) * 100
        other = (
            convert(end, value.unit, unit) if value.unit and unit and not is_money(unit) else end
        )
        return None if other is None else float(other)
    measure = measure_of(end)
    return measure.number if measure else None
