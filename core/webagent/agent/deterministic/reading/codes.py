"""Values by their form alone: quotations, addresses, phone numbers, ids and secrets."""

from __future__ import annotations

import re
from typing import Final

from webagent.agent.deterministic.reading.numbers import Source, number_at
from webagent.agent.deterministic.reading.value import Value, text_value

_QUOTES: Final = {
    '"': '"', "“": "”“", "«": "»", "»": "«", "„": "“”", "‘": "’‘", "'": "'", "‚": "‘’", "`": "`", "‹": "›",
}  # fmt: skip
_APOSTROPHES: Final = "'‘’"
_LONGEST_QUOTED: Final = 400
_PHONE: Final = re.compile(
    r"(?<![\w.,+\u00a0\u202f\u2009-])(?<!\d )(?:\+\d|\(?0\d)[\d ()/.\u00a0-]{5,20}\d(?![\w])"
    r"|(?<![\w.,+-])(?<!\d )\d{3} \d{3} \d{3}(?! ?\d)(?!\w)"
    r"|(?<![\w.,+-])\(?\d{3}\)?[-. ]\d{3,4}[-. ]\d{4}(?!\w)|(?<![\w.,+-])\d{3}-\d{4}(?!\w)"
)
_CODE: Final = re.compile(r"[A-Za-z0-9]+(?:[-_/.][A-Za-z0-9]+)*")
_SPACED: Final = re.compile(
    r"(?!(?:ID|NO|NR) )(?:[A-Z]{1,3} \d{1,4} [A-Z]{1,3}|[A-ZÄÖÜ]{1,3} [A-Z]{1,2} \d{1,4}[EH]?(?![.,:]?\d)|[A-Z]{1,2}\d{1,3}[A-Z]? (?:[A-Z]{2,3}|\d[A-Z]{2})"
    r"|[A-Z]{2} \d{2,4}(?![.,:]?\d)|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}[EH]?"
    r"|[A-Z]{2}\d{2}(?: [A-Z\d]{4}){3,7}(?: [A-Z\d]{1,3})?)(?![\w-])"
)
"""Plates, postcodes, flights and accounts in groups: `GH 456 JK`, `HD-AB 123`, `KR BT 482`, `SW1A 1AA`, `BA 117`."""
_PATH: Final = re.compile(
    r"(?<![^\s\"'“„«(])(?<![\d€$£] )/(?:[\w-]|\.(?=\w))+(?:/(?:[\w-]|\.(?=\w))+)*/?"
)
"""The path of a file or folder: `/Decks/kickoff.pptx`."""
_NO_CODES: Final = frozenset({"mp3", "mp4", "h2o", "co2", "a3", "a4", "a5"})


def fixed_values(source: Source) -> dict[int, Value]:
    """Return what is known by its form alone, by its first token."""
    found: dict[int, Value] = {}
    _find_quotes(source, found)
    taken = {inner for value in found.values() for inner in range(value.first, value.end)}
    _find_phones(source, found, taken)
    for at, token in enumerate(source.tokens):
        if at in taken or at in found:
            continue
        form = _SPACED if token.is_capital else _PATH if token.text == "/" else None
        if form and (spaced := form.match(source.text, token.start)):
            end = at + 1
            while end < len(source.tokens) and source.tokens[end].start < spaced.end():
                end += 1
            taken.update(range(at, end))
            found[at] = text_value("id", at, end, spaced[0])
        elif token.is_secret:
            found[at] = text_value("secret", at, at + 1, token.text)
        elif token.text.startswith(("http://", "https://", "www.")):
            found[at] = text_value("url", at, at + 1, token.text)
        elif "@" in token.text and len(token.text) > 4:
            found[at] = text_value("email", at, at + 1, token.text)
        elif (
            token.text == "#"
            and source.is_glued(at + 1)
            and source.tokens[at + 1].text[0].isalnum()
        ):
            code = source.tokens[at + 1].text
            found[at] = Value("id", at, at + 2, code, "#" + code, core=at)
    return found


def _find_quotes(source: Source, found: dict[int, Value]) -> None:
    """Find quoted text; each closing mark is passed once, so that no text takes long."""
    closing: dict[str, list[int]] = {}
    for at, token in enumerate(source.tokens):
        if token.text in "\"”“»«’‘'`›" and _may_close(source, at):
            closing.setdefault(token.text, []).append(at)
    if not closing:
        return
    reached = dict.fromkeys(closing, 0)
    last = -1
    for at, token in enumerate(source.tokens):
        marks = _QUOTES.get(token.text)
        if marks is None or at <= last or not _may_open(source, at):
            continue
        ends: list[int] = []
        for mark in marks:
            places = closing.get(mark, [])
            while reached.get(mark, 0) < len(places) and places[reached[mark]] <= at:
                reached[mark] += 1
            if reached.get(mark, 0) < len(places):
                ends.append(places[reached[mark]])
        if ends and 1 < min(ends) - at < _LONGEST_QUOTED:
            last = min(ends)
            inside = source.text[token.end : source.tokens[last].start].strip()
            if inside:
                found[at] = text_value("quoted", at, last + 1, inside)


def _may_open(source: Source, at: int) -> bool:
    return source.tokens[at].text not in _APOSTROPHES or not source.is_glued(at)


def _may_close(source: Source, at: int) -> bool:
    if source.tokens[at].text not in _APOSTROPHES:
        return True
    return not source.is_glued(at + 1) or source.tokens[at + 1].is_sign


def _find_phones(source: Source, found: dict[int, Value], taken: set[int]) -> None:
    starts: dict[int, int] | None = None
    for match in _PHONE.finditer(source.text):
        piece = match.group()
        digits = sum(sign.isdigit() for sign in piece)
        if (
            not 7 <= digits <= 15
            or re.fullmatch(r"[\d.]*,?\d*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*", piece)
        ) and not (piece.isdigit() and piece[0] == "0" and digits > 8):
            continue
        if source.language.group.isspace() and " " in piece and piece[0] in "123456789":
            # In groups of three it is a number there.
            continue
        if starts is None:
            starts = {token.start: at for at, token in enumerate(source.tokens)}
        first = starts.get(match.start())
        if first is None or first in taken:
            continue
        end = first
        while end < len(source.tokens) and source.tokens[end].start < match.end():
            end += 1
        taken.update(range(first, end))
        found[first] = text_value("phone", first, end, piece)


def code_at(source: Source, at: int) -> Value | None:
    """Return a code that something goes by: `AB-1234`, `BA117`, `2024-0153`, `1.2.3`."""
    token, end = source.tokens[at], at + 1
    text = token.text
    if token.is_figure:
        while end + 1 < len(source.tokens) and source.tokens[end].text == "-" and (
            source.is_glued(end) and source.is_glued(end + 1) and _is_in_code(source.tokens[end + 1].text)
        ):  # fmt: skip
            end += 2
        text = source.text[token.start : source.tokens[end - 1].end]
        if end > at + 1 or text[0] in "0٠" or not text.isdecimal():
            known = number_at(source, at)
            return None if known and end == at + 1 else text_value("id", at, end, text)
        return text_value("id", at, end, text) if len(text) > 15 else None
    letters = sum(sign.isalpha() for sign in text)
    digits = sum(sign.isdecimal() for sign in text)
    if not letters or not digits or len(text) > 60 or text.lower() in _NO_CODES:
        return None
    return text_value("id", at, end, text) if _CODE.fullmatch(text) else None


def _is_in_code(text: str) -> bool:
    return text.isalnum() and (text.isupper() or any(sign.isdecimal() for sign in text))
