"""The models that pages may use through a server: one, and its fallback."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from importlib.util import find_spec
from typing import Literal, TypedDict
from urllib.parse import quote, urlsplit

from webagent.llm.chat import Offer
from webagent.llm.known_models import KnownModel, Price, known_model
from webagent.llm.providers import PAGE_PROVIDERS, PROVIDERS, Provider, split_model
from webagent_site.config.urls import FALLBACK_PATH, LLM_PATH, is_local
from webagent_site.errors import ConfigError

Role = Literal["model", "fallback"]
"""A fallback is asked when the first model fails."""

Naming = Callable[[Role, str, str], str]
"""Returns how people set a key of a model, with an example to write if that is not empty."""

Option = Callable[[str, str], str]
"""The same of one model."""

_KEY = re.compile(r"[\x21-\x7e]+")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ModelKeys(TypedDict, total=False):
    """The keys of each of the two models."""

    model: str | None
    base_url: str | None
    api_key_env: str | None
    context_tokens: int | None
    prices: Mapping[str, Decimal] | None


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """A model of a provider."""

    provider: Provider | None
    """None for a model that exists only in pages."""
    name: str
    """Provider and model: `anthropic:claude-haiku-4-5`."""
    naming: Naming = field(repr=False, compare=False)
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
    """How the model uses the tools of a page, and so does its fallback."""
    role: Role = "model"
    fallback: LlmConfig | None = None
    """The model that is asked when this one fails; it counts towards the same `max_usd`."""

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
    def models(self) -> tuple[LlmConfig, ...]:
        """It and its fallback."""
        return (self, self.fallback) if self.fallback else (self,)

    @property
    def path(self) -> str:
        """The URL path at which pages reach it."""
        return LLM_PATH if self.role == "model" else FALLBACK_PATH

    @property
    def script_options(self) -> Mapping[str, str]:
        """The options of the page's script that name both models."""
        second = {"llm-fallback": self.fallback.data_llm} if self.fallback else {}
        return {"llm": self.data_llm, **second}

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
        url = self.path if provider == "openai-chat" else f"{provider}+{self.path}"
        return f"{url}#{quote(model, safe='')}{settings}"

    def option(self, key: str, value: str = "") -> str:
        """Return how people set a key of it, perhaps with an example to write."""
        return self.naming(self.role, key, value)

    @property
    def in_clear(self) -> bool:
        """Whether a key would cross a network unencrypted."""
        parts = urlsplit(self.base_url)
        return bool(self.api_key) and parts.scheme == "http" and not is_local(parts.hostname or "")


def provider_of(model: str) -> str:
    """Return the provider that `ollama:qwen3` begins with; empty if it is not a known one."""
    provider = model.partition(":")[0].strip()
    return provider if provider in PROVIDERS or provider in PAGE_PROVIDERS else ""


def configured(
    environment: Mapping[str, str],
    keys: ModelKeys,
    naming: Naming,
    *,
    max_usd: str | None = None,
    offer: Offer | None = None,
    fallback: ModelKeys | None = None,
    need_key: bool = True,
) -> LlmConfig:
    """Return the configuration of a model and of its fallback.

    Args:
        environment: The variables of this process. Keys are read from nowhere else.
        keys: The model; `model` is one of them.
        naming: How people set the keys, for messages.
        max_usd: A decimal number of US dollars, for both models together.
        offer: How both models use the tools of a page.
        fallback: The model that is asked when the first one fails; `model` is one of its keys.
        need_key: Whether the variables of the keys must be set.

    Raises:
        ConfigError: An argument is wrong.
    """
    first = _resolve("model", keys, environment, naming, need_key=need_key)
    second = None
    if fallback is not None:
        second = _resolve("fallback", fallback, environment, naming, need_key=need_key)
        if _target(first) == _target(second):
            raise ConfigError(
                f"`{second.option('model')}` is `{second.name}`, as the first model is - it would "
                "fail together with it - write another model, or leave the fallback out"
            )
    config = replace(first, offer=offer or "both", fallback=second)
    if max_usd is None:
        return config
    limited = [each for each in config.models if each.provider is not None]
    if not limited:
        raise _useless(naming("model", "max_usd", ""), first.name.partition(":")[0])
    for each in limited:
        check_price(each)
    return replace(config, max_usd=_dollars(max_usd, naming))


def check_price(llm: LlmConfig) -> None:
    """Check that the price of a model is known, so that a limit in dollars can be kept.

    Raises:
        ConfigError: It is not.
    """
    if llm.known.price is None:
        raise ConfigError(
            f"the price of `{llm.model}` is not known - a limit in dollars could not be kept - "
            f"set it with `{llm.option('prices')}`, or leave `{llm.naming('model', 'max_usd', '')}` out"
        )


def _target(llm: LlmConfig) -> tuple[str, ...]:
    return (llm.name, llm.base_url, llm.api_key_env)


def _resolve(
    role: Role,
    keys: ModelKeys,
    environment: Mapping[str, str],
    naming: Naming,
    *,
    need_key: bool,
) -> LlmConfig:
    """Return the configuration of one model."""
    written, base_url = keys["model"] or "", keys.get("base_url")
    try:
        # A bare name and an address are chat completions. Bare names may have colons too.
        is_bare = bool(base_url) and not provider_of(written)
        name, model = ("openai-chat", written.strip()) if is_bare else split_model(written)
    except ValueError as error:
        # The first model may be set in several places, and its name shows which it is.
        place = "" if role == "model" else f"`{naming(role, 'model', '')}` names no model: "
        raise ConfigError(f"{place}{error}") from None
    provider = PROVIDERS.get(name)
    prices, context_tokens = keys.get("prices"), keys.get("context_tokens")
    price = None if prices is None else _price(prices)
    variable = keys.get("api_key_env")
    if provider is None:
        for key, value in {"base_url": base_url, "api_key_env": variable}.items():
            if value:
                raise _useless(naming(role, key, ""), name)
        return _page_llm(name, model, context_tokens, price, role, naming)
    if find_spec("httpx") is None:
        raise ConfigError(
            "models are called with httpx, which is not installed - "
            'run `pip install "webagent-core[http]"`'
        )
    variable = variable or ("" if base_url else provider.api_key_env)
    option = partial(naming, role)
    return LlmConfig(
        provider,
        f"{name}:{model}",
        naming,
        base_url=_normal_url(base_url or provider.base_url, option),
        api_key=_key(variable, environment, option, needed=need_key) if variable else "",
        api_key_env=variable,
        context_tokens=context_tokens,
        price=price,
        role=role,
    )


def _page_llm(
    provider: str,
    model: str,
    context_tokens: int | None,
    price: Price | None,
    role: Role,
    naming: Naming,
) -> LlmConfig:
    """Return the configuration of a model that runs in the page."""
    if provider == "module" and not _MODULE.fullmatch(model):
        raise ConfigError(
            f"`{model[:100]}` is not the path of a module - pages load it from their own site - "
            "write `module:/models/own.js`"
        )
    name = f"{provider}:{model}" if model else provider
    return LlmConfig(None, name, naming, context_tokens=context_tokens, price=price, role=role)


def _useless(option: str, provider: str) -> ConfigError:
    return ConfigError(
        f"`{option}` is given for `{provider}` - that model runs in the page and needs "
        "neither address nor key, and no limit can be kept - leave it out"
    )


_MODULE = re.compile(r"/(?!/)[!$%'()*+,./0-9:;=@A-Z_a-z~-]*")
"""A path on the site, in the characters of a URL."""


def _normal_url(text: str, option: Option) -> str:
    try:
        parts = urlsplit(text.strip())
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, valid = urlsplit(""), False
    if parts.username or parts.password or parts.query:
        # The URL itself is not repeated: it may hold a secret.
        raise ConfigError(
            f"`{option('base_url', '')}` holds a user, a password or a query - URLs are shown, keys "
            f"are not - put the key into a variable and write `{option('api_key_env', 'NAME')}`"
        )
    if not valid or parts.fragment:
        raise ConfigError(
            f"`{text}` is not the URL of a model's API - it is called over HTTP - "
            f"write `{option('base_url', 'https://api.openai.com/v1')}`"
        )
    return text.strip().rstrip("/").removesuffix("/chat/completions")


def _key(name: str, environment: Mapping[str, str], option: Option, *, needed: bool) -> str:
    if not _NAME.fullmatch(name):
        # Somebody may have pasted the key itself: it is not repeated.
        raise ConfigError(
            f"`{option('api_key_env', '')}` is not the name of a variable - it names the variable that "
            "has the key, and is not the key itself - "
            f"write `{option('api_key_env', 'OPENAI_API_KEY')}`"
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


def _dollars(text: str, naming: Naming) -> Decimal:
    try:
        dollars = Decimal(text.strip())
    except InvalidOperation:
        dollars = Decimal(-1)
    if not dollars.is_finite() or dollars <= 0:
        raise ConfigError(
            f"`{text}` is not a limit - a limit is a number of US dollars above 0 - "
            f"write `{naming('model', 'max_usd', '2')}`"
        )
    return dollars


def _price(prices: Mapping[str, Decimal]) -> Price:
    prompt = prices["prompt"]
    return Price(prompt, prices["completion"], prices.get("cached", prompt))
