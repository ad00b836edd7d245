"""Numbers in a text: figures, number words, money, percentages, measures, durations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webagent.agent.deterministic.span import Span, SpanKind
from webagent.agent.deterministic.wordlist import listed
from webagent.agent.deterministic.words import Word

_ONES: Final = {
    word: number
    for number, word in enumerate(
        listed(
            """zero one two three four five six seven eight nine ten eleven twelve
            thirteen fourteen fifteen sixteen seventeen eighteen nineteen"""
        )
    )
}
_TENS: Final = {
    word: (number + 2) * 10
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    )
}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 10**9}
_COLLECTIVE: Final = {"dozen": 12, "couple": 2, "pair": 2}
_ORDINALS: Final = {
    word: number + 1
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
        ]
    )
}
_SIGNS: Final = {"£": "GBP", "$": "USD", "€": "EUR", "¥": "JPY"}
_CURRENCIES: Final = {
    "pound": "GBP", "pounds": "GBP", "quid": "GBP", "gbp": "GBP", "dollar": "USD",
    "dollars": "USD", "buck": "USD", "bucks": "USD", "usd": "USD", "euro": "EUR", "euros": "EUR",
    "eur": "EUR", "yen": "JPY", "jpy": "JPY", "chf": "CHF", "francs": "CHF", "sek": "SEK",
    "nok": "NOK", "dkk": "DKK", "krona": "SEK", "pln": "PLN", "cad": "CAD", "aud": "AUD",
    "inr": "INR", "rupees": "INR",
}  # fmt: skip
UNITS: Final = {
    "s": ("second", 1), "sec": ("second", 1), "second": ("second", 1), "min": ("minute", 1),
    "mins": ("minute", 1), "minute": ("minute", 1), "h": ("hour", 1), "hr": ("hour", 1),
    "hrs": ("hour", 1), "hour": ("hour", 1), "day": ("day", 1), "night": ("night", 1),
    "week": ("week", 1), "fortnight": ("week", 2), "month": ("month", 1), "year": ("year", 1),
    "g": ("gram", 1), "gram": ("gram", 1), "gramme": ("gram", 1), "kg": ("gram", 1000),
    "kilo": ("gram", 1000), "kilogram": ("gram", 1000), "lb": ("gram", 453.59237),
    "m": ("metre", 1), "metre": ("metre", 1), "meter": ("metre", 1), "km": ("metre", 1000),
    "kilometre": ("metre", 1000), "kilometer": ("metre", 1000), "mile": ("metre", 1609.344),
    "mi": ("metre", 1609.344), "cm": ("metre", 0.01), "mm": ("metre", 0.001),
    "degree": ("degree", 1), "°": ("degree", 1), "c": ("degree", 1), "px": ("pixel", 1),
    "pixel": ("pixel", 1), "mg": ("gram", 0.001), "ml": ("litre", 0.001), "l": ("litre", 1),
    "litre": ("litre", 1), "liter": ("litre", 1), "oz": ("gram", 28.349523125), "ft": ("metre", 0.3048),
    "feet": ("metre", 0.3048), "inch": ("metre", 0.0254), "gb": ("byte", 10**9), "mb": ("byte", 10**6),
    "kb": ("byte", 1000), "kwh": ("kilowatt hour", 1), "kw": ("kilowatt", 1), "sqm": ("sqm", 1),
    "mph": ("mph", 1), "kmh": ("kmh", 1), "cup": ("cup", 1), "tbsp": ("tbsp", 1), "tsp": ("tsp", 1),
}  # fmt: skip
"""Units by their singular: dimension or own name, and how many of it one is."""
DURATIONS: Final = frozenset({"second", "minute", "hour", "day", "night", "week", "month", "year"})
SECONDS: Final = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86400, "night": 86400, "week": 604800,
    "month": 2592000, "year": 31536000,
}  # fmt: skip
_MOST: Final = (
    ("no", "more", "than"), ("not", "more", "than"), ("less", "than"), ("fewer", "than"),
    ("cheaper", "than"), ("lower", "than"), ("smaller", "than"), ("shorter", "than"),
    ("at", "most"), ("up", "to"), ("a", "maximum", "of"), ("maximum", "of"), ("max", "of"),
    ("budget", "of"), ("budget", "is"), ("as", "much", "as"),
    ("under",), ("below",), ("within",), ("maximum",), ("max",), ("beneath",), ("<",),
)  # fmt: skip
_LEAST: Final = (
    ("no", "less", "than"), ("not", "less", "than"), ("more", "than"), ("greater", "than"),
    ("higher", "than"), ("larger", "than"), ("bigger", "than"), ("longer", "than"),
    ("at", "least"), ("a", "minimum", "of"), ("minimum", "of"), ("min", "of"), ("starting", "at"),
    ("over",), ("above",), ("minimum",), ("min",), ("beyond",), (">",),
)  # fmt: skip


def number_at(words: Sequence[Word], at: int) -> tuple[float, int] | None:
    """Return the number that starts at a word, and the index behind it."""
    low = words[at].low
    if low == "one" and _is_pronoun(words, at):
        return None
    if (value := _figure(low)) is not None:
        if at + 1 < len(words) and words[at + 1].low in ("thousand", "million", "billion"):
            return value * _SCALES[words[at + 1].low], at + 2
        return value, at + 1
    return _spelled(words, at)


def _is_pronoun(words: Sequence[Word], at: int) -> bool:
    """Whether `one` stands for a thing: `the first one`, `that one`, `one that is red`."""
    before = words[at - 1].low if at else ""
    after = words[at + 1].low if at + 1 < len(words) else ""
    if before in ("the", "that", "this", "which", "another", "last", "next") or before.endswith(
        "est"
    ):
        return True
    if any(
        word.low.endswith("est") or word.low in ("most", "least")
        for word in words[max(0, at - 3) : at]
    ):
        return True
    return ordinal_of(before) is not None or after in ("that", "which", "with", "from", "by", "of")


def _figure(low: str) -> float | None:
    text = low.replace(",", "")
    factor = 1
    if text[:1].isdigit() and text[-1:] == "k":
        text, factor = text[:-1], 1000
    if not text[:1].isdigit() or not text.isascii() or len(text) > 15:
        return None
    try:
        return float(text) * factor
    except ValueError:
        return None


def _spelled(words: Sequence[Word], at: int) -> tuple[float, int] | None:
    total, current, index, seen = 0.0, 0.0, at, False
    if words[at].low in ("a", "half") and at + 1 < len(words):
        following = words[at + 1].low
        if words[at].low == "half" and following in ("a", "an"):
            return 0.5, at + 1
        if words[at].low == "a" and (following in _COLLECTIVE or following in _SCALES):
            current, index = 1, at + 1
    while index < len(words):
        low = words[index].low
        parts = low.split("-")
        if low in _ONES or low in _TENS:
            current += _ONES.get(low, _TENS.get(low, 0))
        elif len(parts) == 2 and parts[0] in _TENS and parts[1] in _ONES:
            current += _TENS[parts[0]] + _ONES[parts[1]]
        elif low in _COLLECTIVE:
            current = (current or 1) * _COLLECTIVE[low]
            seen, index = True, index + 1
            if index < len(words) and words[index].low == "of":
                index += 1
            break
        elif low == "hundred" and (seen or current):
            current *= 100
        elif low in _SCALES and (seen or current):
            total, current = total + current * _SCALES[low], 0
        elif not (low == "and" and seen and _counts_on(words, index)):
            break
        seen, index = True, index + 1
    return (total + current, index) if seen else None


def _counts_on(words: Sequence[Word], index: int) -> bool:
    """Whether `and` stands inside a number: `two hundred and five`."""
    if words[index - 1].low not in _SCALES or index + 1 >= len(words):
        return False
    return words[index + 1].low.split("-")[0] in _ONES | _TENS


def plain(value: float) -> int | float:
    """Return a number as an int if it is a whole one."""
    return int(value) if value == int(value) else round(value, 6)


def ordinal_of(low: str) -> int | None:
    """Return the number of `third` or `3rd`."""
    if low in _ORDINALS:
        return _ORDINALS[low]
    if low[-2:] in ("st", "nd", "rd", "th") and low[:-2].isdigit() and len(low) < 6:
        return int(low[:-2])
    return None


def amount_at(words: Sequence[Word], at: int, text: str) -> Span | None:
    """Return the amount that starts at a word: money, a percentage, a measure, or a number."""
    sign = _SIGNS.get(words[at].text)
    start = at + 1 if sign else at
    if start >= len(words):
        return None
    found = _with_unit(words, start) or _bare(words, start)
    if found is None:
        return None
    value, index, unit = found
    kind: SpanKind = "number"
    if sign:
        kind, unit = "money", sign
    elif not unit and index < len(words):
        low = words[index].low
        if low in ("%", "percent"):
            kind, index = "percent", index + 1
        elif low == "per" and index + 1 < len(words) and words[index + 1].low == "cent":
            kind, index = "percent", index + 2
        elif words[index].text in _SIGNS:
            kind, unit, index = "money", _SIGNS[words[index].text], index + 1
        elif low in _CURRENCIES:
            kind, unit, index = "money", _CURRENCIES[low], index + 1
        elif name := _unit(low):
            unit, index = name, index + 1
            index, value = _and_a_half(words, index, value)
    if kind == "number" and unit in DURATIONS and unit != "age":
        kind = "duration"
    if unit in ("year", "month") and index < len(words) and words[index].low == "old":
        kind, unit, index = "number", "age", index + 1
    bound_at, bound = _bound(words, at)
    ahead = index + (index < len(words) and words[index].low != "or" and not unit)
    if not bound and ahead + 1 < len(words) and words[ahead].low == "or":
        bound = {"less": "max", "fewer": "max", "under": "max", "below": "max", "cheaper": "max",
                 "more": "min", "above": "min", "over": "min", "better": "min", "higher": "min",
                 }.get(words[ahead + 1].low, "")  # fmt: skip
        index += 2 if bound and ahead == index else 0
    if not bound and index < len(words) and words[index].text == "+":
        bound, index = "min", index + 1
    if not bound and index < len(words) and words[index].low in ("max", "maximum", "tops"):
        bound, index = "max", index + 1
    piece = text[words[at].start : words[index - 1].end]
    return Span(kind, bound_at, index, plain(value), piece, unit, "max" if bound == "max" else
                "min" if bound == "min" else "")  # fmt: skip


def _bare(words: Sequence[Word], at: int) -> tuple[float, int, str] | None:
    low = words[at].low
    following = [word.low for word in words[at + 1 : at + 3]]
    if low == "half" and following in (["an", "hour"], ["a", "day"], ["a", "year"]):
        return 0.5, at + 2, ""
    if low in ("a", "an") and at + 1 < len(words) and words[at + 1].low in (
        "hour", "week", "day", "minute", "month", "year", "night", "fortnight",
    ):  # fmt: skip
        return 1, at + 1, ""
    if low[-1:] == "x" and low[:-1].isdigit() and len(low) < 5:
        return float(low[:-1]), at + 1, ""
    if low[:1] == "x" and low[1:].isdigit() and len(low) < 5:
        return float(low[1:]), at + 1, ""
    found = number_at(words, at)
    if found is None:
        return None
    return found[0], found[1], ""


def _with_unit(words: Sequence[Word], at: int) -> tuple[float, int, str] | None:
    """Read `750g` and `90-minute`, which are one word."""
    low = words[at].low
    if "-" in low:
        head, _, tail = low.partition("-")
        if tail.endswith("-old") and _figure(head) is not None:
            return _figure(head) or 0.0, at + 1, "age"
        value = _figure(head)
        if value is None and head in _ONES:
            value = float(_ONES[head])
        unit = _unit(tail)
        return (value, at + 1, unit) if value is not None and unit else None
    digits = low.rstrip("abcdefghijklmnopqrstuvwxyz°")
    if digits and digits != low and low[len(digits) :] in UNITS:
        value = _figure(digits)
        if value is not None:
            return value, at + 1, _unit(low[len(digits) :])
    return None


def _unit(low: str) -> str:
    """Return the singular of a unit, or nothing."""
    for word in (low, low.removesuffix("s"), low.removesuffix("es")):
        if word in UNITS:
            return (
                word if UNITS[word][0] not in DURATIONS or UNITS[word][1] != 1 else UNITS[word][0]
            )
    return ""


def _and_a_half(words: Sequence[Word], index: int, value: float) -> tuple[int, float]:
    if [word.low for word in words[index : index + 3]] == ["and", "a", "half"]:
        return index + 3, value + 0.5
    return index, value


def _bound(words: Sequence[Word], at: int) -> tuple[int, str]:
    for bound, phrases in (("max", _MOST), ("min", _LEAST)):
        for phrase in phrases:
            start = at - len(phrase)
            if start >= 0 and tuple(word.low for word in words[start:at]) == phrase:
                return start, bound
    return at, ""
