"""Fills the parameters of a tool from a part of a goal: the best assignment of all at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.tools import Choice, Parameter, ToolWords
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.values import Value, converted

_MOST_NODES: Final = 3_000
"""Assignments that are tried."""
_MOST_FITS: Final = 8
"""Fits of one parameter that are tried."""

_MONEY: Final = frozenset(("price", "amount", "cost", "budget", "sum", "fee", "total", "money", "pay", "rent", "salari", "deposit", "rate", "bid", "donat"))  # fmt: skip
_MESSAGE: Final = frozenset(("message", "text", "comment", "body", "note", "notes", "description", "content", "reason", "remark", "remarks", "details", "question", "feedback", "review", "wish", "wishes", "instructions", "summary", "symptoms", "problem"))  # fmt: skip
_NAMED: Final = frozenset(("name", "title", "subject", "label", "reference", "query", "q"))
_BEFORE: Final[Mapping[str, frozenset[str]]] = {
    "from": frozenset(("from", "origin", "source", "start", "sender", "departure", "since", "depart", "pickup", "begin")),
    "to": frozenset(("to", "destination", "recipient", "target", "end", "payee", "receiver", "arrival", "until", "new", "attendee", "member", "guest", "contact")),
    "for": frozenset(("recipient", "person", "name", "purpose", "customer", "guest", "reason", "item", "event", "for", "client", "member", "patient", "topic", "query", "subject")),
    "in": frozenset(("place", "location", "city", "category", "language", "room", "area", "region", "town", "in", "country", "folder", "genre", "zone", "district", "department")),
    "at": frozenset(("place", "location", "venue", "at", "station", "branch", "shop", "store", "address", "company")),
    "by": frozenset(("author", "by", "artist", "maker", "deadline", "brand", "owner", "composer", "creator", "instructor", "teacher")),
    "about": frozenset(("topic", "subject", "query", "about", "text", "keyword", "q", "theme", "search", "title")),
    "with": frozenset(("with", "attendee", "person", "guest", "extra", "teacher", "doctor", "partner", "content", "instructor", "topping", "option")),
    "as": frozenset(("reason", "type", "kind", "role", "as", "label", "status", "category", "title", "name", "reference")),
    "of": frozenset(("of", "name", "title", "subject", "category", "type")),
    "on": frozenset(("topic", "subject", "day", "on", "page", "line", "route", "channel", "floor")),
    "near": frozenset(("near", "place", "location", "city", "area", "address")),
    "until": frozenset(("until", "end", "to", "till")),
    "because": frozenset(("reason",)),
}  # fmt: skip
_NAMING: Final = frozenset(("call", "name", "titl", "entitl", "renam"))
_SWITCHES: Final = frozenset(("on", "enabled", "active", "power", "enable", "state"))
_ON: Final = frozenset(("on", "enabl", "activ", "start"))
_OFF: Final = frozenset(("off", "disabl", "deactiv", "stop"))
_SLUG: Final = re.compile(r"[A-Za-z]*\d[\w.-]*|[a-z]+[._][\w.]+|[A-Z]{2,6}|[\w]+-[\w-]+")


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


@dataclass(slots=True)
class Filled:
    """A call as far as a part of a goal fills it."""

    tool: ToolWords
    fits: list[Fit]
    missing: list[Parameter]
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = field(default_factory=dict)
    group_tokens: frozenset[int] = frozenset()
    also: list[Fit] = field(default_factory=list)
    """Further values of a parameter that takes one: each is a call of its own."""
    unsure: list[Parameter] = field(default_factory=list)
    """Parameters whose words have two readings."""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as the tool takes them."""
        found: dict[str, Any] = {}
        for fit in self.fits:
            _put(found, fit.parameter.path, [fit.value] if fit.parameter.is_list and not isinstance(fit.value, list) else fit.value)  # fmt: skip
        for path, items in self.groups.items():
            _put(found, path, items)
        return found

    @property
    def tokens(self) -> frozenset[int]:
        """Words that arguments explain."""
        return self.group_tokens.union(*(fit.tokens | fit.cues for fit in (*self.fits, *self.also)))


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        inner = data.get(name)
        if not isinstance(inner, dict):
            inner = data[name] = {}
        data = inner
    data[path[-1]] = value


def fill(
    tool: ToolWords, sentence: Sentence, first: int, end: int, without: frozenset[int] = frozenset()
) -> Filled:
    """Return the best call of a tool for the tokens from `first` up to `end`, but those of `without`."""
    said = _said_by_tool(tool, sentence, first, end)
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    taken: set[int] = set(without)
    for group in tool.groups:
        items, used = _items(tool, group, sentence, first, end, said)
        if items:
            groups[group] = items
            taken |= used
    plain = [p for p in tool.parameters if not p.group]
    options = {
        p.path: sorted(
            (f for f in fits_of(p, tool, sentence, first, end, said) if not f.tokens & taken),
            key=lambda fit: -fit.score,
        )[:_MOST_FITS]
        for p in plain
    }
    fits = _assign(plain, options)
    filled = {fit.parameter.path for fit in fits}
    missing = [p for p in plain if p.required and p.path not in filled]
    for group in tool.groups:
        leaves = [p for p in tool.parameters if p.group == group]
        if group not in groups and any(p.required for p in leaves):
            missing.append(next(p for p in leaves if p.required))
    unsure = [fit.parameter for fit in fits if len(fit.readings) > 1]
    also = _also(fits, options, sentence)
    return Filled(tool, fits, missing, groups, frozenset(taken - without), also, unsure)


def _also(
    fits: Sequence[Fit], options: Mapping[tuple[str, ...], Sequence[Fit]], sentence: Sentence
) -> list[Fit]:
    """Return further values that the goal joins to one: `the debit card and the credit card`."""
    used = frozenset[int]().union(*(fit.tokens for fit in fits))
    for fit in fits:
        parameter = fit.parameter
        if (
            parameter.is_list
            or parameter.kind not in ("enum", "id")
            or not fit.tokens
            or fit.is_name
        ):
            continue
        row = [fit]
        for other in sorted(options[parameter.path], key=lambda one: min(one.tokens, default=0)):
            if (
                other.is_name
                or not other.tokens
                or other.tokens & used
                or other.score < fit.score - 0.8
            ):
                continue
            if all(other.value != one.value and not other.tokens & one.tokens for one in row):
                row.append(other)
        row.sort(key=lambda one: min(one.tokens))
        if len(row) > 1 and all(_joined(a, b, sentence, used) for a, b in pairwise(row)):
            return [one for one in row if one is not fit]
    return []


def _joined(one: Fit, other: Fit, sentence: Sentence, used: frozenset[int]) -> bool:
    """Whether only `and`, a comma and small words are between two values."""
    between = range(max(one.tokens) + 1, min(other.tokens))
    joined = any(
        sentence.roles[i] == "conjunctions" or sentence.tokens[i].text == "," for i in between
    )
    return joined and len(between) <= 4 and not any(i in used for i in between)


def _said_by_tool(tool: ToolWords, sentence: Sentence, first: int, end: int) -> frozenset[int]:
    """Return the words that only say which tool is meant: its verb and the words of its name."""
    names = frozenset[str]().union(*tool.nouns) | tool.verbs
    return frozenset(
        index
        for index in range(first, end)
        if sentence.tokens[index].glosses & names and sentence.in_value[index] is None
    )


def _assign(
    parameters: Sequence[Parameter], options: Mapping[tuple[str, ...], Sequence[Fit]]
) -> list[Fit]:
    """Return the fits with the highest sum that share no words, by exact search."""
    order = sorted(
        (p for p in parameters if options[p.path]),
        key=lambda p: (not p.required, len(options[p.path])),
    )
    best: list[Fit] = []
    best_score = -1e9
    rest = [0.0] * (len(order) + 1)
    for index in reversed(range(len(order))):
        top = max(
            (
                fit.score + (0.5 if order[index].required else 0)
                for fit in options[order[index].path]
            ),
            default=0,
        )
        rest[index] = rest[index + 1] + max(top, 0.0)
    nodes = 0

    def search(index: int, chosen: list[Fit], used: frozenset[int], total: float) -> None:
        nonlocal best, best_score, nodes
        nodes += 1
        if total > best_score:
            best, best_score = list(chosen), total
        if index == len(order) or nodes > _MOST_NODES or total + rest[index] <= best_score:
            return
        parameter = order[index]
        for fit in options[parameter.path]:
            if fit.tokens & used:
                continue
            gain = fit.score + (0.5 if parameter.required else 0)
            if gain <= 0:
                continue
            chosen.append(fit)
            search(index + 1, chosen, used | fit.tokens, total + gain)
            chosen.pop()
        search(index + 1, chosen, used, total)

    search(0, [], frozenset(), 0.0)
    return best


def fits_of(
    parameter: Parameter,
    tool: ToolWords,
    sentence: Sentence,
    first: int,
    end: int,
    said: frozenset[int],
) -> Iterator[Fit]:
    """Yield what a part of a goal may give for a parameter."""
    kind = parameter.kind
    values = [v for v in sentence.values if v.first >= first and v.end <= end and not v.negated]
    if kind == "enum":
        yield from _choices(parameter, sentence, first, end, said)
    elif kind == "boolean":
        yield from _boolean(parameter, tool, sentence, first, end)
    elif kind == "number":
        yield from _numbers(parameter, sentence, values, first, end)
    elif kind in ("date", "time", "datetime"):
        yield from _moments(parameter, sentence, values, first, end)
    elif kind == "duration":
        yield from _durations(parameter, sentence, values, first, end)
    elif kind in ("email", "url", "phone"):
        found = [
            _cued(parameter, sentence, value, value.value, 1.6, first, end)
            for value in values
            if value.kind == kind
        ]
        yield from _listed(parameter, found, sentence)
    elif kind == "id":
        yield from _listed(
            parameter, [*_ids(parameter, sentence, values, first, end, said)], sentence
        )
        if parameter.names_thing:
            for fit in _texts(parameter, tool, sentence, values, first, end, said):
                # Its id is looked up.
                yield replace(fit, score=max(0.3, 0.75 * fit.score), is_name=True, poured=False)
        elif not parameter.schema.get("pattern"):
            yield from _texts(parameter, tool, sentence, values, first, end, said, strict=True)
    else:
        yield from _listed(
            parameter, [*_texts(parameter, tool, sentence, values, first, end, said)], sentence
        )


def _cued(
    parameter: Parameter,
    sentence: Sentence,
    value: Value,
    meant: Any,
    score: float,
    first: int,
    end: int,
) -> Fit:
    """Return a fit of a value, with what the words around it say for the parameter."""
    tokens = frozenset(range(value.first, value.end))
    cues, more = _cues(parameter, sentence, value.first, value.end, first, end)
    readings = value.readings if len(value.readings) > 1 else ()
    if parameter.is_list:
        meant = [meant]
    return Fit(parameter, meant, tokens, score + more, cues, readings=readings)


def _cues(
    parameter: Parameter, sentence: Sentence, at: int, until: int, first: int, end: int
) -> tuple[frozenset[int], float]:
    """Return the words near a value that name its parameter, and how much they say."""
    own = frozenset[str]().union(*parameter.words)
    cues: set[int] = set()
    score = 0.0
    for index in range(max(first, at - 4), min(end, until + 3)):
        if at <= index < until:
            continue
        token = sentence.tokens[index]
        if token.is_sign or token.is_stop:
            continue
        distance = at - index if index < at else index - until + 1
        if token.glosses & own:
            score = max(score, 0.9 - 0.15 * (distance - 1))
            cues.add(index)
        elif token.glosses & (parameter.about | parameter.parents):
            score = max(score, 0.4 - 0.1 * (distance - 1))
            cues.add(index)
    said = sentence.preposition[at]
    if said:
        fitting = _BEFORE.get(said, frozenset())
        if said in parameter.names or parameter.names & fitting:
            score += 0.6
        elif parameter.about & fitting:
            score += 0.25
    return frozenset(cues), score


def _numbers(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:
    integer = parameter.schema.get("type") == "integer"
    own = frozenset[str]().union(*parameter.words)
    for value in values:
        meant: Any = value.value
        if value.kind not in ("number", "money", "percent", "quantity", "duration", "ordinal"):
            continue
        score = 0.7
        if parameter.unit == "cent" and value.kind == "number" and not value.unit:
            # People speak of whole units of money.
            meant, score = round(value.value * 100), 0.9
        elif parameter.unit and value.unit:
            meant = converted(value, parameter.unit)
            if meant is None:
                continue
            score = 1.7
        elif value.kind == "money":
            if not own & _MONEY and not parameter.about & _MONEY:
                continue
            score = 1.6
        elif value.kind == "percent":
            fraction = parameter.schema.get("maximum") == 1
            meant = meant / 100 if fraction else meant
            score = (
                1.5
                if fraction or parameter.schema.get("maximum") == 100 or "percent" in own
                else 0.8
            )
        elif value.kind == "ordinal":
            score = 0.2
        elif value.unit:
            unit = language("en").stem(value.unit)
            if unit in own or unit in parameter.about or value.unit in parameter.names:
                score = 1.4
            elif value.kind == "duration":
                score = 0.3
            else:
                score = 0.5
        elif parameter.unit:
            score = 0.8
        if isinstance(meant, float) and meant == int(meant):
            meant = int(meant)
        if not isinstance(meant, int | float) or (integer and not isinstance(meant, int)):
            continue
        if not _in_bounds(parameter, meant):
            score -= 0.6
        if value.bound:
            if parameter.bound and parameter.bound != value.bound:
                continue
            score += 0.5 if parameter.bound == value.bound else 0
        elif parameter.bound and not value.bound:
            score -= 0.2
        fit = _cued(parameter, sentence, value, meant, score, first, end)
        if value.kind == "ordinal" and (not fit.cues or meant < 0):
            # `the last one` is no number.
            continue
        if value.unit and not parameter.unit and value.end - value.first > 1:
            # The unit may be an argument of its own.
            fit = replace(fit, tokens=fit.tokens - {value.end - 1})
        noun = _noun_after(sentence, value.end, end)
        if noun is not None and not value.unit and sentence.tokens[noun].glosses & own:
            fit = replace(fit, score=fit.score + 0.4, cues=fit.cues | {noun})
        yield fit
    if parameter.schema.get("type") == "string":
        return


def _listed(parameter: Parameter, fits: Sequence[Fit], sentence: Sentence) -> Iterator[Fit]:
    """Yield fits; of a list those that the goal joins are one: `to Ana and Tom`."""
    if not parameter.is_list:
        yield from fits
        return
    rows: list[list[Fit]] = []
    for fit in sorted(fits, key=lambda one: min(one.tokens, default=0)):
        between = range(max(rows[-1][-1].tokens) + 1, min(fit.tokens)) if rows else range(9)
        joins = all(
            sentence.roles[i] == "conjunctions"
            or sentence.tokens[i].text in ",&"
            or sentence.tokens[i].is_stop
            for i in between
        )
        if rows and len(between) <= 3 and joins:
            rows[-1].append(fit)
        else:
            rows.append([fit])
    for row in rows:
        value = [
            one
            for fit in row
            for one in (fit.value if isinstance(fit.value, list) else [fit.value])
        ]
        tokens = frozenset[int]().union(*(fit.tokens for fit in row))
        cues = frozenset[int]().union(*(fit.cues for fit in row))
        score = max(fit.score for fit in row) + 0.3 * (len(row) - 1)
        yield replace(
            row[0],
            value=value,
            tokens=tokens,
            cues=cues,
            score=score,
            poured=all(f.poured for f in row),
        )


def _noun_after(sentence: Sentence, at: int, end: int) -> int | None:
    for index in range(at, min(end, at + 2)):
        token = sentence.tokens[index]
        if token.is_sign:
            return None
        if not token.is_stop:
            return index
    return None


def _in_bounds(parameter: Parameter, number: float) -> bool:
    schema = parameter.schema
    for word, wrong in (("minimum", lambda a, b: a < b), ("maximum", lambda a, b: a > b),
                        ("exclusiveMinimum", lambda a, b: a <= b), ("exclusiveMaximum", lambda a, b: a >= b)):  # fmt: skip
        bound = schema.get(word)
        if isinstance(bound, int | float) and wrong(number, bound):
            return False
    return True


def _moments(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:
    kind = parameter.kind
    for value in values:
        meant, score = _moment(value, kind, parameter)
        if meant is None:
            continue
        if value.bound and parameter.is_start != parameter.is_end:
            score += 0.4 if (value.bound == "max") == parameter.is_end else -0.8
        fit = _cued(parameter, sentence, value, meant, score, first, end)
        if value.kind == "datetime" and kind != "datetime" and value.end - value.first > 1:
            half = (value.first,) if kind == "date" else (value.end - 1,)
            fit = replace(fit, tokens=frozenset(half))
        elif isinstance(value.value, tuple) and value.end - value.first > 1:
            # Both ends are in it, each for a parameter of its own.
            middle = (value.first + value.end) // 2
            last = parameter.is_end and not parameter.is_start
            half = range(middle, value.end) if last else range(value.first, middle)
            fit = replace(fit, tokens=frozenset(half))
        yield fit
    if kind == "datetime":
        days = [v for v in values if v.kind == "date"]
        times = [v for v in values if v.kind == "time"]
        for day in days:
            for time in times:
                fit = _cued(parameter, sentence, day, f"{day.value}T{time.value}", 1.5, first, end)
                tokens = fit.tokens | frozenset(range(time.first, time.end))
                readings = tuple(f"{day.value}T{one}" for one in time.readings) or fit.readings
                yield replace(fit, tokens=tokens, score=fit.score - 0.02 * abs(day.first - time.first), readings=readings if len(readings) > 1 else ())  # fmt: skip
        spans = [v for v in values if v.kind == "times" and isinstance(v.value, tuple)]
        for day in days:
            for span in spans:
                place = 1 if parameter.is_end and not parameter.is_start else 0
                fit = _cued(
                    parameter, sentence, day, f"{day.value}T{span.value[place]}", 1.5, first, end
                )
                yield replace(
                    fit, tokens=frozenset((span.first + (place and span.end - span.first - 1),))
                )


def _moment(value: Value, kind: str, parameter: Parameter) -> tuple[Any, float]:
    """Return what a value means for a parameter of a kind, and how well it fits."""
    if value.kind == kind:
        return value.value, 1.5
    if value.kind == "datetime":
        day, _, time = str(value.value).partition("T")
        return (day, 1.2) if kind == "date" else (time, 1.2)
    if value.kind in ("dates", "times", "datetimes") and isinstance(value.value, tuple):
        wanted = {"dates": "date", "times": "time", "datetimes": "datetime"}[value.kind]
        if parameter.is_start == parameter.is_end:
            place, score = 0, 0.9
        else:
            place, score = int(parameter.is_end), 1.7
        meant = value.value[place]
        if wanted == "datetime" and kind in ("date", "time"):
            day, _, time = str(meant).partition("T")
            meant, wanted = (day, "date") if kind == "date" else (time, "time")
        return (meant, score) if wanted == kind else (None, 0)
    return None, 0


def _durations(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:
    for value in values:
        if value.kind == "duration":
            seconds = converted(value, "second")
            if seconds is not None:
                yield _cued(
                    parameter, sentence, value, _iso_duration(int(seconds)), 1.6, first, end
                )


def _iso_duration(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, rest = divmod(rest, 60)
    time = "".join(f"{n}{s}" for n, s in ((hours, "H"), (minutes, "M"), (rest, "S")) if n)
    return (
        "P" + (f"{days}D" if days else "") + (f"T{time}" if time or not days else "")
        if time
        else f"P{days}D"
    )


def _boolean(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    if parameter.names & _SWITCHES:
        for index in range(first, end):
            for on, stems in ((True, _ON), (False, _OFF)):
                if sentence.tokens[index].glosses & stems:
                    yield Fit(parameter, on, frozenset((index,)), 1.2)
        if parameter.required:
            yield Fit(parameter, True, frozenset(), 0.1)
    names = [words for words in parameter.words if words]
    telling = [
        w
        for w in names
        if not w
        & {
            "is",
            "has",
            "with",
            "includ",
            "onli",
            "enabl",
            "set",
            "want",
            "need",
            "allow",
            "add",
            "use",
        }
    ]
    telling = telling or names
    found: set[int] = set()
    hits = 0
    for words in telling:
        where = [
            i
            for i in range(first, end)
            if sentence.tokens[i].glosses & words and not sentence.tokens[i].is_sign
        ]
        if where:
            hits += 1
            found.update(where[:1])
    if not hits or hits * 2 < len(telling):
        told = frozenset(stem for stem in parameter.about if tool.words.get(stem, 0) < 0.5)
        found = {
            i for i in range(first, end)
            if sentence.weights[i] >= 1 and sentence.tokens[i].glosses & told and sentence.preposition[i] == "with"
        }  # fmt: skip
        if not found:
            return
        hits = 0
    negated = any(
        sentence.denied[i] or (i and sentence.roles[i - 1] in ("negators", "without"))
        for i in found
    )
    avoids = bool(
        frozenset[str]().union(*parameter.words)
        & {"avoid", "exclud", "without", "skip", "no", "disabl"}
    )
    yield Fit(parameter, not negated or avoids, frozenset(found), 0.6 + 0.5 * hits / len(telling))


def _choices(
    parameter: Parameter, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> Iterator[Fit]:
    found: list[Fit] = []
    common = Counter(
        stem for c in parameter.choices for row in c.names for words in row for stem in words
    )
    for choice in parameter.choices:
        match = _choice(choice, sentence, first, end, said, common)
        if match is None:
            continue
        tokens, score = match
        if any(sentence.denied[i] for i in tokens):
            continue
        cues, more = _cues(parameter, sentence, min(tokens), max(tokens) + 1, first, end)
        found.append(Fit(parameter, choice.value, tokens, 1.0 * score + 0.5 * more, cues))
    if not parameter.is_list:
        yield from found
        return
    found.sort(key=lambda fit: (-fit.score, min(fit.tokens)))
    kept: list[Fit] = []
    for fit in found:
        if not any(fit.tokens & other.tokens for other in kept):
            kept.append(fit)
    if kept:
        kept.sort(key=lambda fit: min(fit.tokens))
        tokens = frozenset[int]().union(*(fit.tokens for fit in kept))
        cues = frozenset[int]().union(*(fit.cues for fit in kept))
        yield Fit(
            parameter, [fit.value for fit in kept], tokens, sum(fit.score for fit in kept), cues
        )


def _choice(
    choice: Choice,
    sentence: Sentence,
    first: int,
    end: int,
    said: frozenset[int],
    common: Mapping[str, int],
) -> tuple[frozenset[int], float] | None:
    """Return the words that say a choice, and how surely."""
    best: tuple[frozenset[int], float] | None = None
    for index in range(first, end):
        if sentence.tokens[index].key in choice.keys or sentence.tokens[index].low in choice.keys:
            score = 1.5 if index not in said else 0.9
            if best is None or score > best[1]:
                best = (frozenset((index,)), score)
    for row in choice.names:
        tokens: set[int] = set()
        hits = whole = 0.0
        for words in row:
            # What all choices have in common tells none from the others.
            worth = 1 / max(1, min((common[w] for w in words), default=1))
            whole += worth
            where = [
                i for i in range(first, end)
                if i not in tokens and not sentence.tokens[i].is_sign
                and (sentence.tokens[i].glosses & words or sentence.tokens[i].stem in words or sentence.tokens[i].key in words)
            ]  # fmt: skip
            if where:
                near = min(where, key=lambda i: min((abs(i - t) for t in tokens), default=0))
                if tokens and min(abs(near - t) for t in tokens) > 4:
                    continue
                tokens.add(near)
                hits += worth * (0.5 if near in said else 1)
        if not tokens:
            continue
        share = hits / whole if whole else 0.0
        if share < 0.5:
            continue
        value = sentence.in_value[min(tokens)]
        score = 1.3 * share + 0.1 * min(len(tokens), 3)
        if value is not None and value.kind not in ("quoted", "id", "number", "ordinal"):
            score -= 0.5
        if best is None or score > best[1]:
            best = (frozenset(tokens), score)
    return best


def _ids(
    parameter: Parameter,
    sentence: Sentence,
    values: Sequence[Value],
    first: int,
    end: int,
    said: frozenset[int],
) -> Iterator[Fit]:
    pattern = parameter.schema.get("pattern")
    rule = None
    if isinstance(pattern, str) and len(pattern) < 200:
        try:
            rule = re.compile(pattern)
        except re.error:
            rule = None
    for value in values:
        if value.kind in ("id", "quoted", "secret"):
            score = 1.4
            text = str(value.value)
            if (
                value.kind == "quoted"
                and parameter.names_thing
                and not any(c.isdigit() for c in text)
            ):
                continue
        elif (
            value.kind == "number"
            and not value.unit
            and value.text.lstrip("#").isalnum()
            and any(c.isdigit() for c in value.text)
        ):
            text, score = value.text.lstrip("#"), 0.8
        elif value.kind == "quantity" and value.text.isalnum():
            text, score = value.text, 0.7
        else:
            continue
        if parameter.names & _POSTCODES and not any(c.isdigit() for c in text[:2]) and rule is None:
            continue
        if parameter.schema.get("type") == "integer":
            if text.isdecimal() or isinstance(value.value, int):
                number = int(text) if text.isdecimal() else value.value
                yield _cued(parameter, sentence, value, number, score, first, end)
            continue
        if rule is not None:
            near = next((t for t in (text, text.upper(), text.lower()) if rule.search(t)), None)
            if near is None:
                continue
            text, score = near, score + 0.6
        yield _cued(parameter, sentence, value, text, score, first, end)
    for index in range(first, end):
        token = sentence.tokens[index]
        if sentence.in_value[index] is not None or token.is_sign or index in said:
            continue
        if parameter.schema.get("type") == "integer":
            continue
        if rule is not None and (
            near := next(
                (
                    t
                    for t in (token.text, token.text.upper(), token.text.lower())
                    if rule.fullmatch(t)
                ),
                None,
            )
        ):
            cues, more = _cues(parameter, sentence, index, index + 1, first, end)
            if any(letter.isdigit() for letter in near) or token.text.isupper():
                yield Fit(parameter, near, frozenset((index,)), 1.6 + more, cues)
        elif _SLUG.fullmatch(token.text) and (any(c.isdigit() or c in "._-" for c in token.text)):
            cues, more = _cues(parameter, sentence, index, index + 1, first, end)
            yield Fit(parameter, token.text, frozenset((index,)), 1.1 + more, cues)


def _texts(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, values: Sequence[Value], first: int, end: int,
    said: frozenset[int], strict: bool = False,
) -> Iterator[Fit]:  # fmt: skip
    """Yield free texts: quoted ones, then pieces of the goal that nothing else explains."""
    for value in values:
        if value.kind == "quoted":
            bonus = 0.3 if parameter.names & (_MESSAGE | _NAMED) else 0.0
            yield _cued(parameter, sentence, value, value.value, 1.4 + bonus, first, end)
        elif value.kind == "secret" and not strict:
            yield _cued(parameter, sentence, value, value.value, 0.8, first, end)
        elif value.kind == "id" and not strict:
            yield _cued(parameter, sentence, value, value.value, 0.5, first, end)
    yield from _addresses(parameter, sentence, first, end)
    yield from _persons(parameter, sentence, first, end, said)
    if strict:
        return
    if parameter.is_query and parameter.required:
        named = [i for i in sorted(said) if first <= i < end and not sentence.verbs[i]]
        if named:
            # What is searched for may be what the tool is about.
            text = (
                sentence.excerpt(named[0], named[-1] + 1)
                if named[-1] - named[0] < 3
                else sentence.tokens[named[0]].text
            )
            yield Fit(parameter, text, frozenset(named), 0.05)
    limits = parameter.schema
    counted = {
        i for p in tool.parameters if p.kind == "number" for i in range(first + 1, end)
        if sentence.in_value[i - 1] is not None and sentence.tokens[i].glosses & frozenset[str]().union(*p.words)
    }  # fmt: skip
    said = said | counted
    for at, until, opener in _pieces(parameter, sentence, first, end, said):
        if until <= at:
            continue
        start = at
        while (
            start - 1 > first
            and sentence.tokens[at].is_capital
            and sentence.tokens[start - 1].is_capital
            and sentence.tokens[start - 1].is_stop
        ):
            # `The Hobbit` has an article of its own.
            start -= 1
        text = sentence.excerpt(start, until).removesuffix("'s").removesuffix("’s")
        if isinstance(limits.get("maxLength"), int) and len(text) > limits["maxLength"]:
            continue
        tokens = frozenset(i for i in range(at, until) if sentence.weights[i])
        if not tokens:
            continue
        cues, more = _cues(parameter, sentence, at, until, first, end)
        capital = sentence.language.code != "de" and any(
            sentence.tokens[i].is_capital and i > first for i in range(at, until)
        )
        score = more + opener + (0.5 if capital else 0)
        query = parameter.is_query and tool.reads
        if query:
            score += 0.8
        poured = score < 0.5
        if poured and not parameter.required:
            continue
        if any(sentence.denied[i] for i in range(at, until)):
            continue
        yield Fit(
            parameter,
            [text] if parameter.is_list else text,
            tokens,
            max(score, 0.15) + 0.03 * len(tokens),
            cues,
            poured,
        )


_STREETS: Final = frozenset(("street", "address", "line", "line1", "addr", "strasse"))
_POSTCODES: Final = frozenset(("postcode", "postal", "postalcode", "zip", "plz", "zipcode"))
_CITIES: Final = frozenset(("city", "town", "place", "ort", "stadt"))


def _addresses(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the parts of an address: `Gartenweg 7, 99084 Erfurt`."""
    names = parameter.names
    if not names & (_STREETS | _POSTCODES | _CITIES) or "email" in names:
        return
    tokens = sentence.tokens
    for index in range(first, end):
        if not tokens[index].is_figure:
            continue
        figures = tokens[index].text
        after = index + 1
        if (
            figures.isdecimal()
            and 4 <= len(figures) <= 5
            and after < end
            and tokens[after].is_capital
        ):
            if names & _POSTCODES:
                yield Fit(parameter, figures, frozenset((index,)), 2.0)
            elif names & _CITIES:
                until = after + 1
                while until < end and tokens[until].is_capital and sentence.in_value[until] is None:
                    until += 1
                yield Fit(
                    parameter, sentence.excerpt(after, until), frozenset(range(after, until)), 2.0
                )
        elif (
            names & _STREETS
            and len(figures) <= 4
            and after + 1 < end
            and tokens[after].is_capital
            and tokens[after + 1].is_capital
        ):
            until = after
            while until < end and (
                tokens[until].is_capital
                or (
                    "address" in names
                    and tokens[until].text == ","
                    and until + 1 < end
                    and tokens[until + 1].is_capital
                )
            ):
                until += 1
            yield Fit(
                parameter, sentence.excerpt(index, until), frozenset(range(index, until)), 2.0
            )
        elif (
            names & _STREETS
            and len(figures) <= 4
            and (before := index - 1 - (tokens[index - 1].text == ".")) >= first
            and tokens[before].is_capital
        ):
            at = before
            while (
                at > first
                and (tokens[at - 1].is_capital or tokens[at - 1].text == "-")
                and not tokens[at - 1].is_sign
            ):
                at -= 1
            yield Fit(
                parameter, sentence.excerpt(at, index + 1), frozenset(range(at, index + 1)), 2.0
            )


_FIRST_NAMES: Final = frozenset(("first", "given", "forename", "vorname"))
_LAST_NAMES: Final = frozenset(("last", "family", "surname", "nachname", "lastname"))


def _persons(
    parameter: Parameter, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> Iterator[Fit]:
    """Yield the halves of a person's name for parameters that take one of them."""
    place = 0 if parameter.names & _FIRST_NAMES else 1 if parameter.names & _LAST_NAMES else -1
    if place < 0 or "name" not in parameter.path[-1].lower():
        return
    for index in range(first, end - 1):
        pair = (index, index + 1)
        if all(
            sentence.tokens[i].is_capital
            and i not in said
            and sentence.in_value[i] is None
            and not sentence.verbs[i]
            for i in pair
        ) and (index > first or not sentence.verbs[index]):
            yield Fit(parameter, sentence.tokens[pair[place]].text, frozenset((pair[place],)), 1.4)


def _pieces(
    parameter: Parameter, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> Iterator[tuple[int, int, float]]:
    """Yield `(first, end, score)` of pieces of a goal that may be a text."""
    own = frozenset[str]().union(*parameter.words)
    message = bool(parameter.names & _MESSAGE)
    for index in range(first, end):
        token = sentence.tokens[index]
        if token.text == ":" and index + 1 < end:
            yield *_trimmed(sentence, index + 1, end), 0.9 if message else 0.4
        if token.glosses & own and index + 1 < end and message:
            yield *_trimmed(sentence, index + 1, end), 0.5
        if token.glosses & _NAMING and index + 1 < end and parameter.names & _NAMED:
            stop = next((i for i in range(index + 2, end) if sentence.tokens[i].text in ",;"), end)
            at, until = _trimmed(sentence, index + 1, stop)
            if until > at:
                yield at, until, 0.9
        if token.text == ":" and parameter.names & _NAMED:
            stop = next((i for i in range(index + 2, end) if sentence.tokens[i].text in ",;"), end)
            at, until = _trimmed(sentence, index + 1, stop)
            if until > at:
                yield at, until, 0.8
    run: int | None = None
    lead = next((i for i in range(first, end) if sentence.weights[i]), first)
    for index in range(first, end + 1):
        inside = index < end and _is_text(sentence, index, said, own)
        if inside and index == lead and not sentence.tokens[index].is_capital:
            # A request begins with what is to be done.
            inside = False
        if inside and run is None:
            run = index
        elif not inside and run is not None:
            at, until = _trimmed(sentence, run, index)
            if until > at:
                yield at, until, 0.0
            run = None
        if run is not None and index < end and sentence.tokens[index].low.endswith(("'s", "’s")):
            # `Pepa's next vaccination` names Pepa.
            at, until = _trimmed(sentence, run, index + 1)
            if until > at:
                yield at, until, 0.2
            run = None


def _is_text(sentence: Sentence, index: int, said: frozenset[int], own: frozenset[str]) -> bool:
    token = sentence.tokens[index]
    role = sentence.roles[index]
    if sentence.in_value[index] is not None:
        return False
    if index in said or (token.is_sign and token.text not in "-/&'’"):
        return False
    if role in (
        "polite",
        "wanting",
        "questions",
        "conjunctions",
        "without",
        "negators",
        "pronouns",
        "superlatives",
        "quantifiers",
    ):
        return False
    if role == "prepositions" and sentence.language.roles["prepositions"].get(token.key) != "of":
        return False
    return not token.glosses & own


def _trimmed(sentence: Sentence, first: int, end: int) -> tuple[int, int]:
    """Return a piece without signs and stop words at its ends."""

    def empty(index: int) -> bool:
        token = sentence.tokens[index]
        return (
            token.is_sign
            or (token.is_stop and not (token.is_capital and index > first))
            or sentence.roles[index] in ("polite", "prepositions", "conjunctions")
        )

    while first < end and empty(first):
        first += 1
    while end > first and empty(end - 1):
        end -= 1
    return first, end


def _items(
    tool: ToolWords,
    group: tuple[str, ...],
    sentence: Sentence,
    first: int,
    end: int,
    said: frozenset[int],
) -> tuple[list[dict[str, Any]], set[int]]:
    """Return the objects of a list: one for each piece between commas and `and`."""
    leaves = [p for p in tool.parameters if p.group == group]
    anchors = [p for p in leaves if p.kind in ("enum", "text", "id", "email")]
    cuts = [first]
    for index in range(first, end):
        token = sentence.tokens[index]
        inside = sentence.in_value[index]
        if inside is not None and index > inside.first:
            continue
        if token.text in ",;+&" or sentence.roles[index] == "conjunctions":
            cuts.append(index)
    cuts.append(end)
    items: list[dict[str, Any]] = []
    used: set[int] = set()
    for at, until in pairwise(cuts):
        options = {
            p.path: list(fits_of(p, tool, sentence, at, until, said))[:_MOST_FITS] for p in leaves
        }
        fits = _assign(leaves, options)
        if not any(fit.parameter in anchors for fit in fits) and anchors:
            continue
        if not fits:
            continue
        item: dict[str, Any] = {}
        for fit in fits:
            _put(item, fit.parameter.path[len(group) :], fit.value)
            used |= fit.tokens | fit.cues
        open_ = [p for p in leaves if p.required and p.path not in {f.parameter.path for f in fits}]
        for parameter in open_:
            if (
                parameter.kind == "number"
                and parameter.schema.get("type") == "integer"
                and not parameter.unit
            ):
                _put(item, parameter.path[len(group) :], 1)
            else:
                break
        else:
            items.append(item)
    return items, used
