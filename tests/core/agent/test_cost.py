"""The cost of tokens."""

from decimal import Decimal

import pytest

from webagent.agent.cost import Price, TokenCost, cost_at
from webagent.llm.known_models import KNOWN_MODELS


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-4o", "2.50"),
        ("gpt-4o-2024-08-06", "2.50"),
        ("gpt-4o-2024-05-13", "5.00"),
        ("gpt-4o-mini-2024-07-18", "0.15"),
        ("GPT-4o-Mini", "0.15"),
        ("claude-opus-4-5-20251101", "5.00"),
    ],
)
def test_the_longest_beginning_of_the_name_counts(model: str, usd: str) -> None:
    """A million tokens of the prompt cost what the longest known beginning says."""
    assert TokenCost(model).cost(1_000_000, 0) == Decimal(usd)


@pytest.mark.parametrize(
    "model", ["", "llama-3", "gpt-4", "gpt-5.9", "gpt-50", "gpt-4o-audio-preview", "my/gpt-4o"]
)
def test_an_unknown_price_is_unknown(model: str) -> None:
    """A model that is not in the table costs None, never 0; so does one of mixed prices."""
    assert TokenCost(model).cost(1, 1) is None


def test_cached_tokens_are_part_of_the_prompt() -> None:
    """They cost what cached tokens cost, the rest of the prompt and the reply their own."""
    price = Price.of("3", "15", "0.3")
    cost = TokenCost("m-1", {"m": price}).cost(1_000, 100, 400)

    assert cost == Decimal("0.00342")
    assert cost == (600 * Decimal(3) + 400 * Decimal("0.3") + 100 * Decimal(15)) / 1_000_000


def test_more_cached_than_there_are_is_no_refund() -> None:
    """A server that counts wrongly makes nothing cheaper than free of the rest."""
    assert TokenCost("m", {"m": Price.of("1", "1", "0.1")}).cost(10, 0, 50) == Decimal("0.000001")


def test_a_table_of_ones_own() -> None:
    """A site's own table replaces ours; a price without cached tokens takes them as others."""
    own = TokenCost("house-1", {"house": Price.of("2", "4")})

    assert own.cost(500_000, 0, 500_000) == Decimal(1)
    assert TokenCost("gpt-4o", {"house": Price.of("2", "4")}).cost(1, 1) is None


def test_the_table_is_in_order() -> None:
    """Replies cost more than prompts, and cached tokens no more than others."""
    for price in (model.price for model in KNOWN_MODELS.values()):
        assert price is None or 0 < price.cached <= price.prompt < price.completion


def test_one_price_counts_for_every_name() -> None:
    """A server may report its model by another name than the configured one."""
    costs = cost_at(Price.of("2", "4"))

    assert costs("any/thing-1").cost(500_000, 0) == Decimal(1)
    assert costs("any/thing-1").as_of is None
    assert cost_at(None)("gpt-4o").cost(1_000_000, 0) == Decimal("2.50")
