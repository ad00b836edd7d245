"""Fields of things that have come back, as arguments of the next call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.items import MEANINGS, Field, Item, Scalar, stems_of_name
from webagent.schema import check_schema


@dataclass(frozen=True, slots=True)
class Fit:
    """A value of a thing that a parameter takes."""

    value: Any
    path: tuple[str, ...]
    score: float
    """1 for the same name; below 0.4 it is a guess."""


def fit_of(item: Item, parameter: str, schema: Any, *, noun: str = "") -> Fit | None:
    """Return the value of a thing that fits a tool's parameter, if there is one.

    Args:
        item: The thing.
        parameter: The parameter's name, such as `payee_id`.
        schema: Its schema, which the value must fit.
        noun: What the thing is called, such as `payees`.
    """
    wanted = _bare(parameter)
    nouns = stems_of_name(noun)
    best: Fit | None = None
    for field in item.fields:
        if isinstance(field.value, tuple) or field.value is None:
            continue
        score = _fitness(field, parameter, wanted, nouns, item)
        if score > (best.score if best else 0) and _takes(schema, field.value):
            best = Fit(field.value, field.path, score)
    return best


def _bare(name: str) -> frozenset[str]:
    return frozenset(_stem_words(name)) - MEANINGS["id"]


def _stem_words(name: str) -> Iterable[str]:
    english = language("en")
    return (english.stem(word) for word in identifier_words(name))


def _fitness(
    field: Field, parameter: str, wanted: frozenset[str], nouns: frozenset[str], item: Item
) -> float:
    key = field.path[-1] if field.path else ""
    nested = 0.1 * (len(field.path) - 1)
    names = set(_stem_words(parameter))
    if key == parameter or set(_stem_words(key)) == names:
        return 1.0 - nested
    bare = _bare(key) | (
        frozenset(_stem_words(field.path[-2])) if len(field.path) > 1 else frozenset()
    )
    is_id, wants_id = "id" in field.meanings, bool(names & MEANINGS["id"])
    if wanted and wanted == bare and (is_id or wants_id):
        # `thread_id` takes `thread`, and `order` takes `orderId`.
        return 0.9 - nested
    if not field.path:
        return 0.6 if wanted & nouns or not wanted else 0.3
    if is_id and not bare:
        # A plain `id` belongs to the thing itself.
        if wanted & nouns or not wanted:
            return 0.85
        return 0.5 if wants_id else 0.35
    if is_id and wants_id and (wanted & bare or not wanted):
        return 0.6 - nested
    if field.path == item.naming and not wants_id:
        return 0.7 if names & (MEANINGS["name"] | nouns) else 0.3
    return 0.0


def _takes(schema: Any, value: Scalar) -> bool:
    return not check_schema(value, schema) if isinstance(schema, Mapping) else True
