"""What earlier results have for a parameter: the thing that a goal names, or refers to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.lookups import is_same, reference_words
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import creating, undoes, verbs_of
from webagent.agent.deterministic.phrases import phrase_length, points, words_of
from webagent.agent.deterministic.reading.value import WHEN
from webagent.agent.deterministic.results import Asked, named_in, pick
from webagent.agent.deterministic.results.items import (
    stems_of_name,
)
from webagent.agent.deterministic.state import EARLIER, Found, State, Task
from webagent.agent.deterministic.things import (
    agreeing,
    is_sold_out,
    lists_with,
    result_of,
    takes_things,
    values_of,
)
from webagent.schema import check_schema

_COPYING: Final = verbs_of(("copy", "duplicate", "clone"))


@dataclass(frozen=True, slots=True)
class Reference:
    """What results have for a parameter."""

    values: Sequence[Any] = ()
    choices: Sequence[str] = ()
    """What tells them apart, where the goal does not say which is meant."""
    every: bool = False
    """Whether all of them are meant, one after another."""
    empty: bool = False
    """Whether the goal refers to what was found, and nothing was."""
    unknown: bool = False
    """Whether no result has such a thing."""
    is_other: bool = False
    """Whether what was found has no word of what was named."""


Place = tuple[int, int]
"""The first token and the end of a part of a goal."""


def asked_of(
    sentence: Sentence, place: Place, filled: Filled | None = None, found_by: Filled | None = None
) -> Asked:
    """Return a part of a goal as results are asked with it.

    Args:
        sentence: The goal.
        place: The part.
        filled: The call that takes something of the results.
        found_by: The call that has given the results.
    """
    part = sentence.part(*place)
    call = filled or found_by
    used = frozenset(i - place[0] for i in call.tokens) if call else frozenset[int]()
    orders = frozenset(i - place[0] for i in sentence.orders if i in range(*place))
    return Asked(
        part.tokens, part.values, part.language, used, orders, used if found_by else frozenset()
    )


def refers(sentence: Sentence, place: Place) -> bool:
    """Whether a part of a goal speaks of what was found: `it`, `the cheapest`, `the second one`."""
    return stands_for(sentence, place) or is_exact(sentence, place)


def is_exact(sentence: Sentence, place: Place) -> bool:
    """Whether a part of a goal says which of several things is meant."""
    span = range(*place)
    return any(sentence.roles[i] == "superlatives" for i in span) or any(
        v.kind == "ordinal" and v.first in span for v in sentence.values
    )


def stands_for(sentence: Sentence, place: Place) -> bool:
    """Whether a word of a part of a goal stands for what was found: `it`, `those`, `of the two`."""
    span = range(*place)
    pronoun = any(sentence.roles[i] == "pronouns" or sentence.tokens[i].pronoun for i in span)
    return pronoun or points(sentence, *place)


def asks_about_it(sentence: Sentence, place: Place) -> bool:
    """Whether a pronoun belongs to the words of a question: `is it in stock?`, but also `is it possible …`."""
    pronouns = sentence.language.roles["pronouns"]
    return any(
        sentence.roles[i] == "questions" and sentence.tokens[i].key in pronouns
        for i in range(*place)
    )


def only_stands_for(sentence: Sentence, place: Place, filled: Filled | None = None) -> bool:
    """Whether a part of a goal names nothing of what it speaks of: `add it`, but not `the cheapest of them`."""
    # `book it for Lena Ortiz` says who it is for, and not which it is.
    taken = frozenset[int]().union(*(f.tokens for f in filled.fits if not f.is_name)) if filled else frozenset[int]()  # fmt: skip
    span = [i for i in range(*place) if i not in taken]
    exact = is_exact(sentence, place)
    named = any(v.kind == "quoted" and v.first in span for v in sentence.values) or any(
        i in sentence.titles for i in span
    )
    return not (exact or named) and stands_for(sentence, place)


def says_which(sentence: Sentence, place: Place, filled: Filled) -> bool:
    """Whether a part of a goal says which thing it means, so that one can be looked for."""
    if only_stands_for(sentence, place, filled) and not any(fit.is_name for fit in filled.fits):
        return False
    every = any(sentence.roles[i] == "quantifiers" for i in range(*place))
    used = filled.tokens
    dated = any(
        value.kind in WHEN and place[0] <= value.first < place[1] and not used & {*range(value.first, value.end)}
        for value in sentence.values
    )  # fmt: skip
    return (
        every
        or dated
        or sentence.names_own(*place)
        or refers(sentence, place)
        or bool(reference_words(sentence, *place, filled, filled.tool))
    )


def is_condition(sentence: Sentence, fit: Fit, tools: Mapping[str, ToolWords]) -> bool:
    """Whether words that may be a name are a field of things instead: `one that is in stock`."""
    fields = frozenset[str]().union(*(
        stems_of_name(name) for tool in tools.values() if tool.reads for name in tool.outputs
    ))  # fmt: skip
    said = [sentence.tokens[i] for i in fit.tokens]
    return bool(said) and all(token.stem in fields and not token.is_capital for token in said)


def stands_for_many(sentence: Sentence, place: Place) -> bool:
    """Whether a pronoun stands for several things: `add them`."""
    found = (sentence.language.phrase_at(sentence.tokens, i, "pronouns") for i in range(*place))
    return any(one is not None and one[0].meaning == "many" for one in found)


def _last_named(
    state: State, tools: Mapping[str, ToolWords], sentence: Sentence, place: Place, parameter: Parameter, noun: str,
    number: int,
) -> Any:  # fmt: skip
    """Return what `it` is: what an earlier call was made with, was about, or was told of."""
    for found in reversed(state.results):
        given = found.arguments.get(parameter.path[-1])
        if found.task == number:
            continue
        if found.task != EARLIER and (given is not None or not found.reads):
            return given
        if given is not None and not found.reads:
            return given
        result = result_of(found, tools)
        fits = values_of(result.items, parameter, result.noun or noun)
        items = [item for item in result.items if id(item) in fits]
        said = state.before if found.task == EARLIER else state.tasks[found.task].said
        told = named_in(items, said)
        if len(told or items) == 1:
            return fits[id((told or items)[0])]
        if given is not None:
            return given
        if items:
            return None
    return None


def of_last_change(
    state: State, tools: Mapping[str, ToolWords], tool: ToolWords, parameter: Parameter
) -> Any:
    """Return what the last change was made to, or gave, for a parameter: `cancel the reservation again`."""
    for found in reversed(state.results):
        own = tools.get(found.tool)
        if found.task != EARLIER or own is None:
            continue
        result = result_of(found, tools)
        noun = result.noun or " ".join(sorted(own.noun_stems))
        if found.reads and values_of(result.items, parameter, noun):
            # What was listed since is meant rather.
            return None
        if found.reads:
            continue
        gave = next(iter(values_of(result.items, parameter, noun).values()), None) if len(result.items) == 1 else None  # fmt: skip
        made: Any = found.arguments
        for name in parameter.path:
            made = made.get(name) if isinstance(made, Mapping) else None
        # `set its date` after a copy was made is about the copy.
        values = (gave, made) if own.verbs & (creating() | _COPYING) else (made, gave)
        fitting = (
            one for one in values if one is not None and not check_schema(one, parameter.schema)
        )
        return next(fitting, None)
    return None


def _chosen_from(
    state: State, tools: Mapping[str, ToolWords], sentence: Sentence, place: Place, tool: ToolWords
) -> list[Found]:
    """Return the results from which a thing is chosen, the latest first."""
    found = [*reversed(state.results)]
    exact = is_exact(sentence, place)
    lists = [one for one in found if one.task != EARLIER or (one.reads and _is_list(one, tools))]
    # `the second one` is bought from a list, and not from the basket.
    return (exact and takes_things(tool) and lists) or found


def _is_list(found: Found, tools: Mapping[str, ToolWords]) -> bool:
    return len(result_of(found, tools).items) > 1


def _told(state: State, tools: Mapping[str, ToolWords], parameter: Parameter) -> Any:
    """Return the id of the only thing that was told of last, if it is of the kind that a parameter takes."""
    for found in reversed(state.results):
        result = result_of(found, tools)
        named = named_in(result.items, state.before)
        own = found.task == EARLIER and stems_of_name(result.noun) & parameter.stems
        if own and len(named) == 1:
            return values_of(named, parameter, result.noun).get(id(named[0]))
    return None


def thing_of_page(url: str, parameter: Parameter) -> str:
    """Return the id of the thing that a page is about, as its address names it: `/book.html?id=dune`."""
    known = {**dict(parse_qsl(urlsplit(url).query))}
    return known.get(parameter.path[-1]) or known.get("id", "")


def reference(
    state: State, tools: Mapping[str, ToolWords], sentence: Sentence, task: Task, place: Place,
    tool: ToolWords, parameter: Parameter, filled: Filled,
) -> Reference:  # fmt: skip
    """Return what results have for a parameter of a tool."""
    number = state.tasks.index(task)
    words = reference_words(sentence, *place, filled, tool)
    pointing = refers(sentence, place)
    if pointing:
        words = [i for i in words if sentence.tokens[i].is_capital and i not in sentence.orders]
    noun = " ".join(sorted(tool.noun_stems))
    many = stands_for_many(sentence, place)
    others = frozenset[int]().union(
        *(f.tokens for f in filled.fits if f.parameter is not parameter)
    )
    others |= filled.group_tokens
    # `whole beans` does not mean the whole list.
    every = any(sentence.roles[i] == "quantifiers" and i not in others for i in range(*place))
    said_else = [i for i in words if not _is_made(sentence, i, state, tools)]
    listed = named_in_list(state, tools, sentence, place, tool, parameter, others)
    if listed and not (many or every):
        return Reference((listed[0],))
    again = stands_for(sentence, place) or any(
        phrase_length(sentence, i, "again") for i in range(*place)
    )
    # `empty the basket` is about all that is in it.
    is_whole = every or (undoes(tool.verbs, tool.described) and not again)
    # `den am 9. April kannst du streichen` is about the one of that day.
    by_day = any(v.kind in ("date", "datetime") and v.first not in filled.tokens for v in sentence.values_in(*place))  # fmt: skip
    if not (said_else or many or is_whole or by_day or is_exact(sentence, place)):
        changed = of_last_change(state, tools, tool, parameter)
        if changed is not None:
            return Reference((changed,))
    if (
        not (many or by_day)
        and only_stands_for(sentence, place, filled)
        and (last := _last_named(state, tools, sentence, place, parameter, noun, number))
    ):
        return Reference((last,))
    # `put two in my basket` is about what was told of; `empty my basket` is about all of it.
    is_said = bool(words) or pointing or undoes(tool.verbs, tool.described)
    if not is_said and (told := _told(state, tools, parameter)) is not None:
        return Reference((told,))
    for found in _chosen_from(state, tools, sentence, place, tool):
        own = found.task == number
        source = tools.get(found.tool)
        result = result_of(found, tools)
        before = found.task == EARLIER
        if before and (not pointing or (by_day and not found.reads)):
            continue
        if pointing and found.reads and not result.items and not own and not before:
            return Reference(empty=True)
        chosen = None
        for things in lists_with(result, parameter, noun):
            fits = values_of(things.items, parameter, things.noun or noun)
            items = tuple(item for item in things.items if id(item) in fits)
            told = named_in(items, state.before)
            if before and told and only_stands_for(sentence, place, filled):
                # `it` is one of those that were told of.
                items = told
            items = agreeing(items, filled) or items
            if takes_things(tool):
                items = tuple(item for item in items if not is_sold_out(item)) or items
            asked = asked_of(sentence, place, filled)
            if task.named:
                # A person's answer names a thing, and orders nothing: `highlights`.
                asked = replace(asked, orders=frozenset())
            one = pick(replace(things, items=items), asked)
            if chosen is None or (len(one.items) == 1 and one.named and len(chosen[0].items) != 1):
                # Of several lists that one which has the thing that is named.
                chosen = one, fits
        if chosen is None:
            continue
        choice, fits = chosen
        named = {place[0] + i for i in choice.named} | _looked_for(sentence, place, found, source)
        if not own and not (
            choice.items and all(i in named or _is_told(sentence, i, source) for i in words)
        ):
            # What was found for another wish is only meant if it has all that is named.
            continue
        values = [fits[id(item)] for item in choice.items if id(item) in fits]
        if (
            values
            and not pointing
            and not named & {*words}
            and _is_another(found, words, sentence, tools)
        ):
            # What a search gives is not always what was named.
            return Reference(
                values,
                choice.options
                or tuple(i.name or str(v) for i, v in zip(choice.items, values, strict=False)),
                is_other=True,
            )
        all_meant = many or choice.is_sure or every
        unsure = len(values) > 1 and not all_meant and not parameter.is_list
        return Reference(
            values, choice.options if unsure else (), every=all_meant and len(values) > 1
        )
    return Reference(unknown=True)


def shared(
    state: State, tools: Mapping[str, ToolWords], sentence: Sentence, task: Task, filled: Filled
) -> list[list[Any]]:
    """Return what a wish has from those before it, as `[path, value]`: `… and download its map`."""
    number = state.tasks.index(task)
    own = filled.tool.words.keys()
    # `PHP` is no thing, where a tool sets its version.
    left = [i for i in range(task.first, task.end) if i not in filled.tokens and not own & {sentence.tokens[i].stem, *sentence.tokens[i].glosses}]  # fmt: skip
    if task.finders or any(sentence.is_name(i) or sentence.in_value[i] for i in left):
        return []
    # What an earlier goal was about holds on if this one speaks of what was found.
    place = task.first, task.end
    least = EARLIER if refers(sentence, place) or asks_about_it(sentence, place) else 0
    earlier = [(one, tools[one.tool]) for one in reversed(state.results) if least <= one.task < number and one.tool in tools]  # fmt: skip
    found: list[list[Any]] = []
    known = {fit.parameter.path for fit in filled.fits}
    # What was searched with holds for what is taken of it, too: `the cheaper one`, for the same station.
    searched = [one for one, tool in earlier[:1] if one.task == EARLIER and one.reads and takes_things(filled.tool)]  # fmt: skip
    options = [p for p in filled.tool.parameters if searched and not (p.required or p.group or p.path in known)]  # fmt: skip
    for parameter in (*filled.missing, *options):
        values = (
            one.arguments[name]
            for one, tool in earlier
            for name in one.arguments
            if is_same(parameter, filled.tool, name, tool)
        )
        value = next(values, None)
        if value is None and parameter.required:
            value = _told_by_thing(state, tools, filled, parameter)
        if value is not None and not check_schema(value, parameter.schema):
            found.append([[*parameter.path], value])
    return found


def _told_by_thing(
    state: State, tools: Mapping[str, ToolWords], filled: Filled, parameter: Parameter
) -> Any:
    """Return what the thing that a call is about says of itself: the hour of the only boxing class that was listed."""
    for found in reversed(state.results):
        items = result_of(found, tools).items if found.reads else ()
        alike = agreeing(items, filled, least=1)
        if len(alike) == 1:
            fields = (f.value for f in alike[0].fields if f.path == (parameter.path[-1],))
            return next(fields, None)
        if alike:
            return None
    return None


def give(filled: Filled, given: Sequence[Sequence[Any]]) -> None:
    """Put into a call what was found out since."""
    for path, value in given:
        parameter = next((p for p in filled.tool.parameters if [*p.path] == path), None)
        if parameter is None:
            continue
        filled.fits = [f for f in filled.fits if f.parameter is not parameter]
        filled.fits.append(Fit(parameter, value, frozenset(), 2.0))
        filled.missing = [p for p in filled.missing if p is not parameter]
        filled.also = [f for f in filled.also if f.parameter is not parameter]


def named_in_list(
    state: State, tools: Mapping[str, ToolWords], sentence: Sentence, place: Place, tool: ToolWords,
    parameter: Parameter, others: frozenset[int] = frozenset(),
) -> tuple[Any, frozenset[int]] | None:  # fmt: skip
    """Return what a parameter takes of the only thing in the last list that a part of a goal names, and its words there.

    `the chickpea one` is a curry with chickpeas, whatever else is said of it; `others` are the words of other arguments.
    """
    other = words_of(sentence, *place, "other")
    used = [value for one in state.results if not one.reads for value in one.arguments.values()]
    asked = asked_of(sentence, place)
    asked = replace(asked, orders=asked.orders | {i - place[0] for i in others})
    noun = " ".join(sorted(tool.noun_stems))
    for found in reversed(state.results):
        lists = lists_with(result_of(found, tools), parameter, noun) if found.reads else []
        for things in lists:
            fits = values_of(things.items, parameter, things.noun or noun)
            items = tuple(item for item in things.items if id(item) in fits)
            if other and (rest := [i for i in items if fits[id(i)] not in used]) and len(rest) == 1 < len(items):  # fmt: skip
                return fits[id(rest[0])], other
            choice = pick(replace(things, items=items), asked)
            named = frozenset(
                place[0] + i for i in choice.named if _names_a_thing(sentence, place[0] + i)
            )
            said = {sentence.tokens[i].key for i in named}
            # A word of a name counts more than one that means the same.
            meant = [
                item for item in choice.items
                if len(choice.items) == 1 or said & {*map(str.casefold, item.name.split())}
            ]  # fmt: skip
            if named and len(meant) == 1 < len(items) and choice.order is None:
                return fits[id(meant[0])], named
            if items:
                return None
    return None


def in_full(
    state: State, tools: Mapping[str, ToolWords], sentence: Sentence, tool: ToolWords, fit: Fit
) -> Fit:
    """Return a name that was said in part as what was listed has it: `the tulip one` is `Tulip Dream`."""
    parameter = fit.parameter
    is_name = parameter.kind == "text" and not (parameter.is_query or parameter.is_list)
    if not is_name or not fit.tokens or not isinstance(fit.value, str):
        return fit
    place = min(fit.tokens), max(fit.tokens) + 1
    named = named_in_list(state, tools, sentence, place, tool, parameter)
    whole = named[0] if named else None
    is_part = isinstance(whole, str) and fit.value.casefold() in whole.casefold()
    return replace(fit, value=whole) if is_part else fit


def _names_a_thing(sentence: Sentence, index: int) -> bool:
    value = sentence.in_value[index]
    said = sentence.weights[index] >= 0.8 and not sentence.roles[index]
    return said and index not in sentence.orders and (value is None or value.kind in ("quoted", "id"))  # fmt: skip


def _looked_for(
    sentence: Sentence, place: Place, found: Found, tool: ToolWords | None
) -> frozenset[int]:
    """Return the words by which a look-up has chosen: all that it found are `French` tours."""
    if tool is None or not tool.reads:
        return frozenset()
    chosen = (
        fit.tokens for fit in fill(tool, sentence, *place).fits
        if fit.parameter.kind == "enum" and found.arguments.get(fit.parameter.path[0]) == fit.value
    )  # fmt: skip
    return frozenset[int]().union(*chosen)


def _is_told(sentence: Sentence, index: int, tool: ToolWords | None) -> bool:
    """Whether a word only names what an earlier call has made: `the copy`."""
    meant = sentence.tokens[index].glosses
    return tool is not None and any(tool.words.get(stem, 0) >= 0.6 for stem in meant)


def _is_made(sentence: Sentence, index: int, state: State, tools: Mapping[str, ToolWords]) -> bool:
    """Whether a word only names what the last change of an earlier run has made: `schedule the copy`."""
    last = next((f for f in reversed(state.results) if f.task == EARLIER and not f.reads), None)
    return last is not None and _is_told(sentence, index, tools.get(last.tool))


def _is_another(
    found: Found, words: Sequence[int], sentence: Sentence, tools: Mapping[str, ToolWords]
) -> bool:
    """Whether things that have no word of what was named are not what was meant."""
    # `my wash`, where a tool books washes, only says what kind of thing it is.
    kinds = frozenset[str]().union(*(tool.noun_stems for tool in tools.values()))
    words = [i for i in words if sentence.tokens[i].is_capital or not sentence.tokens[i].glosses & kinds]  # fmt: skip
    given = {str(value) for value in found.arguments.values()}
    # The backups of `example.org` need not repeat its name.
    return found.reads and not all(
        not text.isalpha() and text in given for text in (sentence.tokens[i].text for i in words)
    )
