"""Amounts: money, percentages, durations and other quantities, and their conversion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language, unit_names
from webagent.agent.deterministic.reading.numbers import (
    Number,
    Source,
    fraction_of,
    number_at,
    plain,
)
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.json_text import packaged_json

_OFFSETS: Final = {"fahrenheit": Fraction(-160, 9), "kelvin": Fraction(-27315, 100)}
"""What is added behind the factor, to degrees Celsius."""
_MOST_DECIMALS: Final = 9
_PRECISION: Final = 6
_KNOWN_CODES: Final = frozenset(
    ["eur", "usd", "gbp", "chf", "jpy", "inr", "pln", "sek", "nok", "dkk", "cad", "aud", "czk"]
)
_MONTHLY: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_LONGEST_PARAMETER: Final = 400


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what it counts."""

    kind: str
    end: int
    number: Number
    unit: str = ""
    rate: str = ""


def amount_at(source: Source, at: int) -> Amount | None:
    """Return the amount that starts at a token: money, a percentage, a quantity or a number."""
    if at not in source.amounts:
        found = _amount(source, at)
        source.amounts[at] = _with_rate(source, found) if found else None
    amount: Amount | None = source.amounts[at]
    return amount


def _amount(source: Source, at: int) -> Amount | None:
    if money := _sign_first(source, at):
        return money
    if said := source.role(at, "amounts"):
        # A word for an amount: `Viertelstunde`.
        known = Number(said[1], (fraction_of(said[0][0]),), in_words=True)
        return Amount("duration", said[1], known, said[0][1])
    number = number_at(source, at)
    if number is None:
        return _one_of(source, at)
    end = number.end
    if found := source.role(end, "percents"):
        return Amount("percent", found[1], number)
    currency = source.role(end, "currencies")
    unit = _unit_at(source, end)
    if (
        currency
        and not _is_code_in_vain(source, end, currency)
        and not _is_mass(source, currency, unit)
    ):
        return _money(source, replace(number, end=currency[1]), str(currency[0]))
    if minor := source.role(end, "minor_currencies"):
        readings = tuple(value / 100 for value in number.readings)
        return Amount("money", minor[1], replace(number, readings=readings), str(minor[0]))
    if unit:
        return _measured(source, replace(number, end=unit[1]), *unit)
    return None if number.needs_unit else Amount("number", end, number)


def _one_of(source: Source, at: int) -> Amount | None:
    """Read `an hour` and `a kilo`; `a second` and `a m` are something else."""
    article = source.role(at, "ones")
    unit = _unit_at(source, article[1]) if article else None
    if article is None or unit is None or len(source.key(article[1])) < 3 or unit[0] == "second":
        return None
    return _measured(source, Number(unit[1], (Fraction(article[0]),)), *unit)


def _is_mass(source: Source, currency: tuple[Any, int], unit: tuple[str, int] | None) -> bool:
    """Whether a word for money is a unit here: `5 pounds of apples`."""
    if unit is None or unit[1] < currency[1]:
        return False
    return unit[1] > currency[1] or source.key(unit[1]) == "of"


def _is_code_in_vain(source: Source, at: int, currency: tuple[Any, int]) -> bool:
    """Whether a word only looks like a code: `3 try`, `5 all`; the well-known may be in lower case."""
    text = source.tokens[at].text
    code = currency[1] == at + 1 and text.upper() == currency[0]
    usual = text.lower() in _KNOWN_CODES and not source.role(at, "units")
    return code and not text.isupper() and not usual


def _sign_first(source: Source, at: int) -> Amount | None:
    """Read `$12.50`, `EUR 12` and `-€5`."""
    tokens = source.tokens
    minus = tokens[at].text in "-−" and not source.is_glued(at)
    start = at + 1 if minus else at
    found = source.role(start, "currencies")
    if found is None or found[1] >= len(tokens) or (minus and not source.is_glued(start)):
        return None
    written = tokens[start].text
    if written.isalpha() and not (written.isupper() or source.is_glued(found[1])):
        return None
    number = number_at(source, found[1])
    if number is None or number.in_words:
        return None
    if minus:
        number = replace(number, readings=tuple(-value for value in number.readings))
    if source.key(number.end) == "m" and source.is_glued(number.end):
        million = tuple(value * 1_000_000 for value in number.readings)
        number = replace(number, end=number.end + 1, readings=million)
    # `US$ 5 USD`: said twice.
    again = source.role(number.end, "currencies")
    end = again[1] if again and again[0] == found[0] else number.end
    return Amount("money", end, number, str(found[0]))


def _money(source: Source, number: Number, currency: str) -> Amount:
    """Read on behind a currency: `12 dollars and 50 cents`, `12€50`."""
    end, whole = number.end, number.whole
    joined = source.role(end, "number_joins", "conjunctions")
    start = joined[1] if joined else end
    if whole is not None and start < len(source.tokens) and source.tokens[start].is_figure:
        small = number_at(source, start)
        if small and small.whole is not None and 0 <= small.whole < 100:
            named = source.role(small.end, "minor_currencies")
            last = small.end >= len(source.tokens) or source.tokens[small.end].is_sign
            glued = source.is_glued(start) or (last and joined is None)
            two = len(source.tokens[start].text) == 2 and glued
            if named or two:
                value = whole + Fraction(small.whole, 100)
                number = Number(named[1] if named else small.end, (value,))
    return Amount("money", number.end, number, currency)


def _unit_at(source: Source, at: int) -> tuple[str, int] | None:
    """Return the unit at a token, which a hyphen may join to its number: `90-minute`."""
    if source.key(at) == "-" and source.is_glued(at) and source.is_glued(at + 1):
        at += 1
    found = source.role(at, "units")
    if found is None:
        return None
    short = len(source.key(at)) == 1 and source.key(at).isalpha()
    if short and source.tokens[at].text.isupper() and not source.is_glued(at):
        return None
    return str(found[0]), found[1]


def _measured(source: Source, number: Number, unit: str, end: int) -> Amount:
    """Read on behind a unit: `an hour and a half`, `2 hours and 30 minutes`, `1h30`, `5 ft 10 in`."""
    kind = "duration" if unit in units()["duration"] else "quantity"
    if tail := source.role(end, "fraction_tails"):
        readings = tuple(value + fraction_of(tail[0]) for value in number.readings)
        return Amount(kind, tail[1], replace(number, end=tail[1], readings=readings), unit)
    for _ in range(3):
        more = _smaller(source, number, unit, end)
        if more is None:
            break
        number, unit, end = more
    return Amount(kind, end, replace(number, end=end), unit)


def _smaller(source: Source, number: Number, unit: str, end: int) -> tuple[Number, str, int] | None:
    if len(number.readings) != 1:
        return None
    glued = source.is_glued(end)
    joined = source.role(end, "conjunctions", "number_joins")
    start = joined[1] if joined else end
    if start >= len(source.tokens) or (joined and joined[1] - end > 1):
        return None
    less = number_at(source, start)
    if less is None or len(less.readings) != 1 or less.times:
        return None
    named = _unit_at(source, less.end)
    if named is None and glued and unit == "hour" and source.tokens[start].is_figure:
        named = ("minute", less.end)
    if named is None or not _is_smaller(named[0], unit):
        return None
    total = _factor(unit) * number.readings[0] / _factor(named[0]) + less.readings[0]
    if unit in _MONTHLY and named[0] in _MONTHLY:
        total = number.readings[0] * _MONTHLY[unit] / _MONTHLY[named[0]] + less.readings[0]
    return Number(named[1], (total,)), named[0], named[1]


def _is_smaller(one: str, other: str) -> bool:
    same = dimension(one) == dimension(other) != "temperature"
    return same and dimension(one) != "" and _factor(one) < _factor(other)


def _with_rate(source: Source, amount: Amount) -> Amount:
    """Read `a day` behind a price, and behind what counts how often."""
    if amount.kind not in ("money", "quantity", "duration") and not amount.number.times:
        return amount
    sure = source.role(amount.end, "rate_signs")
    found = sure or source.role(amount.end, "rates")
    if found is None or found[1] >= len(source.tokens):
        return amount
    unit = source.role(found[1], "units")
    token = source.tokens[found[1]]
    if unit and (sure or amount.kind == "money" or str(unit[0]) in units()["duration"]):
        if (
            amount.kind == "duration"
            and not sure
            and unit[0] not in ("day", "week", "month", "year")
        ):
            return amount
        return replace(amount, end=unit[1], rate=str(unit[0]))
    if amount.kind == "money" and token.text[0].isalpha() and sure and not token.is_stop:
        glosses = source.language.gloss(token.stem, token.key)
        own = source.language.code == "en" or not glosses
        return replace(amount, end=found[1] + 1, rate=token.stem if own else glosses[0])
    return amount


# --- Conversion ---------------------------------------------------------------------------


@lru_cache(maxsize=1)
def units() -> Mapping[str, Mapping[str, Fraction]]:
    """Return the units by dimension, each with how many of the basic unit it is."""
    data: dict[str, dict[str, Any]] = packaged_json(__file__, "languages/units.json")
    return {
        name: {unit: fraction_of(factor) for unit, factor in members.items()}
        for name, members in data.items()
    }


@lru_cache(maxsize=512)
def dimension(unit: str) -> str:
    """Return what a unit measures: "mass", "duration", …, or nothing."""
    return next((name for name, members in units().items() if unit in members), "")


def _factor(unit: str) -> Fraction:
    return units()[dimension(unit)][unit]


def convert(value: int | float, unit: str, wanted: str) -> int | float | None:
    """Return a number in another unit of the same dimension, or nothing.

    A month has 30 days and a year 365, but a year has 12 months.
    """
    number = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    if unit == wanted:
        return plain(number)
    if len(unit) == 3 and unit.isupper() and wanted == "cent":
        return _rounded(number * 10 ** minor_digits(unit))
    if not dimension(unit) or dimension(unit) != dimension(wanted):
        return None
    if unit in _MONTHLY and wanted in _MONTHLY:
        return _rounded(number * _MONTHLY[unit] / _MONTHLY[wanted])
    basic = number * _factor(unit) + _OFFSETS.get(unit, 0)
    return _rounded((basic - _OFFSETS.get(wanted, 0)) / _factor(wanted))


def _rounded(value: Fraction) -> int | float:
    """Return a number as it is if its decimals end soon, and otherwise with six figures."""
    if (value * 10**_MOST_DECIMALS).denominator == 1:
        return plain(value)
    return float(f"{float(value):.{_PRECISION}g}")


def minor_digits(currency: str) -> int:
    """Return how many digits the minor unit of a currency has: 2 for most, 0 for the yen."""
    return {"JPY": 0, "KRW": 0, "HUF": 2, "KWD": 3, "BHD": 3, "TND": 3}.get(currency, 2)


# --- Units of parameters ------------------------------------------------------------------

_CENTS: Final = frozenset({"cent", "cents", "pence", "pennies"})
_STATED: Final = re.compile(
    r"\b(?:in|as|unit:?|units:?|number of|measured in)\s+(?:whole |full |total |the )?([a-z°]+(?: [a-z]+)?)"
    r"|\(([a-z°]+(?:/[a-z]+)?)\)"
    r"|^([a-z]+s) (?:of|per|to|between|before|after|above|below)\b",
)
_SQUARES: Final = re.compile(r"(?:sqm|(?:(?<![A-Za-z])|(?<=[a-z])(?=M))[mM](?:2|²))$")
_LENGTHS: Final = frozenset({"height", "length", "width", "distance", "depth", "radius", "altitude", "elevation", "climb", "ascent", "descent", "range", "loa", "draft", "draught", "beam", "long", "wide", "high", "deep", "visibility"})  # fmt: skip
_TIMES: Final = frozenset({"duration", "time", "timeout", "delay", "wait", "interval", "length"})
_CONTEXTS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "m": ("meter", _LENGTHS), "s": ("second", _TIMES), "h": ("hour", _TIMES),
    "min": ("minute", _TIMES), "g": ("gram", frozenset({"weight", "mass"})),
    "l": ("liter", frozenset({"volume", "capacity"})),
    "c": ("celsius", frozenset({"temp", "temperature", "degrees"})),
    "f": ("fahrenheit", frozenset({"temp", "temperature", "degrees"})),
}  # fmt: skip
_ALONE: Final = frozenset(
    {"minutes", "hours", "seconds", "days", "nights", "weeks", "months", "years"}
)
_PLURALS: Final = ("s", "en", "ge", "te", "ate", "re")
"""How the names of what is counted end: `dias`, `stunden`, `tage`, `monate`, `jahre`."""
_NOUNS: Final = frozenset({"second", "minute", "hour", "day", "night", "week", "month", "year", "quarter", "foot", "bar", "cup", "cups", "stone", "mile", "yard", "pound", "ton", "decade", "degree", "degrees", "point", "byte", "bit", "calorie", "inch", "knot", "in", "pt", "ct", "b", "a", "ma", "d", "w", "q", "y", "mo", "ha", "st", "c", "lb"}) - {"lb"}  # fmt: skip
"""Words that alone at the end of a name are something else: `secondName`, `startDay`."""


@lru_cache(maxsize=2048)
def unit_of_parameter(name: str, description: str) -> str:
    """Return the unit that a parameter wants: `weightKg`, "in cents"; nothing if it says none."""
    if _SQUARES.search(name):
        return "square-meter"
    words = identifier_words(name)
    if "per" in words:
        # `pricePerNight` counts no nights.
        words = words[: words.index("per")]
    if words and (found := _named_unit(words)):
        return found
    for match in _STATED.finditer(description[:_LONGEST_PARAMETER].lower()):
        stated = match[1] or match[2] or match[3]
        if found := _unit_word(stated) or _unit_word(stated.split()[0]):
            return found
    return ""


def _named_unit(words: tuple[str, ...]) -> str:
    last = words[-1]
    if last in _CENTS or words[-2:] == ("minor", "units"):
        return "cent"
    if last in _CONTEXTS:
        unit, context = _CONTEXTS[last]
        return unit if context & set(words[:-1]) or (last == "s" and words[:-1]) else ""
    is_unit = last in _ALONE or (last not in _NOUNS and len(last) > 1)
    if is_unit and (found := _unit_word(last) or _foreign_unit(last)):
        return found
    # `hoursBefore`, but not `daysOfWeek`
    counted = (one for one, after in pairwise(words) if one in _ALONE and after != "of")
    return _unit_word(next(counted, ""))


def _unit_word(word: str) -> str:
    if word in _CENTS or word in ("minor units", "minor unit", "smallest currency"):
        return "cent"
    if word == "percent":
        return ""
    english = language("en")
    key = word.replace("/", " / ").replace("°", "° ").strip()
    return str(english.roles["units"].get(english.key(key), ""))


def _foreign_unit(word: str) -> str:
    """Return the unit of time that a name in another language counts: `minutos`, `monate`."""
    found = unit_names().get(word, "")
    return found if found in units()["duration"] and word.endswith(_PLURALS) else ""
