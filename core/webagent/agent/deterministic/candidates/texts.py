"""Free texts and names for parameters: what is quoted, named or left of a goal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from webagent.agent.deterministic.candidates.addresses import addresses, excerpt_fit
from webagent.agent.deterministic.candidates.fits import Fit, cued, cues_of, is_introduced
from webagent.agent.deterministic.candidates.ids import HOSTS, is_tag, sizes
from webagent.agent.deterministic.candidates.known_words import (
    airports,
    countries,
    has_parts,
    kinds,
    makes,
    person_names,
    places,
    subjects,
)
from webagent.agent.deterministic.candidates.parameters import Parameter, persons, stems_of
from webagent.agent.deterministic.candidates.pieces import (
    MESSAGE,
    NAMED,
    Piece,
    pieces_of,
    takes_message,
    trimmed,
)
from webagent.agent.deterministic.candidates.quotes import SURELY_QUOTED, is_listed, quoted
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import verbs_of
from webagent.agent.deterministic.reading.tokens import owner
from webagent.agent.deterministic.reading.values import Value

_RECIPIENTS: Final = frozenset(("to", "recipient", "recipients", "channel", "person", "user", "contact", "member", "who", "name", "phone", "payee"))  # fmt: skip
_CHANNELS: Final = frozenset(
    ("channel", "channels", "tag", "tags", "hashtag", "topic", "room", "label", "labels")
)
_SCORE: Final = re.compile(r"\d+[-:]\d+")
"""What a game ended with: `6-4`."""
_HANDLE: Final = re.compile(r"[a-z]{3,}[a-z_.]*\d+")
"""The name that somebody has on a site: `bluebird77`."""
_NEW: Final = "new"
_CUED: Final = 0.5
_MEASURED: Final = frozenset(("number", "date", "time", "datetime", "duration"))
_ANNOUNCED: Final = 0.78
_SEARCHED: Final = 0.8
_BARE_NAME: Final = 0.6
"""What a name alone costs as a message."""
_TOLD: Final = 0.8
"""What a message behind it says of a person."""
_KIND: Final = 0.45
"""What a noun of the tool says of the name before it."""
_BESIDE: Final = 0.2
"""What a text gains beside the name of what is searched: `lentil recipes`."""
_ABOUT: Final = 0.6
"""What `about` says of what is looked for, beside that it introduces it."""
_ACTING: Final = 0.3
"""What a verb costs in what is looked for."""
_PLACES: Final = frozenset(("in", "at", "by", "from", "to", "near", "for"))
_LOCATED: Final = frozenset(
    ("near", "location", "place", "address", "where", "ort", "lieu", "lugar", "venue")
)
_BEINGS: Final = frozenset(("child", "kid", "pet", "student", "person", "player", "sitter", "assignee", "member", "sender", "recipient"))  # fmt: skip
_CALLED: Final = _BEINGS | _LOCATED | HOSTS | frozenset(
    ("client", "customer", "author", "artist", "owner", "given", "street", "strasse", "city", "town", "stop", "station", "country")
)  # fmt: skip
"""Words of parameters that want what only one person or place is called."""
_REACHED: Final = "contact email mail phone link url login account address website"
"""Words of parameters for addresses of any kind."""
_NAMED_PERSONS: Final = (
    "recipient contact driver sender payee client customer patient host renter tenant"
)
"""Words of objects that have the name of a person or a company."""
_FIELDS: Final = frozenset(("subject", "label", "reference"))
"""Words of parameters for a field of a thing, and not for what it is called."""
_THINGS: Final = frozenset(("product", "item", "title", "name", "film", "show", "dish"))
_JOINTS: Final = frozenset(("for", "with", "in", "on", "to"))
_FITS_CHOICE: Final = 1.0
"""How well words have to fit a choice to be no part of a text."""
_WORD: Final = 3
"""Letters of a word that is hardly a code."""
FILES: Final = frozenset(("file", "files", "document", "attachment", "image", "photo"))
_PERSONS: Final = frozenset(("name", "sender", "person", "author", "artist", "user", "member", "player", "pet", "recipient", "guest", "contact", "customer", "client", "owner", "assignee", "vet", "doctor", "teacher", "profesor"))  # fmt: skip


def texts(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, values: Sequence[Value], first: int, end: int,
    said: frozenset[int], claimed: frozenset[int] = frozenset(), *, strict: bool = False,
) -> Iterator[Fit]:  # fmt: skip
    """Yield free texts: quoted ones, then pieces of the goal that nothing else explains."""
    for value in values:
        if value.kind == "quoted":
            if not (parameter.is_list or parameter.group) and is_listed(
                tool, sentence, value, first
            ):
                continue
            given = quoted(parameter, tool, sentence, value, first, end)
            if given.score >= SURELY_QUOTED or not strict:
                # A code is in quotation marks only behind its name: `use the code 'SPRING'`.
                yield given
        elif value.kind in ("email", "url", "phone") and any(p.kind == value.kind for p in tool.parameters):  # fmt: skip
            # It is for the parameter that takes nothing else.
            continue
        elif value.kind in ("email", "url", "phone") and not strict and _takes_address(parameter):
            yield cued(parameter, sentence, value, value.value, 0.6, first, end)
        elif is_tag(value):
            # `#random` is a channel, and not a person.
            if parameter.names & (_CHANNELS | {"to", "recipient"}):
                yield cued(parameter, sentence, value, value.value, 1.6, first, end)
        elif value.kind in ("secret", "id") and not strict:
            if parameter.is_list and any(p.kind == "id" for p in tool.parameters):
                # `tag #1187 with …`
                continue
            named = value.first - 1
            if named >= first and sentence.is_name(named) and not _SCORE.fullmatch(value.text) and not (named in said or sentence.tokens[named].meanings & parameter.stems):  # fmt: skip
                # `Galaxy S22`
                yield excerpt_fit(parameter, sentence, named, value.end)
            plain = not parameter.names & (MESSAGE | NAMED | _PERSONS) and not parameter.is_query
            plain = plain or (not takes_message(parameter) and bool(_HANDLE.fullmatch(value.text)))
            score = 0.8 if value.kind == "secret" else 0.55 if plain else 0.2
            yield cued(parameter, sentence, value, value.value, score, first, end)
    if parameter.excludes:
        yield from _denied(parameter, sentence, first, end)
        return
    yield from sizes(parameter, sentence, first, end)
    yield from _numbered(parameter, sentence, values, first)
    yield from addresses(parameter, tool, sentence, first, end)
    yield from countries(parameter, sentence, first, end)
    yield from airports(parameter, sentence, first, end)
    yield from places(parameter, tool, sentence, first, end)
    yield from subjects(parameter, sentence, first, end)
    yield from person_names(parameter, sentence, first, end, said)
    yield from makes(parameter, tool, sentence, first, end)
    if strict:
        return
    if not (parameter.is_query or takes_message(parameter)):
        yield from kinds(parameter, sentence, first, end)
    of_person = bool(
        parameter.names & NAMED and parameter.parents & (persons() | stems_of(_NAMED_PERSONS))
    )
    if parameter.is_query and parameter.required and tool.reads:
        yield from _own_words(parameter, sentence, first, end, said)
    counted = _labels(tool, sentence, first, end)
    if parameter.is_query:
        # `Kinderbücher` are a kind of books.
        said = frozenset(i for i in said if not has_parts(sentence, i))
    longest = parameter.schema.get("maxLength")
    owns = parameter.kind == "text" and not parameter.names & (_CALLED | _PERSONS - {"name"})
    pieces = [*pieces_of(parameter, sentence, first, end, said | counted, owns=owns)]
    if claimed:
        # `senior data engineer`: the first word is a choice of another parameter.
        pieces += pieces_of(parameter, sentence, first, end, said | counted | claimed, owns=owns)
    for piece in dict.fromkeys(pieces):
        fit = _fit_of(parameter, tool, sentence, piece, first, end, said)
        if fit is not None and parameter.is_list:
            fit = replace(fit, value=_each(sentence, fit))
        if fit is not None and of_person and not any(map(sentence.is_name, fit.tokens)):
            # `for my two boys` does not name them.
            continue
        if fit is not None and not (isinstance(longest, int) and len(str(fit.value)) > longest):
            yield fit


def _takes_address(parameter: Parameter) -> bool:
    """Whether a text may be how somebody is reached: a contact, but not the name of a thing."""
    named = parameter.names & (_RECIPIENTS | _PERSONS | MESSAGE)
    reached = (parameter.stems | parameter.about) & stems_of(_REACHED)
    return bool(named or reached) or parameter.is_query


def enumerated(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the texts that follow the name of a list: `with the options red, light blue and green`."""
    own = parameter.stems
    for index in range(first, end - 1):
        if not sentence.tokens[index].glosses & own or sentence.tokens[index].is_stop:
            # `with` alone is the name of no list.
            continue
        # `without nuts and save the quickest` goes on with another wish.
        stop = next((i for i in range(index + 1, end) if sentence.tokens[i].text in ".;!?" or (i in sentence.orders and sentence.roles[i - 1] == "conjunctions")), end)  # fmt: skip
        joints = [
            i for i in range(index + 1, stop)
            if sentence.tokens[i].text in ",:" or sentence.roles[i] == "conjunctions"
        ]  # fmt: skip
        last = joints[0] if joints else stop
        colon = next((i for i in range(index + 1, last + 1) if i < end and sentence.tokens[i].text == ":"), -1)  # fmt: skip
        # `tag 1241 with security and login`
        begins = next((i for i in range(index + 1, last) if sentence.preposition[i] == "with"), index + 1) - 1  # fmt: skip
        if colon >= 0:
            # `add a list: milk, eggs`
            begins, joints = colon, [i for i in joints if i > colon]
        pieces = [trimmed(sentence, a + 1, b) for a, b in pairwise((begins, *joints, stop))]
        if any(sentence.is_quoted(frozenset(range(a, b))) for a, b in pieces):
            # Quotation marks say where each ends.
            return
        items = [sentence.excerpt(a, b) for a, b in pieces if b > a]
        if len(items) > 1:
            # The number of `tag 1241 with …` is of the thing.
            tokens = (i for i in range(index + 1, stop) if i > begins or not sentence.in_value[i])
            yield Fit(parameter, items, frozenset(tokens), 1.8, frozenset((index,)))


def _each(sentence: Sentence, fit: Fit) -> list[str]:
    """Return the names that `and` joins, where several are wanted: `Ana Huber and Greta Huber`."""
    first, end = min(fit.tokens), max(fit.tokens) + 1
    at = next((i for i in range(first + 1, end - 1) if sentence.tokens[i].key in sentence.language.roles["conjunctions"]), 0)  # fmt: skip
    if not at or not (sentence.is_name(at - 1) and sentence.is_name(at + 1)):
        return list(fit.value)
    return [sentence.excerpt(first, at), sentence.excerpt(at + 1, end)]


def _labels(tool: ToolWords, sentence: Sentence, first: int, end: int) -> frozenset[int]:
    """Return the words that only say what a value is: `price under 30`, `4 guests`, `snippet 12`."""

    def labels(parameter: Parameter, index: int) -> bool:
        if parameter.kind == "id":
            value = sentence.in_value[index + 1] if index + 1 < end else None
            return value is not None and value.kind in ("number", "id") and value.first == index + 1
        behind = parameter.kind != "number"
        return parameter.kind in _MEASURED and _is_beside_value(sentence, index, behind=behind)

    named = (
        i for p in tool.parameters for i in range(first, end)
        if sentence.tokens[i].glosses & p.parents.union(*p.words) and labels(p, i)
    )  # fmt: skip
    priced = stems_of("cost price")
    return frozenset(named).union(
        # `which of them cost less than 8 pounds`
        i for i in range(first, end)
        if sentence.tokens[i].glosses & priced and _is_beside_value(sentence, i, behind=True)
    )  # fmt: skip


def _is_beside_value(sentence: Sentence, index: int, *, behind: bool) -> bool:
    """Whether a word is before a value, or right behind one unless `behind`: `price under 30`, `4 guests`."""
    after = range(index + 1, min(index + 3, len(sentence.tokens)))
    before = next(
        (i for i in after if sentence.in_value[i] or not sentence.tokens[i].is_stop), index
    )
    if (
        before > index
        and sentence.in_value[before] is not None
        and sentence.in_value[index] is None
    ):
        return True
    return not behind and index > 0 and sentence.in_value[index - 1] is not None


def _denied(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield what the goal does not want: `without nuts`, `but no fennel`."""
    run: list[int] = []
    for index in range(first, end + 1):
        if index < end and sentence.weights[index] and _is_left_out(sentence, index, run):
            run.append(index)
        elif run:
            text = sentence.excerpt(run[0], run[-1] + 1)
            yield Fit(parameter, [text] if parameter.is_list else text, frozenset(run), 1.4)
            run = []


def _is_left_out(sentence: Sentence, index: int, run: Sequence[int]) -> bool:
    """Whether a word is a part of what is not wanted, behind the words before it."""
    value = sentence.in_value[index]
    if sentence.roles[index] in ("without", "negators") or (value and value.kind != "quoted"):
        return False
    said = sentence.is_noun(index) or not sentence.verbs[index]
    behind = index > 0 and sentence.roles[index - 1] == "negators" and said
    return sentence.denied[index] or behind or index - 1 in run


def _numbered(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int
) -> Iterator[Fit]:
    """Yield numbers behind the parameter's own name: `version 2.1`, `size 42`."""
    own = parameter.stems
    for value in values:
        before = value.first - 1
        if value.kind in ("number", "quantity") and before >= first and sentence.tokens[before].glosses & own:  # fmt: skip
            yield Fit(parameter, value.text, frozenset(range(value.first, value.end)), 1.5, frozenset((before,)))  # fmt: skip


def _own_words(
    parameter: Parameter, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> Iterator[Fit]:
    """Yield what the tool is about, where nothing else is searched for."""
    named = [i for i in sorted(said) if first <= i < end and i not in sentence.orders]
    if named:
        text = sentence.excerpt(named[0], named[-1] + 1) if named[-1] - named[0] < 3 else sentence.tokens[named[0]].text  # fmt: skip
        yield Fit(parameter, text, frozenset(named), 0.05)


def _only_counts(sentence: Sentence, index: int) -> bool:
    """Whether a word before a thing only says how many of it: `two packs of`."""
    value = sentence.in_value[index]
    if value is not None:
        return value.kind == "number" and not value.bound
    role = sentence.roles[index]
    return role == "counters" or (sentence.tokens[index].is_stop and not role)


def _verb_of_object(parameter: Parameter, tool: ToolWords, sentence: Sentence, at: int) -> int:
    """Return the verb before what it is done to, for a change that takes one text: `mute brindle`; else -1."""
    before = at - 1
    while before > 0 and _only_counts(sentence, before):
        before -= 1
    one = [p for p in tool.parameters if p.required and p.kind in ("text", "id")]
    is_its = before in sentence.orders and bool(sentence.verbs[before] & tool.verbs)
    return before if is_its and one == [parameter] and not tool.reads else -1


def _is_object(sentence: Sentence, lead: int, at: int) -> bool:
    """Whether words follow their verb, over articles and signs."""
    return lead < at and all(
        sentence.tokens[i].is_stop or sentence.tokens[i].is_sign for i in range(lead + 1, at)
    )


def _by_place(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, piece: tuple[int, int], first: int, end: int,
    said: frozenset[int],
) -> tuple[frozenset[int], float]:  # fmt: skip
    """Return the words that say what a text is by where it stands, and how much they say."""
    at, until = piece
    told = sentence.message_at(first, end)
    lead = sentence.lead(first, end)
    if takes_message(parameter):
        return (frozenset((lead,)), 0.0) if told == at else (frozenset(), 0.0)
    ends = told >= until or (until < end and sentence.tokens[until].text == ":")
    given = sentence.in_value[until] if until < end and sentence.is_name(at) else None
    is_given = lead in sentence.orders and given is not None and given.kind in ("number", "money", "quantity")  # fmt: skip
    if parameter.names & _RECIPIENTS and (is_given or any(map(takes_message, tool.parameters))):
        # `tell Ana that …`, `message Tom: …`, `send Eva 20 euros`
        is_told = (ends or is_given) and _is_object(sentence, lead, at)
        return (frozenset((lead,)), _TOLD) if is_told else (frozenset(), 0.0)
    is_kind = until < end and until in said and sentence.tokens[until].glosses & tool.noun_stems
    own = until < end and bool(sentence.tokens[until].glosses & parameter.stems)
    if is_kind and parameter.required and (parameter.names & NAMED or own) and not parameter.group:
        # `the holiday savings` are those called so.
        return frozenset((until,)), _KIND
    return frozenset(), 0.0


def _fit_of(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, piece: Piece, first: int, end: int, said: frozenset[int],
) -> Fit | None:  # fmt: skip
    """Return a piece as a text for a parameter, unless nothing says that it is one."""
    at, until = piece.first, piece.end
    if not parameter.names & MESSAGE:
        while at < until and (at in sentence.orders or sentence.tokens[at - 1].text == ":") and sentence.verbs[at] & tool.verbs:  # fmt: skip
            # `waiting list: add Ana Ruiz`
            at += 1
        if until - at > 2 and sentence.verbs[at] and sentence.tokens[at + 1].key in sentence.language.roles["possessives"]:  # fmt: skip
            # `take my pills`
            at += 2
    if piece.score < _CUED:
        # `a new contact` has no name yet.
        while at < until and _NEW in sentence.tokens[at].glosses and not sentence.is_name(at):
            at += 1
    while parameter.names & _RECIPIENTS and until - 1 > at and sentence.tokens[until - 1].low in _CHANNELS:  # fmt: skip
        # `the design channel`
        until -= 1
    if at >= until:
        return None
    start = at
    if parameter.names & _LOCATED and at - 1 >= first and sentence.tokens[at - 1].text.isdecimal() and len(sentence.tokens[at - 1].text) <= 4:  # fmt: skip
        # `9 Quay Lane`
        start = at - 1
    while start - 1 > first and sentence.tokens[at].is_capital and sentence.tokens[start - 1].is_capital and sentence.tokens[start - 1].is_stop:  # fmt: skip
        # `The Hobbit` has an article of its own.
        start -= 1
    tokens = frozenset(i for i in range(min(start, at), until) if sentence.weights[i])
    if not tokens or (piece.score < _ANNOUNCED and any(sentence.denied[at:until])):
        return None
    before = sentence.roles[max(first, at - 2) : at]
    # `the most rooms` names no rooms, but `the cheapest leaf rake` is looked for.
    is_counted = "superlatives" in before and not (parameter.is_query and tool.reads and _is_measured(sentence, at))  # fmt: skip
    if is_counted or (at > first and before[-1] == "negators"):
        return None
    is_message = takes_message(parameter)
    # `I'll pay cash` has nothing to say, whatever noun `pay` may be.
    noun_counts = not is_message or piece.score >= _ANNOUNCED
    if all(sentence.verbs[i] and not (noun_counts and _may_be_noun(sentence, i)) and not sentence.is_name(i) for i in tokens):  # fmt: skip
        return None
    if is_message and all(sentence.in_value[i] for i in tokens):
        # `5 stars for last Saturday` says nothing more.
        return None
    if not is_message and at > first and sentence.in_value[at - 1] and sentence.is_small(tokens):
        # `10 km weg`
        return None
    is_named = not parameter.names & _CALLED or _is_proper(parameter, sentence, at, tokens)
    if not is_named and (sentence.preposition[at] == "of" or not is_introduced(parameter, sentence, at)):  # fmt: skip
        # `the bike I'm riding` is near nothing.
        return None
    text = owner(sentence.excerpt(start, until))
    cues, more = cues_of(parameter, sentence, at, until, first, end)
    acts = any(sentence.verbs[i] and not sentence.is_noun(i) and not sentence.is_name(i) for i in tokens)  # fmt: skip
    query = tool.reads and (parameter.is_query or _is_looked_up(parameter, tool))
    score = more + piece.score + (_SEARCHED if query else 0) - (_ACTING if query and acts else 0)
    if query and {at - 1, until} & said - sentence.orders:
        # `lentil recipes`
        score += _BESIDE
    if query and _is_condition(sentence, at, until):
        # `with at least 25 g of protein`, `with seats for at most 60 euros`
        return None
    if query and parameter.is_query and sentence.preposition[at] == "about":
        # `films for children about whales`
        score += _ABOUT
    if query and (sentence.preposition[at] in _PLACES or (sentence.preposition[at] == "with" and not parameter.is_query)):  # fmt: skip
        # `in Graz` names a place sooner than what is looked for.
        score -= _SEARCHED / 2
    if (at > first and sentence.in_value[at - 1] is not None) or (at > first + 1 and sentence.preposition[at] == "of" and sentence.in_value[at - 2] is not None):  # fmt: skip
        # `3 courgettes`, `500 g of flour`
        score += 0.3
    if piece.score and parameter.names & _PERSONS and sentence.is_name(at):
        score += 0.25
    if (verb := _verb_of_object(parameter, tool, sentence, at)) >= 0:
        cues, score = cues | {verb}, score + 0.4
    if parameter.names & _BEINGS and not is_named:
        # `for lunch` names nobody.
        score -= _BARE_NAME
    if is_message and piece.score < _ANNOUNCED and all(map(sentence.is_name, tokens)):
        # A name is hardly what somebody has to say.
        score -= _BARE_NAME
    by_place, more_by_place = _by_place(parameter, tool, sentence, (at, until), first, end, said)
    if not query:
        cues, score = cues | by_place, score + more_by_place
    poured = score < _CUED
    named = bool(parameter.names & (NAMED | _PERSONS)) and sentence.is_name(at)
    said_own = any(i < at and sentence.tokens[i].meanings & parameter.stems for i in cues)
    # `put it in my cart` says nothing to the courier.
    weak = (more <= 0 or (is_message and not said_own)) and piece.score < _ANNOUNCED and not query and not named  # fmt: skip
    if (poured or weak) and not parameter.required and not parameter.is_list:
        return None
    poured = poured or (weak and parameter.is_list)
    value = [text] if parameter.is_list else text
    return Fit(parameter, value, tokens, max(score, 0.15) + 0.03 * len(tokens), cues, poured)


def _is_condition(sentence: Sentence, at: int, until: int) -> bool:
    """Whether words are what a bound is of, beside what is looked for."""
    before = sentence.in_value[at - 1 - (sentence.preposition[at] == "of" and at > 1)] if at else None  # fmt: skip
    if before is not None and before.kind == "quantity" and before.bound:
        return True
    behind = next((v for i in range(until, min(until + 3, len(sentence.tokens))) if (v := sentence.in_value[i])), None)  # fmt: skip
    is_priced = behind is not None and (bool(behind.bound) or behind.kind == "money")
    return sentence.preposition[at] == "with" and is_priced


def _may_be_noun(sentence: Sentence, index: int) -> bool:
    """Whether a word may be a noun, or a deed as one: `teaching jobs`."""
    token = sentence.tokens[index]
    is_deed = sentence.language.code == "en" and token.low.endswith("ing")
    return sentence.is_noun(index) or (is_deed and sentence.is_participle(index))


def _is_measured(sentence: Sentence, at: int) -> bool:
    """Whether the superlative before a word says by what things are compared: `the cheapest`."""
    phrases = (
        sentence.language.phrase_at(sentence.tokens, i, "superlatives")
        for i in range(max(0, at - 3), at)
    )
    return any(phrase and phrase[1] <= at and phrase[0].meaning[0] for phrase in phrases)


def _is_proper(parameter: Parameter, sentence: Sentence, at: int, tokens: frozenset[int]) -> bool:
    """Whether words may be a name: written so, in no dictionary, or behind what they name: `field hill`."""

    def may_name(index: int) -> bool:
        token = sentence.tokens[index]
        known = any(gloss.startswith("#") for gloss in token.glosses)
        noun = sentence.language.code == "de" and token.is_capital
        return noun or not known or sentence.is_name(index)

    return any(map(may_name, tokens)) or bool(sentence.tokens[at - 1].meanings & parameter.stems)


def _is_looked_up(parameter: Parameter, tool: ToolWords) -> bool:
    """Whether a tool finds things by this name alone: `lookup_item(name)`."""
    is_name = bool(parameter.names & NAMED) and not parameter.names & _FIELDS
    return is_name and bool(tool.verbs & verbs_of(("find", "search", "look")))


def with_kind(fit: Fit, fits: Sequence[Fit], sentence: Sentence) -> Fit:
    """Return a text with the noun behind it that also names a choice: `road bike`, `our flea market`."""
    if not ((fit.parameter.is_query or fit.poured) and fit.tokens and isinstance(fit.value, str)):
        return fit
    after = max(fit.tokens) + 1
    is_kind = any(
        other.parameter.kind == "enum" and not other.parameter.required and other.tokens == {after} for other in fits
    )  # fmt: skip
    if not is_kind or not sentence.is_noun(after) or sentence.is_quoted(fit.tokens):
        return fit
    return replace(fit, value=sentence.excerpt(min(fit.tokens), after + 1))


def with_rest(
    fit: Fit, fits: Sequence[Fit], tool: ToolWords, sentence: Sentence, said: frozenset[int], end: int
) -> Fit:  # fmt: skip
    """Return a text with the bare words that a small word joins to it: `cream for dry skin`."""
    parameter = fit.parameter
    named = parameter.is_query or bool(parameter.names & _THINGS)
    if not (named and fit.tokens and isinstance(fit.value, str)) or sentence.is_quoted(fit.tokens):
        return fit
    # What is planned `for dinner` is not looked up so.
    ordered = any(i in sentence.orders and sentence.verbs[i] & tool.verbs for i in range(min(fit.tokens)))  # fmt: skip
    joint = max(fit.tokens) + 1
    at = joint + 1
    if (
        at >= end
        or not ordered
        or sentence.preposition[at] not in _JOINTS
        or sentence.roles[joint] != "prepositions"
    ):
        return fit
    sure = [one for one in fits if one.parameter.kind != "enum" or one.score >= _FITS_CHOICE]
    taken = said.union(*(one.tokens | one.cues for one in sure))
    until = at
    while until < end and sentence.weights[until] >= 1 and until not in taken | sentence.orders and not (sentence.in_value[until] or sentence.roles[until]):  # fmt: skip
        until += 1
    alike = {sentence.is_name(i) for i in (max(fit.tokens), *range(at, until))}
    if len(alike) > 1 or (until - at == 1 and len(sentence.tokens[at].text) < _WORD):
        # `the server mail-2 with Ubuntu`, `the cardigan in S`
        return fit
    others = any(p is not parameter and p.kind in ("text", "id", "enum") and is_introduced(p, sentence, at) for p in tool.parameters)  # fmt: skip
    if until == at or others:
        return fit
    return replace(
        fit,
        value=sentence.excerpt(min(fit.tokens), until),
        tokens=fit.tokens | frozenset(range(at, until)),
    )
