"""The parts of postal addresses that a goal names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords

_STREETS: Final = frozenset(("street", "address", "line", "line1", "addr", "strasse"))
_CITIES: Final = frozenset(("city", "town", "place", "ort", "stadt"))
_STATES: Final = frozenset(("state", "province"))
_REGIONS: Final = _CITIES | {"location", "where", "area", "region", "destination"}
"""Words of parameters for a city with what it is in."""
_CODE: Final = 2
"""Letters of the code of a state: `TX`."""
HOUSES: Final = frozenset(("hausnummer", "house", "housenumber", "houseno", "hausnr"))
POSTCODES: Final = frozenset(("postcode", "postal", "postalcode", "zip", "plz", "zipcode"))


def addresses(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    """Yield the parts of an address: `Gartenweg 7, 99084 Erfurt`."""
    names, tokens = parameter.names, sentence.tokens
    if names & HOUSES or (names & _STREETS and any(p.names & HOUSES for p in tool.parameters)):
        return
    yield from _regions(parameter, tool, sentence, first, end)
    if not names & (_STREETS | POSTCODES | _CITIES) or "email" in names:
        return
    for index in range(first, end):
        if not tokens[index].is_figure:
            continue
        figures, after = tokens[index].text, index + 1
        follows = after < end and tokens[after].is_capital
        if figures.isdecimal() and 4 <= len(figures) <= 5 and follows:
            if names & POSTCODES:
                yield Fit(parameter, figures, frozenset((index,)), 2.0)
            elif names & _CITIES:
                until = after + 1
                while until < end and tokens[until].is_capital and sentence.in_value[until] is None:
                    until += 1
                yield excerpt_fit(parameter, sentence, after, until)
        elif names & _STREETS and len(figures) <= 4:
            before = index - 1 - (tokens[index - 1].text == ".")
            if follows and after + 1 < end and tokens[after + 1].is_capital:
                until = after
                while until < end and (tokens[until].is_capital or ("address" in names and tokens[until].text == "," and until + 1 < end and tokens[until + 1].is_capital)):  # fmt: skip
                    until += 1
                yield excerpt_fit(parameter, sentence, index, until)
            elif before >= first and tokens[before].is_capital:
                at, until = before, index + 1
                while at > first and tokens[at - 1].is_capital and not tokens[at - 1].is_sign:
                    at -= 1
                if "address" in names and until + 1 < end and tokens[until].text == "," and sentence.is_name(until + 1):  # fmt: skip
                    # `Industriestraße 7, Duisburg`
                    until += 2
                yield excerpt_fit(parameter, sentence, at, until)


def _regions(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    """Yield what stands around the code of a state: `Austin, TX 78701`."""
    has_state = any(p.names & _STATES for p in tool.parameters)
    for comma in range(first + 1, end - 1):
        if not _has_state(sentence, comma, end):
            continue
        at = comma
        while at > first and sentence.tokens[at - 1].is_capital and sentence.is_name(at - 1):
            at -= 1
        after, street = comma + 2, at - 1
        while street > first and sentence.tokens[at - 1].text == "," and sentence.is_name(street - 1):  # fmt: skip
            street -= 1
        if not parameter.names & _CITIES and street > first and sentence.tokens[street - 1].text.isdecimal():  # fmt: skip
            # `24 Hill Road, Denver, CO`
            at = street - 1
        if parameter.names & _STATES:
            yield excerpt_fit(parameter, sentence, comma + 1, after)
        elif parameter.names & POSTCODES and after < end and sentence.tokens[after].is_figure:
            yield excerpt_fit(parameter, sentence, after, after + 1)
        elif parameter.names & _REGIONS:
            yield excerpt_fit(parameter, sentence, at, comma if has_state else after)


def _has_state(sentence: Sentence, comma: int, end: int) -> bool:
    """Whether the code of a state follows the name of a city: `Portland, OR`."""
    if comma + 1 >= end or sentence.tokens[comma].text != "," or not sentence.is_name(comma - 1):
        return False
    text = sentence.tokens[comma + 1].text
    return len(text) == _CODE and text.isalpha() and text.isupper()


def with_region(sentence: Sentence, until: int, end: int) -> int:
    """Return where a place ends, with its city and state: `24 Hill Road, Denver, CO`."""
    city = until + 1
    while city < end and sentence.is_name(city) and sentence.tokens[until].text == ",":
        city += 1
    return next((i + 2 for i in (until, city) if _has_state(sentence, i, end)), until)


def excerpt_fit(parameter: Parameter, sentence: Sentence, at: int, until: int) -> Fit:
    """Return some words as they are written, as a text that surely fits."""
    return Fit(parameter, sentence.excerpt(at, until), frozenset(range(at, until)), 2.0)
