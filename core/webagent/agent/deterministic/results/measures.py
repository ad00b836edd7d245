"""What a field's value measures, for comparing, and the same as a person reads it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.quantities import convert, dimension, minor_digits
from webagent.speech import listed, say, spoken
from webagent.visible_text import visible

_DATE: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?"
)
_MONTH: Final = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_HOURS: Final = re.compile(r"(\d{1,3})\s?h(?:ours?)?(?:\s?(\d{1,2})\s?m(?:in(?:utes)?)?)?")
_TIME: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?")
_SPAN: Final = re.compile(r"P(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?")
_WRITTEN: Final = re.compile(r"([^\d\s.,-]{0,4})\s?(-?\d{1,12}(?:[.,]\d{1,6})*)\s?([^\d\s]{0,12})")
_PLURALS: Final = {"foot": "feet", "inch": "inches", "celsius": "°C", "fahrenheit": "°F", "degree": "degrees",
                   "hertz": "hertz", "percent": "%"}  # fmt: skip
_LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that things can be ordered by."""

    number: float
    unit: str
    """A currency, "cent", the id of a unit, "moment" for dates, "clock" for times, or nothing."""


def measure_of(value: Any, unit: str = "") -> Measure | None:
    """Return what a value measures: a number, an amount in words, a date, or a duration."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        # An integer of a thousand digits is none to compare by.
        number = float(value) if not isinstance(value, int) or abs(value) < 10**15 else math.inf
        return Measure(number, unit) if math.isfinite(number) else None
    return _measure_of_text(value, unit) if isinstance(value, str) and len(value) <= 40 else None


@lru_cache(maxsize=2048)
def _measure_of_text(text: str, unit: str) -> Measure | None:
    text = text.strip()
    if _MONTH.fullmatch(text):
        text += "-01"
    if match := _HOURS.fullmatch(text):
        return Measure(int(match[1]) * 60.0 + int(match[2] or 0), "minute")
    if match := _DATE.fullmatch(text):
        try:
            moment = datetime.fromisoformat(f"{match[1]}T{match[2] or '00:00'}")
        except ValueError:
            return None
        return Measure(moment.toordinal() * 1440.0 + moment.hour * 60 + moment.minute, "moment")
    if match := _TIME.fullmatch(text):
        return Measure(int(match[1]) * 60.0 + int(match[2]), "clock")
    if len(text) > 2 and (match := _SPAN.fullmatch(text)):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return Measure(days * 1440.0 + hours * 60 + minutes + seconds / 60, "minute")
    if (match := _WRITTEN.fullmatch(text)) is None or (match[1] and match[3]):
        return None
    number = _number(match[2])
    if number is None or not (affix := match[1] or match[3]):
        return Measure(number, unit) if number is not None else None
    roles = language("en").roles
    key = language("en").key(affix)
    named = (
        roles["currencies"].get(affix) or roles["currencies"].get(key) or roles["units"].get(key)
    )
    return Measure(number, str(named)) if named else None


def _number(text: str) -> float | None:
    """Read a number with signs of either kind; the last sign is decimal unless three digits follow."""
    signs = [sign for sign in text if sign in ".,"]
    if not signs:
        return float(text)
    head, _, tail = text.rpartition(signs[-1])
    if len(set(signs)) == 1 and (len(signs) > 1 or (len(tail) == 3 and signs[0] == ",")):
        return float(re.sub("[.,]", "", text))
    return float(f"{re.sub('[.,]', '', head) or '0'}.{tail}")


def is_money(unit: str) -> bool:
    """Whether a unit is a currency or its minor unit."""
    return unit == "cent" or (len(unit) == 3 and unit.isupper())


def written(value: Any, unit: str = "", currency: str = "", wanted: str = "") -> str:
    """Return a value as a person reads it: `37.50 EUR`, `492 kilometers`, `31 August 2026`.

    Args:
        value: A scalar, or several of them.
        unit: Its unit, if it is a number.
        currency: The currency of an amount in cents.
        wanted: The unit that the person asked for.
    """
    if isinstance(value, tuple):
        return listed([written(one, unit, currency, wanted) for one in value[:8]], len(value))
    if isinstance(value, bool):
        return say("yes" if value else "no")
    if value is None:
        return say("not_known")
    if isinstance(value, int | float):
        return _amount(value, unit, currency, wanted)
    return _text(str(value))


def _amount(value: int | float, unit: str, currency: str, wanted: str) -> str:
    if not math.isfinite(value) or abs(value) >= 10**15:
        return (
            f"{float(value):.6g}"
            if isinstance(value, float) or abs(value) < 10**300
            else say("too_large")
        )
    if unit == "cent":
        return _money(
            Fraction(str(value)) / 10 ** (minor_digits(currency) if currency else 2), currency
        )
    if is_money(unit):
        return _money(Fraction(str(value)), unit)
    if wanted and unit and wanted != unit and dimension(unit) != "energy":
        other = convert(value, unit, wanted)
        if other is not None:
            value, unit = other, wanted
    text = figures(plain(value))
    if not unit:
        return text
    return _with_unit(text, unit, value)


def plain(value: int | float) -> str:
    """Return a number in figures, without needless decimals."""
    number = Fraction(str(value))
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(value):.6f}".rstrip("0").rstrip(".") if abs(value) >= 1e-6 else f"{value:.3g}"


def _money(amount: Fraction, currency: str) -> str:
    text = str(amount.numerator) if amount.denominator == 1 else f"{float(amount):.2f}"
    if amount.denominator != 1 and (amount * 100).denominator != 1:
        text = plain(float(amount))
    return f"{figures(text)} {currency}".strip()


def figures(text: str) -> str:
    """Return the figures of a number with the decimal sign of the language that is spoken."""
    return text.replace(".", say("decimal"))


def _with_unit(text: str, unit: str, number: float) -> str:
    return spoken().amount(unit, number, text) or f"{text} {unit_name(unit, number)}"


def unit_name(unit: str, number: float) -> str:
    """Return a unit's name in the number that stands before it."""
    name, _, rate = unit.replace("-per-", "/").partition("/")
    if name in _PLURALS:
        plural = _PLURALS[name]
        return plural if number != 1 or plural[0] == "°" else name
    known = dimension(unit) != ""
    name = name.replace("-", " ") if known else name
    if known and number != 1:
        name += "s"
    return f"{name} per {rate}" if rate else name


def _text(text: str) -> str:
    short = text.strip()
    if len(short) <= 40 and (match := _DATE.fullmatch(short)):
        zone = "" if match[3] is None else " UTC" if match[3] == "Z" else f" {match[3]}"
        day = day_name(match[1])
        return say("day_at", day=day, time=f"{match[2]}{zone}") if match[2] else day
    if 2 < len(short) <= 20 and _SPAN.fullmatch(short) and (measure := _measure_of_text(short, "")):
        return _amount(plain_number(measure.number), "minute", "", "")
    return clean(text)


def plain_number(number: float) -> int | float:
    """Return a whole number as an integer."""
    return int(number) if number == int(number) else number


def day_name(day: str) -> str:
    """Return a date in words: `31 August 2026`."""
    year, month, number = day.split("-")
    months = say("months").split()
    if not 0 < int(month) <= len(months):
        return day
    return say("day", day=int(number), month=months[int(month) - 1], year=year)


def clean(text: str, longest: int = _LONGEST) -> str:
    """Return a stranger's text in one line, short, with hidden characters shown."""
    short = " ".join(visible(text[: longest * 4]).split())
    return short if len(short) <= longest else short[: longest - 1].rstrip() + "…"
