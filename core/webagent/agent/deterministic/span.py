"""A piece of a text that has a type: a number, a day, an email address, quoted words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

SpanKind = Literal[
    "number", "money", "percent", "date", "dates", "time", "times", "duration", "email", "url",
    "phone", "id", "quoted", "ordinal", "secret",
]  # fmt: skip
"""`dates` and `times` are two at once: a first and a last."""


@dataclass(frozen=True, slots=True)
class Span:
    """A typed piece of a text."""

    kind: SpanKind
    first: int
    """Index of its first word."""
    end: int
    """Index of the word behind its last."""
    value: Any
    """A date as `YYYY-MM-DD`, a time as `HH:MM`, two of them as a pair, a number as a number."""
    text: str
    """As it stands in the text."""
    unit: str = ""
    """Of a number or a duration, as the thesaurus of units calls it; of money its currency."""
    bound: Literal["", "max", "min"] = ""
    """Whether it is the most or the least that is wanted: `under 20`."""
    part: str = ""
    """Part of the day that goes with it: `morning`."""
