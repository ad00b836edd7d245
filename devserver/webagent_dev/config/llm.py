"""The model that pages may use through the server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from importlib.util import find_spec
from urllib.parse import quote, urlsplit

from webagent.llm import ChatModel, HttpxFetch, OpenAIModel
from webagent_dev.config.urls import LLM_PATH, is_local
from webagent_dev.errors import ConfigError

_KEY = re.compile(r"[\x21-\x7e]+")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """A model behind an OpenAI-compatible API."""

    base_url: str
    """Where the API begins, without `/` at its end: `https://api.openai.com/v1`."""
    model: str
    api_key: str = field(default="", repr=False)
    """Empty for servers that need no key."""
    api_key_env: str = ""
    """Name of the environment variable that has the key."""
    max_usd: Decimal | None = None
    """The most that all pages together may spend while the server runs; None for no limit."""

    @property
    def data_llm(self) -> str:
        """The value of `data-llm` with which pages use this model through the server."""
        return f"{LLM_PATH}#{quote(self.model, safe='')}"

    @property
    def in_clear(self) -> bool:
        """Whether a key would cross a network unencrypted."""
        parts = urlsplit(self.base_url)
        return bool(self.api_key) and parts.scheme == "http" and not is_local(parts.hostname or "")


def resolve_llm(
    environment: Mapping[str, str],
    *,
    base_url: str | None = None,
    model: str | None = None,
    api_key_env: str | None = None,
    max_usd: str | None = None,
) -> LlmConfig | None:
    """Return the configuration of a model, None if no model is named.

    Args:
        environment: The variables of this process.
        base_url: Where its API begins.
        model: The name of the model there.
        api_key_env: The variable that holds the key; keys are read from nowhere else.
        max_usd: A decimal number of US dollars.

    Raises:
        ConfigError: An argument is missing or wrong.
    """
    if not base_url and not model:
        options = {"--llm-api-key-env": api_key_env, "--llm-max-usd": max_usd}
        for option, value in options.items():
            if value:
                raise ConfigError(
                    f"`{option}` is given without a model - it belongs to a model - "
                    "write `--llm-base-url https://… --llm-model …` too"
                )
        return None
    if not base_url or not model:
        missing = "--llm-model NAME" if base_url else "--llm-base-url https://…/v1"
        raise ConfigError(
            f"a model needs a URL and a name - one is missing - write `{missing}` too"
        )
    if find_spec("httpx") is None:
        raise ConfigError(
            "models are called with httpx, which is not installed - "
            'run `pip install "webagent-core[http]"`'
        )
    config = LlmConfig(
        base_url=_normal_url(base_url),
        model=model.strip(),
        api_key=_key(api_key_env, environment) if api_key_env else "",
        api_key_env=api_key_env or "",
        max_usd=None if max_usd is None else _dollars(max_usd),
    )
    if config.max_usd is not None:
        _need_price(config.model)
    return config


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


def _key(name: str, environment: Mapping[str, str]) -> str:
    if not _NAME.fullmatch(name):
        # Somebody may have pasted the key itself: it is not repeated.
        raise ConfigError(
            "`--llm-api-key-env` is not the name of a variable - it names the variable that has the key, "
            "and is not the key itself - write `--llm-api-key-env OPENAI_API_KEY`"
        )
    key = environment.get(name, "").strip()
    if not key:
        raise ConfigError(
            f"`{name}` is not set - it must have the key of the model - "
            f"write `export {name}=…` before the command"
        )
    if not _KEY.fullmatch(key):
        raise ConfigError(
            f"`{name}` does not hold a key - keys are letters, digits and signs without spaces - "
            "copy the whole key, and nothing else"
        )
    return key


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


def _need_price(model: str) -> None:
    """Refuse a limit for a model whose price is not known."""
    from webagent.agent.cost import TokenCost

    if TokenCost(model).cost(1, 1) is None:
        raise ConfigError(
            f"the price of `{model}` is not known - a limit in dollars could not be kept - "
            "leave `--llm-max-usd` out, and set a limit where the key comes from"
        )


@asynccontextmanager
async def model_of(llm: LlmConfig | None) -> AsyncIterator[ChatModel | None]:
    """Yield the model of a configuration, None without one."""
    if llm is None:
        yield None
        return
    async with HttpxFetch() as fetch:
        yield OpenAIModel(llm.base_url, llm.model, fetch, api_key=llm.api_key or None)
