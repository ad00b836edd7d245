"""The prices of tokens.

Prices change: `AS_OF` is the month of these. A site with other or newer prices passes its own table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

AS_OF = "2025-11"
"""Month of `PRICES`, which are the makers' list prices (OpenAI, Anthropic, Google) for standard
requests. Newer models are missing, so their price is unknown."""

_MILLION = Decimal(1_000_000)


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


PRICES: Mapping[str, Price | None] = {
    "claude-3-haiku": Price.of("0.25", "1.25", "0.03"),
    "claude-3-5-haiku": Price.of("0.80", "4.00", "0.08"),
    "claude-3-5-sonnet": Price.of("3.00", "15.00", "0.30"),
    "claude-3-7-sonnet": Price.of("3.00", "15.00", "0.30"),
    "claude-haiku-4-5": Price.of("1.00", "5.00", "0.10"),
    "claude-sonnet-4-0": Price.of("3.00", "15.00", "0.30"),
    "claude-sonnet-4-20250514": Price.of("3.00", "15.00", "0.30"),
    "claude-sonnet-4-5": Price.of("3.00", "15.00", "0.30"),
    "claude-opus-4-0": Price.of("15.00", "75.00", "1.50"),
    "claude-opus-4-1": Price.of("15.00", "75.00", "1.50"),
    "claude-opus-4-20250514": Price.of("15.00", "75.00", "1.50"),
    "claude-opus-4-5": Price.of("5.00", "25.00", "0.50"),
    "gemini-2.5-flash": Price.of("0.30", "2.50", "0.03"),
    "gemini-2.5-flash-image": None,
    "gemini-2.5-flash-lite": Price.of("0.10", "0.40", "0.01"),
    "gemini-2.5-flash-preview": None,
    "gpt-4o": Price.of("2.50", "10.00", "1.25"),
    "gpt-4o-2024-05-13": Price.of("5.00", "15.00"),
    "gpt-4o-audio": None,
    "gpt-4o-mini": Price.of("0.15", "0.60", "0.075"),
    "gpt-4o-mini-audio": None,
    "gpt-4o-mini-realtime": None,
    "gpt-4o-mini-search": None,
    "gpt-4o-mini-transcribe": None,
    "gpt-4o-mini-tts": None,
    "gpt-4o-realtime": None,
    "gpt-4o-search": None,
    "gpt-4o-transcribe": None,
    "gpt-4.1": Price.of("2.00", "8.00", "0.50"),
    "gpt-4.1-mini": Price.of("0.40", "1.60", "0.10"),
    "gpt-4.1-nano": Price.of("0.10", "0.40", "0.025"),
    "gpt-5": Price.of("1.25", "10.00", "0.125"),
    "gpt-5-mini": Price.of("0.25", "2.00", "0.025"),
    "gpt-5-nano": Price.of("0.05", "0.40", "0.005"),
    "gpt-5-pro": Price.of("15.00", "120.00"),
    "gpt-5-search": None,
    "gpt-5.1": Price.of("1.25", "10.00", "0.125"),
    "o3": Price.of("2.00", "8.00", "0.50"),
    "o3-deep-research": Price.of("10.00", "40.00", "2.50"),
    "o3-mini": Price.of("1.10", "4.40", "0.55"),
    "o3-pro": Price.of("20.00", "80.00"),
    "o4-mini": Price.of("1.10", "4.40", "0.275"),
    "o4-mini-deep-research": Price.of("2.00", "8.00", "0.50"),
}
"""Prices by the beginning of the model's name; None if its tokens have several prices."""

_GOES_ON = re.compile(r"[A-Za-z0-9.]")


class TokenCost:
    """The cost of the tokens of one model."""

    def __init__(self, model: str, prices: Mapping[str, Price | None] = PRICES) -> None:
        """Look a model up.

        Args:
            model: Its name. The longest key of the table that it begins with counts. A key must
                end where a word ends: `gpt-4o-2024-08-06` is `gpt-4o`, but `gpt-5.9` is not
                `gpt-5`.
            prices: Prices by the beginning of names.
        """
        name = model.strip().lower()
        known = (key for key in prices if _begins(name, key.lower()))
        self._price = prices.get(max(known, key=len, default=""))
        self.as_of = AS_OF if prices is PRICES else None
        """Month of the prices; None for those of a table of the caller's."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        """Return the cost in US dollars, or None if the price is unknown.

        Args:
            prompt: Tokens of the conversation, including the cached ones.
            completion: Tokens of the reply.
            cached: Tokens of the conversation that the server has in its cache.
        """
        price = self._price
        if price is None:
            return None
        known = min(max(cached, 0), prompt)
        whole = (prompt - known) * price.prompt + known * price.cached
        return (whole + completion * price.completion) / _MILLION


def _begins(name: str, key: str) -> bool:
    return bool(key) and name.startswith(key) and not _GOES_ON.match(name, len(key))
