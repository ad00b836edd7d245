"""Choices that stand for a range of amounts: `short` for `under 4 minutes`, where a description says so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.values import Value, converted

_RANGE: Final = re.compile(
    r"(?:^|[\s(,;:])[\"'`]?(\w[\w-]{0,40})[\"'`]?\s*(?:=|:|\()\s*"
    # Spaces in one place alone: with two, a description of spaces takes the square of its length.
    r"(?:(<=?|>=?|≤|≥|under|below|less than|up to|at most|max\.?|until|over|above|more than|at least|min\.?|from)\s*)?"
    r"(\d+(?:\.\d+)?)(?:\s*(?:-|–|to|and)\s*(\d+(?:\.\d+)?))?\s*(\+|[^\W\d_]+)?",
    re.IGNORECASE,
)
_LEAST: Final = frozenset((">", ">=", "≥", "over", "above", "more", "at least", "min", "from"))
_AMOUNTS: Final = frozenset(("number", "quantity", "duration", "money", "percent"))
_SURE: Final = 1.5
_BESIDE: Final = 1e-6
"""How far beyond a bound lies what it allows, as a share of the bound."""


@dataclass(frozen=True, slots=True)
class _Range:
    """The amounts for which a choice stands."""

    value: Any
    least: float
    most: float
    unit: str


def ranged(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the choice in whose range an amount of a part of a goal lies."""
    ranges = [*_ranges(parameter)]
    if len(ranges) < 2:
        return []
    found = []
    for value in sentence.values:
        if value.first < first or value.end > end or value.negated or value.kind not in _AMOUNTS:
            continue
        inside = [one for one in ranges if _holds(one, value)]
        if inside:
            best = min(inside, key=lambda one: one.most - one.least)
            found.append(
                Fit(parameter, best.value, frozenset(range(value.first, value.end)), _SURE)
            )
    return found


def _ranges(parameter: Parameter) -> Iterator[_Range]:
    known = {str(choice.value).lower(): choice.value for choice in parameter.choices}
    units = language("en").roles["units"]
    for match in _RANGE.finditer(str(parameter.schema.get("description") or "")):
        name, bound, least, most, unit = match.groups()
        if name.lower() not in known or not (bound or most or unit == "+"):
            continue
        at = float(least)
        is_least = unit == "+" or (bound or "").lower().rstrip(".").removesuffix(" than") in _LEAST
        span = (at, float(most)) if most else (at, math.inf) if is_least else (0.0, at)
        yield _Range(known[name.lower()], *span, str(units.get((unit or "").lower(), "")))


def _holds(one: _Range, value: Value) -> bool:
    """Whether an amount is in a range; what is just beyond its bound, if it has one."""
    meant = converted(value, one.unit) if one.unit and value.unit else value.value
    if not isinstance(meant, int | float) or bool(one.unit) != bool(value.unit):
        return False
    if not (one.unit or value.bound):
        # `12 Elm Street` is not between 8 and 12.
        return False
    beyond = {"min": _BESIDE, "max": -_BESIDE}.get(value.bound, 0.0)
    return one.least <= meant * (1 + beyond) <= one.most
