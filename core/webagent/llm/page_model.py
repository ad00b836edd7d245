"""The model that the options of a page name, and its fallback."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import InvalidOperation
from typing import Any, Protocol, get_args
from urllib.parse import parse_qsl

from webagent.errors import InvalidArguments
from webagent.llm.builtin import BuiltinModel, ModelBridge
from webagent.llm.chat import ChatModel, Offer
from webagent.llm.errors import ModelError
from webagent.llm.http import BridgeFetch, FetchBridge
from webagent.llm.known_models import MOST_USD, Price, known_model
from webagent.llm.providers import connect_model, split_model

CONTEXT_TOKENS = 32_000
"""Window of a model that neither the page nor the table gives one."""

_DEFAULT_MODEL = "default"
"""Name of the model if the page does not give one; the server chooses it."""

_FALLBACK = "model.fallback"
"""Where the options of the fallback are in the arguments of a run."""


class PageModelBridge(FetchBridge, ModelBridge, Protocol):
    """The part of the page's script that its models need."""


async def page_models(
    options: Mapping[str, Any] | None, bridge: PageModelBridge
) -> tuple[ChatModel | None, ChatModel | None]:
    """Return the model that a page's options name and its fallback, None for each that is not named.

    The browser's own model is downloaded if it is the first of the two.

    Args:
        options: `{"provider", "url", "name", "context_tokens", "headers", "settings", "fallback"}`
            (`ModelOptions` in `run/runs.ts`). `kind` is the older name of `provider`, in which
            `openai` is chat completions. `settings` is the text in `data-llm` that may have
            `context_tokens`. `fallback` has the same keys.
        bridge: The page's script.

    Raises:
        InvalidArguments: There is no such provider, or a value cannot be used.
        ModelUnavailable: The browser has no model of its own, and there is no fallback.
    """
    model = _model(options, bridge, "model")
    fallback = _model(_fallback(options), bridge, _FALLBACK)
    if isinstance(model, BuiltinModel):
        # Browsers allow the download only shortly after the person has pressed something.
        try:
            await model.prepare()
        except ModelError:
            if fallback is None:
                raise
            # The first request fails likewise, and then the fallback is asked.
    return model, fallback


def _model(
    options: Mapping[str, Any] | None, bridge: PageModelBridge, path: str
) -> ChatModel | None:
    """Return the model that options name, None without options.

    Args:
        options: Those of `page_models`.
        bridge: The page's script.
        path: Where they are in the arguments of the run.
    """
    if not options:
        return None
    kind = options.get("kind")
    provider = str(options.get("provider") or ("openai-chat" if kind == "openai" else kind))
    url, name = str(options.get("url") or ""), str(options.get("name") or "")
    context_tokens = _context_tokens(options, path)
    headers = options.get("headers") or {}
    if provider == "builtin":
        return BuiltinModel(bridge)
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
        raise InvalidArguments(str(error), path=path) from error


def _fallback(options: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the options of the fallback, None without one."""
    fallback = (options or {}).get("fallback")
    if fallback is None or isinstance(fallback, Mapping):
        return fallback
    raise InvalidArguments(
        "the fallback of the model is not a model",
        path=_FALLBACK,
        help='write an object, as for the model: `{provider: "openai", url: "/llm/v1"}`',
    )


def page_prices(options: Mapping[str, Any] | None) -> tuple[Price | None, Price | None]:
    """Return the prices that a page's options set for their model and its fallback, None if they set none.

    Args:
        options: `{"prices": {"prompt", "completion", "cached"}}`: US dollars for a million tokens;
            or the same names in `settings`. `fallback` has the same keys.

    Raises:
        InvalidArguments: It is not a price.
    """
    return _price(options or {}, "model"), _price(_fallback(options) or {}, _FALLBACK)


def _price(options: Mapping[str, Any], path: str) -> Price | None:
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
            path=f"{path}.prices",
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

    It fits into the window of the fallback too.

    Raises:
        InvalidArguments: It is not a number of tokens.
    """
    window = _window(options or {}, "model")
    fallback = _fallback(options)
    return min(window, _window(fallback, _FALLBACK)) if fallback else window


def _window(options: Mapping[str, Any], path: str) -> int:
    known = known_model(str(options.get("name") or "")).context_tokens
    return _context_tokens(options, path) or known or CONTEXT_TOKENS


def _context_tokens(options: Mapping[str, Any], path: str) -> int | None:
    value = options.get("context_tokens", _settings(options).get("context_tokens"))
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if value is None:
        return None
    if type(value) is int and value > 0:
        return value
    raise InvalidArguments(
        "the model's window is not a number of tokens",
        path=f"{path}.context_tokens",
        help="write a whole number above 0",
    )


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of `data-llm`: `context_tokens=64000&prompt=0.20&completion=0.80`."""
    return dict(parse_qsl(str(options.get("settings") or ""), keep_blank_values=True))
