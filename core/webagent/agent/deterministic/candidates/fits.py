"""Values for parameters, and the words around them that say which parameter is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.values import Value

_NEAR_BEFORE: Final = 4
_NEAR_AFTER: Final = 3
_BEFORE: Final[Mapping[str, frozenset[str]]] = {
    "from": frozenset(("from", "origin", "origins", "source", "start", "sender", "departure", "since", "depart", "pickup", "begin", "old", "current", "actual", "company", "employer", "organisation", "organization", "place", "location", "city", "country", "region")),
    "to": frozenset(("to", "destination", "destinations", "recipient", "recipients", "target", "end", "payee", "receiver", "arrival", "dropoff", "until", "new", "nuevo", "attendee", "member", "guest", "contact")),
    "into": frozenset(("to", "destination", "target", "into", "keep", "folder", "basket")),
    "for": frozenset(("recipient", "person", "name", "purpose", "customer", "guest", "reason", "occasion", "item", "event", "for", "client", "member", "patient", "topic", "query", "q", "keyword", "keywords", "term", "phrase", "subject", "pet", "animal", "child", "player", "user", "account", "project", "zone", "room", "model", "device", "vehicle", "car", "reference")),
    "in": frozenset(("place", "location", "city", "category", "language", "room", "area", "region", "town", "in", "country", "folder", "genre", "zone", "district", "department", "unit")),
    "at": frozenset(("place", "location", "venue", "at", "station", "branch", "shop", "store", "address", "company")),
    "by": frozenset(("author", "by", "artist", "maker", "deadline", "brand", "owner", "composer", "creator", "instructor", "teacher")),
    "about": frozenset(("topic", "subject", "query", "about", "text", "keyword", "q", "theme", "search", "title")),
    "with": frozenset(("with", "attendee", "person", "guest", "extra", "teacher", "doctor", "partner", "content", "instructor", "topping", "toppings", "option", "options", "ingredient", "ingredients", "extras")),
    "as": frozenset(("reason", "type", "kind", "role", "as", "label", "status", "category", "title", "name", "reference")),
    "of": frozenset(("of", "name", "title", "subject", "category", "type")),
    "on": frozenset(("topic", "subject", "day", "on", "page", "line", "route", "channel", "floor", "server", "device", "platform")),
    "via": frozenset(("via", "waypoint", "waypoints", "stop", "stops", "through", "stopover")),
    "near": frozenset(("near", "place", "location", "city", "area", "address")),
    "until": frozenset(("until", "end", "to", "till")),
    "because": frozenset(("reason",)),
}  # fmt: skip
"""By a preposition the words of a parameter's name that it introduces."""

_WAYS: Final = ("from", "to", "via")
_IDENTIFYING: Final = frozenset(("name", "address", "email"))
"""Words of parameters that say which person or place an object is."""
_ALSO: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("de", "from"): ("by",), ("de", "of"): ("from", "by"), ("fr", "of"): ("from", "by"),
    ("es", "of"): ("from", "by"), ("fr", "to"): ("at",),
}  # fmt: skip
"""By a language and a preposition those that its word means too: `von` is `by`, `à` is `in`."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A value for a parameter, and the words that speak for it."""

    parameter: Parameter
    value: Any
    tokens: frozenset[int]
    """Words that are the value; no other argument may have them."""
    score: float
    cues: frozenset[int] = frozenset()
    """Words that say which parameter it is for."""
    poured: bool = False
    """Whether it is free text without a sign that it is meant."""
    is_name: bool = False
    """Whether it is the name of a thing whose id is wanted."""
    readings: tuple[Any, ...] = ()
    """All that the words may mean, where that is more than one thing."""
    open_ended: bool = False
    """Whether it is a bound, with nothing said of the other end."""


@dataclass(slots=True)
class Filled:
    """A call as far as a part of a goal fills it."""

    tool: ToolWords
    fits: list[Fit]
    missing: list[Parameter]
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = field(default_factory=dict)
    group_tokens: frozenset[int] = frozenset()
    group_score: float = 0.0
    """How well the words of lists fit."""
    partial: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    """By list the only object of it whose id has to be found yet, as far as it is known."""
    also: list[Fit] = field(default_factory=list)
    """Further values of a parameter that takes one: each is a call of its own."""

    @classmethod
    def made(cls, tool: ToolWords, arguments: Mapping[str, Any]) -> Filled:
        """Return a call that was made; of lists of objects it has nothing."""
        fits = []
        for parameter in tool.parameters:
            value: Any = arguments
            for name in parameter.path:
                value = value.get(name) if isinstance(value, Mapping) else None
            if value is not None and not parameter.group:
                fits.append(Fit(parameter, value, frozenset(), 2.0))
        return cls(tool, fits, [])

    def copy(self) -> Filled:
        """Return a call that may be changed without this one."""
        return replace(self, fits=[*self.fits], missing=[*self.missing], also=[*self.also])

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as the tool takes them."""
        found: dict[str, Any] = {}
        places = {p.path: number for number, p in enumerate(self.tool.parameters)}
        partial = {group: dict(item) for group, item in self.partial.items()}
        for fit in sorted(self.fits, key=lambda one: places.get(one.parameter.path, 0)):
            if group := fit.parameter.group:
                put(partial.setdefault(group, {}), fit.parameter.path[len(group) :], fit.value)
                continue
            wrap = fit.parameter.is_list and not isinstance(fit.value, list)
            put(found, fit.parameter.path, [fit.value] if wrap else fit.value)
        for path, items in self.groups.items():
            put(found, path, items)
        for path, item in partial.items():
            put(found, path, [item])
        return found

    @property
    def tokens(self) -> frozenset[int]:
        """Words that arguments explain."""
        return self.group_tokens.union(*(fit.tokens | fit.cues for fit in (*self.fits, *self.also)))

    @property
    def unsure(self) -> list[Fit]:
        """Arguments whose words have two readings."""
        return [fit for fit in self.fits if len(fit.readings) > 1]


def put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set a value at some depth."""
    for name in path[:-1]:
        inner = data.get(name)
        if not isinstance(inner, dict):
            inner = data[name] = {}
        data = inner
    data[path[-1]] = value


def unit_of(sentence: Sentence, value: Value) -> int:
    """Return the word that is the unit of a value: `dollars` of `25 dollars a month`."""
    at = value.end - 1
    while value.rate and at - 1 > value.first and not sentence.tokens[at].is_stop:
        at -= 1
    return at - 1 if value.rate and sentence.tokens[at].is_stop else value.end - 1


def cued(
    parameter: Parameter, sentence: Sentence, value: Value, meant: Any, score: float, first: int, end: int
) -> Fit:  # fmt: skip
    """Return a fit of a value, with what the words around it say for the parameter."""
    tokens = frozenset(range(value.first, value.end))
    cues, more = cues_of(parameter, sentence, value.first, value.end, first, end)
    readings = value.readings if len(value.readings) > 1 else ()
    if parameter.is_list:
        meant = [meant]
    return Fit(
        parameter, meant, tokens, score + more, cues,
        readings=readings, open_ended=bool(value.bound),
    )  # fmt: skip


def is_introduced(parameter: Parameter, sentence: Sentence, at: int) -> bool:
    """Whether the preposition before a word says that it is for a parameter: `in` for a city."""
    said, names = sentence.preposition[at], _introducible(parameter)
    return bool(said) and (
        said in names or bool(names & _introduced_by(sentence.language.code, said))
    )


def _introducible(parameter: Parameter) -> frozenset[str]:
    """Return the words of a name that a preposition may introduce: for `recipient.name` that of the object too."""
    names = parameter.names
    if parameter.holder and names & _IDENTIFYING:
        names = names - {"name"} | parameter.holder
    return names


@cache
def _introduced_by(code: str, said: str) -> frozenset[str]:
    """Return the words of the names of parameters that a preposition introduces, in some language."""
    also = _ALSO.get((code, said), ())
    return _BEFORE.get(said, frozenset()).union(*(_BEFORE[one] for one in also))


def cues_of(
    parameter: Parameter, sentence: Sentence, at: int, until: int, first: int, end: int
) -> tuple[frozenset[int], float]:
    """Return the words near a value that name its parameter, and how much they say."""
    own = parameter.stems
    if parameter.bound and len(parameter.path) > 1:
        # `min` in `arrivalTime` is of the arrival.
        own |= parameter.parents
    cues: set[int] = set()
    score = 0.0
    behind = range(until, min(end, until + _NEAR_AFTER))
    # `… on the 24th and bring it back on the 26th`: what is behind `and` is of another value.
    joint = next((i for i in behind if sentence.roles[i] == "conjunctions"), min(end, until + _NEAR_AFTER))  # fmt: skip
    begins = at
    near = _NEAR_BEFORE
    while begins > first and near:
        begins -= 1
        near -= not (sentence.tokens[begins].is_stop or sentence.roles[begins] == "conjunctions")
    for index in range(begins, joint):
        if at <= index < until:
            continue
        token = sentence.tokens[index]
        if token.is_sign or token.is_stop or sentence.in_value[index] is not None:
            continue
        distance = at - index if index < at else index - until + 1
        if token.meanings & own:
            score = max(score, 0.9 - 0.15 * (distance - 1))
            cues.add(index)
        elif token.glosses & (parameter.about | parameter.parents):
            score = max(score, 0.4 - 0.1 * (distance - 1))
            cues.add(index)
    said = sentence.preposition[at]
    if said:
        if is_introduced(parameter, sentence, at):
            score += 0.6
        elif parameter.about & _introduced_by(sentence.language.code, said):
            score += 0.25
        elif said in _WAYS and any(said != other and _introducible(parameter) & _BEFORE[other] for other in _WAYS):  # fmt: skip
            score -= 0.5
    return frozenset(cues), score
