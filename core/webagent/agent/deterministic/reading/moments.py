"""Days and times relative to a clock: `next Friday`, `5 March`, `halb acht`, `in two hours`.

The forms are patterns in the data of a language; what their slots hold is read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from webagent.agent.deterministic.reading.clock import (
    Binding,
    Moment,
    is_morning,
    is_neutral,
    read_clock,
)
from webagent.agent.deterministic.reading.language import Pattern, Slot
from webagent.agent.deterministic.reading.numbers import Source, number_at
from webagent.agent.deterministic.reading.quantities import amount_at

_ISO: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{2}):(\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|z|[+-]\d{2}:?\d{2})?)?"
)
_ISO_START: Final = re.compile(r"\d{4}-\d")
_FIGURES: Final = re.compile(r"(\d{1,4})([./])(\d{1,2})(?:[./](\d{4}|\d{2}))?")
_CLOCK: Final = re.compile(r"(\d{1,2})([:.])(\d{2})(?::(\d{2}))?")
_LATEST_YEAR: Final = 2200
_LONGEST_AHEAD: Final = 200_000
"""Days that an offset may go; more is no date."""
_UNITS_IN_DAYS: Final = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_UNITS_IN_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_UNITS_IN_MINUTES: Final = {"minute": 1, "hour": 60}


def moment_at(source: Source, at: int) -> Moment | None:
    """Return the day or time that starts at a token; the longest one."""
    token = source.tokens[at]
    best: Moment | None = None
    if token.is_figure:
        best = _in_figures(source, at)
    for moment in _found(source, at):
        if best is None or moment.end > best.end:
            best = moment
    return best


def _found(source: Source, at: int) -> Iterator[Moment]:
    token, language = source.tokens[at], source.language
    today = source.now.date()
    if (phrase := source.role(at, "days")) and not is_morning(source, at):
        day = today + timedelta(days=phrase[0])
        half = source.role(at, "day_parts")
        yield Moment(
            "date", phrase[1], (day.isoformat(),), half=half[0][0] if half else "", is_dated=True
        )
    if phrase := source.role(at, "feasts"):
        yield _feast(source, *phrase)
    if phrase := source.role(at, "periods"):
        unit, step, *ends = phrase[0].split()
        span = _period(today, unit, step)
        # The end of a month is its last day.
        kind, reading = ("date", span[1]) if ends else ("dates", span)
        yield Moment(kind, phrase[1], (reading,), is_dated=True)
    if phrase := source.role(at, "times"):
        yield Moment("time", phrase[1], (phrase[0],), half="am")
    for start in _starts(source, at):
        for pattern in language.patterns.get(start, ()):
            for end, bound in _matches(source, pattern.slots, 0, at, {}):
                moment = _READERS[pattern.role](source, pattern, end, bound)
                if moment is not None:
                    yield moment
                    break
    if token.is_figure or token.text[0].isalpha():
        yield from _weekday_then_date(source, at)


def _starts(source: Source, at: int) -> Sequence[str]:
    """Return the names of slots that the token may begin, and the token itself."""
    token = source.tokens[at]
    if token.is_figure:
        return ("{day}", "{hm}", "{h}", "{m}", "{duration}")
    found = [token.key]
    for phrase in source.language.phrases.get(token.key, ()):
        if phrase.role == "months":
            found.append("{month}")
        elif phrase.role == "weekdays":
            found.append("{weekday}")
        elif phrase.role in ("numbers", "ones", "fractions", "ordinals", "collectives"):
            found += ("{day}", "{h}", "{hw}", "{m}", "{mw}", "{duration}")
    if len(found) == 1 and source.language.compound_numbers and number_at(source, at):
        found += ("{h}", "{m}", "{mw}", "{duration}")
    return list(dict.fromkeys(found))


# --- Patterns -----------------------------------------------------------------------------


def _matches(
    source: Source, slots: Sequence[Slot], index: int, at: int, bound: Binding
) -> Iterator[tuple[int, Binding]]:
    """Yield where a pattern may end, with what its slots hold."""
    if index == len(slots):
        yield at, bound
        return
    slot = slots[index]
    if at < len(source.tokens):
        if slot.keys:
            if source.tokens[at].key in slot.keys:
                yield from _matches(source, slots, index + 1, at + 1, bound)
        elif (held := _SLOTS[slot.name](source, at)) is not None:
            yield from _matches(source, slots, index + 1, held[1], bound | {slot.name: held[0]})
    if slot.optional:
        yield from _matches(source, slots, index + 1, at, bound)


def _day(source: Source, at: int) -> tuple[int, int] | None:
    if found := _nth(source, at):
        return found
    number = number_at(source, at)
    if number is None or number.end - at > (5 if number.in_words else 1) or number.times:
        return None
    day = number.whole
    return (day, number.end) if day is not None and 1 <= day <= 31 else None


def _nth(source: Source, at: int) -> tuple[int, int] | None:
    token = source.tokens[at]
    if token.text.isdecimal() and len(token.text) < 3:
        if source.is_glued(at + 1) and source.key(at + 1) in source.language.ordinal_signs:
            day = int(token.text)
            return (day, at + 2) if 1 <= day <= 31 else None
        return None
    found = source.role(at, "ordinals")
    return (found[0], found[1]) if found and 1 <= found[0] <= 31 else None


def _nth_digits(source: Source, at: int) -> tuple[int, int] | None:
    return _nth(source, at) if source.tokens[at].is_figure else None


def _day_digits(source: Source, at: int) -> tuple[int, int] | None:
    found = _day(source, at)
    return found if source.tokens[at].is_figure else None


def _is_dated(source: Source, at: int, end: int) -> bool:
    """Whether a day or a time is spoken of around a word: `on sat`, `sat 8pm`, but not `they sat`."""
    token = source.tokens[at]
    follows = end < len(source.tokens) and source.tokens[end].is_figure
    cued = at > 0 and source.role(at - 1, "date_cues") is not None
    return follows or (cued and token.stem not in source.language.glosses)


def _named(role: str) -> Callable[[Source, int], tuple[int, int] | None]:
    def read(source: Source, at: int) -> tuple[int, int] | None:
        found = source.role(at, role)
        if found is None:
            return None
        value, end = found
        token = source.tokens[at]
        dotted = source.key(end) == "." and source.is_glued(end) and len(token.text) < 6
        is_short = len(token.text) <= 3 and role == "weekdays"
        if is_short and len(token.text) < 3 and not dotted:
            return None
        if is_short and not (token.is_capital or _is_dated(source, at, end)):
            return None
        # The full stop of an abbreviation, unless a sentence ends there.
        following = source.tokens[end + 1] if dotted and end + 1 < len(source.tokens) else None
        if following is not None and not following.is_capital and len(token.text) < 5:
            end += 1
        return value, end

    return read


def _year(source: Source, at: int) -> tuple[int, int] | None:
    text = source.tokens[at].text
    if len(text) == 4 and text.isdecimal() and 1900 <= int(text) < _LATEST_YEAR:
        return int(text), at + 1
    return None


def _hour(source: Source, at: int) -> tuple[int, int] | None:
    return _below(source, at, 25)


def _minute(source: Source, at: int) -> tuple[int, int] | None:
    return _below(source, at, 60)


def _below(source: Source, at: int, limit: int) -> tuple[int, int] | None:
    token = source.tokens[at]
    if token.text.isdecimal():
        # A leading zero is no number, but the minutes have it.
        value = int(token.text) if len(token.text) < 3 else limit
        return (value, at + 1) if value < limit else None
    if limit == 60 and source.role(at, "ones"):
        # `um 9 Uhr ein`: the last word belongs to the verb.
        return None
    number = number_at(source, at)
    if number is None or number.bare is None:
        article = source.role(at, "ones")
        return (1, article[1]) if article and number is None and limit == 25 else None
    bare, end = number.bare
    return (int(bare), end) if bare.denominator == 1 and 0 <= bare < limit else None


def _hour_word(source: Source, at: int) -> tuple[int, int] | None:
    return None if source.tokens[at].is_figure else _below(source, at, 13)


def _minute_word(source: Source, at: int) -> tuple[int, int] | None:
    found = None if source.tokens[at].is_figure else _below(source, at, 60)
    return found if found and found[0] % 5 == 0 and found[0] else None


def _hour_digits(source: Source, at: int) -> tuple[int, int] | None:
    return _below(source, at, 25) if source.tokens[at].is_figure else None


def _minute_digits(source: Source, at: int) -> tuple[int, int] | None:
    return _below(source, at, 60) if len(source.tokens[at].text) == 2 else None


def _clock_digits(source: Source, at: int) -> tuple[tuple[int, int, bool], int] | None:
    match = _CLOCK.fullmatch(source.tokens[at].text)
    if match is None or int(match[1]) > 24 or int(match[3]) > 59 or (match[4] or "00") != "00":
        return None
    return (int(match[1]), int(match[3]), match[2] == "."), at + 1


def _half(source: Source, at: int) -> tuple[str, int] | None:
    found = source.role(at, "halves")
    return (found[0], found[1]) if found else None


def _duration(source: Source, at: int) -> tuple[tuple[Any, str], int] | None:
    amount = amount_at(source, at)
    if amount is None or amount.kind != "duration" or len(amount.number.readings) > 1:
        return None
    return (amount.number.readings[0], amount.unit), amount.end


_SLOTS: Final[dict[str, Callable[[Source, int], tuple[Any, int] | None]]] = {
    "day": _day, "nth": _nth, "nd": _nth_digits, "dd": _day_digits, "month": _named("months"), "weekday": _named("weekdays"),
    "year": _year, "h": _hour, "m": _minute, "hw": _hour_word, "mw": _minute_word,
    "hd": _hour_digits, "md": _minute_digits, "hm": _clock_digits, "half": _half,
    "duration": _duration,
}  # fmt: skip


# --- Days ---------------------------------------------------------------------------------


def _in_figures(source: Source, at: int) -> Moment | None:
    text = source.tokens[at].text
    if _ISO_START.match(text):
        return _iso(text, at + 1)
    match = _FIGURES.fullmatch(text)
    if match is None:
        return None
    first, sign, second, third = int(match[1]), match[2], int(match[3]), match[4]
    dotted = sign == "."
    if third is None:
        # `3.4.` in a language whose dates have dots; `3/4` may be a fraction, so it needs a cue.
        closed = source.key(at + 1) == "." and source.is_glued(at + 1)
        if dotted and (not closed or source.language.decimal == "." or len(match[1]) > 2):
            return None
        if not dotted and not (at and source.role(at - 1, "date_cues")):
            return None
        days = [
            _next_day(source, *_ordered(order, first, second))
            for order in source.language.date_orders
        ]
        return _figured(at + 1 + dotted, [day for day in days if day], False)
    if len(match[1]) == 4:
        return _figured(at + 1, [_dated(first, second, int(third))], True)
    if len(match[1]) == 3 or ("." in text and "/" in text):
        return None
    year = int(third) + (2000 if len(third) == 2 else 0)
    orders = ("dmy",) if dotted else source.language.date_orders
    days = [_dated(year, *_ordered(order, first, second)) for order in orders]
    if not any(days):
        days = [_dated(year, *_ordered(order, first, second)) for order in ("dmy", "mdy")]
    return _figured(at + 1, days, True)


def _ordered(order: str, first: int, second: int) -> tuple[int, int]:
    return (first, second) if order == "mdy" else (second, first)


def _figured(end: int, days: Sequence[date | None], is_dated: bool) -> Moment | None:
    readings = tuple(dict.fromkeys(day.isoformat() for day in days if day))
    if not readings:
        return None
    return Moment("date", end, readings, is_sure=len(readings) == 1, is_dated=is_dated)


def _iso(text: str, end: int) -> Moment | None:
    match = _ISO.fullmatch(text)
    day = _dated(int(match[1]), int(match[2]), int(match[3])) if match else None
    if match is None or day is None:
        return None
    if match[4] is None:
        return Moment("date", end, (day.isoformat(),), is_dated=True)
    if int(match[4]) > 23 or int(match[5]) > 59:
        return None
    # Seconds and a time zone are kept: without them it would be another moment.
    exact = match[7] or (match[6] or ":00").strip(":0.")
    value = text if exact else f"{day.isoformat()}T{match[4]}:{match[5]}"
    return Moment("datetime", end, (value,), is_dated=True)


def _dated(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _next_day(source: Source, month: int, day: int) -> date | None:
    """Return the next day with a month and a number."""
    today = source.now.date()
    days = (_dated(year, month, day) for year in range(today.year, today.year + 9))
    return next((day for day in days if day and day >= today), None)


def _feast(source: Source, day: str, end: int) -> Moment:
    """Return a day that has a name, the next one unless the goal says the year: `Christmas 2027`."""
    year = _year(source, end) if end < len(source.tokens) else None
    if year is not None:
        return Moment("date", year[1], (_feast_of(year[0], day),), is_dated=True)
    this_year, next_year = (_feast_of(source.now.year + more, day) for more in (0, 1))
    is_over = this_year < source.now.date().isoformat()
    return Moment("date", end, (next_year if is_over else this_year,))


def _feast_of(year: int, day: str) -> str:
    """Return a feast of a year: `12-24` is its month and day, `easter 1` the day after Easter."""
    name, _, after = day.partition(" ")
    return (easter(year) + timedelta(days=int(after))).isoformat() if after else f"{year}-{name}"


def easter(year: int) -> date:
    """Return Easter Sunday of a year, as Butcher counts it."""
    century, rest = divmod(year, 100)
    moon = (19 * (year % 19) + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    week = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    early = (year % 19 + 11 * moon + 22 * week) // 451
    month, day = divmod(moon + week - 7 * early + 114, 31)
    return date(year, month, day + 1)


def _read_date(source: Source, pattern: Pattern, end: int, bound: Binding) -> Moment | None:
    today = source.now.date()
    # `on the 5th of March` is read from the fifth on.
    month_follows = source.role(end, "months") or source.role(end + 1, "months")
    if pattern.meaning and (month_follows or not (is_neutral(source, end) or _is_verb(source, end))):  # fmt: skip
        return None
    day = bound.get("day") or bound.get("nth") or bound.get("nd") or bound.get("dd")
    if day is None:
        return None
    if "month" not in bound:
        for months in range(3):
            first = months_later(today.replace(day=1), months)
            found = _dated(first.year, first.month, day) if first else None
            if found and found >= today:
                return Moment("date", end, (found.isoformat(),))
        return None
    if year := bound.get("year"):
        found = _dated(year, bound["month"], day)
    else:
        found = _next_day(source, bound["month"], day)
    if source.tokens[end - 1].text == ",":
        # It would have stood before a year.
        end -= 1
    return Moment("date", end, (found.isoformat(),), is_dated="year" in bound) if found else None


def _is_verb(source: Source, at: int) -> bool:
    """Whether a verb follows a day at the end of a German clause: `am 10. absagen`."""
    token = source.tokens[at]
    return source.language.code == "de" and not token.is_capital and token.stem in source.language.verbs  # fmt: skip


_MOST_MONTHS: Final = 14
"""Months within which each day of the month has been each day of the week."""


def _read_month(source: Source, pattern: Pattern, end: int, bound: Binding) -> Moment | None:
    today, month = source.now.date(), bound.get("month")
    is_day = end < len(source.tokens) and _day(source, end) is not None
    if "year" not in bound and (is_day or _is_surname(source, end)):
        return None
    year = bound.get("year") or today.year + (month is not None and month < today.month)
    first, last = (date(year, month, 1), 1) if month else (date(year, 1, 1), 12)
    if pattern.meaning == "end":
        return Moment("date", end, (_whole(first, last)[1],), is_dated="year" in bound)
    return Moment("dates", end, (_whole(first, last),), is_dated="year" in bound)


def _is_surname(source: Source, at: int) -> bool:
    """Whether a word behind the name of a month makes it a person's: `Jan Kos`, `April Reyes`."""
    if at >= len(source.tokens) or source.language.code == "de":
        return False
    token = source.tokens[at]
    return token.is_capital and token.text.isalpha() and not token.is_stop and not token.glosses


def _whole(first: date, months: int) -> tuple[str, str]:
    following = months_later(first, months)
    last = following - timedelta(days=1) if following else first
    return first.isoformat(), last.isoformat()


def _period(today: date, unit: str, step: str) -> tuple[str, str]:
    steps = int(step)
    monday = today + timedelta(days=7 * steps - today.weekday())
    if unit == "weekend":
        return (monday + timedelta(days=5)).isoformat(), (monday + timedelta(days=6)).isoformat()
    if unit == "week":
        return monday.isoformat(), (monday + timedelta(days=6)).isoformat()
    if unit == "month":
        return _whole(months_later(today.replace(day=1), steps) or today, 1)
    return _whole(date(today.year + steps, 1, 1), 12)


def _read_weekday(source: Source, pattern: Pattern, end: int, bound: Binding) -> Moment | None:
    """Read a weekday; "next Friday" is the coming one for some, and a week later for others."""
    today, meaning = source.now.date(), str(pattern.meaning)
    if number := bound.get("dd"):
        day = _on_weekday(today, bound["weekday"], number) if is_neutral(source, end) else None
        return Moment("date", end, (day.isoformat(),)) if day else None
    ahead = (bound["weekday"] - today.weekday()) % 7
    coming = today + timedelta(days=ahead or 7)
    of_next_week = today + timedelta(days=7 - today.weekday() + bound["weekday"])
    days = [coming]
    if meaning == "next":
        days = [of_next_week, coming]
    elif meaning == "last":
        days = [today - timedelta(days=(7 - ahead) % 7 or 7)]
    elif meaning == "this":
        days = [today + timedelta(days=ahead)]
    elif meaning.startswith("week"):
        days = [of_next_week]
    elif ahead == 0 and meaning == "plain":
        days = [coming, today]
    readings = tuple(dict.fromkeys(day.isoformat() for day in days))
    return Moment("date", end, readings, weekday=True)


def _on_weekday(today: date, weekday: int, number: int) -> date | None:
    """Return the next day that is the weekday and has the number: `Friday the 13th`."""
    months = (months_later(today.replace(day=1), ahead) for ahead in range(_MOST_MONTHS))
    days = (_dated(first.year, first.month, number) for first in months if first)
    return next((day for day in days if day and day >= today and day.weekday() == weekday), None)


def _weekday_then_date(source: Source, at: int) -> Iterator[Moment]:
    """Read `Friday, 5 March`: the date counts."""
    found = _SLOTS["weekday"](source, at) if source.role(at, "weekdays") else None
    if found is None:
        return
    start = found[1]
    for _ in range(3):
        if start >= len(source.tokens):
            return
        token = source.tokens[start]
        if token.text != "," and not (
            token.is_stop and not source.role(start, "ones", "numbers", "months")
        ):
            break
        start += 1
    if start >= len(source.tokens):
        return
    token = source.tokens[start]
    if token.is_figure and (moment := _in_figures(source, start)) and moment.kind == "date":
        yield moment
    if (nth := _nth(source, start)) and (day := _on_weekday(source.now.date(), found[0], nth[0])):
        yield Moment("date", nth[1], (day.isoformat(),))
    for key in _starts(source, start):
        for pattern in source.language.patterns.get(key, ()):
            if pattern.role == "dates":
                for end, bound in _matches(source, pattern.slots, 0, start, {}):
                    if "month" in bound and (read := _read_date(source, pattern, end, bound)):
                        yield read
                        break


def months_later(day: date, months: int) -> date | None:
    """Return a day some months after another, or the last one of a shorter month."""
    month = day.month - 1 + months
    year = day.year + month // 12
    if not 1 <= year <= 9998:
        return None
    days = (_dated(year, month % 12 + 1, number) for number in range(day.day, day.day - 4, -1))
    return next((found for found in days if found), None)


def _read_offset(source: Source, pattern: Pattern, end: int, bound: Binding) -> Moment | None:
    number, unit = bound["duration"]
    number *= pattern.meaning
    if unit in _UNITS_IN_MINUTES:
        minutes = number * _UNITS_IN_MINUTES[unit]
        if minutes.denominator != 1 or abs(minutes) > _LONGEST_AHEAD * 1440:
            return None
        moment = moment_later(source.now, timedelta(minutes=int(minutes)))
        value = moment.isoformat(timespec="minutes")[:16] if moment else ""
        return Moment("datetime", end, (value,), is_dated=True) if value else None
    if number.denominator != 1 or abs(number) > _LONGEST_AHEAD:
        return None
    day: date | None = None
    if unit in _UNITS_IN_DAYS:
        moment = moment_later(source.now, timedelta(days=int(number) * _UNITS_IN_DAYS[unit]))
        day = moment.date() if moment else None
    elif unit in _UNITS_IN_MONTHS:
        day = months_later(source.now.date(), int(number) * _UNITS_IN_MONTHS[unit])
    return Moment("date", end, (day.isoformat(),), is_dated=True) if day else None


def moment_later(start: datetime, span: timedelta) -> datetime | None:
    """Return a moment some time after another, or None beyond the calendar."""
    try:
        return start + span
    except OverflowError:
        return None


_READERS: Final[dict[str, Callable[[Source, Pattern, int, Binding], Moment | None]]] = {
    "dates": _read_date,
    "weekday_dates": _read_weekday,
    "month_dates": _read_month,
    "offsets": _read_offset,
    "clock": read_clock,
}
