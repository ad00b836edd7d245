"""Fills the parameters of a tool from a part of a goal: the best assignment of all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any, Final

from webagent.agent.deterministic.candidates.amounts import durations, numbers
from webagent.agent.deterministic.candidates.choices import choices, usual
from webagent.agent.deterministic.candidates.days import ends_by_length, lengths_by_ends, moments
from webagent.agent.deterministic.candidates.fits import Filled, Fit, cued, put
from webagent.agent.deterministic.candidates.ids import ids
from webagent.agent.deterministic.candidates.named_values import (
    labelled,
    labels_of,
    names_parameter,
    owned,
)
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.pieces import takes_message
from webagent.agent.deterministic.candidates.quotes import quoted_elsewhere
from webagent.agent.deterministic.candidates.remarks import remark, reported
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.switches import switches
from webagent.agent.deterministic.candidates.texts import (
    FILES,
    enumerated,
    texts,
    with_kind,
    with_rest,
)
from webagent.agent.deterministic.reading.tokens import owner
from webagent.schema import regex

__all__ = ["Filled", "Fit", "fill"]

_MOST_NODES: Final = 3_000
"""Assignments that are tried."""
_MOST_FITS: Final = 8
"""Fits of one parameter that are tried."""
_REQUIRED: Final = 0.5
"""What it is worth to fill a parameter that a call cannot do without."""
_LEAST: Final = 0.25
"""How well a value has to fit a parameter that may be left out."""
_IN_ORDER: Final = 0.06
"""What it is worth that two values come in the order of their parameters."""
_CLAIMED: Final = 1.1
"""How surely words have to name a choice to be no text."""
_LEAST_ALSO: Final = 0.8
_NEAR: Final = 2
"""Words from a count to what it counts, over one between them."""
_ONLY: Final = 0.6
"""How well a name fits that only one text can take."""
_GOALS: Final = frozenset(("to", "into", "in", "on", "onto"))
_NAMED: Final = 0.35
"""How well words have to fit to be the name of a thing in a list."""
_ENDS: Final = frozenset(
    ("to", "end", "until", "till", "dateto", "enddate", "bis", "hasta", "fin", "last")
)
_STARTS: Final = frozenset(("from", "start", "since", "datefrom", "startdate", "von", "desde", "debut", "first"))  # fmt: skip


def fill(
    tool: ToolWords, sentence: Sentence, first: int, end: int, without: frozenset[int] = frozenset()
) -> Filled:
    """Return the best call of a tool for the tokens from `first` up to `end`, but those of `without`."""
    key = (fill, id(tool), first, end, without)
    # The tool is kept with the call, so that no other one gets its id.
    _, known = sentence.known.get(key) or (tool, None)
    if known is None:
        known = _fill(tool, sentence, first, end, without)
        sentence.known[key] = tool, known
    return known.copy()


def _fill(
    tool: ToolWords, sentence: Sentence, first: int, end: int, without: frozenset[int]
) -> Filled:
    own = tool.verbs | tool.described
    if any(first <= i < end and not sentence.verbs[i] & own for i in sentence.exclusions):
        sentence = sentence.excluding
    said = _said_by_tool(tool, sentence, first, end)
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    taken: set[int] = set(without)
    plain = [p for p in tool.parameters if not p.group]
    values = sentence.values_in(first, end)
    owners = owned(plain, sentence, values, first)
    coded = _coded(tool, sentence, first, end, said).union(owners) if tool.groups else frozenset()
    group_score = 0.0
    partial: dict[tuple[str, ...], dict[str, Any]] = {}
    names: list[Fit] = []
    for group in tool.groups:
        others = coded | _taken_elsewhere(tool, group, sentence, first, end, said)
        items, used, unnamed, score = _items(tool, group, sentence, first, end, said, others)
        if unnamed:
            names += [fit for fit in unnamed if fit.is_name]
            partial[group] = _item_of(group, [fit for fit in unnamed if not fit.is_name])
            taken |= used
        if items:
            groups[group] = items
            group_score += score
            taken |= used
    chosen = {
        p.path: [*fits_of(p, tool, sentence, first, end, said)]
        for p in plain
        if p.kind in ("enum", "boolean")
    }
    claimed = frozenset[int]().union(
        *(fit.tokens for fits in chosen.values() for fit in fits if fit.score >= _CLAIMED)
    )
    labels = labels_of(tool, sentence, first, end)
    given = {fit.parameter.path: fit for fit in labelled(labels, sentence, end)}
    spoken = frozenset[int]().union(*(fit.tokens for fit in given.values()))
    options = {}
    for p in plain:
        fits = chosen.get(p.path)
        if fits is None:
            fits = [*fits_of(p, tool, sentence, first, end, said, claimed)]
        if p.kind == "text":
            fits = [
                fit for fit in fits
                if not names_parameter(tool, sentence, fit)
                and (p.required or sentence.is_quoted(fit.tokens) or not fit.tokens <= claimed)
            ]  # fmt: skip
        # Who names what is given gives nothing else by chance.
        free = (
            fit for fit in fits
            if not fit.tokens & (taken | spoken) and not (labels and fit.poured)
            and all(owners.get(i, p) is p for i in fit.tokens)
        )  # fmt: skip
        sure = given.get(p.path)
        options[p.path] = [sure] if sure else sorted(free, key=lambda fit: -fit.score)[:_MOST_FITS]
    fits = names + _assign(plain, options)
    fits += ends_by_length(plain, fits, values)
    fits += lengths_by_ends(plain, fits, values)
    fits += _same_day(plain, fits, sentence)
    fits += _only_name(plain, fits, sentence, first, end, said | taken)
    fits = [with_kind(fit, fits, sentence) for fit in fits]
    fits = [with_rest(fit, fits, tool, sentence, said, end) for fit in fits]
    fits = reported(tool, fits, sentence, first, end)
    fits += remark(tool, fits, sentence, first, end, taken)
    filled = {fit.parameter.path for fit in fits}
    missing = [p for p in plain if p.required and p.path not in filled]
    for lacking in [*_lacking(plain, filled)]:
        inside = [fit for fit in fits if fit.parameter.path[:-1] == lacking.path[:-1]]
        if all(fit.parameter.kind == "text" for fit in inside):
            # Words alone make no object of which a part is lacking.
            fits = [fit for fit in fits if fit not in inside]
        elif lacking not in missing:
            missing.append(lacking)
    for group in tool.groups:
        leaves = [p for p in tool.parameters if p.group == group]
        if group in partial:
            known = {fit.parameter.path for fit in names}
            missing += [p for p in leaves if p.required and p.path not in known and p.path[len(group)] not in partial[group]]  # fmt: skip
        elif group not in groups and any(p.required for p in leaves):
            missing.append(next(p for p in leaves if p.required))
    also = _also(fits, options, sentence)
    return Filled(
        tool, fits, missing, groups, frozenset(taken - without), group_score, partial, also
    )


def _lacking(
    parameters: Sequence[Parameter], filled: Collection[tuple[str, ...]]
) -> Iterator[Parameter]:
    """Yield what objects that may be left out need, of which only a part is given: an email beside a name."""
    parents = {path[:-1] for path in filled if len(path) > 1}
    for p in parameters:
        if p.is_needed and p.path not in filled and p.path[:-1] in parents:
            yield p


def _coded(
    tool: ToolWords, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> frozenset[int]:
    """Return the words that are the id of a thing by their form."""
    return frozenset[int]().union(*(
        fit.tokens
        for p in tool.parameters if p.kind == "id" and not p.group and p.schema.get("pattern")
        for fit in fits_of(p, tool, sentence, first, end, said) if not fit.is_name
    ))  # fmt: skip


def _taken_elsewhere(
    tool: ToolWords, group: tuple[str, ...], sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> frozenset[int]:  # fmt: skip
    """Return the words that another parameter takes sooner than a list: `task 'Paint' with the subtasks …`."""
    leaves = [p for p in tool.parameters if p.group == group]
    own = frozenset[str]().union(*(p.parents for p in leaves)) - tool.noun_stems
    is_named = any(sentence.tokens[i].glosses & own for i in range(first, end))
    found = quoted_elsewhere(tool, leaves, own, sentence, first, end)
    if is_named or any(p.required for p in leaves):
        return found
    # `from 4 Elm Street to 9 Oak Lane` has no stops on the way.
    return found.union(
        i for p in tool.parameters if p.required and p.kind == "text" and not p.group
        for fit in fits_of(p, tool, sentence, first, end, said) if fit.score > _CLAIMED for i in fit.tokens
    )  # fmt: skip


def _said_by_tool(tool: ToolWords, sentence: Sentence, first: int, end: int) -> frozenset[int]:
    """Return the words that only say which tool is meant: its verb and the words of its name."""
    names = tool.noun_stems | tool.verbs

    def is_kind(index: int) -> bool:
        # `green tea` is a kind of tea, so `green` is searched for.
        token, head = sentence.tokens[index], sentence.tokens[index + 1]
        return (
            token.key not in names
            and not (token.is_stop or head.is_stop)
            and bool(token.glosses & head.glosses & names)
        )

    return frozenset(
        index
        for index in range(first, end)
        if sentence.tokens[index].glosses & names
        and sentence.in_value[index] is None
        and not (index + 1 < end and is_kind(index))
    )


def _same_day(
    parameters: Sequence[Parameter], fits: Sequence[Fit], sentence: Sentence
) -> list[Fit]:
    """Return the other end of a span of days where the goal names one day only."""
    dates = [p for p in parameters if p.kind == "date" and not p.group]
    start = next((p for p in dates if p.names & _STARTS), None)
    stop = next((p for p in dates if p.names & _ENDS), None)
    if start is None or stop is None:
        return []
    known = {fit.parameter.path: fit for fit in fits}
    given = known.get(start.path) or known.get(stop.path)
    if given is None or (start.path in known and stop.path in known):
        return []
    other = stop if start.path in known else start
    # `taken on 2 August` says neither `taken_from` nor `taken_to`.
    own = given.parameter.stems - other.stems
    is_said = any(sentence.tokens[i].meanings & own for i in given.cues)
    if not isinstance(given.value, str) or given.open_ended or (is_said and not other.required):
        return []
    return [Fit(other, given.value, frozenset(), 0.5)]


def _only_name(
    parameters: Sequence[Parameter], fits: Sequence[Fit], sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> list[Fit]:  # fmt: skip
    """Return the one name that nothing explains for the only text that is left: `paid Voltaria in May`."""
    filled = {fit.parameter.path for fit in fits}
    texts = [p for p in parameters if p.kind == "text" and not p.is_list and not p.excludes]
    open_texts = [p for p in texts if p.path not in filled and not takes_message(p)]
    if len(open_texts) != 1 or any(fit.parameter.is_query for fit in fits):
        return []
    used = said.union(*(fit.tokens | fit.cues for fit in fits))
    left = [i for i in range(first, end) if sentence.is_name(i) and i not in used and sentence.in_value[i] is None]  # fmt: skip
    if not left or left != [*range(left[0], left[-1] + 1)] or left[0] == first:
        return []
    if sentence.tokens[left[0]].is_file and not open_texts[0].names & FILES:
        return []
    text = owner(sentence.excerpt(left[0], left[-1] + 1))
    return [Fit(open_texts[0], text, frozenset(left), _ONLY)]


def _also(
    fits: list[Fit], options: Mapping[tuple[str, ...], Sequence[Fit]], sentence: Sentence
) -> list[Fit]:
    """Return further values that the goal joins to one, which becomes the first: `the debit card and the credit card`."""
    used = frozenset[int]().union(*(fit.tokens for fit in fits))
    for fit in fits:
        parameter = fit.parameter
        if parameter.is_list or parameter.kind not in ("enum", "id") or not fit.tokens or fit.is_name or fit.poured:  # fmt: skip
            continue
        row = [fit]
        for other in sorted(options[parameter.path], key=lambda one: min(one.tokens, default=0)):
            if other.is_name or not other.tokens or other.tokens & (used | sentence.orders):
                continue
            if other.score < fit.score - _LEAST_ALSO:
                continue
            if all(other.value != one.value and not other.tokens & one.tokens for one in row):
                row.append(other)
        row.sort(key=lambda one: min(one.tokens))
        # `3 colas and a water` has a count for each.
        counts = any(one.parameter.kind == "number" and _is_before(one, row) for one in fits)
        if (
            len(row) > 1
            and not counts
            and all(_are_joined(a, b, sentence, used) for a, b in pairwise(row))
        ):
            fits[fits.index(fit)] = row[0]
            return row[1:]
    return []


def _is_before(count: Fit, row: Sequence[Fit]) -> bool:
    """Whether a number stands right before one of some values."""
    last = max(count.tokens, default=0)
    return any(0 < min(one.tokens) - last <= _NEAR for one in row)


def _are_joined(one: Fit, other: Fit, sentence: Sentence, used: frozenset[int]) -> bool:
    """Whether only `and`, a comma and small words are between two values."""
    between = range(max(one.tokens) + 1, min(other.tokens))
    joined = any(
        sentence.roles[i] == "conjunctions" or sentence.tokens[i].text == "," for i in between
    )
    return joined and len(between) <= 4 and not any(i in used for i in between)


def _assign(
    parameters: Sequence[Parameter], options: Mapping[tuple[str, ...], Sequence[Fit]]
) -> list[Fit]:
    """Return the fits with the highest sum that share no words, by exact search."""
    places = {p.path: number for number, p in enumerate(parameters)}
    order = sorted(
        (p for p in parameters if options[p.path]),
        key=lambda p: (not p.required, len(options[p.path])),
    )
    best: list[Fit] = []
    best_score = -1e9
    rest = [0.0] * (len(order) + 1)
    for index in reversed(range(len(order))):
        top = max(
            fit.score + (_REQUIRED if order[index].required else 0)
            for fit in options[order[index].path]
        )
        rest[index] = rest[index + 1] + max(top, 0.0) + _IN_ORDER
    nodes = 0

    def search(index: int, chosen: list[Fit], used: frozenset[int], total: float) -> None:
        nonlocal best, best_score, nodes
        nodes += 1
        ordered = total + _order(chosen, places)
        if ordered > best_score:
            best, best_score = list(chosen), ordered
        if index == len(order) or nodes > _MOST_NODES or total + rest[index] + _IN_ORDER * len(chosen) <= best_score:  # fmt: skip
            return
        parameter = order[index]
        for fit in options[parameter.path]:
            gain = fit.score + (_REQUIRED if parameter.required else 0)
            if fit.tokens & used or gain <= (0 if parameter.required else _LEAST):
                continue
            if parameter.kind == "id" and any(one.value == fit.value and one.parameter.kind == "id" for one in chosen):  # fmt: skip
                # Nothing is merged with itself.
                continue
            chosen.append(fit)
            search(index + 1, chosen, used | fit.tokens, total + gain)
            chosen.pop()
        search(index + 1, chosen, used, total)

    search(0, [], frozenset(), 0.0)
    return best


def _order(chosen: Sequence[Fit], places: Mapping[tuple[str, ...], int]) -> float:
    """Return what it is worth that values come in the order of their parameters."""
    placed = sorted((min(fit.tokens), places[fit.parameter.path]) for fit in chosen if fit.tokens)
    ordered = sum(a[1] < b[1] for a, b in combinations(placed, 2))
    return _IN_ORDER * ordered / max(1.0, len(placed) / 2)


def fits_of(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int, said: frozenset[int],
    claimed: frozenset[int] = frozenset(),
) -> Iterator[Fit]:  # fmt: skip
    """Yield what a part of a goal may give for a parameter.

    Args:
        parameter: What is filled.
        tool: The tool that takes it.
        sentence: The goal.
        first: The first token of the part.
        end: Its end.
        said: Words that only name the tool.
        claimed: Words that name a choice of another parameter.
    """
    kind = parameter.kind
    values = sentence.values_in(first, end)
    if kind == "enum":
        yield from choices(parameter, tool, sentence, first, end, said)
    elif kind == "boolean":
        yield from switches(parameter, tool, sentence, first, end)
    elif kind == "number":
        yield from _listed(parameter, [*numbers(parameter, tool, sentence, values, first, end)], sentence)  # fmt: skip
    elif kind in ("date", "time", "datetime", "week", "month"):
        rule = str(parameter.schema.get("pattern") or "")
        # `half past three` is not a full hour.
        found = [
            fit for fit in moments(parameter, tool, sentence, values, first, end)
            if all(regex.found(rule, str(one)) is not False for one in (fit.value if parameter.is_list else [fit.value]))
        ]  # fmt: skip
        yield from _listed(parameter, found, sentence)
    elif kind == "duration":
        yield from durations(parameter, sentence, values, first, end)
    elif kind in ("email", "url", "phone"):
        found = [cued(parameter, sentence, v, _plain(parameter, v.value), 1.6, first, end) for v in values if v.kind == kind]  # fmt: skip
        yield from _listed(parameter, found, sentence)
    elif kind == "id":
        found = [*ids(parameter, tool, sentence, values, first, end, said)]
        yield from _listed(parameter, found, sentence)
        if parameter.names_thing:
            named = any(sentence.is_name(i) and sentence.in_value[i] is None for i in range(first, end))  # fmt: skip
            points = _points(sentence, first, end)
            for fit in texts(parameter, tool, sentence, values, first, end, said, claimed):
                if (fit.poured and not parameter.required) or _is_code(sentence, fit):
                    continue
                if points and not any(map(sentence.is_name, fit.tokens)) and sentence.preposition[min(fit.tokens)] in _GOALS:  # fmt: skip
                    # `save it to my cookbook`: what is saved was named before.
                    continue
                # Its id is looked up; beside a name with a capital, other words are hardly one.
                least = 0.05 if named and not any(map(sentence.is_name, fit.tokens)) else 0.3
                yield replace(fit, score=max(least, 0.75 * fit.score), is_name=True, poured=False)
        elif not parameter.schema.get("pattern"):
            yield from texts(parameter, tool, sentence, values, first, end, said, strict=True)
    elif parameter.is_list and (rows := [*enumerated(parameter, sentence, first, end)]):
        yield from rows
    else:
        found = [*texts(parameter, tool, sentence, values, first, end, said, claimed)]
        yield from _listed(parameter, found, sentence)


def _is_code(sentence: Sentence, fit: Fit) -> bool:
    """Whether words are an id, and so no name by which a thing is looked up."""
    value = sentence.in_value[min(fit.tokens)] if fit.tokens else None
    return value is not None and value.kind == "id"


def _points(sentence: Sentence, first: int, end: int) -> bool:
    """Whether an order is about what was named before: `save it`."""
    lead = sentence.lead(first, end)
    return lead in sentence.orders and lead + 1 < end and sentence.roles[lead + 1] == "pronouns"


def _plain(parameter: Parameter, value: Any) -> Any:
    """Return a telephone number without spaces, where the parameter allows none."""
    pattern = parameter.schema.get("pattern")
    spaced = isinstance(pattern, str) and (" " in pattern or "\\s" in pattern)
    if parameter.kind != "phone" or not isinstance(pattern, str) or spaced:
        return value
    return "".join(c for c in str(value) if c not in " -/()")


def _listed(parameter: Parameter, fits: Sequence[Fit], sentence: Sentence) -> Iterator[Fit]:
    """Yield fits; of a list those that the goal joins are one: `to Ana and Tom`."""
    if not parameter.is_list:
        yield from fits
        return
    rows: list[list[Fit]] = []
    for fit in sorted(fits, key=lambda one: (min(one.tokens, default=0), -len(one.tokens))):
        if rows and fit.tokens & frozenset[int]().union(*(one.tokens for one in rows[-1])):
            continue
        between = range(max(rows[-1][-1].tokens) + 1, min(fit.tokens)) if rows else range(9)
        joins = all(
            sentence.roles[i] == "conjunctions" or sentence.tokens[i].text in ",&"
            # `à 8 h et à 20 h`
            or (fit.parameter.kind in ("date", "time") and sentence.roles[i] == "prepositions") or _joins(sentence, i)
            for i in between
        )  # fmt: skip
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
        # `with Tom, Ann and Raj` needs no other sign.
        poured = all(f.poured for f in row) and len(row) == 1
        if poured and not parameter.required:
            continue
        yield replace(row[0], value=value, tokens=tokens, cues=cues, score=score, poured=poured)


def _joins(sentence: Sentence, index: int) -> bool:
    """Whether a small word may stand between the names of a list: `and the`, `et de la`."""
    meant = sentence.language.roles["prepositions"].get(sentence.tokens[index].key, "of")
    return sentence.tokens[index].is_stop and meant == "of"


def _items(
    tool: ToolWords, group: tuple[str, ...], sentence: Sentence, first: int, end: int, said: frozenset[int],
    coded: frozenset[int],
) -> tuple[list[dict[str, Any]], set[int], Sequence[Fit], float]:  # fmt: skip
    """Return the objects of a list: one for each piece between commas and `and`.

    If the id of the only one has to be looked up, its fits are returned instead. If that is so for
    one of several, nothing is returned, and the person is asked. The last is how well they fit.
    """
    leaves = [p for p in tool.parameters if p.group == group]
    anchors = [p for p in leaves if p.kind in ("enum", "text", "id", "email") and not any(c.unit for c in p.choices)]  # fmt: skip
    begin = next((i + 1 for i in range(first, end - 1) if sentence.tokens[i].text == ":"), first)
    cuts = [begin]
    for index in range(begin, end):
        inside = sentence.in_value[index]
        if inside is not None and index > inside.first:
            continue
        if sentence.tokens[index].text in ",;+&" or sentence.roles[index] == "conjunctions":
            cuts.append(index)
    cuts.append(end)
    items: list[dict[str, Any]] = []
    used: set[int] = set()
    before: dict[str, Any] = {}
    unnamed: list[Sequence[Fit]] = []
    counted: list[Sequence[Fit]] = []
    waiting: list[Sequence[Fit]] = []
    score = 0.0

    def best(at: int, until: int) -> list[Fit]:
        options = {
            p.path: [
                f for f in fits_of(p, tool, sentence, at, until, said)
                if not (f.tokens & coded or (f.is_name and not (p.required and f.score > _NAMED)))
            ][:_MOST_FITS]
            for p in leaves
        }  # fmt: skip
        return _assign(leaves, options)

    read = first
    for at, until in pairwise(cuts):
        if at < read:
            continue
        fits = best(at, until)
        stop = next((cut for cut in cuts if cut > until), until)
        if stop > until and sentence.tokens[until].text == "," and _is_begun(fits, leaves, group):
            # `for Mia Holt, born on 3 May 1990`
            longer = best(at, stop)
            if not _is_begun(longer, leaves, group):
                fits, read = longer, stop
        if any(fit.is_name for fit in fits):
            unnamed.append(fits)
            continue
        if fits and not items and any(p.names_thing and p.required for p in leaves) and all(fit.parameter.kind == "number" for fit in fits):  # fmt: skip
            counted.append(fits)
        named = any(fit.parameter in anchors for fit in fits)
        if not fits or (anchors and not named and not (before and _is_number_only(fits))):
            continue
        item = ({} if named or not anchors else dict(before)) | _item_of(group, fits)
        if _completed(item, fits, leaves, group):
            for some in waiting:
                # `mondays and wednesdays from 7 to 9`: both share the hours.
                items.append(item | _item_of(group, some))
                used |= {i for fit in some for i in fit.tokens | fit.cues}
            waiting = []
            items.append(item)
            before = item
            for fit in fits:
                used |= fit.tokens | fit.cues
                score += fit.score
        elif all(fit.parameter.kind == "enum" for fit in fits):
            waiting.append(fits)
    if not unnamed and not items and len(counted) == 1:
        # `2 kg of carrots`: what they are is looked up.
        unnamed = counted
    if not unnamed:
        return items, used, (), score
    if items or len(unnamed) > 1:
        return [], set(), (), 0.0
    _completed(partial := _item_of(group, unnamed[0]), unnamed[0], leaves, group)
    rest = [Fit(p, partial[p.path[-1]], frozenset(), 0.1) for p in leaves if p.path[-1] in partial and not any(f.parameter is p for f in unnamed[0])]  # fmt: skip
    return [], {i for fit in unnamed[0] for i in fit.tokens | fit.cues}, [*unnamed[0], *rest], 0.0


def _item_of(group: tuple[str, ...], fits: Sequence[Fit]) -> dict[str, Any]:
    """Return an object of a list."""
    item: dict[str, Any] = {}
    for fit in fits:
        put(item, fit.parameter.path[len(group) :], fit.value)
    return item


def _is_number_only(fits: Sequence[Fit]) -> bool:
    """Whether a piece goes on from the one before: `row F seats 11, 12 and 13`."""
    return all(fit.parameter.kind in ("number", "id") for fit in fits)


def _completed(
    item: dict[str, Any], fits: Sequence[Fit], leaves: Sequence[Parameter], group: tuple[str, ...],
) -> bool:  # fmt: skip
    """Complete an object by what goes without saying: one of it, counted in pieces."""
    known = {fit.parameter.path for fit in fits}
    for parameter in leaves:
        place = parameter.path[len(group) :]
        is_needed = parameter.required or (parameter.is_needed and len(place) == 1)
        if not is_needed or parameter.path in known or place[0] in item:
            continue
        if parameter.kind == "number" and parameter.schema.get("type") == "integer" and not parameter.unit:  # fmt: skip
            put(item, place, 1)
        elif parameter.kind == "enum" and (piece := usual(parameter)):
            put(item, place, piece.value)
        else:
            return False
    return True


def _is_begun(fits: Sequence[Fit], leaves: Sequence[Parameter], group: tuple[str, ...]) -> bool:
    """Whether an object has a text of its own, and still lacks what it needs."""
    named = any(fit.parameter.kind == "text" and not (fit.poured or fit.is_name) for fit in fits)
    return named and not _completed(_item_of(group, fits), fits, leaves, group)
