"""Ids and codes for parameters: numbers, codes and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from webagent.agent.deterministic.candidates.addresses import POSTCODES
from webagent.agent.deterministic.candidates.fits import Fit, cued, cues_of
from webagent.agent.deterministic.candidates.known_words import airports
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.tokens import Token
from webagent.agent.deterministic.reading.values import Value
from webagent.schema import regex

_SLUG: Final = re.compile(r"[A-Za-z]*\d[\w.-]*|[a-z]+[._][\w.]+|[A-Z]{2,6}|[\w]+-[\w-]+")
_DOMAIN: Final = re.compile(r"[a-z-]+(?:\.[a-z-]+)+")
HOSTS: Final = frozenset(("domain", "zone", "host", "hostname", "server", "site"))
_BRITISH: Final = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$")
"""Postcodes that begin with letters: `CB1 2AB`."""
_SHORTEST_POSTCODE: Final = 4
_PARTICLES: Final = frozenset(("up", "in", "out", "off", "on", "down", "over"))
_SPACING: Final = re.compile(r"[ -]")
_SIZED: Final = frozenset(("size", "groesse", "größe", "taille", "talla"))
_SIZE: Final = re.compile(r"X{0,3}S|M|X{0,4}L|[2-5]\d(?:[.,]5)?")
_CODE: Final = re.compile(r"\d+[-./]\d+")
_LONG_NUMBER: Final = 100
"""A bare number below is rather a number than an id."""
_SMALL_NUMBER: Final = 0.3
"""What a small number loses as an id that nothing announces."""


def ids(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, values: Sequence[Value], first: int, end: int, said: frozenset[int],
) -> Iterator[Fit]:  # fmt: skip
    """Yield the ids and codes of a part of a goal."""
    counts = any(p.kind == "number" and p.required for p in tool.parameters)
    yield from airports(parameter, sentence, first, end)
    rule = parameter.schema.get("pattern")
    if not isinstance(rule, str) or not regex.is_readable(rule):
        rule = None
    for value in values:
        found = _id_of(parameter, value)
        if found is None or (value.kind == "number" and _counts(parameter, sentence, value, end)):
            continue
        if value.kind == "number" and _is_new_value(sentence, value, first):
            continue
        text, score = found
        if parameter.schema.get("type") == "integer":
            if text.isdecimal() or isinstance(value.value, int):
                number = int(text) if text.isdecimal() else value.value
                fit = cued(parameter, sentence, value, number, score, first, end)
                if counts and value.kind == "number" and number < _LONG_NUMBER and not fit.cues:
                    # `offer them 70 for it`
                    fit = replace(fit, score=fit.score - _SMALL_NUMBER)
                if (
                    parameter.required
                    or fit.cues
                    or value.kind != "number"
                    or number >= _LONG_NUMBER
                ):
                    yield fit
            continue
        if rule is not None:
            near = next(
                (
                    t
                    for t in (text, text.upper(), text.lower(), _SPACING.sub("", text))
                    if _matches(rule, t)
                ),
                None,
            )
            if near is None:
                continue
            text, score = near, score + 0.6
        elif parameter.names & POSTCODES and not (text[:1].isdigit() or _BRITISH.match(text)):
            continue
        fit = cued(parameter, sentence, value, text, score, first, end)
        # `buy 'The Long Thaw'` gives no ISBN.
        is_title = value.kind == "quoted" and " " in text and not (rule or fit.cues)
        if parameter.names_thing or not is_title:
            yield fit
    if parameter.schema.get("type") == "integer":
        return
    if rule is not None:
        yield from _written(parameter, sentence, rule, first, end)
    for index in range(first, end):
        token = sentence.tokens[index]
        # `salt-ledger` names no tool by one of its parts.
        names_tool = index in said and not ("-" in token.text and token.stem not in sentence.language.glosses)  # fmt: skip
        if sentence.in_value[index] is not None or token.is_sign or names_tool:
            continue
        cues, more = cues_of(parameter, sentence, index, index + 1, first, end)
        if rule is not None:
            ways = (token.text, token.text.upper(), token.text.lower())
            near = next((t for t in ways if _matches(f"^(?:{rule})$", t)), None)
            if near and (any(letter.isdigit() for letter in near) or token.text.isupper()):
                yield Fit(parameter, near, frozenset((index,)), 1.6 + more, cues)
        elif _SLUG.fullmatch(token.text) and any(c.isdigit() or c in "._-" for c in token.text) and not _is_compound(token):  # fmt: skip
            if (
                parameter.names_thing
                and _DOMAIN.fullmatch(token.text)
                and not parameter.names & HOSTS
            ):
                continue
            yield Fit(parameter, token.text, frozenset((index,)), 1.1 + more, cues)


def _written(parameter: Parameter, sentence: Sentence, rule: str, first: int, end: int) -> Iterator[Fit]:  # fmt: skip
    """Yield codes that look like two numbers, by their pattern: `118-420`."""
    tokens = sentence.tokens
    for at in range(first, end - 2):
        joined = tokens[at].end == tokens[at + 1].start and tokens[at + 1].end == tokens[at + 2].start  # fmt: skip
        code = sentence.excerpt(at, at + 3)
        if joined and _CODE.fullmatch(code) and _matches(f"^(?:{rule})$", code):
            place = frozenset(range(at, at + 3))
            cues, more = cues_of(parameter, sentence, at, at + 3, first, end)
            yield Fit(parameter, code, place, 1.7 + more, cues)


@lru_cache(maxsize=2_000)
def _matches(pattern: str, text: str) -> bool | None:
    """Return the answer of `regex.found`, which many parameters ask for of the same words."""
    return regex.found(pattern, text)


def _is_compound(token: Token) -> bool:
    """Whether a word is a verb with its particle: `stand-up`, but not `soup-mostly`."""
    verb, _, particle = token.low.partition("-")
    return verb.isalpha() and particle in _PARTICLES


def _counts(parameter: Parameter, sentence: Sentence, value: Value, end: int) -> bool:
    """Whether a number says how many there are of what follows: `4 tickets`, `2 of those`, but not `order 4 tickets`."""
    own = parameter.stems
    before = sentence.tokens[value.first - 1] if value.first else None
    if (
        value.end >= end
        or (before is not None and before.glosses & own)
        or value.text.startswith("#")
        or (parameter.names & POSTCODES and len(value.text) >= _SHORTEST_POSTCODE)
    ):
        return False
    after = sentence.tokens[value.end]
    if value.kind == "number" and value.value in range(_LONG_NUMBER) and sentence.language.roles["prepositions"].get(after.key) == "of":  # fmt: skip
        return True
    if sentence.language.code == "de" and not after.is_capital:
        # `Marke 4417 abmelden`
        return False
    return sentence.is_noun(value.end) and not after.is_stop and not sentence.roles[value.end]


def _is_new_value(sentence: Sentence, value: Value, first: int) -> bool:
    """Whether a number is what something that was spoken of becomes: `drop it to 65`."""
    led = value.first > first and sentence.preposition[value.first] == "to"
    pointed = any(sentence.roles[i] == "pronouns" for i in range(first, value.first))
    return led and pointed and not value.text.startswith("#")


def is_tag(value: Value) -> bool:
    """Whether a value is a name behind a sign, and not an id: `#random`, but not `#1187`."""
    return value.text.startswith("#") and not any(c.isdigit() for c in value.text)


def _id_of(parameter: Parameter, value: Value) -> tuple[str, float] | None:
    """Return the id that a value may be, and how likely."""
    if is_tag(value):
        return None
    if value.kind in ("id", "quoted", "secret"):
        text = str(value.value)
        is_name = value.kind == "quoted" and not any(c.isdigit() for c in text)
        return None if is_name and parameter.names_thing else (text, 1.4)
    plain = value.text.lstrip("#")
    counts = plain.lower().endswith("x") and plain[:-1].isdecimal()
    if value.kind == "number" and not value.unit and plain.isalnum() and any(c.isdigit() for c in plain) and not counts:  # fmt: skip
        return plain, 0.8
    if value.kind == "quantity" and value.text.isalnum():
        return value.text, 0.7
    if value.kind == "number" and not value.unit and parameter.schema.get("type") == "integer" and isinstance(value.value, int) and value.value > 1:  # fmt: skip
        # `issue thirty-one`, but not `the red one`
        return str(value.value), 0.7
    return None


def sizes(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the sizes of clothes: `the cardigan in M`, `these shoes in 42`."""
    for index in range(first + 1, end) if parameter.names & _SIZED else ():
        token = sentence.tokens[index]
        led = token.text.isalpha() or sentence.preposition[index] == "in"
        if led and _SIZE.fullmatch(token.text):
            yield Fit(parameter, token.text, frozenset((index,)), 1.6)
