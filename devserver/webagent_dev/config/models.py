"""The models of options and of `webagent.toml`, and as options of a driver."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from webagent.llm import ChatModel, HttpxFetch, connect_model
from webagent.llm.chat import Offer
from webagent_site.config.llm import LlmConfig, ModelKeys, Role, configured
from webagent_site.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from webagent.agent.broker import Cost

_OPTIONS = frozenset(("model", "base_url", "api_key_env", "max_usd"))
"""The keys of the table `[llm]` that are options of commands, too."""


def table_of(role: Role) -> str:
    """Return the table of `webagent.toml` that has a model."""
    return "llm" if role == "model" else "llm.fallback"


def option_name(role: Role, key: str, value: str = "") -> str:
    """Return how people set a key: by an option for the model, in the file for its fallback.

    Args:
        role: Of the model.
        key: The key of its table.
        value: An example to write.
    """
    if role == "model" and key in _OPTIONS:
        return f"--llm-{key.replace('_', '-')} {value}".rstrip()
    return f"[{table_of(role)}] {key}" + (f' = "{value}"' if value else "")


def resolve_llm(
    environment: Mapping[str, str],
    *,
    model: str | None = None,
    base_url: str | None = None,
    api_key_env: str | None = None,
    max_usd: str | None = None,
    context_tokens: int | None = None,
    prices: Mapping[str, Decimal] | None = None,
    offer: Offer | None = None,
    fallback: ModelKeys | None = None,
    need_key: bool = True,
) -> LlmConfig | None:
    """Return the configuration of a model and of its fallback, None if no model is named.

    Args:
        environment: The variables of this process.
        model: `provider:model`; with a `base_url` also the name of a model alone, behind an API for
            chat completions.
        base_url: Where its API begins; by default the provider's own address.
        api_key_env: The variable that holds the key; by default the provider's usual one, for the
            provider's own address. Keys are read from nowhere else.
        max_usd: A decimal number of US dollars, for both models together.
        context_tokens: The longest conversation, the reply included.
        prices: US dollars for a million tokens: `prompt`, `completion`, and perhaps `cached`.
        offer: How both models use the tools of a page.
        fallback: The model that is asked when the first one fails.
        need_key: Whether the variables of the keys must be set.

    Raises:
        ConfigError: An argument is missing or wrong.
    """
    if not base_url and not model:
        others = {
            "api_key_env": api_key_env,
            "max_usd": max_usd,
            "context_tokens": context_tokens,
            "prices": prices,
            "offer": offer,
        }
        for key, value in others.items():
            if value:
                raise ConfigError(
                    f"`{option_name('model', key)}` is given without a model - it belongs to a model - "
                    "write `--llm-model provider:model` too"
                )
        if fallback is not None:
            raise ConfigError(
                "`[llm.fallback]` is given without a model - it replaces one that fails - "
                'write `[llm] model = "provider:model"` too'
            )
        return None
    if not model:
        raise ConfigError(
            "a model needs a name - an address alone is given - write `--llm-model NAME` too"
        )
    keys = ModelKeys(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        context_tokens=context_tokens,
        prices=prices,
    )
    if fallback is not None and not fallback.get("model"):
        raise ConfigError(
            "`[llm.fallback]` has no model - it is a second model, which needs a name - "
            f"write `{option_name('fallback', 'model', 'provider:model')}`"
        )
    return configured(
        environment,
        keys,
        option_name,
        max_usd=max_usd,
        offer=offer,
        fallback=fallback,
        need_key=need_key,
    )


class DriverOptions(TypedDict):
    """The options of a `Driver` that a configuration sets."""

    model: ChatModel | None
    fallback: ChatModel | None
    cost: Callable[[str], Cost]
    fallback_cost: Callable[[str], Cost]
    offer: Offer


@asynccontextmanager
async def driver_options(llm: LlmConfig | None) -> AsyncIterator[DriverOptions]:
    """Yield the models of a configuration as options of a `Driver`; without one there is no model.

    A fallback that exists only in pages is left out.

    Raises:
        UsageError: The model exists only in pages.
    """
    from webagent.agent.cost import cost_at

    if llm is None:
        table = cost_at(None)
        yield DriverOptions(
            model=None, fallback=None, cost=table, fallback_cost=table, offer="both"
        )
        return
    if llm.provider is None:
        raise UsageError(
            f"`{llm.name}` exists only in pages - this command asks the model itself - "
            "write `--llm-model provider:model`, or `--planner` to plan without a model"
        )
    second = llm.fallback if llm.fallback and llm.fallback.provider else None
    async with HttpxFetch() as fetch:
        yield DriverOptions(
            model=_connected(llm, fetch),
            fallback=_connected(second, fetch) if second else None,
            cost=cost_at(llm.price),
            fallback_cost=cost_at(second.price if second else None),
            offer=llm.offer,
        )


def _connected(llm: LlmConfig, fetch: HttpxFetch) -> ChatModel:
    return connect_model(
        llm.name,
        fetch,
        base_url=llm.base_url,
        api_key=llm.api_key or None,
        context_tokens=llm.context_tokens,
    )
