"""Context windows and prices of models: the one table of them.

Both change: `AS_OF` is the month of the table. A site with other or newer numbers sets its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

AS_OF = "2025-11"
"""Month of `KNOWN_MODELS`. The prices are the makers' list prices (OpenAI, Anthropic, Google) for
standard requests. Newer models are missing, so what they cost and hold is unknown."""

MOST_USD = 1_000_000
"""The highest price that a setting may give a million tokens."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    prompt: Decimal
    completion: Decimal
    cached: Decimal
    """For tokens of the prompt that the server has in its cache."""

    @classmethod
    def of(cls, prompt: str, completion: str, cached: str | None = None) -> Price:
        """Return a price from decimal numbers; by default cached tokens cost as much as others."""
        return cls(Decimal(prompt), Decimal(completion), Decimal(cached or prompt))


@dataclass(frozen=True, slots=True)
class KnownModel:
    """The table's entry of a model."""

    context_tokens: int | None = None
    """The longest conversation in tokens, the reply included; None if it is unknown."""
    price: Price | None = None
    """None if it is unknown, or if the tokens of the model have several prices."""


def _model(
    context_tokens: int | None, prompt: str = "", completion: str = "", cached: str | None = None
) -> KnownModel:
    return KnownModel(context_tokens, Price.of(prompt, completion, cached) if prompt else None)


KNOWN_MODELS: Mapping[str, KnownModel] = {
    "claude-3-haiku": _model(200_000, "0.25", "1.25", "0.03"),
    "claude-3-5-haiku": _model(200_000, "0.80", "4.00", "0.08"),
    "claude-3-5-sonnet": _model(200_000, "3.00", "15.00", "0.30"),
    "claude-3-7-sonnet": _model(200_000, "3.00", "15.00", "0.30"),
    "claude-haiku-4-5": _model(200_000, "1.00", "5.00", "0.10"),
    "claude-sonnet-4-0": _model(200_000, "3.00", "15.00", "0.30"),
    "claude-sonnet-4-20250514": _model(200_000, "3.00", "15.00", "0.30"),
    "claude-sonnet-4-5": _model(200_000, "3.00", "15.00", "0.30"),
    "claude-opus-4-0": _model(200_000, "15.00", "75.00", "1.50"),
    "claude-opus-4-1": _model(200_000, "15.00", "75.00", "1.50"),
    "claude-opus-4-20250514": _model(200_000, "15.00", "75.00", "1.50"),
    "claude-opus-4-5": _model(200_000, "5.00", "25.00", "0.50"),
    "gemini-2.5-flash": _model(1_048_576, "0.30", "2.50", "0.03"),
    "gemini-2.5-flash-image": _model(None),
    "gemini-2.5-flash-lite": _model(1_048_576, "0.10", "0.40", "0.01"),
    "gemini-2.5-flash-preview": _model(None),
    "gemini-2.5-pro": _model(1_048_576),
    "gpt-4o": _model(128_000, "2.50", "10.00", "1.25"),
    "gpt-4o-2024-05-13": _model(128_000, "5.00", "15.00"),
    "gpt-4o-audio": _model(None),
    "gpt-4o-mini": _model(128_000, "0.15", "0.60", "0.075"),
    "gpt-4o-mini-audio": _model(None),
    "gpt-4o-mini-realtime": _model(None),
    "gpt-4o-mini-search": _model(None),
    "gpt-4o-mini-transcribe": _model(None),
    "gpt-4o-mini-tts": _model(None),
    "gpt-4o-realtime": _model(None),
    "gpt-4o-search": _model(None),
    "gpt-4o-transcribe": _model(None),
    "gpt-4.1": _model(1_047_576, "2.00", "8.00", "0.50"),
    "gpt-4.1-mini": _model(1_047_576, "0.40", "1.60", "0.10"),
    "gpt-4.1-nano": _model(1_047_576, "0.10", "0.40", "0.025"),
    # The window of these has 400,000 tokens, of which a request may fill 272,000.
    "gpt-5": _model(272_000, "1.25", "10.00", "0.125"),
    "gpt-5-mini": _model(272_000, "0.25", "2.00", "0.025"),
    "gpt-5-nano": _model(272_000, "0.05", "0.40", "0.005"),
    "gpt-5-pro": _model(272_000, "15.00", "120.00"),
    "gpt-5.1": _model(272_000, "1.25", "10.00", "0.125"),
    "gpt-5-chat": _model(128_000, "1.25", "10.00", "0.125"),
    "gpt-5.1-chat": _model(128_000, "1.25", "10.00", "0.125"),
    "gpt-5-search": _model(None),
    "o3": _model(200_000, "2.00", "8.00", "0.50"),
    "o3-deep-research": _model(200_000, "10.00", "40.00", "2.50"),
    "o3-mini": _model(200_000, "1.10", "4.40", "0.55"),
    "o3-pro": _model(200_000, "20.00", "80.00"),
    "o4-mini": _model(200_000, "1.10", "4.40", "0.275"),
    "o4-mini-deep-research": _model(200_000, "2.00", "8.00", "0.50"),
}
"""Models by the beginning of their names."""

_GOES_ON = re.compile(r"[A-Za-z0-9.]")


def known_model(name: str) -> KnownModel:
    """Return the table's entry of a model; an empty one if it is unknown."""
    return KNOWN_MODELS.get(longest_beginning(name, KNOWN_MODELS), KnownModel())


def longest_beginning(name: str, keys: Iterable[str]) -> str:
    """Return the longest key that the name of a model begins with, or an empty text.

    A key must end where a word ends: `gpt-4o-2024-08-06` is `gpt-4o`, but `gpt-5.9` is not `gpt-5`.
    """
    name = name.strip().lower()
    return max((key for key in keys if _begins(name, key.lower())), key=len, default="")


def _begins(name: str, key: str) -> bool:
    return bool(key) and name.startswith(key) and not _GOES_ON.match(name, len(key))
