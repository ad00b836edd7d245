"""Which model is asked, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from webagent.llm.known_models import KnownModel, Price
from webagent_dev.config.models import resolve_llm
from webagent_site.config.llm import LlmConfig, ModelKeys
from webagent_site.errors import ConfigError

KEY = "sk-very-secret-0123456789"


ENVIRONMENT = {
    "MY_KEY": f" {KEY}\n",
    "ODD": "a b",
    "EMPTY": " ",
    "OPENAI_API_KEY": KEY,
    "GEMINI_API_KEY": KEY,
}


def resolve(
    url: str | None = "https://api.example.com/v1",
    model: str | None = "gpt-5-mini",
    env: str | None = None,
    usd: str | None = None,
) -> LlmConfig:
    found = resolve_llm(
        ENVIRONMENT,
        base_url=url,
        model=model,
        api_key_env=env,
        max_usd=usd,
    )
    assert found is not None
    return found


def test_without_a_model_there_is_no_configuration() -> None:
    """Without address and name there is none."""
    assert resolve_llm({}) is None


def test_the_key_comes_from_the_variable_that_is_named() -> None:
    """It is taken without the spaces around it, and is not shown."""
    config = resolve(env="MY_KEY", usd="1.50")

    assert (config.api_key, config.max_usd) == (KEY, Decimal("1.50"))
    assert KEY not in repr(config)


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1"),
        (" https://a.example ", "https://a.example"),
    ],
)
def test_urls_are_accepted_as_people_copy_them(given: str, base: str) -> None:
    """A `/` at the end and the path of the call make no difference."""
    assert resolve(given).base_url == base


def test_pages_use_the_model_through_the_server() -> None:
    """`data-llm` has the name of the model behind `#`, as the page reads it."""
    assert resolve(model="org/model#1").data_llm == "/__webagent__/llm/v1#org%2Fmodel%231"


@pytest.mark.parametrize(
    ("model", "base", "variable", "attribute"),
    [
        (
            "openai:gpt-5-mini",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            "openai+/__webagent__/llm/v1#gpt-5-mini",
        ),
        (
            "gemini:gemini-2.5-flash",
            "https://generativelanguage.googleapis.com/v1beta",
            "GEMINI_API_KEY",
            "gemini+/__webagent__/llm/v1#gemini-2.5-flash",
        ),
        (
            "ollama:llama3.2:3b",
            "http://localhost:11434/api",
            "",
            "ollama+/__webagent__/llm/v1#llama3.2%3A3b",
        ),
        ("module:/models/own.js", "", "", "module+/models/own.js"),
        ("builtin", "", "", "builtin"),
    ],
)
def test_a_provider_brings_its_address_and_its_variable(
    model: str, base: str, variable: str, attribute: str
) -> None:
    """One name is enough; the first colon ends the provider."""
    config = resolve(None, model)

    assert (config.name, config.base_url, config.api_key_env) == (model, base, variable)
    assert config.api_key == (KEY if variable else "")
    assert config.data_llm == attribute


def test_a_usual_key_is_sent_to_no_other_address() -> None:
    """An address of one's own gets a key only if its variable is named."""
    assert resolve("https://proxy.example/v1", "openai:gpt-5-mini").api_key == ""
    assert resolve("https://proxy.example/v1", "openai:gpt-5-mini", "MY_KEY").api_key == KEY


@pytest.mark.parametrize("model", ["qwen3", "llama3.2:3b", "openai-chat:qwen3"])
def test_an_address_and_a_bare_name_are_chat_completions(model: str) -> None:
    """Names of models may have colons, too."""
    config = resolve("http://localhost:11434/v1", model)

    assert config.name == f"openai-chat:{model.removeprefix('openai-chat:')}"
    assert config.data_llm.startswith("/__webagent__/llm/v1#")


def test_window_and_prices_are_those_of_the_table_unless_they_are_set() -> None:
    """Set ones reach the page, which counts with them, too; a limit can be kept with them."""
    known = resolve(None, "openai:gpt-5-mini-2025-08-07").known
    assert (known.context_tokens, known.price) == (272_000, Price.of("0.25", "2.00", "0.025"))
    assert resolve(None, "ollama:home-grown").known == KnownModel()
    config = resolve_llm(
        {},
        model="ollama:home-grown",
        max_usd="1",
        context_tokens=64_000,
        prices={"prompt": Decimal("0.2"), "completion": Decimal("1E+1")},
    )
    assert config is not None
    assert config.known == KnownModel(64_000, Price.of("0.2", "10"))
    assert config.data_llm.endswith(
        "#home-grown&context_tokens=64000&prompt=0.2&completion=10&cached=0.2"
    )


@pytest.mark.parametrize("model", ["ollama:qwen3", "module:/own.js"])
def test_how_a_model_uses_tools_goes_to_the_page(model: str) -> None:
    """Unless it is as it likes, which needs no word."""
    found = {
        offer: resolve_llm({}, model=model, offer=offer) for offer in ("native", "code", "both")
    }

    assert [c.data_llm.partition("#")[2].partition("&")[2] for c in found.values() if c] == [
        "offer=native", "offer=code", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("url", "key", "said"),
    [
        ("http://192.168.0.7/v1", "MY_KEY", True),
        ("http://127.0.0.1/v1", "MY_KEY", False),
        ("http://models.localhost/v1", "MY_KEY", False),
        ("http://192.168.0.7/v1", None, False),
        ("https://a.example/v1", "MY_KEY", False),
    ],
)
def test_an_unencrypted_key_is_detected(url: str, key: str | None, said: bool) -> None:
    """A key that leaves the machine over http."""
    assert resolve(url, env=key).in_clear is said


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"url": None}, "`gpt-5-mini` has no provider"),
        ({"url": None, "model": "olama:qwen3"}, "write `ollama:qwen3`"),
        ({"url": None, "model": "ollama:"}, "`ollama:` names no model"),
        ({"url": None, "model": "oracle-of-delphi:1"}, "write one of openai, openai-chat,"),
        ({"url": None, "model": "anthropic:claude-haiku-4-5"}, "`ANTHROPIC_API_KEY` is not set"),
        ({"url": None, "model": "module:own.js"}, "`own.js` is not the path of a module"),
        ({"url": None, "model": "module://evil.example/own.js"}, "is not the path of a module"),
        ({"model": "module:/own.js"}, "`--llm-base-url` is given for `module`"),
        ({"url": None, "model": "builtin", "usd": "1"}, "`--llm-max-usd` is given for `builtin`"),
        ({"model": None}, "`--llm-model NAME`"),
        ({"url": None, "model": None, "env": "MY_KEY"}, "`--llm-api-key-env` is given without"),
        ({"url": None, "model": None, "usd": "1"}, "`--llm-max-usd` is given without"),
        ({"url": "api.example.com"}, "`api.example.com` is not the URL"),
        ({"url": "ftp://a.example"}, "is not the URL of a model's API"),
        ({"url": "http://[half"}, "is not the URL of a model's API"),
        ({"url": "http://a.example:port"}, "is not the URL of a model's API"),
        ({"url": "https://a.example/v1#x"}, "is not the URL of a model's API"),
        ({"env": "UNSET"}, "`UNSET` is not set"),
        ({"env": "EMPTY"}, "`EMPTY` is not set"),
        ({"env": "ODD"}, "`ODD` does not hold a key"),
        ({"usd": "two"}, "`two` is not a limit"),
        ({"usd": "0"}, "`0` is not a limit"),
        ({"usd": "nan"}, "`nan` is not a limit"),
        ({"usd": "1", "model": "home-grown"}, "the price of `home-grown` is not known"),
    ],
    ids=lambda given: " ".join(map(str, given.values())) if isinstance(given, dict) else "",
)
def test_invalid_options_are_refused(given: dict[str, str | None], words: str) -> None:
    """Each refusal says what to write."""
    with pytest.raises(ConfigError) as refused:
        resolve(**given)

    assert words in str(refused.value)
    assert " - " in str(refused.value)


@pytest.mark.parametrize(
    "given",
    [
        {"env": KEY},
        {"url": f"https://me:{KEY}@a.example/v1"},
        {"url": f"https://a.example/v1?key={KEY}"},
    ],
    ids=["name", "password", "query"],
)
def test_keys_in_the_wrong_place_are_not_repeated(given: dict[str, str]) -> None:
    """Somebody who pastes a key does not find it in the terminal's history of errors."""
    with pytest.raises(ConfigError) as refused:
        resolve(**given)

    assert KEY not in str(refused.value)


def with_fallback(keys: ModelKeys, usd: str | None = None, **more: str) -> LlmConfig:
    """Return the configuration of a model and a fallback."""
    given = {"model": "openai:gpt-5-mini", **more}
    found = resolve_llm(ENVIRONMENT, fallback=keys, max_usd=usd, **given)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_fallback_has_keys_of_its_own() -> None:
    """Its provider has its own address and variable; the budget and the offer are shared."""
    config = with_fallback(
        {
            "model": "gemini:gemini-2.5-flash",
            "context_tokens": 64_000,
            "prices": {"prompt": Decimal(1), "completion": Decimal(2)},
        },
        "2",
        api_key_env="MY_KEY",
    )

    second = config.fallback
    assert second is not None
    assert config.models == (config, second)
    assert [each.role for each in config.models] == ["model", "fallback"]
    assert (second.api_key_env, second.api_key) == ("GEMINI_API_KEY", KEY)
    assert second.base_url.startswith("https://generativelanguage.googleapis.com")
    assert (config.max_usd, second.max_usd) == (Decimal(2), None)
    assert KEY not in repr(config)
    assert config.script_options == {
        "llm": "openai+/__webagent__/llm/v1#gpt-5-mini",
        "llm-fallback": "gemini+/__webagent__/llm/fallback/v1#gemini-2.5-flash"
        "&context_tokens=64000&prompt=1&completion=2&cached=1",
    }


def test_either_of_the_two_may_be_in_the_page() -> None:
    """A limit in dollars holds for the one that is not."""
    own = with_fallback({"model": "builtin"})
    assert own.script_options["llm-fallback"] == "builtin"
    other = with_fallback({"model": "openai:gpt-5-mini"}, "2", model="module:/own.js")
    assert other.script_options["llm"] == "module+/own.js"
    assert other.max_usd == 2


def test_the_same_model_elsewhere_is_a_fallback() -> None:
    """At another address, or with another key, it does not fail together with the first."""
    assert with_fallback({"model": "openai:gpt-5-mini", "api_key_env": "MY_KEY"}).fallback
    assert with_fallback({"model": "openai:gpt-5-mini", "base_url": "https://b.example"}).fallback


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "`[llm.fallback]` has no model"),
        ({"base_url": "https://a.example"}, 'write `[llm.fallback] model = "provider:model"`'),
        ({"model": "gpt-5-mini"}, "`[llm.fallback] model` names no model: `gpt-5-mini` has no"),
        ({"model": "olama:x"}, "write `ollama:x`"),
        ({"model": "openai:gpt-5-mini"}, "`[llm.fallback] model` is `openai:gpt-5-mini`, as"),
        (
            {"model": " openai:gpt-5-mini", "base_url": "https://api.openai.com/v1/",
             "api_key_env": "OPENAI_API_KEY"},
            "it would fail together with it",
        ),
        ({"model": "anthropic:x"}, "`ANTHROPIC_API_KEY` is not set"),
        ({"model": "x", "base_url": "ftp://a"}, '`[llm.fallback] base_url = "https://api.openai'),
        ({"model": "ollama:x", "api_key_env": "a b"}, "`[llm.fallback] api_key_env` is not the name"),
        ({"model": "builtin", "base_url": "https://a"}, "`[llm.fallback] base_url` is given for"),
        ({"model": "module:own.js"}, "`own.js` is not the path of a module"),
    ],
)  # fmt: skip
def test_a_wrong_fallback_is_refused(keys: ModelKeys, words: str) -> None:
    """The sentence names the key of its own table."""
    with pytest.raises(ConfigError) as refused:
        with_fallback(keys)

    assert words in str(refused.value)
    assert " - " in str(refused.value)


def test_a_fallback_needs_a_model_and_a_price() -> None:
    """It is not a model by itself, and its requests count towards the limit."""
    with pytest.raises(ConfigError, match=r"`\[llm\.fallback\]` is .* `\[llm\] model = "):
        resolve_llm({}, fallback={"model": "ollama:x"})
    with pytest.raises(
        ConfigError, match=r"`home-grown` is not known .* `\[llm\.fallback\] prices`"
    ):
        with_fallback({"model": "ollama:home-grown"}, "2")
    with pytest.raises(ConfigError, match="`--llm-max-usd` is given for `builtin`"):
        with_fallback({"model": "module:/own.js"}, "2", model="builtin")


@pytest.mark.parametrize(
    "keys", [{"api_key_env": KEY}, {"base_url": f"https://me:{KEY}@a.example"}]
)
def test_a_key_in_the_wrong_place_of_a_fallback_is_not_repeated(keys: ModelKeys) -> None:
    """As for the model."""
    with pytest.raises(ConfigError) as refused:
        with_fallback({"model": "openai:gpt-5", **keys})

    assert KEY not in str(refused.value)
