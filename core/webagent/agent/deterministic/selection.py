"""What was listed last, and the one of it that a goal takes: `the 2.30 one please`, `then 3 of the skimmia, on Saturday`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, fill
from webagent.agent.deterministic.candidates.lookups import given_before
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import are_akin, undoing, verbs_of
from webagent.agent.deterministic.phrases import opening_of
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.reading.value import Value
from webagent.agent.deterministic.references import Place, of_last_change
from webagent.agent.deterministic.shifts import hours_of
from webagent.agent.deterministic.state import Found, State, Task
from webagent.agent.deterministic.things import takes_things
from webagent.schema import check_schema

_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_HOUR: Final = re.compile(r"\d\d:\d\d")
_POINTED: Final = re.compile(r"(\d{1,2})[.:](\d\d)")
"""A time that was read as a number: `2.30`."""
_MOST: Final = 200
"""Offers of a result, and fields of an offer, that are looked at."""
_MOST_LISTS: Final = 3
_DEEPEST: Final = 5
_SHORTEST: Final = 3
"""Letters of a word by which an offer is named."""
_LONGEST: Final = 80
"""Letters of a text that names an offer, and does not describe it."""
_COSTING: Final = ("for", "at", "the", "für", "à", "pour", "por", "de")
_PRICE: Final = 10
"""A smaller number says how many are wished for."""
_WORD: Final = re.compile(r"\w+")
_HALVES: Final = ("half", "halb")
_BEFORE: Final = ("to", "before", "vor", "moins", "menos")
_BEHIND: Final = ("past", "after", "nach")
_LEADING: Final = ("at", "the", "um", "à", "las", "den", "le", "el")
_TAKING: Final = verbs_of(("take", "have", "do", "get", "want", "book", "reserve"))
_MOVING: Final = ("change", "move", "reschedule", "update", "rebook", "switch", "swap", "edit")
_TIMES: Final = ("date", "time", "")
"""What `earliest` and `last` compare."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A thing or a free time of a list."""

    day: str
    """`2027-03-05`; empty if the result does not say it."""
    hour: str
    """`15:15`; empty where it has no time."""
    fields: Mapping[str, Any]
    """What its object says, and those around it."""


def offers_of(found: Found) -> list[Offer]:
    """Return what a look-up lists, in its order."""
    days = {one for one in found.arguments.values() if isinstance(one, str) and _DAY.fullmatch(one)}
    day = days.pop() if len(days) == 1 else ""
    return [*islice(_listed(found.value, day, {}, 0), _MOST)]


def _listed(
    data: Any, day: str, around: Mapping[str, Any], depth: int, *, is_item: bool = False
) -> Iterator[Offer]:
    if depth > _DEEPEST:
        return
    if isinstance(data, str):
        if moment := _MOMENT.fullmatch(data):
            yield Offer(moment[1], moment[2], around)
        elif _HOUR.fullmatch(data):
            yield Offer(day, data, around)
    elif isinstance(data, list):
        for one in data[:_MOST]:
            yield from _listed(one, day, around, depth + 1, is_item=True)
    elif isinstance(data, Mapping):
        plain = {k: v for k, v in islice(data.items(), _MOST) if isinstance(v, str | int | float)}
        texts = [v for v in plain.values() if isinstance(v, str)]
        day = next(filter(_DAY.fullmatch, texts), day)
        # The first time of an object is when it begins.
        first = next((v for v in texts if _MOMENT.fullmatch(v) or _HOUR.fullmatch(v)), None)
        if first is not None:
            yield from _listed(first, day, {**around, **plain}, depth + 1)
        elif plain and is_item:
            yield Offer(day, "", {**around, **plain})
        for inner in data.values():
            if isinstance(inner, list | Mapping):
                yield from _listed(inner, day, {**around, **plain}, depth + 1)


def offer_taken(
    sentence: Sentence, state: State, tools: Mapping[str, ToolWords], before: Sequence[Filled]
) -> Task | None:
    """Return the call that takes one of what was listed last, if a goal says which.

    Args:
        sentence: The goal.
        state: What was found.
        tools: The tools by their names.
        before: The calls for the goals before.
    """
    # Bookings of the person are not on offer.
    reads = [
        one for one in reversed(state.results)
        if one.reads and (source := tools.get(one.tool)) and not source.is_own
    ]  # fmt: skip
    if not reads or _is_no_wish(sentence):
        return None
    listed = state.results[-1]
    found = _said(offers_of(listed), sentence) if listed in reads else None
    if found is None and sum(any(sentence.weights[a:b]) for a, b in sentence.clauses) > 1:
        # A thing that is named in a goal of one clause is found where its call is.
        named = (_named(offers_of(one), sentence) for one in reads[:_MOST_LISTS])
        found = next(filter(None, named), None)
    if found is None:
        return None
    offer, tokens = found
    place = _around(sentence, tokens)
    bookings = [
        (worth, task)
        for tool in tools.values()
        if takes_things(tool) and (call := _booking(tool, offer, sentence, place, before))
        for worth, task in [call]
    ]
    most = max((worth for worth, _ in bookings), default=None)
    best = [task for worth, task in bookings if worth == most]
    return best[0] if len(best) == 1 else None


def _booking(
    tool: ToolWords, offer: Offer, sentence: Sentence, place: Place, before: Sequence[Filled]
) -> tuple[tuple[bool, int, int], Task] | None:
    """Return the call of a tool for an offer, and how much speaks for it."""
    moment = _moment_of(tool, offer)
    if tool.problem or tool.effect == "irreversible" or moment is None:
        return None
    thing = _thing_of(tool, offer)
    own = [sentence.verbs[i] for i in sentence.orders]
    is_ordered = all(one & (_TAKING | tool.verbs) or are_akin(one, tool.verbs) for one in own)
    if not (moment or thing) or not is_ordered:
        return None
    filled = fill(tool, sentence, *place)
    # Words of a list are looked up, and not a name for an id.
    said = {f.parameter.path for f in filled.fits if not f.is_name} | moment.keys() | thing.keys()
    # The booking is for whom and for how many times were asked for.
    rows = {p.path: before[::-1] if p.required else before[-1:] for p in tool.parameters}
    known = {p.path: v for p in tool.parameters if p.path not in said and (v := _known(p, tool, offer, rows[p.path])) is not None}  # fmt: skip
    lacking = [
        p for p in tool.parameters
        if p.required and not p.group and p.path not in said | known.keys()
    ]  # fmt: skip
    if any(p.names_thing for p in lacking):
        return None
    given = [[[*path], value] for path, value in {**known, **moment, **thing}.items()]
    asked = {fit.parameter.path[-1] for fit in before[-1].fits} if before else set[str]()
    # A tool that takes the event is meant before one for the same hour.
    worth = bool(thing), -len(lacking), sum(p.path[-1] in asked for p in tool.parameters)
    return worth, Task(*place, tool.name, given=given)


def offer_moved(sentence: Sentence, state: State, tools: Mapping[str, ToolWords]) -> Task | None:
    """Return the call that moves what was done last to another offer of the list: `make it the 10:30`."""
    last = state.results[-1] if state.results else None
    listed = next((one for one in reversed(state.results) if one.reads), None)
    if last is None or last.reads or listed is None or opening_of(sentence)[0] != "instead":
        return None
    found = None if _is_no_wish(sentence) else _said(offers_of(listed), sentence)
    moves = list[Task]()
    for tool in tools.values() if found else ():
        if found is None or tool.reads or tool.problem or not tool.verbs & verbs_of(_MOVING):
            continue
        fields = found[0].fields
        given = {p.path: fields[p.path[-1]] for p in tool.parameters if p.names_thing and p.path[-1] in fields}  # fmt: skip
        needed = [p for p in tool.parameters if p.required and p.path not in given]
        known = {p.path: of_last_change(state, tools, tool, p) for p in needed}
        if given and needed and all(value is not None for value in known.values()):
            rows = [[[*path], value] for path, value in {**given, **known}.items()]
            moves.append(Task(*_around(sentence, found[1]), tool.name, given=rows))
    return moves[0] if len(moves) == 1 else None


def _is_no_wish(sentence: Sentence) -> bool:
    """Whether a goal denies, undoes or asks something: `10:15 doesn't work`, `is 3 pm free?`."""
    count = len(sentence.tokens)
    wants = any(role in ("wanting", "polite") for role in sentence.roles)
    return (
        "negators" in sentence.roles
        or any(verbs & undoing() and not verbs & _TAKING for verbs in sentence.verbs)
        or (sentence.asks(0, count) and not wants)
    )


def _said(offers: Sequence[Offer], sentence: Sentence) -> tuple[Offer, frozenset[int]] | None:
    """Return the only offer that a goal names by its time, its day or its place in the list, and the words for it."""
    left, used = [*offers], set[int]()
    ranks = [v for v in sentence.values if v.kind == "ordinal" and isinstance(v.value, int)]
    by_time = False
    for value in sentence.values:
        hours, span = _hours(sentence, value)
        days = {one[:10] for one in _moments(value) if value.kind in ("date", "datetime")}
        fitting = [
            offer for offer in left
            if (not hours or offer.hour in hours) and (not days or offer.day in days or not offer.day)
        ]  # fmt: skip
        certain = value.kind in ("time", "date", "datetime")
        if by_time and len(left) == 1:
            # `…, born 2 May 1984`
            break
        if not (hours or days) or not fitting or (by_time and not certain):
            if certain:
                # A time or a day that is not in the list is another wish.
                return None
            continue
        left, used, by_time = fitting, used | {*span}, by_time or bool(hours)
    ends = [
        (i, phrase[1], str(phrase[0].meaning[1])) for i in range(len(sentence.tokens))
        if (phrase := sentence.language.phrase_at(sentence.tokens, i, "superlatives"))
        and phrase[0].meaning[0] in _TIMES
    ]  # fmt: skip
    if not all(one.hour for one in left):
        # `the second one` of things may ask about it.
        ranks, ends = [], []
    if len(left) > 1 and len(ranks) == 1 and 0 < abs(ranks[0].value) <= len(left):
        rank = ranks[0].value
        left, used = [left[rank - 1 if rank > 0 else rank]], used | {*range(ranks[0].first, ranks[0].end)}  # fmt: skip
    elif len(left) > 1 and len(ends) == 1:
        at, until, side = ends[0]
        order = sorted(left, key=lambda one: (one.day, one.hour))
        left, used = [order[0 if side == "min" else -1]], used | {*range(at, until)}
    return (left[0], frozenset(used)) if len(left) == 1 and used else None


def _named(offers: Sequence[Offer], sentence: Sentence) -> tuple[Offer, frozenset[int]] | None:
    """Return the only offer that a goal names by a word or a number of it: `the skimmia`, `the one for 329`."""
    left, used = [(one, _words(one)) for one in offers], set[int]()
    values = {
        v.first: v for v in sentence.values
        if v.kind in ("number", "money") and isinstance(v.value, int | float) and not v.bound
    }  # fmt: skip
    for index, token in enumerate(sentence.tokens):
        value = values.get(index)
        if value is not None:
            before = sentence.tokens[index - 1].key if index else ""
            if value.kind == "number" and (before not in _COSTING or value.value < _PRICE):
                continue
            fitting = [
                (one, words) for one, words in left
                if value.value in (v for v in one.fields.values() if type(v) is not bool)
            ]  # fmt: skip
            span = range(value.first, value.end)
        elif sentence.in_value[index] or sentence.weights[index] < 1 or len(token.key) < _SHORTEST or index in sentence.orders:  # fmt: skip
            continue
        else:
            fitting = [(one, words) for one, words in left if token.key in words]
            span = range(index, index + 1)
        if 0 < len(fitting) < len(left):
            left, used = fitting, used | {*span}
    return (left[0][0], frozenset(used)) if len(left) == 1 and used else None


def _words(offer: Offer) -> set[str]:
    """Return the words of the short texts of an offer."""
    texts = (v for v in offer.fields.values() if isinstance(v, str) and len(v) <= _LONGEST)
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def _moments(value: Value) -> list[str]:
    return [str(one) for one in value.readings or (value.value,)]


def _hours(sentence: Sentence, value: Value) -> tuple[set[str], range]:
    """Return the times of the day that a value may mean, and its words."""
    span = range(value.first, value.end)
    if value.kind in ("time", "datetime"):
        return {one[-5:] for one in _moments(value)}, span
    if pointed := _POINTED.fullmatch(value.text):
        return _clocks(int(pointed[1]), int(pointed[2])), span
    before = sentence.tokens[value.first - 1].key if value.first else ""
    if value.kind == "number" and isinstance(value.value, int):
        if before in _HALVES:
            # `half 6` is half past six, and `halb 6` half past five.
            hour = value.value - (sentence.language.code != "en")
            return _clocks(hour, 30), range(value.first - 1, value.end)
        minutes = next((v for v in sentence.values if v.end == value.first - 1 and v.kind == "number"), None)  # fmt: skip
        if minutes and before in (*_BEFORE, *_BEHIND) and minutes.value in range(1, 30):
            # `20 to 12`
            past = before in _BEHIND
            clocks = _clocks(value.value - (not past), minutes.value if past else 60 - minutes.value)  # fmt: skip
            return clocks, range(minutes.first, value.end)
    # `we're 3` says no time.
    led = before in _LEADING or not any(sentence.weights[: value.first])
    return {*hours_of(value)} if led or value.kind == "duration" else set(), span


def _clocks(hour: int, minute: int) -> set[str]:
    """Return a time of the morning, and the same of the afternoon."""
    return {f"{one % 24:02}:{minute:02}" for one in (hour, hour + 12)}


def _around(sentence: Sentence, tokens: frozenset[int]) -> tuple[int, int]:
    """Return the part of a goal beside the words for a time, whose numbers mean nothing else."""
    first, end, count = min(tokens), max(tokens) + 1, len(sentence.tokens)
    if not any(sentence.in_value[i] for i in tokens):
        return 0, count
    if any(sentence.weights[end:]):
        return end, count
    return (0, first) if any(sentence.weights[:first]) else (0, count)


def _thing_of(tool: ToolWords, offer: Offer) -> dict[tuple[str, ...], Any]:
    """Return the argument that says which thing is at a time, such as a train; nothing if a tool takes none."""
    needed = [p for p in tool.parameters if p.required and p.names_thing]
    if len(needed) != 1:
        return {}
    path, schema = needed[0].path, needed[0].schema
    own = {*identifier_words(path[-1])}
    # `tour_id` takes `id`, and `roomCode` takes `code`.
    keys = [path[-1], *(key for key in offer.fields if {*identifier_words(key)} < own | {"id"})]
    fitting = (v for key in keys if (v := offer.fields.get(key)) is not None and not check_schema(v, schema))  # fmt: skip
    value = next(fitting, None)
    return {} if value is None else {path: value}


def _moment_of(tool: ToolWords, offer: Offer) -> dict[tuple[str, ...], Any] | None:
    """Return the arguments of a tool that say a time; None if it needs a day that is not known."""
    at, hours, days = (
        [p for p in tool.parameters if p.kind == kind and not p.is_end]
        for kind in ("datetime", "time", "date")
    )
    if not offer.hour:
        return {days[0].path: offer.day} if days and offer.day else {}
    if (at or days) and not offer.day:
        return None
    if at:
        ways = (f"{offer.day}T{offer.hour}", f"{offer.day}T{offer.hour}:00", f"{offer.day} {offer.hour}")  # fmt: skip
        fitting = (one for one in ways if not check_schema(one, at[0].schema))
        return {at[0].path: next(fitting, ways[0])}
    if not hours:
        return {}
    return {hours[0].path: offer.hour} | ({days[0].path: offer.day} if days else {})


def _known(parameter: Parameter, tool: ToolWords, offer: Offer, before: Sequence[Filled]) -> Any:
    """Return what an offer or an earlier call says for a parameter; None if they say nothing."""
    value = offer.fields.get(parameter.path[-1]) if len(parameter.path) == 1 else None
    if value is None:
        value = given_before(parameter, tool, before)
    return None if value is None or check_schema(value, parameter.schema) else value
