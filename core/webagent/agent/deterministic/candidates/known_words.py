"""Texts that are known by what they are: countries, airports, kinds of a thing, and the halves of a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from webagent.agent.deterministic.candidates.addresses import HOUSES, excerpt_fit, with_region
from webagent.agent.deterministic.candidates.fits import Fit, cues_of
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.language import country_names, iata_codes
from webagent.schema import regex

_COUNTRIES: Final = frozenset(("country", "land", "pays", "pais", "nation"))
_AIRPORTS: Final = frozenset(("airport", "airports"))
_AIRLINES: Final = frozenset(("airline", "airlines", "airlin", "carrier", "carriers"))
_FIRST_NAMES: Final = frozenset(("first", "given", "forename", "vorname"))
_LAST_NAMES: Final = frozenset(("last", "family", "surname", "nachname", "lastname"))
_MAKES: Final = frozenset(
    ("make", "brand", "manufacturer", "marke", "hersteller", "marque", "marca")
)
_MODEL: Final = "model"
_PLACES: Final = frozenset(("near", "location", "place", "address", "where", "ort", "lieu", "lugar", "venue", "street", "strasse", "pickup", "destination", "origin", "from", "to", "stop", "station"))  # fmt: skip
_BEINGS: Final = frozenset(("child", "kid", "pet", "animal", "horse", "student", "person", "player", "member", "patient"))  # fmt: skip
_WITHIN: Final = frozenset(("of", "in", "at"))
_BEFORE_PLACES: Final = frozenset(("near", "at", "in", "from", "to", "of", "by"))
_KNOWN: Final = 1.7
"""What it says of words that they are the name of a country or an airport."""
_OWN: Final = 0.6
"""What it says of a place that its kind is what the parameter is called: `rue des Lilas`."""
_KIND_OF: Final = 1.2
"""What it says of a word that it is a kind of what is wanted."""


def has_parts(sentence: Sentence, index: int) -> bool:
    """Whether a word is known by its parts too: `Kinderbuch`."""
    speech, token = sentence.language, sentence.tokens[index]
    known = speech.glosses.get(token.stem, ())
    return "-" in token.key or (
        speech.compound_words and len(speech.gloss(token.stem, token.key)) > len(known)
    )


def ends_clause(sentence: Sentence, index: int) -> bool:
    """Whether only courtesies follow a word in its clause: `auf` of `Fenster auf bitte`."""
    roles = sentence.roles[index + 1 : index + 2]
    return not roles or sentence.tokens[index + 1].is_sign or roles[0] in ("polite", "conjunctions")


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
                yield Fit(
                    parameter, text, frozenset(range(index, index + words)), _KNOWN + more, cues
                )
                break


def airports(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the IATA codes of airports and airlines by their names: `JFK or Heathrow`, `with Delta`."""
    known = _codes_for(parameter)
    found: list[tuple[int, int, str]] = []
    at = first
    while known and at < end:
        for words in (3, 2, 1):
            tokens = sentence.tokens[at : min(at + words, end)]
            code = known.get(" ".join(token.key for token in tokens))
            if words == 1 and code is None and tokens[0].text in known.values():
                code = tokens[0].text
            if code is not None and len(tokens) == words:
                found.append((at, at + words, code))
                break
        at = found[-1][1] if found and found[-1][1] > at else at + 1
    while found:
        # `JFK, Newark or LaGuardia`
        count = 1
        while parameter.is_list and count < len(found) and _are_joined(sentence, found[count - 1][1], found[count][0]):  # fmt: skip
            count += 1
        (start, _, code), until = found[0], found[count - 1][1]
        value = [code for _, _, code in found[:count]] if parameter.is_list else code
        cues, more = cues_of(parameter, sentence, start, until, first, end)
        yield Fit(parameter, value, frozenset(range(start, until)), _KNOWN + more, cues)
        found = found[count:]


def _codes_for(parameter: Parameter) -> Mapping[str, str]:
    """Return the codes of airports or airlines by names, where a parameter takes them and no names."""
    said = parameter.names | parameter.about
    if not said & (_AIRLINES | _AIRPORTS):
        return {}
    pattern = parameter.schema.get("pattern")
    rule = pattern if isinstance(pattern, str) and regex.is_readable(pattern) else ""
    for stems, parts, sample in (
        (_AIRLINES, ("airlines",), ("BA", "British Airways")),
        (_AIRPORTS, ("airports", "cities"), ("LHR", "Heathrow")),
    ):
        is_coded = rule and [bool(regex.found(rule, text)) for text in sample] == [True, False]  # fmt: skip
        if said & stems and (is_coded or "iata" in parameter.about):
            return iata_codes(*parts)
    return {}


def _are_joined(sentence: Sentence, at: int, until: int) -> bool:
    """Whether only commas and conjunctions are between two places."""
    return all(
        sentence.tokens[i].text == "," or sentence.roles[i] == "conjunctions"
        for i in range(at, until)
    )


def places(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    """Yield places whose name is a part of how they are called: `the station in Celle`, `8 Mill Street`."""
    if not parameter.names & _PLACES or any(p.names & HOUSES for p in tool.parameters):
        return
    tokens, said = sentence.tokens, sentence.language.roles["prepositions"]
    for at in range(first + 1, end):
        if not sentence.is_name(at) or sentence.is_name(at - 1):
            continue
        until = next((i for i in range(at, end) if not sentence.is_name(i)), end)
        start = at - 1
        if tokens[start].text.isdecimal() and until - at > 1:
            # `8 Mill Street`
            yield _place(parameter, sentence, start, until, first, end)
            continue
        while start > first and said.get(tokens[start].key, "of" if tokens[start].is_stop else "") in _WITHIN:  # fmt: skip
            start -= 1
        is_own = bool(tokens[start].glosses & (parameter.stems | parameter.about))
        of_noun = (
            not is_own
            and start < at - 1
            and sentence.is_noun(start)
            and sentence.weights[start - 1] == 1
        )
        if of_noun and start > first and not sentence.preposition[start]:
            # `the main station in Celle`
            start -= 1
        is_led = start < at - 1 and sentence.preposition[start] in _BEFORE_PLACES
        is_joined = start == at - 1 or any(
            said.get(tokens[i].key) in _WITHIN for i in range(start + 1, at)
        )
        if (
            is_joined
            and (is_own or is_led)
            and (of_noun or sentence.is_noun(start))
            and sentence.weights[start] == 1
        ):
            # `calle Olmo 4`
            until += until < end and tokens[until].text.isdecimal()
            fit = _place(parameter, sentence, start, until, first, end)
            yield replace(fit, score=fit.score + _OWN * is_own)


def _place(
    parameter: Parameter, sentence: Sentence, start: int, until: int, first: int, end: int
) -> Fit:
    until = with_region(sentence, until, end)
    cues, more = cues_of(parameter, sentence, start, until, first, end)
    text = sentence.excerpt(start, until)
    return Fit(parameter, text, frozenset(range(start, until)), _KIND_OF + more, cues)


def subjects(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the name that a report begins with, whatever else the word may mean: `Luna weighs …`."""
    if end < first + 2 or not parameter.names & _BEINGS:
        return
    token = sentence.tokens[first]
    spoken = sentence.verbs[first + 1] and not sentence.asks(first, end)
    if spoken and token.is_capital and not (token.is_stop or first in sentence.orders or sentence.verbs[first]):  # fmt: skip
        yield Fit(parameter, token.text, frozenset((first,)), _KIND_OF)


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
    is_first, is_last = parameter.names & _FIRST_NAMES, parameter.names & _LAST_NAMES
    if not (is_first or is_last) or "name" not in parameter.path[-1].lower():
        return
    for at, until in name_runs(sentence, first, end):
        if until - at > 1 and said.isdisjoint(range(at, until)):
            start, stop = (at, until - 1) if is_first else (until - 1, until)
            cues, more = cues_of(parameter, sentence, at, until, first, end)
            yield Fit(parameter, sentence.excerpt(start, stop), frozenset(range(start, stop)), 1.4 + more, cues)  # fmt: skip


def makes(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    """Yield the make and the model of a thing for parameters that take one of them: `Honda Civic`."""
    is_make, is_model = parameter.names & _MAKES, _MODEL in parameter.names
    beside = {name for p in tool.parameters if p.path[:-1] == parameter.path[:-1] for name in p.names}  # fmt: skip
    if not (is_make or is_model) or _MODEL not in beside or not beside & _MAKES:
        return
    for at, until in name_runs(sentence, first, end):
        while until < end and sentence.tokens[until].is_figure and sentence.tokens[until - 1].is_capital:  # fmt: skip
            # `Peugeot 208`
            until += 1
        if until - at > 1:
            start, stop = (at, at + 1) if is_make else (at + 1, until)
            cues, more = cues_of(parameter, sentence, at, until, first, end)
            yield Fit(parameter, sentence.excerpt(start, stop), frozenset(range(start, stop)), _KNOWN + more, cues)  # fmt: skip


def name_runs(sentence: Sentence, first: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of words that are written like names; `Head of Sales` is two."""
    at = first
    while at < end:
        until = at
        while until < end and sentence.is_name(until) and sentence.tokens[until].is_capital:
            until += 1
        if until > at:
            yield at, until
        at = max(until, at + 1)
