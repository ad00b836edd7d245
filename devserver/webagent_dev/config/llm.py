"""The model that pages may use through the server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from importlib.util import find_spec
from urllib.parse import quote, urlsplit

from webagent.llm import ChatModel, HttpxFetch, connect_model
from webagent.llm.chat import Offer
from webagent.llm.known_models import KnownModel, Price, known_model
from webagent.llm.providers import PAGE_PROVIDERS, PROVIDERS, Provider, split_model
from webagent_dev.config.urls import LLM_PATH, is_local
from webagent_dev.errors import ConfigError, UsageError

MODEL_VARIABLE = "WEBAGENT_LLM_MODEL"
"""The environment variable that names a model: `anthropic:claude-haiku-4-5`."""

_KEY = re.compile(r"[\x21-\x7e]+")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """A model of a provider."""

    provider: Provider | None
    """None for a model that exists only in pages."""
    name: str
    """Provider and model: `anthropic:claude-haiku-4-5`."""
    base_url: str = ""
    """Where the API begins, without `/` at its end: `https://api.openai.com/v1`."""
    api_key: str = field(default="", repr=False)
    """Empty for servers that need no key."""
    api_key_env: str = ""
    """Name of the environment variable that has the key."""
    max_usd: Decimal | None = None
    """The most that all pages together may spend while the server runs; None for no limit."""
    context_tokens: int | None = None
    """The longest conversation, the reply included; None for that of `known_model`."""
    price: Price | None = None
    """The price of the model's tokens; None for that of `known_model`."""

    offer: Offer = "both"
    """How the model uses the tools of a page."""

    @property
    def model(self) -> str:
        """The name of the model at its provider."""
        return self.name.partition(":")[2]

    @property
    def known(self) -> KnownModel:
        """The window and the price that count."""
        table = known_model(self.model)
        return KnownModel(self.context_tokens or table.context_tokens, self.price or table.price)

    @property
    def data_llm(self) -> str:
        """The value of `data-llm` with which pages use this model, over HTTP through the server."""
        provider, _, model = self.name.partition(":")
        settings = ""
        if self.context_tokens:
            settings += f"&context_tokens={self.context_tokens}"
        if self.price:
            amounts = {
                "prompt": self.price.prompt,
                "completion": self.price.completion,
                "cached": self.price.cached,
            }
            settings += "".join(f"&{key}={amount:f}" for key, amount in amounts.items())
        if self.offer != "both":
            settings += f"&offer={self.offer}"
        if provider == "builtin":
            return provider
        if provider == "module":
            return f"module+{model}" + (f"#{settings}" if settings else "")
        path = LLM_PATH if provider == "openai-chat" else f"{provider}+{LLM_PATH}"
        return f"{path}#{quote(model, safe='')}{settings}"

    @property
    def in_clear(self) -> bool:
        """Whether a key would cross a network unencrypted."""
        parts = urlsplit(self.base_url)
        return bool(self.api_key) and parts.scheme == "http" and not is_local(parts.hostname or "")


def provider_of(model: str) -> str:
    """Return the provider that `ollama:qwen3` begins with; empty if it is not a known one."""
    provider = model.partition(":")[0].strip()
    return provider if provider in PROVIDERS or provider in PAGE_PROVIDERS else ""


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
    need_key: bool = True,
) -> LlmConfig | None:
    """Return the configuration of a model, None if no model is named.

    Args:
        environment: The variables of this process.
        model: `provider:model`; with a `base_url` also the name of a model alone, behind an API for
            chat completions.
        base_url: Where its API begins; by default the provider's own address.
        api_key_env: The variable that holds the key; by default the provider's usual one, for the
            provider's own address. Keys are read from nowhere else.
        max_usd: A decimal number of US dollars.
        context_tokens: The longest conversation, the reply included.
        prices: US dollars for a million tokens: `prompt`, `completion`, and perhaps `cached`.
        offer: How the model uses the tools of a page.
        need_key: Whether the variable of the key must be set.

    Raises:
        ConfigError: An argument is missing or wrong.
    """
    if not base_url and not model:
        options = {
            "--llm-api-key-env": api_key_env,
            "--llm-max-usd": max_usd,
            "[llm] context_tokens": context_tokens,
            "[llm] prices": prices,
            "[llm] offer": offer,
        }
        for option, value in options.items():
            if value:
                raise ConfigError(
                    f"`{option}` is given without a model - it belongs to a model - "
                    "write `--llm-model provider:model` too"
                )
        return None
    if not model:
        raise ConfigError(
            "a model needs a name - an address alone is given - write `--llm-model NAME` too"
        )
    try:
        # A bare name and an address are chat completions. Bare names may have colons too.
        is_bare = base_url is not None and not provider_of(model)
        name, model = ("openai-chat", model.strip()) if is_bare else split_model(model)
    except ValueError as error:
        raise ConfigError(f"`--llm-model` names no model: {error}") from None
    price = None if prices is None else _price(prices)
    provider = PROVIDERS.get(name)
    if provider is None:
        page_llm = _page_llm(name, model, base_url, api_key_env, max_usd, context_tokens, price)
        return replace(page_llm, offer=offer or "both")
    if find_spec("httpx") is None:
        raise ConfigError(
            "models are called with httpx, which is not installed - "
            'run `pip install "webagent-core[http]"`'
        )
    variable = api_key_env or ("" if base_url else provider.api_key_env)
    config = LlmConfig(
        provider,
        f"{name}:{model}",
        base_url=_normal_url(base_url or provider.base_url),
        api_key=_key(variable, environment, needed=need_key) if variable else "",
        api_key_env=variable,
        max_usd=None if max_usd is None else _dollars(max_usd),
        context_tokens=context_tokens,
        price=price,
        offer=offer or "both",
    )
    if config.max_usd is not None and config.known.price is None:
        raise ConfigError(
            f"the price of `{config.model}` is not known - a limit in dollars could not be kept - "
            "set it with `[llm] prices`, or leave `--llm-max-usd` out"
        )
    return config


def _page_llm(
    provider: str,
    model: str,
    base_url: str | None,
    api_key_env: str | None,
    max_usd: str | None,
    context_tokens: int | None,
    price: Price | None,
) -> LlmConfig:
    """Return the configuration of a model that runs in the page."""
    useless = {"base-url": base_url, "api-key-env": api_key_env, "max-usd": max_usd}
    for option, value in useless.items():
        if value:
            raise ConfigError(
                f"`--llm-{option}` is given for `{provider}` - that model runs in the page and needs "
                "neither address nor key, and no limit can be kept - leave it out"
            )
    if provider == "module" and not _MODULE.fullmatch(model):
        raise ConfigError(
            f"`{model[:100]}` is not the path of a module - pages load it from their own site - "
            "write `module:/models/own.js`"
        )
    name = f"{provider}:{model}" if model else provider
    return LlmConfig(None, name, context_tokens=context_tokens, price=price)


_MODULE = re.compile(r"/(?!/)[!$%'()*+,./0-9:;=@A-Z_a-z~-]*")
"""A path on the site, in the characters of a URL."""


def _normal_url(text: str) -> str:
    try:
        parts = urlsplit(text.strip())
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, valid = urlsplit(""), False
    if parts.username or parts.password or parts.query:
        # The URL itself is not repeated: it may hold a secret.
        raise ConfigError(
            "`--llm-base-url` holds a user, a password or a query - URLs are shown, keys are "
            "not - put the key into a variable and write `--llm-api-key-env NAME`"
        )
    if not valid or parts.fragment:
        raise ConfigError(
            f"`{text}` is not the URL of a model's API - it is called over HTTP - "
            "write `--llm-base-url https://api.openai.com/v1`"
        )
    return text.strip().rstrip("/").removesuffix("/chat/completions")


def _key(name: str, environment: Mapping[str, str], *, needed: bool) -> str:
    if not _NAME.fullmatch(name):
        # Somebody may have pasted the key itself: it is not repeated.
        raise ConfigError(
            "`--llm-api-key-env` is not the name of a variable - it names the variable that has the key, "
            "and is not the key itself - write `--llm-api-key-env OPENAI_API_KEY`"
        )
    key = environment.get(name, "").strip()
    if not key and not needed:
        return ""
    if not key:
        raise ConfigError(missing_key(name))
    if not _KEY.fullmatch(key):
        raise ConfigError(
            f"`{name}` does not hold a key - keys are letters, digits and signs without spaces - "
            "copy the whole key, and nothing else"
        )
    return key


def missing_key(name: str) -> str:
    """Return what is wrong where the variable of a key is not set."""
    return (
        f"`{name}` is not set - it must have the key of the model - "
        f"write `export {name}=…` before the command"
    )


def _dollars(text: str) -> Decimal:
    try:
        dollars = Decimal(text.strip())
    except InvalidOperation:
        dollars = Decimal(-1)
    if not dollars.is_finite() or dollars <= 0:
        raise ConfigError(
            f"`{text}` is not a limit - a limit is a number of US dollars above 0 - write `--llm-max-usd 2`"
        )
    return dollars


def _price(prices: Mapping[str, Decimal]) -> Price:
    prompt = prices["prompt"]
    return Price(prompt, prices["completion"], prices.get("cached", prompt))


@asynccontextmanager
async def model_of(llm: LlmConfig | None) -> AsyncIterator[ChatModel | None]:
    """Yield the model of a configuration, None without one.

    Raises:
        UsageError: The model exists only in pages.
    """
    if llm is None:
        yield None
        return
    if llm.provider is None:
        raise UsageError(
            f"`{llm.name}` exists only in pages - this command asks the model itself - "
            "write `--llm-model provider:model`, or `--planner` to plan without a model"
        )
    async with HttpxFetch() as fetch:
        yield connect_model(
            llm.name,
            fetch,
            base_url=llm.base_url,
            api_key=llm.api_key or None,
            context_tokens=llm.context_tokens,
        )
