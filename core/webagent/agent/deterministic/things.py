"""The things of results, and what they give for the parameters of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import verbs_of
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results import Result, read_result
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Field,
    Item,
    Scalar,
    lists_in,
    stems_of_name,
)
from webagent.agent.deterministic.state import Found
from webagent.schema import check_schema

_BUYING: Final = ("buy", "add", "order", "book", "reserve", "purchase", "put", "take", "rent", "hire", "join", "claim", "enrol", "sign_up", "register", "schedule", "arrange")  # fmt: skip
_LIKE_ENOUGH: Final = 0.4
"""How much a field has to be like a parameter."""
_STOCK: Final = ("stock", "available", "availability", "inventory")


def result_of(found: Found, tools: Mapping[str, ToolWords]) -> Result:
    """Return the things in what a call gave, as its tool describes them."""
    tool = tools.get(found.tool)
    return read_result(found.value, tool.output if tool else None, found.tool)


def gives(
    found: Found, tools: Mapping[str, ToolWords], tool: ToolWords, parameter: Parameter
) -> bool:
    """Whether a result has what a parameter takes."""
    noun = " ".join(sorted(tool.noun_stems))
    lists = lists_with(result_of(found, tools), parameter, noun)
    return any(values_of(one.items, parameter, one.noun or noun) for one in lists)


def lists_with(result: Result, parameter: Parameter, noun: str) -> list[Result]:
    """Return the things of a result that have what a parameter takes, or else its inner lists that do."""
    if values_of(result.items, parameter, result.noun or noun):
        return [result]
    found = [one for one in lists_in(result) if values_of(one.items, parameter, one.noun)]
    own = parameter.stems
    return sorted(found, key=lambda one: not stems_of_name(one.noun) & own)


def values_of(items: Sequence[Item], parameter: Parameter, noun: str) -> dict[int, Any]:
    """Return what a parameter takes of each of the things that have it, by the `id()` of the thing."""
    return {
        id(item): value
        for item in items
        if (value := value_for(item, parameter.path[-1], parameter.schema, noun=noun)) is not None
    }


def value_for(item: Item, parameter: str, schema: Any, *, noun: str = "") -> Scalar:
    """Return the value of a thing that fits a tool's parameter; None if there is none.

    Args:
        item: The thing.
        parameter: The parameter's name, such as `payee_id`.
        schema: Its schema, which the value must fit.
        noun: What the thing is called, such as `payees`.
    """
    wanted, nouns = _stem_words(parameter) - MEANINGS["id"], stems_of_name(noun)
    best, most = None, _LIKE_ENOUGH
    for field in item.fields:
        if isinstance(field.value, tuple) or field.value is None:
            continue
        score = _fitness(field, parameter, wanted, nouns, item)
        if score > most and not (isinstance(schema, Mapping) and check_schema(field.value, schema)):
            best, most = field.value, score
    return best


def _stem_words(name: str) -> frozenset[str]:
    return frozenset(map(language("en").stem, identifier_words(name)))


def _fitness(
    field: Field, parameter: str, wanted: frozenset[str], nouns: frozenset[str], item: Item
) -> float:
    key = field.path[-1] if field.path else ""
    nested = 0.1 * (len(field.path) - 1)
    names = _stem_words(parameter)
    if key == parameter or _stem_words(key) == names:
        return 1.0 - nested
    around = _stem_words(field.path[-2]) if len(field.path) > 1 else frozenset()
    bare = _stem_words(key) - MEANINGS["id"] | around
    is_id, wants_id = "id" in field.meanings, bool(names & MEANINGS["id"])
    if wanted and wanted == bare and (is_id or wants_id):
        # `thread_id` takes `thread`, and `order` takes `orderId`.
        return 0.9 - nested
    is_own = bool(wanted & nouns) or not wanted
    if not field.path:
        return 0.6 * is_own
    if is_id and not bare:
        # A plain `id` belongs to the thing itself.
        return 0.85 if is_own else 0.5 * wants_id
    if is_id and wants_id and (wanted & bare or not wanted):
        return 0.6 - nested
    is_name = field.path == item.naming and not wants_id and names & (MEANINGS["name"] | nouns)
    return 0.7 * bool(is_name)


def agreeing(items: Sequence[Item], filled: Filled, least: int = 0) -> tuple[Item, ...]:
    """Return the things that are as a call says already: `the Sunday one`, where it is for that day.

    Args:
        items: The things.
        filled: The call.
        least: In how many of its arguments a thing has to be like it.
    """
    said = {
        fit.parameter.path[0]: str(fit.value).casefold()
        for fit in filled.fits
        if len(fit.parameter.path) == 1 and (least or not fit.is_name)
    }

    def agrees(item: Item) -> bool:
        both = [
            str(field.value).casefold() == said[field.path[0]]
            for field in item.fields if len(field.path) == 1 and field.path[0] in said
        ]  # fmt: skip
        return all(both) and len(both) >= least

    return tuple(filter(agrees, items))


def takes_things(tool: ToolWords) -> bool:
    """Whether a tool is for having one of the things that a site offers: `addToBasket`, `bookSlot`."""
    return not tool.reads and bool(tool.verbs & verbs_of(_BUYING))


def is_sold_out(item: Item) -> bool:
    """Whether a thing says of itself that it cannot be had."""
    english = language("en")
    stems = {english.stem(word) for word in _STOCK}
    for field in item.fields:
        if field.words & stems and (field.value is False or field.value == 0):
            return True
        if {"sold", "out"} <= field.words and field.value is True:
            return True
    return False
