"""Texts that are known by what they are: countries, kinds of a thing, and the halves of a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from webagent.agent.deterministic.candidates.addresses import excerpt_fit
from webagent.agent.deterministic.candidates.fits import Fit, cues_of
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.language import country_names

_COUNTRIES: Final = frozenset(("country", "land", "pays", "pais", "nation"))
_FIRST_NAMES: Final = frozenset(("first", "given", "forename", "vorname"))
_LAST_NAMES: Final = frozenset(("last", "family", "surname", "nachname", "lastname"))
_KIND_OF: Final = 1.2
"""What it says of a word that it is a kind of what is wanted."""


def countries(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield countries by their English names, whatever language names them: `nach Spanien`."""
    if not parameter.names & _COUNTRIES:
        return
    known = country_names()
    for index in range(first, end):
        if sentence.tokens[index].text.isupper() and len(sentence.tokens[index].text) in (2, 3):
            # `the US`
            yield excerpt_fit(parameter, sentence, index, index + 1)
        for words in (3, 2, 1):
            tokens = sentence.tokens[index : min(index + words, end)]
            name = (
                known.get(" ".join(token.key for token in tokens)) if len(tokens) == words else None
            )
            if name and not (words == 1 and (len(tokens[0].key) < 4 or tokens[0].is_stop)):
                own = sentence.language.code == "en"
                text = sentence.excerpt(index, index + words) if own else name
                cues, more = cues_of(parameter, sentence, index, index + words, first, end)
                yield Fit(parameter, text, frozenset(range(index, index + words)), 1.7 + more, cues)
                break


def kinds(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield words for a kind of what a parameter is called: `blue` for a colour."""
    for index in range(first, end):
        token = sentence.tokens[index]
        is_kind = token.broader & parameter.stems and not token.meanings & parameter.stems
        if is_kind and sentence.weights[index] >= 1 and not (sentence.verbs[index] or sentence.in_value[index] or sentence.denied[index]):  # fmt: skip
            text = [token.text] if parameter.is_list else token.text
            yield Fit(parameter, text, frozenset((index,)), _KIND_OF)


def person_names(
    parameter: Parameter, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> Iterator[Fit]:
    """Yield the halves of a person's name for parameters that take one of them."""
    place = 0 if parameter.names & _FIRST_NAMES else 1 if parameter.names & _LAST_NAMES else -1
    if place < 0 or "name" not in parameter.path[-1].lower():
        return
    for index in range(first, end - 1):
        pair = (index, index + 1)
        if all(sentence.is_name(i) and i not in said for i in pair):
            yield Fit(parameter, sentence.tokens[pair[place]].text, frozenset((pair[place],)), 1.4)
