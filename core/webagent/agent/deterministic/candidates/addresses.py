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
HOUSES: Final = frozenset(("hausnummer", "house", "housenumber", "houseno", "hausnr"))
POSTCODES: Final = frozenset(("postcode", "postal", "postalcode", "zip", "plz", "zipcode"))


def addresses(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    """Yield the parts of an address: `Gartenweg 7, 99084 Erfurt`."""
    names, tokens = parameter.names, sentence.tokens
    if names & HOUSES or (names & _STREETS and any(p.names & HOUSES for p in tool.parameters)):
        return
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


def excerpt_fit(parameter: Parameter, sentence: Sentence, at: int, until: int) -> Fit:
    """Return some words as they are written, as a text that surely fits."""
    return Fit(parameter, sentence.excerpt(at, until), frozenset(range(at, until)), 2.0)
