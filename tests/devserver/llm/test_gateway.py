"""The model endpoint, as a page uses it: a real server before a model that a test has written."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.devserver.conftest import INDEX, MANIFEST
from tests.model_server import ModelServer, Turn, cut, events, held, piece, refuses, says
from tests.provider_turns import answer
from tests.server import HostedServer, ServerProcess
from webagent.llm.anthropic import VERSION
from webagent.llm.providers import ApiProtocol
from webagent.llm.refusals import refusal

KEY = "sk-very-secret/0123456789"
ASKED = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "hello"}], "stream": True}
PATH = "/__webagent__/llm/v1/chat/completions"

Ask = Callable[..., httpx.Response]
Started = type[HostedServer | ServerProcess]


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    return tmp_path


class Before:
    """A server before a model, and the token of its page."""

    def __init__(
        self, root: Path, *options: str, started: Started = HostedServer, **environment: str
    ) -> None:
        self.server = started(root, *options, environment={"MODEL_KEY": KEY, **environment})
        self.page = httpx.get(self.server.url).text
        token = re.search(r"live\?token=([\w-]+)", self.page)
        assert token
        self.headers = {"x-webagent-token": token[1], "origin": self.server.url}

    def post(self, body: Any = ASKED, **headers: str) -> httpx.Response:
        """Ask as the page does."""
        sent = {**self.headers, **headers}
        return httpx.post(f"{self.server.url}{PATH}", json=body, headers=sent, timeout=10)

    @contextmanager
    def stream(self) -> Iterator[httpx.Response]:
        """Ask, and read the answer as it comes."""
        with httpx.stream(
            "POST", f"{self.server.url}{PATH}", json=ASKED, headers=self.headers, timeout=10
        ) as answer:
            yield answer


@contextmanager
def before(
    root: Path, model: ModelServer, *options: str, started: Started = HostedServer
) -> Iterator[Before]:
    given = ["--llm-base-url", model.url, "--llm-model", "gpt-5-mini"]
    running = Before(root, *given, "--llm-api-key-env", "MODEL_KEY", *options, started=started)
    try:
        yield running
        assert KEY not in running.server.output
    finally:
        running.server.stop()


def error(answer: httpx.Response) -> dict[str, Any]:
    """Return the error object, in which the key never is."""
    assert KEY not in answer.text
    assert set(answer.json()) == {"error"}
    found: dict[str, Any] = answer.json()["error"]
    assert set(found) == {"message", "type", "param", "code"}
    return found


@pytest.mark.parametrize(
    "started", [HostedServer, pytest.param(ServerProcess, marks=pytest.mark.process)]
)
def test_a_page_is_led_to_the_model_and_answered_by_it(root: Path, started: Started) -> None:
    """The tag names the model; the answer's bytes are those of its server, the key is its alone."""
    turn = says("Hello there")
    with ModelServer(turn) as model, before(root, model, started=started) as site:
        answer = site.post()

    assert 'data-llm="/__webagent__/llm/v1#gpt-5-mini"' in site.page
    assert (answer.status_code, answer.content) == (200, turn.body)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert KEY not in site.page + str(answer.headers)
    asked = model.requests[0]
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert not {"x-webagent-token", "origin", "cookie", "referer"} & set(asked.headers)
    assert asked.body == {**ASKED, "model": "gpt-5-mini"}


def test_pieces_arrive_before_the_reply_is_finished(root: Path) -> None:
    """Nothing is kept until the end."""
    turn = held("Let me think")
    with (
        ModelServer(turn) as model,
        before(root, model) as site,
        site.stream() as answer,
    ):
        heard = b""
        pieces = answer.iter_bytes()
        while len(heard) < len(turn.body):
            heard += next(pieces)
        assert heard == turn.body
        model.release()
        assert b"".join(pieces).endswith(b"[DONE]\n\n")


def test_a_page_that_goes_away_ends_the_request(root: Path) -> None:
    """The model's server sees the connection close, in the middle of a reply."""
    with ModelServer(held()) as model, before(root, model) as site:
        with site.stream() as answer:
            next(answer.iter_bytes())
        model.wait_for_abort()


def test_a_page_that_leaves_before_the_first_chunk_ends_the_request(root: Path) -> None:
    """Even while a model thinks for long."""
    with ModelServer(Turn(b"", ending="held")) as model, before(root, model) as site:
        with site.stream():
            model.wait_for_request()
        model.wait_for_abort()


def test_a_reply_that_is_cut_reaches_the_page_as_cut(root: Path) -> None:
    """The connection breaks there, too, so that the part does not pass for the whole."""
    with (
        ModelServer(cut()) as model,
        before(root, model) as site,
        pytest.raises(httpx.RemoteProtocolError),
        site.stream() as answer,
    ):
        answer.read()


def test_a_server_that_quotes_the_key_is_not_repeated(root: Path) -> None:
    """Not in an error, not in a header, not in a reply, and not in the terminal."""
    quoting = refuses(400, f"the key {KEY} is fine, the rest is not", x_request_id=KEY)
    saying = Turn(events(piece({"content": f"your key is {KEY}"}), "[DONE]"))
    with ModelServer(quoting, saying) as model, before(root, model) as site:
        refused, answer = site.post(), site.post()
        site.server.wait_for_output("the rest is not")

    assert "•••" in error(refused)["message"]
    assert KEY not in str(refused.headers)
    assert KEY not in answer.text
    assert KEY.replace("/", "\\/") not in answer.text


def test_a_refused_key_is_named_by_its_variable(root: Path) -> None:
    """The message of the server may contain a part of the key and is left out."""
    turn = refuses(401, "Incorrect API key provided: sk-ver*****789", code="invalid_api_key")
    with ModelServer(turn) as model, before(root, model) as site:
        answer = site.post()

    assert answer.status_code == 401
    assert error(answer)["code"] == "invalid_api_key"
    assert "`MODEL_KEY`" in error(answer)["message"]
    assert "sk-ver" not in answer.text


@pytest.mark.parametrize(
    ("turn", "status", "code"),
    [
        (refuses(429, "slow down", code="rate_limit_exceeded", retry_after="7"), 429, None),
        (refuses(400, "too long", code="context_length_exceeded"), 400, None),
        (Turn(b"<html>oops</html>", 503), 503, "overloaded"),
        (Turn(b'{"detail": "no such model"}', 404), 404, "bad_request"),
        (Turn(b"", 302, {"location": "http://127.0.0.1:1/"}), 502, "upstream_redirect"),
    ],
    ids=["rate", "length", "html", "detail", "redirect"],
)
def test_failures_of_the_server_keep_their_meaning(
    root: Path, turn: Turn, status: int, code: str | None
) -> None:
    """Status, code and how long to wait reach the page in one shape."""
    with ModelServer(turn) as model, before(root, model) as site:
        answer = site.post()

    assert answer.status_code == status
    wanted = code or json.loads(turn.body)["error"]["code"]
    assert error(answer)["code"] == wanted
    assert answer.headers.get("retry-after") == turn.headers.get("retry-after")


def test_a_server_that_is_down_is_reported(root: Path) -> None:
    """The page and the terminal get its address."""
    with ModelServer() as model:
        pass
    with before(root, model) as site:
        answer = site.post()
        site.server.wait_for_output("cannot be reached")

    assert answer.status_code == 502
    assert error(answer)["code"] == "connection_lost"
    assert f"`{model.url}/chat/completions` cannot be reached" in error(answer)["message"]


def test_without_a_model_one_sentence_says_what_to_set(root: Path) -> None:
    """The status says that there is no model, and the tag has no `data-llm`."""
    site = Before(root)
    answer = site.post()
    site.server.stop()

    assert answer.status_code == 501
    assert "--llm-model PROVIDER:MODEL" in error(answer)["message"]
    assert "data-llm" not in site.page


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    root = tmp_path_factory.mktemp("llm")
    (root / "index.html").write_bytes(INDEX)
    with ModelServer(says("hi"), cycle=True) as model, before(root, model) as site:
        yield site


@pytest.mark.parametrize("token", ["", "x", "é", None])
def test_the_token_of_the_page_is_needed(site: Before, token: str | None) -> None:
    """Another token, or no token, is refused."""
    headers = {"origin": site.server.url}
    if token is not None:
        headers["x-webagent-token"] = token
    answer = httpx.post(
        f"{site.server.url}{PATH}",
        json=ASKED,
        headers=[(name.encode(), value.encode()) for name, value in headers.items()],
    )

    assert answer.status_code == 403
    assert error(answer)["code"] == "invalid_page_token"


def test_a_page_of_another_origin_is_refused(site: Before) -> None:
    """Even if it has the token."""
    assert site.post(origin="http://localhost:1").status_code == 403
    assert site.post(origin="null").status_code == 403


def test_a_form_cannot_use_the_model(site: Before) -> None:
    """A request without a preflight cannot be JSON."""
    answer = site.post(**{"content-type": "text/plain"})

    assert answer.status_code == 415
    assert error(answer)["code"] == "invalid_content_type"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b"\xff", "invalid_json"),
        (b'{"messages": [], "temperature": NaN}', "invalid_json"),
        (b"[" * 5_000 + b"]" * 5_000, "invalid_json"),
        (b"[]", "invalid_messages"),
        (b'{"messages": "hello"}', "invalid_messages"),
        (b'{"messages": [], "n": 8}', "invalid_parameter"),
        (b'{"messages": [], "service_tier": "priority"}', "invalid_parameter"),
    ],
    ids=lambda value: value[:20].decode("latin-1") if isinstance(value, bytes) else value,
)
def test_a_malformed_conversation_is_refused(site: Before, body: bytes, code: str) -> None:
    """Nothing of it reaches the server of the model."""
    headers = {**site.headers, "content-type": "application/json"}
    answer = httpx.post(f"{site.server.url}{PATH}", content=body, headers=headers)

    assert answer.status_code == 400
    assert error(answer)["code"] == code


def test_a_long_request_is_refused(site: Before) -> None:
    """It is not read to its end."""
    text = "x" * (4 << 20)
    answer = site.post({"messages": [{"role": "user", "content": text}]})

    assert answer.status_code == 413
    assert error(answer)["code"] == "request_too_large"


def test_only_post_is_answered(site: Before) -> None:
    """A link or an image has no effect."""
    assert httpx.get(f"{site.server.url}{PATH}", headers=site.headers).status_code == 404


def test_a_reply_in_one_piece_passes(root: Path) -> None:
    """A page need not ask for a stream."""
    body = json.dumps({"choices": [{"message": {"content": "hi"}}], "usage": None}).encode()
    turn = Turn(body, headers={"content-type": "application/json"})
    with ModelServer(turn) as model, before(root, model, "--llm-max-usd", "1") as site:
        answer = site.post({"messages": []})

    assert answer.json() == json.loads(body)
    assert "stream_options" not in model.requests[0].body


def test_spending_ends_at_the_limit(root: Path) -> None:
    """With a limit tokens are counted, and a request that would exceed it is refused at once."""
    dear = says("hi", prompt=4_000_000, completion=0)
    with ModelServer(dear, dear) as model, before(root, model, "--llm-max-usd", "1") as site:
        first, second = site.post(), site.post()

    assert first.status_code == 200
    assert model.requests[0].body["stream_options"] == {"include_usage": True}
    assert second.status_code == 429
    assert error(second)["code"] == "insufficient_quota"
    assert "retry-after" not in second.headers
    assert len(model.requests) == 1


def test_too_many_requests_at_a_time_are_refused(root: Path) -> None:
    """The fifth has to be sent again later."""
    with ModelServer(held(), cycle=True) as model, before(root, model) as site:
        waiting = [threading.Thread(target=site.post) for _ in range(4)]
        for thread in waiting:
            thread.start()
        for _ in waiting:
            model.wait_for_request()
        answer = site.post()
        model.release()
        for thread in waiting:
            thread.join(10)

    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "1"
    assert error(answer)["code"] == "rate_limit_exceeded"


class AtProvider(Before):
    """A server before a model of a provider."""

    def __init__(self, root: Path, model: ModelServer, provider: str, *options: str) -> None:
        given = ("--llm-model", f"{provider}:gpt-5-mini", "--llm-base-url", model.url)
        super().__init__(root, *given, "--llm-api-key-env", "MODEL_KEY", *options)

    def ask(self, path: str, body: Any) -> httpx.Response:
        """Ask at a path of the endpoint."""
        url = f"{self.server.url}/__webagent__/llm/v1{path}"
        return httpx.post(url, json=body, headers=self.headers, timeout=10)


PROVIDERS: list[tuple[str, ApiProtocol, str, Any, dict[str, str]]] = [
    ("openai", "responses", "/responses", {"input": "hi"}, {"authorization": f"Bearer {KEY}"}),
    (
        "anthropic",
        "messages",
        "/messages",
        {"messages": [], "stream": True},
        {"x-api-key": KEY, "anthropic-version": VERSION},
    ),
    (
        "gemini",
        "gemini",
        "/models/gpt-5-mini:streamGenerateContent?alt=sse&key=mine",
        {"contents": []},
        {"x-goog-api-key": KEY},
    ),
    ("ollama", "ollama", "/chat", {"messages": []}, {"authorization": f"Bearer {KEY}"}),
]
BY_NAME = pytest.mark.parametrize(
    ("provider", "protocol", "path", "body", "headers"), PROVIDERS, ids=[p[0] for p in PROVIDERS]
)


@BY_NAME
def test_each_provider_is_asked_in_its_own_protocol(
    root: Path,
    provider: str,
    protocol: ApiProtocol,
    path: str,
    body: Any,
    headers: dict[str, str],
) -> None:
    """Its path, its header for the key, its bytes; the budget counts its tokens, in its error."""
    turn = answer(protocol, "Hello there")
    dear = ("--llm-max-usd", "0.0045")
    with ModelServer(turn, turn, cycle=True) as model:
        site = AtProvider(root, model, provider, *dear)
        replies = [site.ask(path, body) for _ in range(12)]
        others = [
            site.ask(other, body) for other in ("/models", "/files", f"{path[:5]}x", "/%2e%2e/x")
        ]
        site.server.stop()

    assert (replies[0].status_code, replies[0].content) == (200, turn.body)
    asked = model.requests[0]
    assert {name: asked.headers[name] for name in headers} == headers
    assert not {"x-webagent-token", "origin", "cookie"} & set(asked.headers)
    assert asked.path == path.replace("dearer", "gpt-5-mini").replace("&key=mine", "")
    assert asked.body == (body if protocol == "gemini" else {**body, "model": "gpt-5-mini"})

    last = replies[-1]
    assert last.status_code == (429 if provider == "openai" else 402)
    error = refusal(last.status_code, {}, last.text)
    assert (error.kind, error.retryable) == ("quota_exhausted", False)
    # 100 + 20 tokens cost 0.000065 USD, and each request reserves 2,000 tokens of a reply.
    assert 1 < len(model.requests) < 12
    assert {other.status_code for other in others} == {404}
    for refused in (last, *others):
        assert KEY not in refused.text


@BY_NAME
def test_errors_of_a_provider_keep_its_shape(
    root: Path,
    provider: str,
    protocol: ApiProtocol,
    path: str,
    body: Any,
    headers: dict[str, str],
) -> None:
    """How long to wait is a header, also where the provider writes it into the body."""
    bodies: dict[str, Any] = {
        "responses": {"error": {"message": "slow down", "code": "rate_limit_exceeded"}},
        "messages": {
            "type": "error",
            "error": {"type": "rate_limit_error", "message": "slow down"},
        },
        "gemini": {
            "error": {
                "code": 429,
                "message": "slow down",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"@type": "…/google.rpc.RetryInfo", "retryDelay": "7s"}],
            }
        },
        "ollama": {"error": "slow down"},
    }
    wait = {} if protocol == "gemini" else {"retry-after": "7"}
    limited = Turn(json.dumps(bodies[protocol]).encode(), 429, wait)
    refused_key = Turn(json.dumps({"error": {"message": f"bad {KEY}"}}).encode(), 401)
    with ModelServer(limited, refused_key) as model:
        site = AtProvider(root, model, provider)
        answers = [site.ask(path, body) for _ in range(2)]
        site.server.stop()

    assert [answer.status_code for answer in answers] == [429, 401]
    assert answers[0].headers["retry-after"] == "7"
    shapes: dict[str, Any] = {
        "responses": {
            "error": {
                "message": "slow down",
                "type": "invalid_request_error",
                "param": None,
                "code": "rate_limit_exceeded",
            }
        },
        "messages": {
            "type": "error",
            "error": {"type": "rate_limit_error", "message": "slow down"},
        },
        "gemini": {"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}},
        "ollama": {"error": "slow down"},
    }
    assert answers[0].json() == shapes[protocol]
    assert refusal(401, {}, answers[1].text).kind == "credentials_refused"
    assert "`MODEL_KEY`" in answers[1].text
    assert KEY not in answers[1].text


SECOND_KEY = "sk-second+9876543210"
FALLBACK = "/__webagent__/llm/fallback/v1"


class WithFallback(Before):
    """A server before two models, the second of which is Anthropic's."""

    def __init__(self, root: Path, first: ModelServer, second: ModelServer, *lines: str) -> None:
        (root / "webagent.toml").write_text(
            "\n".join(
                [
                    "[llm]",
                    'model = "openai-chat:gpt-5-mini"',
                    f'base_url = "{first.url}"',
                    'api_key_env = "MODEL_KEY"',
                    *lines,
                    "[llm.fallback]",
                    'model = "anthropic:claude-haiku-4-5"',
                    f'base_url = "{second.url}"',
                    'api_key_env = "SECOND_KEY"',
                    "prices = { prompt = 100, completion = 100 }",
                ]
            )
        )
        super().__init__(root, SECOND_KEY=SECOND_KEY)

    def __enter__(self) -> WithFallback:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()
        assert KEY not in self.server.output
        assert SECOND_KEY not in self.server.output

    def ask(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """Ask at a path of the server."""
        sent = {**self.headers, **headers}
        return httpx.post(f"{self.server.url}{path}", json=body, headers=sent, timeout=10)


def test_both_models_are_reached_each_with_its_own_key(root: Path) -> None:
    """The tag names both; each answers at its own path, in its own protocol."""
    with (
        ModelServer(says("first")) as first,
        ModelServer(answer("messages", "second")) as second,
        WithFallback(root, first, second) as site,
    ):
        site.server.wait_for_output(f"fallback  anthropic:claude-haiku-4-5 at {second.url}")
        one = site.post()
        two = site.ask(f"{FALLBACK}/messages", {"messages": [], "model": "claude-haiku-4-5"})
        crossed = [
            site.ask(f"{FALLBACK}/chat/completions", ASKED),
            site.ask("/__webagent__/llm/v1/messages", ASKED),
        ]

    assert (
        'data-llm="/__webagent__/llm/v1#gpt-5-mini" data-llm-fallback="anthropic+'
        "/__webagent__/llm/fallback/v1#claude-haiku-4-5&amp;prompt=100&amp;completion=100"
    ) in site.page
    assert (one.status_code, two.status_code) == (200, 200)
    assert first.requests[0].headers["authorization"] == f"Bearer {KEY}"
    asked = second.requests[0]
    assert (asked.path, asked.headers["x-api-key"]) == ("/messages", SECOND_KEY)
    assert asked.body["model"] == "claude-haiku-4-5"
    assert SECOND_KEY not in str(first.requests)
    assert KEY not in str(second.requests)
    assert [each.status_code for each in crossed] == [404, 404]
    assert f"that is `{FALLBACK}/messages`" in crossed[0].json()["error"]["message"]
    assert "another `[llm.fallback] model`" in crossed[0].json()["error"]["message"]


def test_both_models_spend_one_budget(root: Path) -> None:
    """Each at its own prices: the money of one is missing for the other."""
    dear = answer("messages", "second")
    with (
        ModelServer(says("first", prompt=100, completion=0), cycle=True) as first,
        ModelServer(dear, cycle=True) as second,
        WithFallback(root, first, second, "max_usd = 0.21") as site,
    ):
        before = site.post().status_code
        two = [site.ask(f"{FALLBACK}/messages", {"messages": []}) for _ in range(2)]
        after = site.post().status_code

    # 100 + 20 tokens cost 0.012 USD, and a request reserves 0.2 USD for a reply of 2,000 tokens.
    assert before == 200
    assert [each.status_code for each in two] == [200, 402]
    assert refusal(402, {}, two[1].text).kind == "quota_exhausted"
    assert after == 200
    assert (len(first.requests), len(second.requests)) == (2, 1)


def test_a_fallback_that_fails_names_its_own_variable_and_repeats_no_key(root: Path) -> None:
    """Its server quotes the key in an error, a header and a reply."""
    quoting = json.dumps({"error": {"type": "x", "message": f"{SECOND_KEY} is fine"}}).encode()
    said = answer("messages", f"your key is {SECOND_KEY}")
    turns = [Turn(b"", 401), Turn(quoting, 400, {"x-request-id": SECOND_KEY}), said]
    with (
        ModelServer() as first,
        ModelServer(*turns) as second,
        WithFallback(root, first, second) as site,
    ):
        refused, quoted, replied = (
            site.ask(f"{FALLBACK}/messages", {"messages": []}) for _ in turns
        )

    assert "`SECOND_KEY`" in refused.json()["error"]["message"]
    assert "•••" in quoted.text
    assert replied.status_code == 200
    for each in (quoted, replied):
        assert SECOND_KEY not in each.text + str(each.headers)


def test_a_fallback_is_guarded_as_the_model_is(root: Path, site: Before) -> None:
    """The page's token and JSON are needed; without a fallback a sentence names the table."""
    url = f"{site.server.url}{FALLBACK}/messages"
    with ModelServer() as first, ModelServer() as second:
        with WithFallback(root, first, second) as guarded:
            path = f"{FALLBACK}/messages"
            other = guarded.ask(path, {"messages": []}, **{"x-webagent-token": "x"})
            foreign = guarded.ask(path, {"messages": []}, origin="http://localhost:1")
            typed = guarded.ask(path, {"messages": []}, **{"content-type": "text/plain"})
        assert second.requests == []
    missing = httpx.post(url, json=ASKED, headers=site.headers)

    assert [other.status_code, foreign.status_code, typed.status_code] == [403, 403, 415]
    assert missing.status_code == 501
    assert "`[llm.fallback]`" in error(missing)["message"]
