"""Choices that compare: how a value is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.tokens import identifier_words

_SIDES: Final[Mapping[str, frozenset[str]]] = {
    "min": frozenset(("above", "over", "more", "greater", "higher", "gt", "gte", "ge", "exceeds", "up", "rises")),
    "max": frozenset(("below", "under", "less", "lower", "lt", "lte", "le", "down", "falls")),
}  # fmt: skip
"""By a bound the words of choices that compare: `drops below 300`."""
_OR_EQUAL: Final = frozenset(("gte", "lte", "ge", "le", "equal", "eq"))
_STRICT: Final = frozenset((
    "than", "over", "above", "under", "below", "beyond", "als", "uber", "unter", "plus", "moins", "mas", "menos", "que",
    ">", "<",
))  # fmt: skip
"""Words of bounds that leave out the bound itself."""
_DENYING: Final = frozenset(("no", "not", "nicht", "pas"))


def comparisons(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return how a value is compared: `gt` for `taller than 20 m`."""
    words = [
        (c.value, frozenset(identifier_words(str(c.value))))
        for c in parameter.choices
        if not c.is_code
    ]
    bounds = (v for v in sentence.values if v.bound and first <= v.first and v.end <= end)
    if (value := next(bounds, None)) is None or len(known := _two_sided(words)) < 2:
        return []
    said = [sentence.tokens[i].key for i in range(value.first, value.core)]
    # `no more than 5` may be 5.
    strict = bool(_STRICT & {*said}) and not _DENYING & {*said[:1]}
    ways = known[value.bound]
    kept = [way for way, own in words if way in ways and bool(own & _OR_EQUAL) != strict] or ways
    cues = frozenset(range(value.first, value.core))
    return [Fit(parameter, kept[0], frozenset(), 1.2, cues)]


def _two_sided(
    choices: Sequence[tuple[Any, frozenset[str]]],
) -> Mapping[str, Sequence[Any]]:
    """Return the choices of each side that have words of it."""
    found = {side: [name for name, words in choices if words & own] for side, own in _SIDES.items()}
    return {side: names for side, names in found.items() if names}
