"""Read a text at one fixed moment, and write down what was read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.agent.deterministic.reading.values import Value, values_of

NOW = datetime(2027, 3, 3, 10, 0)
"""A Wednesday."""


def read(text: str, code: str = "en") -> list[Value]:
    """Return the values of a text."""
    speech = language(code)
    return values_of(text, tokens_of(text, speech), speech, NOW)


def only(text: str, code: str = "en") -> Value:
    """Return the one value of a text."""
    values = read(text, code)
    assert len(values) == 1, (text, values)
    return values[0]


def shown(values: list[Value]) -> str:
    """Return values as a line: `money 12.5 EUR max per day; date not 2027-03-08`."""
    return "; ".join(_shown(value) for value in values) or "-"


def _shown(value: Value) -> str:
    readings = value.readings or (value.value,)
    parts = [
        value.kind,
        "not" if value.negated else "",
        " or ".join(_text(one) for one in readings),
    ]
    parts += [value.unit, value.bound, f"per {value.rate}" if value.rate else ""]
    if value.readings:
        parts.append("?" if value.value is None else "")
    return " ".join(part for part in parts if part)


def _text(one: Any) -> str:
    return (
        "..".join(one)
        if isinstance(one, tuple)
        else repr(one)
        if isinstance(one, bool)
        else str(one)
    )
