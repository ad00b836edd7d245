"""Reads a text: its language, tokens with their places, and typed values."""

from __future__ import annotations

from datetime import datetime

from webagent.agent.deterministic.reading.language import detect
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.agent.deterministic.reading.values import Value, values_of

__all__ = ["Value", "read_values"]


def read_values(text: str, now: datetime) -> list[Value]:
    """Return the typed values of a text, read in its own language."""
    language = detect(text)
    return values_of(text, tokens_of(text, language), language, now)
