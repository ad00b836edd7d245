"""The providers of models, and the way from `provider:model` to a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from webagent import llm
from webagent.llm.chat import ChatModel
from webagent.llm.known_models import known_model

if TYPE_CHECKING:
    from webagent.llm.http import Fetch, Limits

ApiProtocol = Literal["chat", "responses", "messages", "gemini", "ollama"]
"""How a provider is spoken to: by the path of its API, or by its name where the API has no other."""

_CLIENTS: Mapping[ApiProtocol, str] = {
    "chat": "OpenAIModel",
    "responses": "ResponsesModel",
    "messages": "AnthropicModel",
    "gemini": "GeminiModel",
    "ollama": "OllamaModel",
}
"""The class in `webagent.llm` that speaks each protocol; it is imported when it is first used."""

_KEY_HEADERS: Mapping[ApiProtocol, str] = {"messages": "x-api-key", "gemini": "x-goog-api-key"}
"""The header that a key is sent in, where it is not a bearer token."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of models."""

    name: str
    protocol: ApiProtocol
    base_url: str
    """Where its API begins, unless another address is given."""
    api_key_env: str = ""
    """The variable that usually has the key; empty if the provider needs no key."""

    def key_header(self, api_key: str) -> dict[str, str]:
        """Return the header that a key is sent in; nothing without a key."""
        if not api_key:
            return {}
        if name := _KEY_HEADERS.get(self.protocol):
            return {name: api_key}
        return {"authorization": f"Bearer {api_key}"}


_OPENAI = "https://api.openai.com/v1"

PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider("openai", "responses", _OPENAI, "OPENAI_API_KEY"),
        Provider("openai-chat", "chat", _OPENAI, "OPENAI_API_KEY"),
        Provider("anthropic", "messages", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        Provider(
            "gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"
        ),
        Provider("ollama", "ollama", "http://localhost:11434/api"),
        Provider("openrouter", "chat", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        Provider("groq", "chat", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        Provider("deepseek", "chat", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    )
}
"""The providers over HTTP by their names."""

PAGE_PROVIDERS = ("builtin", "module")
"""Providers that exist only in a page: the browser's own model, and a module of the site's own."""


_MAKERS: Mapping[str, str] = {"claude": "anthropic", "gemini": "gemini", "gpt": "openai"}
"""The provider of a model by the beginning of its name, for advice."""


def split_model(spelling: str) -> tuple[str, str]:
    """Return the names of provider and model in `provider:model`.

    The name of a model may have colons too: `ollama:llama3.2:3b`.

    Raises:
        ValueError: It has no such form, or no such provider.
    """
    provider, colon, model = (part.strip() for part in spelling.partition(":"))
    known = [*PROVIDERS, *PAGE_PROVIDERS]
    if provider == "builtin":
        if not model:
            return provider, ""
        raise ValueError(
            "`builtin` has one model, and it has no name here - the browser chooses it - "
            "write `builtin`"
        )
    if provider in known:
        if model:
            return provider, model
        raise ValueError(
            f"`{spelling[:100]}` names no model - a provider has many - "
            f"write `{provider}:` and the name of the model"
        )
    if not colon:
        maker = next((maker for begin, maker in _MAKERS.items() if provider.startswith(begin)), "")
        example = f"write `{maker}:{provider[:100]}`, or" if maker else "write"
        raise ValueError(
            f"`{spelling[:100]}` has no provider - a model is named with the provider that has it - "
            f"{example} one of {', '.join(known)} and a colon before it"
        )
    near = get_close_matches(provider.lower(), known, 1)
    remedy = f"write `{near[0]}:{model}`" if near else f"write one of {', '.join(known)}"
    raise ValueError(f"`{provider[:100]}` is not a provider of models - {remedy}")


def connect_model(
    spelling: str,
    fetch: Fetch,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    context_tokens: int | None = None,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> ChatModel:
    """Return a client for `provider:model`.

    Args:
        spelling: The provider and the model: `anthropic:claude-haiku-4-5`, `ollama:llama3.2:3b`.
        fetch: Sends the requests.
        api_key: Sent as the provider wants it; leave it out in a page, where the server has it.
        base_url: Where the API begins; by default the provider's own address.
        context_tokens: The longest conversation, the reply included; by default that of
            `known_model`, or else of the client.
        headers: Headers of each request.
        params: Fields of each request.
        limits: Time limits of an answer.

    Raises:
        ValueError: There is no such provider, or it exists only in a page.
    """
    name, model = split_model(spelling)
    provider = PROVIDERS.get(name)
    if provider is None:
        raise ValueError(
            f"`{name}` exists only in a page - nothing outside of it can reach that model - "
            "use a provider with a server"
        )
    options: dict[str, Any] = {
        "api_key": api_key,
        "context_tokens": context_tokens or known_model(model).context_tokens,
        "headers": headers,
        "params": params,
        "limits": limits,
    }
    given = {key: value for key, value in options.items() if value is not None}
    address = base_url or provider.base_url
    if provider.protocol == "chat" and address == _OPENAI:
        given["openai_fields"] = True
    client: ChatModel = getattr(llm, _CLIENTS[provider.protocol])(address, model, fetch, **given)
    return client
