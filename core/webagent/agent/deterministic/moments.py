"""Days and times in a text, read relative to now: `next Friday`, `5 March`, `7pm`, `from … to …`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from webagent.agent.deterministic.amounts import number_at, ordinal_of
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.words import Word

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_DAY_NAMES: Final = {
    name: index for index, day in enumerate(WEEKDAYS) for name in (day, day[:3], day + "s")
} | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
_MONTH_NAMES: Final = {
    name: index + 1 for index, month in enumerate(MONTHS) for name in (month, month[:3])
} | {"sept": 9}
PARTS: Final = ("morning", "afternoon", "evening", "night")
_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:t(\d{2}:\d{2})(?::\d{2})?(?:z|[+-]\d{2}:\d{2})?)?"
)
_SLASHED = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(am|pm)?")
_TWO_CLOCKS = re.compile(r"(\d{1,2}(?::\d{2})?)(am|pm)?-(\d{1,2}(?::\d{2})?)(am|pm)?")
_TWO_DAYS = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?-(\d{1,2})(?:st|nd|rd|th)?")
_DASHES: Final = frozenset({"-", "–", "—"})
_JOINS: Final = frozenset({"to", "until", "till", "through", "and"}) | _DASHES


def moment_at(words: Sequence[Word], at: int, now: datetime, text: str) -> Span | None:
    """Return the day or time, or two of them, that start at a word."""
    return _days_at(words, at, now, text) or _times_at(words, at, text)


def _span(kind: str, at: int, end: int, value: object, words: Sequence[Word], text: str) -> Span:
    piece = text[words[at].start : words[end - 1].end]
    return Span(kind, at, end, value, piece)  # type: ignore[arg-type]


def _days_at(words: Sequence[Word], at: int, now: datetime, text: str) -> Span | None:
    if found := _range_in_month(words, at, now):
        return _span("dates", at, found[1], found[0], words, text)
    if found := _period(words, at, now):
        return _span("dates", at, found[1], found[0], words, text)
    first = _day(words, at, now)
    if first is None:
        return None
    day, end = first
    if end + 1 < len(words) and words[end].low in _JOINS:
        between = words[end].low != "and" or (at > 0 and words[at - 1].low == "between")
        after = end + 1 + (words[end + 1].low == "on")
        second = _day(words, after, now) if after < len(words) else None
        if between and second is not None:
            last = second[0]
            if last < day and words[after].low[:3] in _DAY_NAMES:
                last += timedelta(days=7)
            return _span("dates", at, second[1], (day.isoformat(), last.isoformat()), words, text)
    return _span("date", at, end, day.isoformat(), words, text)


def _day(words: Sequence[Word], at: int, now: datetime) -> tuple[date, int] | None:
    today, low = now.date(), words[at].low
    following = words[at + 1].low if at + 1 < len(words) else ""
    if match := _ISO.fullmatch(low):
        return _dated(int(match[1]), int(match[2]), int(match[3]), at + 1)
    if match := _SLASHED.fullmatch(low):
        return _slashed(int(match[1]), int(match[2]), int(match[3]), at + 1)
    simple = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
    if low in simple:
        return today + timedelta(days=simple[low]), at + 1
    if low == "day" and following in ("after", "before") and at + 2 < len(words):
        sign = 1 if following == "after" else -1
        if words[at + 2].low == ("tomorrow" if sign > 0 else "yesterday"):
            return today + timedelta(days=2 * sign), at + 3
    if low in ("next", "this", "coming", "last", "past") and following in _DAY_NAMES:
        return _weekday(today, _DAY_NAMES[following], low), at + 2
    if low in _DAY_NAMES and (len(low) > 3 or words[at].is_capital):
        apart = (
            following in ("today", "tomorrow", "next", "this", "last", "")
            or following in _DAY_NAMES
        )
        if not apart and (dated := _day(words, at + 1, now)):
            return dated
        if following == "," and at + 2 < len(words):
            dated = _month_day(words, at + 2, now)
            if dated:
                return dated
        return _weekday(today, _DAY_NAMES[low], ""), at + 1
    if low == "the" and ordinal_of(following) and following[0].isdigit():
        return _month_day(words, at + 1, now) or _next_of_month(
            today, ordinal_of(following), at + 2
        )
    return _month_day(words, at, now) or _in_days(words, at, now)


def _dated(year: int, month: int, day: int, end: int) -> tuple[date, int] | None:
    try:
        return date(year, month, day), end
    except ValueError:
        return None


def _slashed(one: int, two: int, year: int, end: int) -> tuple[date, int] | None:
    """Read 25/12/2026 and 12/25/2026; 5/3/2027 could be either, and is not read."""
    year += 2000 if year < 100 else 0
    if one > 12 or one == two:
        return _dated(year, two, one, end)
    return _dated(year, one, two, end) if two > 12 else None


def _weekday(today: date, weekday: int, which: str) -> date:
    ahead = (weekday - today.weekday()) % 7
    if which in ("last", "past"):
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    if which == "next":
        # Of the week that begins next Monday.
        return today + timedelta(days=7 - today.weekday() + weekday)
    return today + timedelta(days=ahead if which == "this" else ahead or 7)


def _month_day(words: Sequence[Word], at: int, now: datetime) -> tuple[date, int] | None:
    """Read `5 March`, `5th of March 2027`, `March 5, 2027`."""
    index, day, month = at, 0, 0
    low = words[at].low
    if (number := _day_number(low)) is not None and at + 1 < len(words):
        index += 1
        if words[index].low == "of" and index + 1 < len(words):
            index += 1
        day, month = number, _month(words[index])
        index += 1
    elif month := _month(words[at]):
        following = words[at + 1].low if at + 1 < len(words) else ""
        skip = following == "the"
        if skip and at + 2 < len(words):
            following = words[at + 2].low
        day = _day_number(following) or 0
        index = at + 2 + skip
    if not day or not month:
        return None
    return _with_year(words, index, day, month, now)


def _with_year(
    words: Sequence[Word], index: int, day: int, month: int, now: datetime
) -> tuple[date, int] | None:
    after = index + (index < len(words) and words[index].text == ",")
    if after < len(words) and _is_year(words[after].low):
        return _dated(int(words[after].low), month, day, after + 1)
    for year in range(now.year, now.year + 5):
        found = _dated(year, month, day, index)
        if found and found[0] >= now.date():
            return found
    return None


def _is_year(low: str) -> bool:
    return len(low) == 4 and low.isdigit() and 1900 <= int(low) <= 2199


def _day_number(low: str) -> int | None:
    number = int(low) if low.isdecimal() and len(low) < 3 else ordinal_of(low)
    return number if number is not None and 1 <= number <= 31 else None


def _month(word: Word) -> int:
    """Return the number of a month; `may` and `mar` in lower case are other words."""
    if word.low in ("may", "mar", "sep", "dec", "jan", "jun", "jul") and not word.is_capital:
        return _MONTH_NAMES[word.low] if word.low not in ("may", "mar") else 0
    return _MONTH_NAMES.get(word.low, 0)


def _next_of_month(today: date, day: int | None, end: int) -> tuple[date, int] | None:
    for months in range(3):
        month = today.month - 1 + months
        found = _dated(today.year + month // 12, month % 12 + 1, day or 0, end)
        if found and found[0] >= today:
            return found
    return None


def _in_days(words: Sequence[Word], at: int, now: datetime) -> tuple[date, int] | None:
    """Read `in three days`, `a week from now`, `two days ago`."""
    low = words[at].low
    start = at + 1 if low == "in" else at
    if start >= len(words):
        return None
    number = (1.0, start + 1) if words[start].low in ("a", "an") else number_at(words, start)
    if number is None or number[1] >= len(words) or number[0] > 5000:
        return None
    unit, end = words[number[1]].low.removesuffix("s"), number[1] + 1
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    rest = [word.low for word in words[end : end + 2]]
    sign = 0
    if low == "in":
        sign = 1
    elif rest[:1] == ["ago"]:
        sign, end = -1, end + 1
    elif rest in (["from", "now"], ["from", "today"]):
        sign, end = 1, end + 2
    if not sign:
        return None
    if days:
        return now.date() + timedelta(days=int(number[0] * days) * sign), end
    if unit == "month":
        return _month_later(now.date(), int(number[0]) * sign), end
    return None


def _month_later(day: date, months: int) -> date:
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    for last in (day.day, 30, 29, 28):
        if last <= day.day and (found := _dated(year, month, last, 0)):
            return found[0]
    return day


def _range_in_month(
    words: Sequence[Word], at: int, now: datetime
) -> tuple[tuple[str, str], int] | None:
    """Read `5 to 9 March`, `5-9 March 2027`, `March 5-9`, `March 5 to 9`."""
    low, index = words[at].low, at
    month = _month(words[at])
    if month:
        index += 1
        if index >= len(words):
            return None
        low = words[index].low
    if match := _TWO_DAYS.fullmatch(low):
        one, two, index = int(match[1]), int(match[2]), index + 1
    else:
        if index + 2 >= len(words) or words[index + 1].low not in _JOINS - {"and"}:
            return None
        first, second = _day_number(low), _day_number(words[index + 2].low)
        if first is None or second is None:
            return None
        one, two, index = first, second, index + 3
    if not month:
        index += index < len(words) and words[index].low == "of"
        month = _month(words[index]) if index < len(words) else 0
        index += 1
    if not month or not 1 <= one < two <= 31:
        return None
    start = _with_year(words, index, one, month, now)
    if start is None:
        return None
    last = _dated(start[0].year, month, two, start[1])
    return ((start[0].isoformat(), last[0].isoformat()), start[1]) if last else None


def _period(words: Sequence[Word], at: int, now: datetime) -> tuple[tuple[str, str], int] | None:
    """Read `this weekend`, `next week`, `last month`, `March 2027`."""
    today, low = now.date(), words[at].low
    following = words[at + 1].low if at + 1 < len(words) else ""
    if low == "the" and following == "weekend":
        low = "this"
    if low in ("this", "next", "last", "past", "coming"):
        step = {"next": 1, "last": -1, "past": -1}.get(low, 0)
        monday = today - timedelta(days=today.weekday())
        if following in ("week", "weekend"):
            first = monday + timedelta(days=7 * step + (5 if following == "weekend" else 0))
            last = monday + timedelta(days=7 * step + 6)
            return (first.isoformat(), last.isoformat()), at + 2
        if following == "month":
            return _whole_month(_month_later(today.replace(day=1), step)), at + 2
        if following == "year":
            year = today.year + step
            return (f"{year:04d}-01-01", f"{year:04d}-12-31"), at + 2
    month = _month(words[at])
    if month and _is_year(following):
        return _whole_month(date(int(following), month, 1)), at + 2
    named = at + 1 < len(words) and words[at + 1].is_capital and len(low) < 4
    whole = not named and _month_day(words, at, now) is None
    if month and whole and at > 0 and words[at - 1].low in ("in", "during", "for"):
        year = today.year + (month < today.month)
        return _whole_month(date(year, month, 1)), at + 1
    return None


def _whole_month(first: date) -> tuple[str, str]:
    return first.isoformat(), (_month_later(first, 1) - timedelta(days=1)).isoformat()


def _times_at(words: Sequence[Word], at: int, text: str) -> Span | None:
    if match := _TWO_CLOCKS.fullmatch(words[at].low):
        last = _clock(match[3] + (match[4] or ""))
        first = _clock(match[1] + (match[2] or match[4] or ""))
        if first and last and (match[4] or ":" in match[1]):
            return _span("times", at, at + 1, (first, last), words, text)
    found = _time(words, at)
    if found is None:
        return _two_hours(words, at, text)
    first, end = found
    if end + 1 < len(words) and words[end].low in _JOINS:
        between = words[end].low != "and" or (at > 0 and words[at - 1].low == "between")
        second = _time(words, end + 1)
        if between and second:
            return _span("times", at, second[1], (first, second[0]), words, text)
    return _span("time", at, end, first, words, text)


def _two_hours(words: Sequence[Word], at: int, text: str) -> Span | None:
    """Read `2 to 4pm`: the half of the day of the second is that of the first too."""
    if not words[at].low.isdecimal() or at + 2 >= len(words) or words[at + 1].low not in _JOINS:
        return None
    last = _time(words, at + 2)
    half = words[at + 2].low[-2:]
    first = _clock(words[at].low + half) if half in ("am", "pm") else None
    if first and last:
        return _span("times", at, last[1], (first, last[0]), words, text)
    return None


def _time(words: Sequence[Word], at: int) -> tuple[str, int] | None:
    low = words[at].low
    following = words[at + 1].low if at + 1 < len(words) else ""
    if low in ("noon", "midday", "midnight"):
        return ("00:00" if low == "midnight" else "12:00"), at + 1
    if following in ("am", "pm", "a.m", "p.m") and (found := _clock(low + following[0] + "m")):
        end = at + 2
        return found, end + (end < len(words) and "." in following and words[end].text == ".")
    if following == "o'clock" and (found := _clock(low + _half(words, at + 2), hours=True)):
        return found, at + 2
    if match := _CLOCK.fullmatch(low):
        if match[3] or (match[2] and ":" in low):
            half = "" if match[3] else _half(words, at + 1)
            found = _clock(low + half)
            return (found, at + 1) if found else None
        if half := _half(words, at + 1):
            found = _clock(low + half)
            return (found, at + 1) if found else None
    if low in ("half", "quarter") and following in ("past", "to") and at + 2 < len(words):
        hour = number_at(words, at + 2)
        if hour and 1 <= hour[0] <= 24:
            minutes = 30 if low == "half" else 15
            half = words[hour[1]].low if hour[1] < len(words) else ""
            total = int(hour[0]) % 24 * 60 + (minutes if following == "past" else -minutes)
            evening = half == "pm" or _half(words, hour[1]) == "pm"
            total += 720 if evening and total < 720 else 0
            return f"{total // 60 % 24:02d}:{total % 60:02d}", hour[1] + (half in ("am", "pm"))
    return None


def _half(words: Sequence[Word], at: int) -> str:
    """Return am or pm by what follows: `in the evening`, `tonight`."""
    rest = [word.low for word in words[at : at + 3]]
    if rest[:2] == ["in", "the"] and len(rest) == 3:
        return {"morning": "am", "afternoon": "pm", "evening": "pm"}.get(rest[2], "")
    if rest[:2] == ["at", "night"] or rest[:1] == ["tonight"]:
        return "pm"
    return ""


def _clock(low: str, *, hours: bool = False) -> str | None:
    match = _CLOCK.fullmatch(low)
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if half:
        if not 1 <= hour <= 12:
            return f"{hour:02d}:{minute:02d}" if half == "pm" and hour < 24 else None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None
