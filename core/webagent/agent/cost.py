"""The cost of tokens, by the table of known models or by a site's own prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from webagent.llm.known_models import AS_OF, Price, known_model, longest_beginning

__all__ = ["AS_OF", "Price", "TokenCost", "cost_at"]

_MILLION = Decimal(1_000_000)


class TokenCost:
    """The cost of the tokens of one model."""

    def __init__(self, model: str, prices: Mapping[str, Price | None] | None = None) -> None:
        """Look a model up.

        Args:
            model: Its name. The longest key that it begins with counts.
            prices: Prices by the beginning of names; by default those of `KNOWN_MODELS`.
        """
        if prices is None:
            self._price = known_model(model).price
        else:
            self._price = prices.get(longest_beginning(model, prices))
        self.as_of = AS_OF if prices is None else None
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


def cost_at(price: Price | None) -> Callable[[str], TokenCost]:
    """Return the costs of models by their names: all at one price, or by the table if it is None."""
    return TokenCost if price is None else lambda model: TokenCost(model, {model: price})
