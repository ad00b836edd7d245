"""Finds the tool whose result holds what a call lacks: an id for a name that the goal says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.pieces import takes_message
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import undoing, verbs_of
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words, owner
from webagent.schema import check_schema

_ID_WORDS: Final = frozenset(
    ("id", "ids", "code", "ref", "number", "no", "uuid", "key", "nr", "slug", "reference")
)
_OF_ANY_THING: Final = _ID_WORDS | {"uid", "name", "title", "label", "num", "value", "text", "to", "from", "item", "type"}  # fmt: skip
"""Words in the names of parameters that say of no kind of thing that it is meant."""
_NAMING: Final = frozenset(("name", "title", "label"))
_BY_NAME: Final = 0.8
_LITERAL: Final = 1.2
_OWN: Final = 1.5
_KEPT: Final = 4.0
"""How much better a tool is that lists what is where the words say."""
_IN_IT: Final = 2.4
_TAKEN_OUT: Final = 4.1
_ADDING: Final = ("add", "put", "create", "book", "order", "buy")
_MEANT: Final = 1.0
"""How well words fit a text that are surely meant for it."""
_EMPTY: Final = re.compile(
    r"\bempty\b[^.]{0,60}\b(?:all|every\w*|whole|lists?)\b|\b(?:all|every\w*|whole)\b[^.]{0,60}\b(?:is|if|when|left) empty\b",
    re.IGNORECASE,
)
_MINE: Final = frozenset(("my", "mine", "own", "meine", "mein", "mis", "mes", "mi", "mon"))
_FINDING: Final = ("search", "find", "list", "get", "lookup", "query", "browse", "show", "view")


@dataclass(frozen=True, slots=True)
class Lookup:
    """A call that finds something."""

    tool: ToolWords
    arguments: dict[str, Any]
    score: float


@lru_cache(maxsize=1)
def _finding() -> frozenset[str]:
    return frozenset(language("en").stem(word) for word in _FINDING)


def subject_of(parameter: Parameter, tool: ToolWords) -> frozenset[str]:
    """Return the stems of the thing that a parameter names: `payee_id` names a payee."""
    own = parameter.stems - {language("en").stem(word) for word in _ID_WORDS}
    return tool.noun_stems if parameter.names <= _ID_WORDS else own or tool.noun_stems


def finders(
    tools: Sequence[ToolWords], tool: ToolWords, parameter: Parameter
) -> list[tuple[ToolWords, float]]:
    """Return the tools whose results may have what a parameter names, the best first."""
    subject = subject_of(parameter, tool)
    found = [
        (other, score)
        for other in tools
        if other.reads
        and other.name != tool.name
        and (score := _likeness(other, parameter, subject)) > 0
    ]
    found.sort(key=lambda pair: -pair[1])
    return found[:4]


def is_same(parameter: Parameter, tool: ToolWords, name: str, other: ToolWords) -> bool:
    """Whether what a parameter takes is what an earlier call was given by a name."""
    if other.name == tool.name or parameter.is_query or takes_message(parameter):
        # Another call of one tool is for another thing.
        return False
    if name == parameter.path[-1]:
        # An `id` may be that of another kind of thing.
        return bool(parameter.names - _OF_ANY_THING or tool.noun_stems & other.noun_stems)
    # A `folder` is what a folder was called when it was made.
    names = frozenset(identifier_words(name))
    return bool(not other.reads and names & _NAMING and parameter.stems & other.noun_stems)


def following(
    known: Mapping[tuple[str, tuple[str, ...]], Sequence[tuple[ToolWords, float]]], before: Sequence[Filled]
) -> frozenset[str]:  # fmt: skip
    """Return the tools that take the things which earlier calls find."""
    reads = {one.tool.name for one in before if one.tool.reads}
    return frozenset(name for (name, _), found in known.items() if any(tool.name in reads for tool, _ in found))  # fmt: skip


def given_before(parameter: Parameter, tool: ToolWords, before: Sequence[Filled]) -> Any:
    """Return what an earlier call was given for what a parameter takes; None if there is nothing."""
    return next(
        (
            fit.value
            for one in before
            for fit in one.fits
            if is_same(parameter, tool, fit.parameter.path[-1], one.tool)
        ),
        None,
    )


def is_given(parameter: Parameter, tool: ToolWords, before: Sequence[Filled]) -> bool:
    """Whether an earlier call has what a parameter takes."""
    return given_before(parameter, tool, before) is not None


def lookups(
    tools: Sequence[ToolWords],
    tool: ToolWords,
    parameter: Parameter,
    sentence: Sentence,
    first: int,
    end: int,
    filled: Filled,
) -> list[Lookup]:
    """Return calls that may find what a parameter needs, the best first."""
    subject = subject_of(parameter, tool)
    words = frozenset(reference_words(sentence, first, end, filled, tool))
    taken = (
        frozenset[int]().union(
            *(f.tokens | f.cues for f in filled.fits if not f.is_name and not f.poured)
        )
        | filled.group_tokens
    )
    names = tool.noun_stems - subject | tool.verbs
    # `put it in my basket` looks for nothing in a basket.
    of_tool = {
        i for i in range(first, end) if sentence.tokens[i].glosses & names and i not in words
    }
    # What else is said of a thing is in the clause that names it.
    near = {
        i for at, until in sentence.clauses for i in range(at, until) if words & {*range(at, until)}
    }
    mine = sentence.is_owned(first, end)
    spoken = frozenset[str]().union(*(sentence.tokens[i].glosses for i in range(first, end)))
    # `the Fiat in my favorites` is in what lists favorites.
    called = {other.name: frozenset(map(language("en").stem, identifier_words(other.name))) for other in tools if other.reads}  # fmt: skip
    # What is put on a list is not on it yet.
    goals = ("to", "into", "on")
    from_it = frozenset[str]().union(*(sentence.tokens[i].glosses for i in range(first, end) if sentence.preposition[i] not in goals))  # fmt: skip
    said = Counter(word for own in called.values() for word in own & from_it)
    kept = (
        {word for word, count in said.items() if count == 1}
        - tool.noun_stems
        - subject
        - tool.verbs
        - _finding()
    )
    owned = mine and any(own & (_MINE | kept) for own in called.values())
    holds = frozenset[str]() if tool.verbs & verbs_of(_ADDING) else tool.noun_stems - subject
    removes = bool(tool.verbs & undoing())
    everything = not words and bool(spoken & subject)
    found = []
    for other in tools:
        if not other.reads or other.name == tool.name or other.problem:
            continue
        score = alike = _likeness(other, parameter, subject)
        # A `massage` is a word for the spa, and one of its treatments.
        options = {str(choice.value).casefold() for p in other.parameters for choice in p.choices}
        call = fill(other, sentence, first, end, taken | {i for i in of_tool if i in sentence.orders or sentence.tokens[i].low not in options})  # fmt: skip
        queries = any(p.is_query for p in other.parameters)
        call.fits = [
            f for f in call.fits
            if not f.is_name
            and (f.parameter.kind != "number" or f.cues or f.score > 1.2)
            and (f.parameter.kind != "text" or not near or f.tokens & near)
            # A name is searched for as a whole, and not for the noun of the tool.
            and not (queries and f.parameter.kind == "text" and not f.cues and f.score < _MEANT and (
                not f.tokens & words if f.parameter.is_query else f.tokens & words
            ))
        ]  # fmt: skip
        explained = len(call.tokens & words)
        own = mine and bool(_MINE & called[other.name])
        # What is taken out of a cart is in it, unless the thing itself is spoken of: `my appointment`.
        inside = bool(holds & other.noun_stems and (holds & spoken or not subject & spoken))
        if (
            score <= 0
            and not own
            and not (inside and removes)
            and not (explained and (other.verbs | other.described) & _finding())
        ):
            continue
        score += 0.5 * explained / max(1, len(words))
        score += (_TAKEN_OUT if removes else _IN_IT) if inside else 0
        choices = frozenset[int]().union(
            *(f.tokens for f in call.fits if f.parameter.kind == "enum")
        )
        score += 0 if owned else len(choices & words) / max(1, len(words))
        score += _OWN * own + _KEPT * (mine and alike > 0 and bool(kept & called[other.name]))  # fmt: skip
        arguments = call.arguments()
        for fit in filled.fits:
            # What is booked is found by the same `reason`.
            if not (fit.is_name or fit.poured) and any(
                _is_shared(fit, p) for p in other.parameters
            ):
                arguments.setdefault(fit.parameter.path[0], fit.value)
        call.missing = [p for p in call.missing if p.path[0] not in arguments]
        chosen = frozenset[int]().union(*(f.tokens for f in call.fits))
        left = name_in(sentence, words - chosen, first)
        call.missing += [p for p in other.parameters if p.required and p.path[-1] not in arguments and p not in call.missing]  # fmt: skip
        for needed in call.missing:
            if needed.kind == "text" and (left or (everything and may_be_empty(other, needed))):
                call.missing = [p for p in call.missing if p is not needed]
                _give(arguments, needed, left)
        if call.missing:
            continue
        query = next(
            (
                p
                for p in other.parameters
                if p.kind == "text"
                and (p.is_query or p.names & {"name", "title", "text"})
                and len(p.path) == 1
            ),
            None,
        )
        if (
            query is not None
            and left
            and (query.path[0] not in arguments or str(arguments[query.path[0]]) in left)
        ):
            _give(arguments, query, left)
            # A tool that looks for a name is better than one that lists what there is.
            score += _BY_NAME
        found.append(Lookup(other, arguments, score + 0.2 * len(arguments)))
    found.sort(key=lambda one: -one.score)
    return found


def _is_shared(fit: Fit, parameter: Parameter) -> bool:
    """Whether a value of one call is one for another call, too."""
    same = len(parameter.path) == 1 and parameter.path == fit.parameter.path
    return same and not parameter.is_query and not check_schema(fit.value, parameter.schema)


def name_in(sentence: Sentence, words: frozenset[int], first: int) -> str:
    """Return a name as it is written, with its own article and without quotation marks: `The Hobbit`."""
    if not words:
        return ""
    quoted = next(
        (v for i in sorted(words) if (v := sentence.in_value[i]) and v.kind == "quoted"), None
    )
    if quoted:
        return str(quoted.value)
    at = min(words)
    before = sentence.tokens[at - 1]
    article = at > first and before.is_capital and before.is_stop and sentence.tokens[at].is_capital
    return owner(sentence.excerpt(at - article, max(words) + 1))


def may_be_empty(tool: ToolWords, parameter: Parameter) -> bool:
    """Whether a text is described as one that may be empty: `an empty query lists everything`."""
    about = f"{tool.description} {parameter.schema.get('description') or ''}"
    return _EMPTY.search(about) is not None


def _give(arguments: dict[str, Any], parameter: Parameter, text: str) -> None:
    if len(parameter.path) == 1:
        arguments[parameter.path[0]] = [text] if parameter.is_list else text


def _likeness(other: ToolWords, parameter: Parameter, subject: frozenset[str]) -> float:
    score, english = 0.0, language("en")
    nouns = other.noun_stems
    if subject & nouns:
        score += 1.0
        # A photo is like an album, but none.
        score += _LITERAL * (
            not parameter.names <= _ID_WORDS
            and bool(
                {*map(english.stem, parameter.names - _ID_WORDS)}
                & {*map(english.stem, identifier_words(other.name))}
            )
        )
    if parameter.path[-1] in other.outputs:
        score += 1.0
    elif subject & {s for s, w in other.words.items() if w >= 0.6}:
        score += 0.4
    if other.name in " ".join(map(str, (parameter.schema.get("description"), ""))):
        score += 2.0
    if score and other.verbs & _finding():
        score += 0.3
    own = parameter.stems
    if any(p.required and p.stems & own and p.names_thing for p in other.parameters):
        # It needs what it should find.
        return 0.0
    return score


def reference_words(
    sentence: Sentence, first: int, end: int, filled: Filled, tool: ToolWords
) -> list[int]:
    """Return the words of a part that neither the tool nor its arguments explain."""
    if named := next((f for f in filled.fits if f.is_name), None):
        return sorted(named.tokens)
    taken = frozenset[int]().union(*(f.tokens | f.cues for f in filled.fits if not f.poured))
    taken |= filled.group_tokens
    names = (
        tool.noun_stems
        | tool.verbs
        | frozenset[str]().union(*(w for p in tool.parameters for w in p.words))
    )
    found = []
    for index in range(first, end):
        token = sentence.tokens[index]
        if not sentence.weights[index] or index in taken:
            continue
        value = sentence.in_value[index]
        if value is not None and value.kind not in ("quoted", "id"):
            continue
        # `highlights`, said alone, is a noun.
        # In `delete my account` the last word is one, too.
        owned = index > first and sentence.is_owned(index - 1, index)
        acts = sentence.verbs[index] and not (token.is_capital or ((owned or end - first == 1) and sentence.is_noun(index)))  # fmt: skip
        if token.glosses & names or acts:
            continue
        if sentence.roles[index] in ("superlatives", "negators", "without"):
            continue
        found.append(index)
    capitals = [i for i in found if sentence.tokens[i].is_capital and i > first]
    return capitals if capitals and sentence.language.code != "de" else found
