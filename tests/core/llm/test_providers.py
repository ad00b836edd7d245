"""From `provider:model` to a client, and the options of a page."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from webagent import llm
from webagent.errors import InvalidArguments
from webagent.llm import (
    Message,
    ModuleModel,
    Role,
    ScriptedAnswer,
    ScriptedFetch,
    ToolDefinition,
    connect_model,
)
from webagent.llm.errors import ModelError
from webagent.llm.known_models import KNOWN_MODELS, Price, known_model
from webagent.llm.page_model import page_models, page_offer, page_prices, page_window
from webagent.llm.providers import PROVIDERS, split_model


@pytest.mark.parametrize(
    ("spelling", "names"),
    [
        ("openai:gpt-5-mini", ("openai", "gpt-5-mini")),
        (" ollama : llama3.2:3b ", ("ollama", "llama3.2:3b")),
        (
            "openrouter:anthropic/claude-haiku-4.5:free",
            ("openrouter", "anthropic/claude-haiku-4.5:free"),
        ),
        ("module:/models/own.js", ("module", "/models/own.js")),
        ("builtin", ("builtin", "")),
    ],
)
def test_the_first_colon_ends_the_provider(spelling: str, names: tuple[str, str]) -> None:
    """Names of models have colons and slashes."""
    assert split_model(spelling) == names


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("antropic:claude-haiku-4-5", "write `anthropic:claude-haiku-4-5`"),
        ("OpenAI:gpt-5-mini", "write `openai:gpt-5-mini`"),
        ("xyz:model", "write one of openai, openai-chat, anthropic"),
        ("gpt-5-mini", "`gpt-5-mini` has no provider"),
        ("gpt-5-mini", "write `openai:gpt-5-mini`"),
        ("claude-haiku-4-5", "write `anthropic:claude-haiku-4-5`"),
        ("house-small", "write one of openai, openai-chat, anthropic"),
        ("gemini:", "`gemini:` names no model"),
        ("gemini", "`gemini` names no model"),
        ("builtin:nano", "write `builtin`"),
        ("", "`` has no provider"),
        (":", "`` is not a provider of models"),
    ],
)
def test_a_wrong_name_leads_to_the_right_one(spelling: str, words: str) -> None:
    """The nearest provider, or all of them."""
    with pytest.raises(ValueError, match=" - ") as refused:
        split_model(spelling)
    assert words in str(refused.value)


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda provider: provider.name)
async def test_each_provider_gets_its_path_and_its_key(provider: Any) -> None:
    """The request goes to the provider's own address, with the key in its own header."""
    fetch = ScriptedFetch(ScriptedAnswer('{"error": {"message": "no"}}', 400))
    model = connect_model(f"{provider.name}:some-model", fetch, api_key="sk-test-0123456789")
    with pytest.raises(ModelError):
        await model.reply([Message(Role.USER, "hello")], [])

    (request,) = fetch.requests
    path = {
        "chat": "/chat/completions",
        "responses": "/responses",
        "messages": "/messages",
        "gemini": "/models/some-model:streamGenerateContent?alt=sse",
        "ollama": "/chat",
    }[provider.protocol]
    assert request.url == f"{provider.base_url}{path}"
    ((name, value),) = provider.key_header("sk-test-0123456789").items()
    assert request.headers[name] == value
    assert provider.key_header("") == {}


@pytest.mark.parametrize(
    ("model", "base_url", "strict"),
    [
        ("openai-chat:gpt-4o", None, True),
        ("openai-chat:gpt-4o", "https://models.example/v1", False),
        ("groq:gpt-4o", None, False),
    ],
)
async def test_only_openai_gets_the_fields_that_it_alone_has(
    model: str, base_url: str | None, strict: bool
) -> None:
    """Other servers may refuse a request with them."""
    fetch = ScriptedFetch(ScriptedAnswer("{}", 400))
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    connected = connect_model(model, fetch, base_url=base_url)
    with pytest.raises(ModelError):
        await connected.reply([Message(Role.USER, "hi")], [ToolDefinition("t", "d", schema)])

    assert ('"strict": true' in fetch.requests[0].body.decode()) is strict


def test_the_window_is_that_of_the_table_unless_it_is_given() -> None:
    """An unknown model has the window of its client."""
    fetch = ScriptedFetch()

    assert connect_model("anthropic:claude-haiku-4-5", fetch).context_tokens == 200_000
    assert connect_model("openai:gpt-5-mini", fetch, context_tokens=9_000).context_tokens == 9_000
    assert connect_model("openai-chat:unheard-of", fetch).context_tokens == 32_000
    with pytest.raises(ValueError, match="exists only in a page"):
        connect_model("builtin", fetch)


def test_the_table_is_in_order() -> None:
    """Names are written as they are looked up, and windows are plausible."""
    for name, known in KNOWN_MODELS.items():
        assert name == name.lower()
        assert known_model(name) is known
        assert known.context_tokens is None or 8_000 <= known.context_tokens <= 10_000_000


class Bridge:
    """A page that is not asked for anything."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"`{name}` was called")


@pytest.mark.parametrize(
    ("options", "kind", "name"),
    [
        ({"kind": "openai", "url": "/v1", "name": "m"}, "OpenAIModel", "m"),
        ({"provider": "openai-chat", "url": "/v1"}, "OpenAIModel", "default"),
        ({"provider": "openai", "url": "/v1", "name": "m"}, "ResponsesModel", "m"),
        ({"provider": "anthropic", "url": "/v1", "name": "m"}, "AnthropicModel", "m"),
        ({"provider": "gemini", "url": "/v1", "name": "m"}, "GeminiModel", "m"),
        ({"provider": "ollama", "url": "/v1", "name": "a:b"}, "OllamaModel", "a:b"),
        ({"provider": "a2a", "url": "/v1"}, "A2AModel", None),
        ({"provider": "module", "url": "/own.js"}, "ModuleModel", "module"),
    ],
)
async def test_a_page_names_its_model(options: dict[str, Any], kind: str, name: str | None) -> None:
    """By the provider, or by the older names of some."""
    model, fallback = await page_models(options, Bridge())

    assert type(model) is getattr(llm, kind)
    assert name is None or model.name == name
    assert fallback is None
    assert await page_models(None, Bridge()) == (None, None)


async def test_a_page_names_a_fallback() -> None:
    """It has an address, a window and a price of its own; a prompt fits into both windows."""
    second = {
        "provider": "anthropic",
        "url": "/v2",
        "name": "n",
        "settings": "context_tokens=5000&prompt=1&completion=2",
    }
    options = {"provider": "openai", "url": "/v1", "name": "gpt-4o", "fallback": second}

    model, fallback = await page_models(options, Bridge())

    assert isinstance(model, llm.ResponsesModel)
    assert isinstance(fallback, llm.AnthropicModel)
    assert (fallback.name, fallback.context_tokens) == ("n", 5_000)
    assert page_prices(options) == (None, Price.of("1", "2"))
    assert page_window(options) == 5_000
    assert page_window({**options, "settings": "context_tokens=4000"}) == 4_000


class Browser:
    """A page whose browser has no model of its own."""

    requests = 0

    def model_start(self, number: int, request: str) -> None:
        self.requests += 1

    async def model_read(self, number: int) -> str:
        return '{"type": "error", "name": "NotSupportedError", "message": "absent"}'

    def model_close(self, number: int) -> None:
        pass


async def test_a_missing_model_of_the_browser_has_a_fallback() -> None:
    """Alone it keeps the run from starting."""
    builtin, bridge = {"provider": "builtin"}, Browser()
    with pytest.raises(llm.ModelUnavailable):
        await page_models(builtin, bridge)

    model, fallback = await page_models(
        {**builtin, "fallback": {"provider": "openai", "url": "/v1"}}, bridge
    )

    assert isinstance(model, llm.BuiltinModel)
    assert isinstance(fallback, llm.ResponsesModel)
    with pytest.raises(llm.ModelUnavailable):
        await model.reply([llm.Message(llm.Role.USER, "hello")], [])


async def test_a_fallback_is_not_downloaded() -> None:
    """A run that never needs it does not wait for it."""
    bridge = Browser()
    options = {"provider": "openai", "url": "/v1", "fallback": {"provider": "builtin"}}

    _, fallback = await page_models(options, bridge)

    assert isinstance(fallback, llm.BuiltinModel)
    assert bridge.requests == 0


async def test_a_window_of_the_page_counts() -> None:
    """It replaces that of the table and of the client."""
    for provider, window in product(
        ("openai-chat", "module"),
        ({"context_tokens": 5_000}, {"settings": "context_tokens=5000&prompt=1&completion=2"}),
    ):
        options = {"provider": provider, "url": "/own.js", "name": "gpt-4o", **window}
        assert page_window(options) == 5_000
        model, _ = await page_models(options, Bridge())
        assert model is not None
        assert model.context_tokens == 5_000
    assert ModuleModel(Bridge(), "/own.js").context_tokens == 8_000
    assert page_window(None) == page_window({"provider": "openai-chat"}) == 32_000
    assert page_window({"provider": "openai-chat", "name": "gpt-4o"}) == 128_000


@pytest.mark.parametrize(
    "options",
    [
        {"provider": "oracle"},
        {"kind": 5},
        {"provider": "openai", "url": ""},
        {"provider": "module", "url": ""},
        {"provider": "openai", "url": "/v1", "context_tokens": "many"},
        {"provider": "openai", "url": "/v1", "context_tokens": -1},
        {"provider": "openai", "url": "/v1", "context_tokens": True},
        {"provider": "openai", "url": "/v1", "settings": "context_tokens="},
        {"provider": "openai", "url": "/v1", "settings": "context_tokens=9999999999999"},
        {"provider": "openai", "url": "/v1", "settings": "context_tokens=-5"},
        {"provider": "openai", "url": "/v1", "headers": {"x y": "z"}},
    ],
    ids=str,
)
async def test_wrong_options_of_a_page_are_refused(options: dict[str, Any]) -> None:
    """The error names the option."""
    with pytest.raises(InvalidArguments) as refused:
        await page_models(options, Bridge())
    assert (refused.value.path or "").startswith("model")
    first = {"provider": "openai", "url": "/v1"}
    with pytest.raises(InvalidArguments) as refused:
        await page_models({**first, "fallback": options}, Bridge())
    assert (refused.value.path or "").startswith("model.fallback")


@pytest.mark.parametrize("fallback", [True, 5, "builtin", ["builtin"]])
async def test_a_fallback_of_another_type_is_refused(fallback: Any) -> None:
    """By every function that reads the options."""
    options = {"provider": "openai", "url": "/v1", "fallback": fallback}
    with pytest.raises(InvalidArguments, match="is not a model"):
        await page_models(options, Bridge())
    for read in (page_prices, page_window):
        with pytest.raises(InvalidArguments, match="is not a model"):
            read(options)


def test_a_page_may_set_the_prices() -> None:
    """They are decimal numbers, written as text or as numbers."""
    price, _ = page_prices({"prices": {"prompt": "0.20", "completion": 1}})

    assert price is not None
    assert (price.prompt, price.completion, price.cached) == (
        Decimal("0.20"),
        Decimal(1),
        Decimal("0.20"),
    )
    same = page_prices({"settings": "context_tokens=5&prompt=0.20&completion=1&cached=0.20"})
    assert same == (price, None)
    assert page_prices({}) == page_prices({"settings": "context_tokens=5"}) == (None, None)
    for wrong in (
        "free",
        {},
        {"prompt": "a", "completion": "1"},
        {"prompt": "-1", "completion": 1},
        {"prompt": "1e9", "completion": 1},
        {"prompt": "nan", "completion": 1},
    ):
        with pytest.raises(InvalidArguments, match="not amounts"):
            page_prices({"prices": wrong})
        with pytest.raises(InvalidArguments, match="not amounts"):
            page_prices({"fallback": {"prices": wrong}})


def test_a_page_says_how_its_model_uses_tools() -> None:
    """By an option, or by the text of `data-llm`."""
    assert page_offer(None) == page_offer({"settings": "context_tokens=5"}) == "both"
    assert page_offer({"offer": "native"}) == "native"
    assert page_offer({"settings": "offer=code&prompt=1"}) == "code"
    for wrong in ("all", 5, ["code"]):
        with pytest.raises(InvalidArguments, match="is not a way to use tools"):
            page_offer({"offer": wrong})
