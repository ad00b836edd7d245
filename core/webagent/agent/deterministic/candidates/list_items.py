"""The objects of lists that a call takes: where one begins, and what completes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webagent.agent.deterministic.candidates.choices import usual
from webagent.agent.deterministic.candidates.fits import Fit, put
from webagent.agent.deterministic.candidates.parameters import Parameter


def item_of(group: tuple[str, ...], fits: Sequence[Fit]) -> dict[str, Any]:
    """Return an object of a list."""
    item: dict[str, Any] = {}
    for fit in fits:
        put(item, fit.parameter.path[len(group) :], fit.value)
    return item


def is_number_only(fits: Sequence[Fit]) -> bool:
    """Whether a piece goes on from the one before: `row F seats 11, 12 and 13`."""
    return all(fit.parameter.kind in ("number", "id") for fit in fits)


def completed(
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


def is_begun(fits: Sequence[Fit], leaves: Sequence[Parameter], group: tuple[str, ...]) -> bool:
    """Whether an object has a text of its own, and still lacks what it needs."""
    named = any(fit.parameter.kind == "text" and not (fit.poured or fit.is_name) for fit in fits)
    return named and not completed(item_of(group, fits), fits, leaves, group)
