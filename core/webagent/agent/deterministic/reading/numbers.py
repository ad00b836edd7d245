"""Numbers in figures and words, exact: `1.250,00`, `three and a quarter`, `zweieinhalb`, `3k`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from webagent.agent.deterministic.reading.language import Language
from webagent.agent.deterministic.reading.tokens import Token

_MOST_DIGITS: Final = 15
"""Digits of a number that every reader of JSON keeps; more are an id."""
_MOST_WORDS: Final = 24
_LONGEST_COMPOUND: Final = 80
_SPACES: Final = "\u00a0\u202f\u2009"
_DIGITS: Final = re.compile(r"\d+")
_GROUPED: Final = re.compile(r"[1-9]\d{0,2}(?:[.,'٬]\d{3})+")
_DIVIDED: Final = re.compile(r"(\d{1,3})/([1-9]\d{0,2})")
_SPACED_TAIL: Final = re.compile(r"\d{3}(?:[.,٫]\d+)?")
_HYPHENS: Final = "-‐"
_MINUS: Final = "-−"


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text; it has two readings if its sign may be of either kind."""

    end: int
    readings: tuple[Fraction, ...]
    in_words: bool = False
    needs_unit: bool = False
    """Whether it is a part of something: `half an`."""
    times: bool = False
    """Whether it counts how often: `twice`, `3 times`."""
    bare: tuple[Fraction, int] | None = None
    """Number words without a fraction behind them, and their end: `siete` of `siete y media`."""

    @property
    def whole(self) -> int | None:
        """The value of a whole number that is certain."""
        if len(self.readings) == 1 and self.readings[0].denominator == 1:
            return self.readings[0].numerator
        return None


@dataclass(slots=True)
class Source:
    """A text with its tokens, and what was read in it so far."""

    text: str
    tokens: Sequence[Token]
    language: Language
    now: datetime
    numbers: dict[int, Number | None] = field(default_factory=dict)
    amounts: dict[int, Any] = field(default_factory=dict)

    def is_glued(self, at: int) -> bool:
        """Whether a token follows the one before without a space."""
        return 0 < at < len(self.tokens) and self.tokens[at].start == self.tokens[at - 1].end

    def role(self, at: int, *roles: str) -> tuple[Any, int] | None:
        """Return what a phrase at a token means, and its end."""
        found = self.language.phrase_at(self.tokens, at, *roles)
        return (found[0].meaning, found[1]) if found else None

    def key(self, at: int) -> str:
        """Return a token in lower case; nothing behind the last."""
        return self.tokens[at].key if at < len(self.tokens) else ""


def plain(value: Fraction) -> int | float:
    """Return a number as an int if it is a whole one."""
    return value.numerator if value.denominator == 1 else float(value)


def fraction_of(meaning: Any) -> Fraction:
    """Return a number of the data: `2`, `0.5` or `1/3`."""
    return Fraction(meaning) if isinstance(meaning, int) else Fraction(str(meaning))


def figures(text: str, language: Language) -> tuple[Fraction, ...]:
    """Return the readings of a number in figures; none if it is not one, such as `1.2.3`."""
    text = text.replace("’", "'")
    if _DIGITS.fullmatch(text):
        lead = len(text) > 1 and unicodedata.digit(text[0]) == 0
        return () if lead or len(text) > _MOST_DIGITS else (Fraction(int(text)),)
    if match := _DIVIDED.fullmatch(text):
        return (Fraction(int(match[1]), int(match[2])),)
    if len(text) > 2 * _MOST_DIGITS:
        return ()
    text = text.replace("٫", ",")
    signs = [sign for sign in text if not sign.isdecimal()]
    last = signs[-1]
    if len(set(signs)) == 1:
        grouped = _GROUPED.fullmatch(text) is not None
        if len(signs) > 1 or last in "'٬":
            return (_exact(text, ""),) if grouped else ()
        if last not in ".,":
            return ()
        if not grouped or last == language.decimal == ".":
            return (_exact(text, last),)
        if last == language.group:
            # English is written everywhere, so a comma in German may be either.
            return (_exact(text, ""),)
        if last == language.decimal:
            return _exact(text, last), _exact(text, "")
        return _exact(text, ""), _exact(text, last)
    head = text[: text.rindex(last)]
    if signs.count(last) > 1 or last not in ".," or not _GROUPED.fullmatch(head):
        return ()
    return (_exact(text, last),) if len(set(signs)) == 2 else ()


def _exact(text: str, decimal: str) -> Fraction:
    head, _, tail = text.rpartition(decimal) if decimal else (text, "", "")
    digits = "".join(str(unicodedata.digit(sign)) for sign in head if sign.isdecimal())
    tail = "".join(str(unicodedata.digit(sign)) for sign in tail)
    return Fraction(f"{digits or 0}.{tail or 0}")


def number_at(source: Source, at: int) -> Number | None:
    """Return the number that starts at a token."""
    if at in source.numbers:
        return source.numbers[at]
    found = source.numbers[at] = _number(source, at)
    return found


def _number(source: Source, at: int) -> Number | None:
    if at >= len(source.tokens):
        return None
    token = source.tokens[at]
    if token.is_figure or _is_part(token.text):
        return _figured(source, at)
    if token.text in _MINUS:
        return _negative(source, at + 1) if _is_minus(source, at) else None
    if token.key == "x" and source.is_glued(at + 1) and source.tokens[at + 1].is_figure:
        return _figured(source, at + 1)
    if found := source.role(at, "minus"):
        return _negative(source, found[1])
    return spelled_number(source, at) if token.text[0].isalpha() else None


def _is_part(text: str) -> bool:
    """Whether a sign is a fraction, such as `½`."""
    return len(text) == 1 and not text.isalpha() and 0 < unicodedata.numeric(text, 0) < 1


def _is_minus(source: Source, at: int) -> bool:
    follows = source.is_glued(at + 1) and source.tokens[at + 1].is_figure
    return follows and (not source.is_glued(at) or source.tokens[at - 1].text in "([=:")


def _negative(source: Source, start: int) -> Number | None:
    negative = source.key(start) in _MINUS or source.role(start, "minus")
    number = None if negative else number_at(source, start)
    if number is None:
        return None
    return Number(number.end, tuple(-value for value in number.readings), number.in_words)


def _figured(source: Source, at: int) -> Number | None:
    token, tokens, end = source.tokens[at], source.tokens, at + 1
    if not token.is_figure:
        return Number(end, (Fraction(unicodedata.numeric(token.text)).limit_denominator(100),))
    text = token.text
    while _continues(source, text, end):
        text += tokens[end].text
        end += 1
    readings = figures(text, source.language) if end == at + 1 else _spaced(text)
    if not readings:
        return None
    whole = readings[0].denominator == 1 and len(readings) == 1
    if whole and end < len(tokens):
        following = tokens[end].text
        part = Fraction(0)
        if len(following) == 1 and not following.isdecimal():
            part = Fraction(unicodedata.numeric(following, 0)).limit_denominator(100)
        elif match := _DIVIDED.fullmatch(following):
            part = Fraction(int(match[1]), int(match[2]))
        if 0 < part < 1:
            return Number(end + 1, (readings[0] + part,))
    if source.key(end) == "x" and source.is_glued(end):
        return Number(end + 1, readings)
    named = source.role(end, "units")
    found = source.role(end, "number_scales", "scales")
    if found and (named is None or named[1] <= found[1]):
        readings = tuple(value * found[0] for value in readings)
        end = found[1]
        if found[0] > 1 and all(value.denominator == 1 for value in readings):
            readings = readings[:1] if len(set(readings)) == 1 else readings
    if whole and (found := source.role(end, "fraction_tails")):
        readings, end = (readings[0] + fraction_of(found[0]),), found[1]
    if found := source.role(end, "collectives"):
        readings, end = tuple(value * found[0] for value in readings), found[1]
    if found := source.role(end, "times_words"):
        return Number(found[1], readings, times=True)
    return Number(end, readings)


def _continues(source: Source, text: str, at: int) -> bool:
    """Whether a token is the next group of a number with spaces: `1 250,00`."""
    if at >= len(source.tokens) or len(text) > 20 or not text.isdecimal() or text[0] in "0٠":
        return False
    before, token = source.tokens[at - 1], source.tokens[at]
    if (
        token.start - before.end != 1
        or len(before.text) > 3
        or not _SPACED_TAIL.fullmatch(token.text)
    ):
        return False
    space = source.text[before.end : token.start]
    return space in _SPACES or (space == " " and source.language.group.isspace())


def _spaced(text: str) -> tuple[Fraction, ...]:
    sign = next((sign for sign in text if not sign.isdecimal()), "")
    return (_exact(text, sign),) if len(text) <= 2 * _MOST_DIGITS else ()


# --- Words --------------------------------------------------------------------------------


class _Sum:
    """A number in words, as far as it was heard."""

    def __init__(self, language: Language) -> None:
        self.total = Fraction(0)
        self.group = Fraction(0)
        self.seen = False
        self.after_scale = False
        self._last_scale = 0
        self._language = language

    def add(self, value: Fraction, *, joined: bool) -> bool:
        """Add a number below a thousand, if it can follow."""
        rest = self.group % 100
        fits = not self.seen or (self.group == 0 and self.after_scale)
        if not fits and value:
            fits = (
                (rest == 0 and self.after_scale and value < 100)
                or (rest >= 20 and rest % 10 == 0 and value < 10)
                or (rest in self._language.teen_tens and value < 20)
                or (joined and 0 < rest < 10 and 20 <= value < 100 and value % 10 == 0)
            )
        if fits:
            self.group += value
            self.seen, self.after_scale = True, value >= 100
        return fits

    def scale(self, scale: int) -> bool:
        """Multiply by a hundred, a thousand, …, if it can follow."""
        if not self.seen and not self._language.bare_scales:
            return False
        if scale == 100:
            if self.group >= 100:
                return False
            self.group = (self.group or Fraction(1)) * 100
        elif self._last_scale and scale >= self._last_scale:
            return False
        else:
            self.total += (self.group or 1) * scale
            self.group, self._last_scale = Fraction(0), scale
        self.seen = self.after_scale = True
        return True

    def may_join(self, after: str) -> bool:
        """Whether a word such as `and` may follow here."""
        rest = self.group % 100
        return self.seen and (
            ("hundred" in after and self.after_scale)
            or ("ten" in after and rest >= 20 and rest % 10 == 0)
            or ("one" in after and 0 < rest < 10)
        )


def spelled_number(source: Source, at: int, *, joins: bool = True) -> Number | None:
    """Return the number in words that starts at a token, with or without words such as `and`."""
    language, tokens, end = source.language, source.tokens, at
    if found := source.role(at, "multipliers"):
        return Number(found[1], (Fraction(found[0]),), in_words=True, times=True)
    if found := source.role(at, "fractions"):
        part, end = fraction_of(found[0]), found[1]
        if more := source.role(end, "collectives", "scales"):
            return Number(more[1], (part * more[0],), in_words=True)
        return Number(end, (part,), in_words=True, needs_unit=True)
    known = _Sum(language)
    if (found := source.role(at, "ones")) and source.role(found[1], "scales", "collectives"):
        known.add(Fraction(found[0]), joined=False)
        end = found[1]
    joined, kept, tail = False, at, Fraction(0)
    while end < len(tokens) and end - at < _MOST_WORDS:
        if (
            known.seen
            and tokens[end].text in _HYPHENS
            and source.is_glued(end)
            and source.is_glued(end + 1)
        ):
            end += 1
            continue
        phrase = language.phrase_at(tokens, end, "numbers", "scales", "number_scales")
        join = source.role(end, "number_joins")
        if phrase is not None:
            meaning, after = phrase[0].meaning, phrase[1]
            if phrase[0].role == "numbers":
                fits = known.add(fraction_of(meaning), joined=joined)
            else:
                fits = not joined and known.scale(meaning)
            if not fits:
                break
            end = kept = after
            joined = False
        elif joins and join is not None and not joined and known.may_join(join[0]):
            # `between one hundred and one hundred and ten`: the second hundred is another number.
            following = language.phrase_at(tokens, join[1], "numbers")
            if following and source.role(following[1], "scales") == (100, following[1] + 1):
                break
            end, joined = join[1], True
        elif language.compound_numbers and (parts := _compound(language, tokens[end].key)):
            value, tail = parts
            if not known.add(value, joined=joined):
                break
            end = kept = end + 1
            joined = False
            known.after_scale = value >= 100 and value % 100 == 0
            if tail:
                break
        else:
            break
    if not known.seen or kept == at:
        if known.seen and (more := source.role(end, "collectives")):
            return Number(more[1], ((known.group or 1) * more[0],), in_words=True)
        if more := source.role(at, "collectives"):
            return Number(more[1], (Fraction(more[0]),), in_words=True)
        return None
    value, end = known.total + known.group + tail, kept
    bare = (value, end)
    if more := source.role(end, "fraction_tails"):
        value, end = value + fraction_of(more[0]), more[1]
    if more := source.role(end, "collectives"):
        value, end = value * more[0], more[1]
    times = source.role(end, "times_words")
    return Number(
        times[1] if times else end, (value,), in_words=True, times=times is not None, bare=bare
    )


def _compound(language: Language, key: str) -> tuple[Fraction, Fraction] | None:
    """Return the number that is one word, and its fraction: `zweihundertfünfzig`, `zweieinhalb`."""
    if len(key) > _LONGEST_COMPOUND or not key.isalpha():
        return None
    return _compound_number(language.code, key)


@lru_cache(maxsize=4096)
def _compound_number(code: str, key: str) -> tuple[Fraction, Fraction] | None:
    from webagent.agent.deterministic.reading.language import language as named

    language = named(code)
    parts = _words_in(language, key)
    if len(parts) < 2:
        return None
    known, joined, tail = _Sum(language), False, Fraction(0)
    for role, meaning in parts:
        if tail or (role == "number_joins" and (joined or not known.may_join(meaning))):
            return None
        if role == "number_joins":
            joined = True
        elif role == "fraction_tails":
            tail = fraction_of(meaning)
        elif role == "numbers":
            if not known.add(fraction_of(meaning), joined=joined):
                return None
            joined = False
        elif not known.scale(meaning):
            return None
    return None if joined or not known.seen else (known.total + known.group, tail)


def _words_in(language: Language, key: str) -> list[tuple[str, Any]]:
    """Cut a word into words of numbers from the right, the longest first."""
    roles = ("numbers", "scales", "number_joins", "fraction_tails")
    cuts: list[tuple[int, str, Any] | None] = [None] * (len(key) + 1)
    reached = {0}
    for start in range(len(key)):
        if start not in reached:
            continue
        for end in range(start + 2, len(key) + 1):
            for role in roles:
                if (meaning := language.roles[role].get(key[start:end])) is not None:
                    if end not in reached or role == "fraction_tails":
                        cuts[end] = (start, role, meaning)
                    reached.add(end)
                    break
    found: list[tuple[str, Any]] = []
    at = len(key)
    while at and (cut := cuts[at]) is not None:
        found.append((cut[1], cut[2]))
        at = cut[0]
    return found[::-1] if at == 0 else []
