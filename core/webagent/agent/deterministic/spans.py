"""All typed pieces of a text, found in one pass over its words; none overlaps another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from webagent.agent.deterministic.amounts import amount_at, ordinal_of
from webagent.agent.deterministic.moments import moment_at
from webagent.agent.deterministic.span import Span, SpanKind
from webagent.agent.deterministic.words import Word

_QUOTES: Final = {'"': '"', "“": "”", "«": "»", "„": "“", "‘": "’", "'": "'", "`": "`"}
_PHONE: Final = re.compile(
    r"(?:\+|\b0)[\d ()/.-]{6,20}\d|\b\d{3}[-. ]\d{3,4}[-. ]\d{4}\b|\b\d{3}-\d{4}\b"
)
_SHORT_CODE: Final = re.compile(r"[A-Za-z]{1,3}\d{1,6}")
_LONGEST_QUOTED = 400
"""Words between two quotation marks."""


def spans_of(words: Sequence[Word], now: datetime, text: str) -> list[Span]:
    """Return the typed pieces of a text, in order."""
    phones = _phones(words, text)
    found: list[Span] = []
    at = 0
    while at < len(words):
        span = _quoted(words, at, text) or phones.get(at) or _typed(words, at, now, text)
        if span is None:
            at += 1
            continue
        if found and span.first < found[-1].end:
            span = Span(span.kind, at, span.end, span.value, span.text, span.unit, span.bound)
        found.append(span)
        at = span.end
    return _joined(found, words, text)


def _typed(words: Sequence[Word], at: int, now: datetime, text: str) -> Span | None:
    word = words[at]
    if word.is_secret:
        return _one("secret", at, word)
    if word.low.startswith(("http://", "https://", "www.")):
        return _one("url", at, word)
    if "@" in word.text and "." in word.text and len(word.text) > 4:
        return _one("email", at, word)
    if moment := moment_at(words, at, now, text):
        return moment
    if amount := amount_at(words, at, text):
        return amount
    if word.text == "#" and at + 1 < len(words) and words[at + 1].text[:1].isalnum():
        code = words[at + 1].text
        return Span("id", at, at + 2, code, "#" + code)
    if is_code(word.text):
        return _one("id", at, word)
    if (number := ordinal_of(word.low)) is not None:
        return Span("ordinal", at, at + 1, number, word.text)
    return None


def _one(kind: SpanKind, at: int, word: Word) -> Span:
    return Span(kind, at, at + 1, word.text, word.text)


def is_code(text: str) -> bool:
    """Whether a word looks like a number that something goes by: `AB-1234`, `BA117`."""
    letters = sum(letter.isalpha() for letter in text)
    digits = sum(letter.isdigit() for letter in text)
    if letters and digits and _SHORT_CODE.fullmatch(text):
        return text.lower() not in ("mp3", "mp4", "h2o", "co2", "x2", "x3", "a4", "a5")
    if not letters or not digits or len(text) < 3 or len(text) > 60:
        return False
    if ordinal_of(text.lower()) is not None or not text.isascii():
        return False
    if digits >= 2 or "-" in text or "_" in text:
        return text.replace("-", "").replace("_", "").replace("/", "").isalnum()
    return text.isupper() and text.isalnum()


def _quoted(words: Sequence[Word], at: int, text: str) -> Span | None:
    mark = words[at].text
    closing = _QUOTES.get(mark)
    if closing is None:
        return None
    inside = mark == "'" or mark == "‘"
    if inside and at > 0 and words[at].start == words[at - 1].end:
        return None
    for end in range(at + 1, min(at + _LONGEST_QUOTED, len(words))):
        if words[end].text == closing and (not inside or _closes(words, end, text)):
            value = text[words[at].end : words[end].start].strip()
            return Span("quoted", at, end + 1, value, value) if value else None
    return None


def _closes(words: Sequence[Word], at: int, text: str) -> bool:
    after = text[words[at].end : words[at].end + 1]
    return not after or not after.isalnum()


def _phones(words: Sequence[Word], text: str) -> dict[int, Span]:
    starts = {word.start: index for index, word in enumerate(words)}
    found: dict[int, Span] = {}
    for match in _PHONE.finditer(text):
        piece = match.group()
        digits = sum(letter.isdigit() for letter in piece)
        first = starts.get(match.start())
        if first is None or not 7 <= digits <= 15 or re.fullmatch(r"\d{4}-\d{2}-\d{2}", piece):
            continue
        end = first
        while end < len(words) and words[end].start < match.end():
            end += 1
        found[first] = Span("phone", first, end, piece, piece)
    return found


def _joined(spans: list[Span], words: Sequence[Word], text: str) -> list[Span]:
    """Make one of two amounts `between A and B`, `from A to B`: the least and the most."""
    found: list[Span] = []
    for span in spans:
        last = found[-1] if found else None
        if last is not None and span.first - last.end == 1 and _is_pair(last, span, words):
            least = Span(last.kind if last.kind != "number" else span.kind, last.first, last.end,
                         last.value, last.text, last.unit or span.unit, "min")  # fmt: skip
            found[-1] = least
            found.append(Span(span.kind, span.first, span.end, span.value, span.text, span.unit,
                              "max"))  # fmt: skip
            continue
        found.append(span)
    return found


def _is_pair(one: Span, other: Span, words: Sequence[Word]) -> bool:
    if one.kind not in ("number", "money") or other.kind not in ("number", "money", "duration"):
        return False
    join = words[one.end].low
    before = words[one.first - 1].low if one.first else ""
    return (before == "between" and join == "and") or (
        join in ("to", "-", "–")
        and (before == "from" or join != "to" or one.kind == other.kind == "money")
    )
