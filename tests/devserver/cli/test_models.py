"""`webagent-dev models` against servers that speak each protocol."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.model_server import ModelServer, Turn, cut, held, refuses
from tests.provider_turns import answer
from webagent.llm.known_models import AS_OF
from webagent.llm.providers import PROVIDERS, ApiProtocol
from webagent_dev.cli.main import main

KEY = "sk-test/0123456789"
NUMBER = {"number": 7}


@pytest.fixture(autouse=True, name="root")
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and an environment without keys."""
    monkeypatch.chdir(tmp_path)
    for provider in PROVIDERS.values():
        if provider.api_key_env:
            monkeypatch.delenv(provider.api_key_env, raising=False)
    return tmp_path


def configure(root: Path, model: str, *lines: str) -> None:
    (root / "webagent.toml").write_text("\n".join(["[llm]", f'model = "{model}"', *lines]))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["models", *arguments])


def data(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json").stdout)
    return found


def test_a_folder_that_does_not_exist_is_an_error(root: Path) -> None:
    """A mistyped path is reported, and not a site without a model."""
    result = run("nosuchdir")

    assert result.exit_code == 2
    assert "`nosuchdir` does not exist" in result.stderr
    assert result.stdout == ""


def test_the_configured_model_is_listed_with_all_that_is_known(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Address, key, window, price and date; a key that is not set is no error."""
    configure(root, "anthropic:claude-haiku-4-5")
    listed = data()["models"][0]

    assert listed == {
        "model": "anthropic:claude-haiku-4-5",
        "role": "model",
        "base_url": "https://api.anthropic.com/v1",
        "api_key_env": "ANTHROPIC_API_KEY",
        "api_key_set": False,
        "context_tokens": 200_000,
        "prices": {"prompt": "1.00", "completion": "5.00", "cached": "0.10"},
        "as_of": AS_OF,
        "trial": None,
    }
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    shown = run().stdout
    assert "`ANTHROPIC_API_KEY` is set" in shown
    assert f"200,000 tokens, by the table of {AS_OF}" in shown
    assert KEY not in shown


def test_the_fallback_is_listed_and_tried_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by its own protocol and with its own key; one that does not reply is an error."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", KEY[::-1])
    first = refuses(500, "down")
    with ModelServer(first) as one, ModelServer(answer("messages", "Hi", "report", NUMBER)) as two:
        configure(
            root,
            "small",
            f'base_url = "{one.url}"',
            'api_key_env = "MODEL_KEY"',
            "[llm.fallback]",
            'model = "anthropic:claude-haiku-4-5"',
            f'base_url = "{two.url}"',
            'api_key_env = "OTHER_KEY"',
        )
        listed = data()["models"]
        tried = run("--try")

    assert [(each["role"], each["model"]) for each in listed] == [
        ("model", "openai-chat:small"),
        ("fallback", "anthropic:claude-haiku-4-5"),
    ]
    assert tried.exit_code == 1
    assert "calls tools, streams" in tried.stdout
    assert "unknown: write `prices` under `[llm]`" in tried.stdout
    assert one.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert two.requests[0].headers["x-api-key"] == KEY[::-1]
    assert KEY not in tried.output + str(listed)
    assert KEY[::-1] not in tried.output + str(listed)


def test_unknown_numbers_are_unknown_and_set_ones_are_without_a_date(root: Path) -> None:
    """Nothing is invented."""
    unknown = data("--model", "ollama:home-grown")["models"][0]
    assert (unknown["context_tokens"], unknown["prices"], unknown["as_of"]) == (None, None, None)

    configure(
        root,
        "ollama:home-grown",
        "context_tokens = 64000",
        "prices = { prompt = 0.5, completion = 1 }",
    )
    own = data()["models"][0]
    assert (own["context_tokens"], own["as_of"]) == (64_000, None)
    assert own["prices"] == {"prompt": "0.5", "completion": "1", "cached": "0.5"}
    assert "as configured" in run().stdout


def test_the_providers_are_listed_with_their_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a configuration they show what is within reach."""
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    listed = {each["provider"]: each for each in data()["providers"]}

    assert listed.keys() == PROVIDERS.keys()
    assert [name for name, each in listed.items() if each["api_key_set"]] == ["groq"]
    result = run()
    assert result.exit_code == 0
    assert "not configured" in result.stdout


@pytest.mark.parametrize(
    ("provider", "protocol"),
    [
        (name, PROVIDERS[name].protocol)
        for name in ("openai", "openai-chat", "anthropic", "gemini", "ollama")
    ],
)
def test_a_trial_reports_what_a_model_can_do(
    root: Path, monkeypatch: pytest.MonkeyPatch, provider: str, protocol: ApiProtocol
) -> None:
    """One request; the reply says whether it streams, calls tools and counts tokens."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    with ModelServer(answer(protocol, "Hello", "report", NUMBER)) as server:
        lines = (f'base_url = "{server.url}"', 'api_key_env = "MODEL_KEY"')
        configure(root, f"{provider}:some-model", *lines)
        result = run("--try")

    assert result.exit_code == 0, result.output
    assert f"trying {provider}:some-model" in result.stderr
    assert "calls tools, streams, 100 + 20 tokens" in result.stdout
    assert len(server.requests) == 1
    assert KEY not in result.output


@pytest.mark.parametrize(
    ("turn", "kind", "words"),
    [
        (
            refuses(401, f"bad key {KEY}", code="invalid_api_key"),
            "credentials_refused",
            "check the key",
        ),
        (refuses(404, "no such model", code="model_not_found"), "bad_request", "the model's name"),
        (refuses(429, "slow down", code="rate_limit_exceeded"), "rate_limited", "try again later"),
        (Turn(b"<html>", headers={"content-type": "text/html"}), "unreadable_answer", "address"),
        (Turn(b""), "cut_stream", "sent nothing - ask again"),
        (cut(), "cut_stream", "ended early"),
    ],
)
def test_a_model_that_does_not_reply_is_reported_with_a_remedy(
    root: Path, monkeypatch: pytest.MonkeyPatch, turn: Turn, kind: str, words: str
) -> None:
    """The exit code is 1, and the key is not shown."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    with ModelServer(turn) as server:
        configure(root, "m", f'base_url = "{server.url}"', 'api_key_env = "MODEL_KEY"')
        result = run("--try", "--format", "json")

    trial = json.loads(result.stdout)["models"][0]["trial"]
    assert (result.exit_code, trial["ok"], trial["kind"]) == (1, False, kind)
    assert words in trial["error"]
    assert trial["error"].count(" again") <= 1
    assert KEY not in result.output


def test_models_that_cannot_be_asked_are_reported_without_a_request(root: Path) -> None:
    """A key that is not set, a server that is down, and a model that exists only in pages."""
    with ModelServer() as server:
        pass
    configure(root, "m", f'base_url = "{server.url}"')
    assert "check the address, and whether the server runs" in run("--try").stdout

    missing = run("--model", "openai:gpt-5-mini", "--try")
    assert missing.exit_code == 1
    assert "write `export OPENAI_API_KEY=…`" in missing.stdout

    in_page = run("--model", "module:/own.js", "--try")
    assert in_page.exit_code == 0
    assert "the page, where `--try` cannot reach it" in in_page.stdout


def test_a_wrong_name_is_a_usage_error() -> None:
    """The exit code is 2, and the nearest provider is named."""
    result = run("--model", "olama:qwen3")

    assert result.exit_code == 2
    assert "write `ollama:qwen3`" in result.stderr


def test_a_model_that_answers_in_words_alone_is_reported() -> None:
    """It replied, so the exit code is 0; what it cannot do is in the line."""
    body = json.dumps({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})
    turn = Turn(body.encode(), headers={"content-type": "application/json"})
    with ModelServer(turn) as server:
        Path("webagent.toml").write_text(f'[llm]\nmodel = "m"\nbase_url = "{server.url}"\n')
        result = run("--try")

    assert result.exit_code == 0
    assert "did not call the tool, does not stream, no usage" in result.stdout


@pytest.mark.process
def test_ctrl_c_ends_a_trial(root: Path) -> None:
    """The request is given up, and the exit code is 130."""
    with ModelServer(held()) as server:
        configure(root, "m", f'base_url = "{server.url}"')
        with subprocess.Popen(
            [sys.executable, "-m", "webagent_dev", "models", "--try"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as process:
            server.wait_for_request()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
            server.wait_for_abort()

    assert process.returncode == 130
    assert "Traceback" not in errors
