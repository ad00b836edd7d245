"""The model that the options of a page name."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import InvalidOperation
from typing import Any, Protocol, get_args
from urllib.parse import parse_qsl

from webagent.errors import InvalidArguments
from webagent.llm.builtin import BuiltinModel, ModelBridge
from webagent.llm.chat import ChatModel, Offer
from webagent.llm.http import BridgeFetch, FetchBridge
from webagent.llm.known_models import MOST_USD, Price, known_model
from webagent.llm.providers import connect_model, split_model

CONTEXT_TOKENS = 32_000
"""Window of a model that neither the page nor the table gives one."""

_DEFAULT_MODEL = "default"
"""Name of the model if the page does not give one; the server chooses it."""


class PageModelBridge(FetchBridge, ModelBridge, Protocol):
    """The part of the page's script that its models need."""


async def page_model(
    options: Mapping[str, Any] | None, bridge: PageModelBridge
) -> ChatModel | None:
    """Return the model that a page's options name, None without options.

    Args:
        options: `{"provider", "url", "name", "context_tokens", "headers", "settings"}`
            (`ModelOptions` in `run/runs.ts`). `kind` is the older name of `provider`, in which
            `openai` is chat completions. `settings` is the text in `data-llm` that may have
            `context_tokens`.
        bridge: The page's script.

    Raises:
        InvalidArguments: There is no such provider, or a value cannot be used.
        ModelUnavailable: The browser has no model of its own.
    """
    if not options:
        return None
    kind = options.get("kind")
    provider = str(options.get("provider") or ("openai-chat" if kind == "openai" else kind))
    url, name = str(options.get("url") or ""), str(options.get("name") or "")
    context_tokens = _context_tokens(options)
    headers = options.get("headers") or {}
    if provider == "builtin":
        builtin = BuiltinModel(bridge)
        # Browsers allow the download only shortly after the person has pressed something.
        await builtin.prepare()
        return builtin
    try:
        if provider == "module":
            from webagent.llm.module import ModuleModel

            return ModuleModel(bridge, url, name=name, context_tokens=context_tokens)
        if provider == "a2a":
            from webagent.llm.a2a import A2AModel

            return A2AModel(url, BridgeFetch(bridge), headers=headers)
        spelling = f"{provider}:{name or _DEFAULT_MODEL}"
        split_model(spelling)
        if not url:
            raise ValueError(
                "the model has no address - a page has no key for a provider's own one - "
                "write the `url` of your back end"
            )
        return connect_model(
            spelling,
            BridgeFetch(bridge),
            base_url=url,
            headers=headers,
            context_tokens=context_tokens,
        )
    except ValueError as error:
        raise InvalidArguments(str(error), path="model") from error


def page_price(options: Mapping[str, Any] | None) -> Price | None:
    """Return the price that a page's options set for their model, None if they set none.

    Args:
        options: `{"prices": {"prompt", "completion", "cached"}}`: US dollars for a million tokens;
            or the same names in `settings`.

    Raises:
        InvalidArguments: It is not a price.
    """
    options = options or {}
    settings = _settings(options)
    prices = options.get("prices", settings if "prompt" in settings else None)
    if prices is None:
        return None
    try:
        cached = prices.get("cached")
        price = Price.of(
            str(prices["prompt"]),
            str(prices["completion"]),
            None if cached is None else str(cached),
        )
    except (AttributeError, InvalidOperation, KeyError):
        price = None
    if price is None or not all(
        amount.is_finite() and 0 <= amount <= MOST_USD
        for amount in (price.prompt, price.completion, price.cached)
    ):
        raise InvalidArguments(
            "the prices of the model are not amounts",
            path="model.prices",
            help='write US dollars for a million tokens: `{prompt: "0.25", completion: "2.00"}`',
        )
    return price


def page_offer(options: Mapping[str, Any] | None) -> Offer:
    """Return how a page's options let their model use the page's tools; `both` without a word.

    Raises:
        InvalidArguments: It is not a way to use them.
    """
    options = options or {}
    given = options.get("offer") or _settings(options).get("offer") or "both"
    offer = next((each for each in get_args(Offer) if each == given), None)
    if offer is None:
        raise InvalidArguments(
            f"`{str(given)[:100]}` is not a way to use tools",
            path="model.offer",
            help="write `native`, `code` or `both`",
        )
    found: Offer = offer
    return found


def page_window(options: Mapping[str, Any] | None) -> int:
    """Return the longest conversation in tokens that a page's options and the table give their model.

    Raises:
        InvalidArguments: It is not a number of tokens.
    """
    options = options or {}
    known = known_model(str(options.get("name") or "")).context_tokens
    return _context_tokens(options) or known or CONTEXT_TOKENS


def _context_tokens(options: Mapping[str, Any]) -> int | None:
    value = options.get("context_tokens", _settings(options).get("context_tokens"))
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if value is None:
        return None
    if type(value) is int and value > 0:
        return value
    raise InvalidArguments(
        "the model's window is not a number of tokens",
        path="model.context_tokens",
        help="write a whole number above 0",
    )


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of `data-llm`: `context_tokens=64000&prompt=0.20&completion=0.80`."""
    return dict(parse_qsl(str(options.get("settings") or ""), keep_blank_values=True))
