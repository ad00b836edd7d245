"""The gateway of a site's own server, as its pages use it: real sockets before a scripted provider."""

from __future__ import annotations

import asyncio
import logging
import queue
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tests.model_server import Loopback, ModelServer, Turn, events, held, piece, refuses, says
from webagent_site.broker.ledger import Budget, Limit, MemoryLedger, Spend
from webagent_site.config.llm import LlmConfig, configured
from webagent_site.errors import ConfigError
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.visitors import SESSION_COOKIE, TOKEN_S, Visitors
from webagent_site.llm import forwarder
from webagent_site.llm.gateway import LlmGateway
from webagent_site.llm.telemetry import LOGGER

KEY = "sk-very-secret/0123456789"
SECRET = b"0123456789abcdef"
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}], "stream": True}
LLM = "/__webagent__/llm"
PATH = f"{LLM}/v1/chat/completions"
FREE = Budget()


def model_at(url: str, model: str = "openai-chat:gpt-5-mini") -> LlmConfig:
    return configured(
        {"MODEL_KEY": KEY},
        {"model": model, "base_url": url, "api_key_env": "MODEL_KEY"},
        lambda role, key, value: key,
    )


class Site:
    """A site with a gateway, on a socket of its own."""

    def __init__(self, provider: str, **options: Any) -> None:
        self.account: str | None = None
        self.pages: list[httpx.Client] = []
        self.now = 1_800_000_000.0
        self.ledger = MemoryLedger()
        self.visitors = Visitors(
            SECRET,
            account=lambda request: self.account,
            clock=lambda: self.now,
            proxies=options.pop("proxies", ()),
            origins=options.pop("origins", ()),
        )
        self.gateway = LlmGateway(model_at(provider), self.visitors, ledger=self.ledger, **options)
        routes = [*self.gateway.routes(), Route("/close", self._close, methods=["POST"])]
        self.running = Loopback(Starlette(routes=routes))
        self.url = self.running.origin

    def page(self, **headers: str) -> httpx.Client:
        """Return a new visitor, whose page has its token."""
        page = httpx.Client(base_url=self.url, headers={"origin": self.url, **headers}, timeout=10)
        self.renew(page)
        self.pages.append(page)
        return page

    async def _close(self, _: Request) -> Response:
        """Close as a lifespan would, in the loop that has opened the connections."""
        await self.gateway.close()
        return Response(status_code=204)

    def stop(self) -> None:
        for page in self.pages:
            page.close()
        assert httpx.post(f"{self.url}/close").status_code == 204
        self.running.stop()

    def renew(self, page: httpx.Client) -> httpx.Response:
        answer = page.post(f"{LLM}/token")
        assert answer.status_code == 200
        page.headers["x-webagent-token"] = answer.json()["token"]
        return answer

    def spent(self) -> Spend:
        """Return what all requests have cost, once they are settled: shortly after a page has left."""
        until = time.monotonic() + 10
        while self.ledger._accounts[""].running and time.monotonic() < until:
            time.sleep(0.01)
        return self.ledger.spent()


@contextmanager
def site_before(provider: str, **options: Any) -> Iterator[Site]:
    site = Site(provider, **options)
    try:
        yield site
    finally:
        site.stop()


@pytest.fixture(name="model")
def _model() -> Iterator[ModelServer]:
    with ModelServer(says("hi"), cycle=True) as model:
        yield model


@pytest.fixture(name="site")
def _site(model: ModelServer) -> Iterator[Site]:
    with site_before(model.url) as site:
        yield site


class Records(logging.Handler):
    """The records of the gateway, as they come."""

    def __init__(self) -> None:
        super().__init__()
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self._queue.put(record.__dict__)

    def next(self) -> dict[str, Any]:
        return self._queue.get(timeout=10)

    def empty(self) -> bool:
        return self._queue.empty()


@pytest.fixture(name="records")
def _records() -> Iterator[Records]:
    records, log = Records(), logging.getLogger(LOGGER)
    before = log.level
    log.addHandler(records)
    log.setLevel(logging.INFO)
    yield records
    log.removeHandler(records)
    log.setLevel(before)


@contextmanager
def silent(beginning: bytes = b"") -> Iterator[str]:
    """Yield the address of a provider that answers one request with a beginning, and no more."""
    left = threading.Event()

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(1 << 16)
            connection.sendall(beginning)
            left.wait()

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        finally:
            left.set()
            thread.join()


def code_of(answer: httpx.Response) -> str:
    """Return the code of an error, in which the key never is."""
    assert KEY not in answer.text + str(answer.headers)
    code: str = answer.json()["error"]["code"]
    return code


def test_a_page_gets_a_token_and_a_reply(site: Site, model: ModelServer) -> None:
    """No cache keeps the token; the reply is that of the provider, the reply is capped."""
    page = site.page()
    issued = site.renew(page)
    answer = page.post(PATH, json=ASKED)

    assert issued.headers["cache-control"] == "no-store"
    assert issued.json()["expires_s"] == TOKEN_S
    cookie = issued.headers["set-cookie"]
    assert re.fullmatch(
        rf"{SESSION_COOKIE}=[\w-]{{22}}; Path=/__webagent__; Max-Age=\d+; HttpOnly; SameSite=Lax",
        cookie,
    )
    assert (answer.status_code, answer.content) == (200, says("hi").body)
    asked = model.requests[-1]
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert not {"x-webagent-token", "origin", "cookie"} & set(asked.headers)
    assert asked.body["max_tokens"] == 8_192


def test_the_cookie_is_secure_where_the_page_is(model: ModelServer) -> None:
    """Behind a proxy that ends TLS, too."""
    with site_before(model.url, origins=["https://shop.example"]) as site:
        answer = httpx.post(f"{site.url}{LLM}/token", headers={"origin": "https://shop.example"})

    assert answer.headers["set-cookie"].endswith("; Secure")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://e.vil"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_another_origin_gets_neither_token_nor_reply(site: Site, headers: dict[str, str]) -> None:
    """Even with a token of ours."""
    page = site.page()
    for answer in (
        page.post(f"{LLM}/token", headers=headers),
        page.post(PATH, json=ASKED, headers=headers),
    ):
        assert answer.status_code == 403
        assert code_of(answer) == "wrong_origin"
        assert "set-cookie" not in answer.headers


def test_a_token_belongs_to_its_session_account_origin_and_time(site: Site) -> None:
    """A forged, borrowed or old one is refused, and a new one is there for the asking."""
    page, other = site.page(), site.page()
    token = page.headers["x-webagent-token"]
    forged = f"{token[:-1]}{'0' if token[-1] != '0' else '1'}"
    later = re.sub(r"_(\d+)_", lambda match: f"_{int(match[1]) + 600}_", token)
    tries = [
        page.post(PATH, json=ASKED, headers={"x-webagent-token": forged}),
        page.post(PATH, json=ASKED, headers={"x-webagent-token": later}),
        other.post(PATH, json=ASKED, headers={"x-webagent-token": token}),
        httpx.post(
            f"{site.url}{PATH}", json=ASKED, headers={"origin": site.url, "x-webagent-token": token}
        ),
    ]
    site.account = "ann"
    tries.append(page.post(PATH, json=ASKED))
    site.renew(page)
    as_ann = page.post(PATH, json=ASKED)
    site.now += TOKEN_S
    tries.append(page.post(PATH, json=ASKED))
    site.renew(page)

    assert [code_of(answer) for answer in tries] == ["invalid_page_token"] * 6
    assert as_ann.status_code == 200
    assert page.post(PATH, json=ASKED).status_code == 200


def test_any_process_with_the_secret_knows_the_token(site: Site, model: ModelServer) -> None:
    """Another secret does not."""
    page = site.page()
    headers = {"origin": site.url, "host": site.url[7:]}
    with site_before(model.url) as second:
        second.visitors._secret = SECRET
        same = page.post(f"{second.url}{PATH}", json=ASKED, headers=headers)
        second.visitors._secret = b"another secret!!"
        other = page.post(f"{second.url}{PATH}", json=ASKED, headers=headers)

    assert (same.status_code, other.status_code) == (200, 403)


@pytest.mark.parametrize("as_account", [True, False], ids=["account", "no cookies"])
def test_fifty_at_once_spend_at_most_the_limit(model: ModelServer, as_account: bool) -> None:
    """Of one account, or of one address whose visitors drop their cookies."""
    budget = Budget(day=Limit(tokens=3_000))
    with site_before(model.url, site=FREE, visitor=budget, most_tokens=20) as site:
        site.account = "ann" if as_account else None

        async def visit(client: httpx.AsyncClient) -> int:
            headers = {"origin": site.url}
            issued = await client.post(f"{site.url}{LLM}/token", headers=headers)
            headers |= {
                "x-webagent-token": issued.json()["token"],
                "cookie": issued.headers["set-cookie"].partition(";")[0],
            }
            answer = await client.post(f"{site.url}{PATH}", json=ASKED, headers=headers)
            return answer.status_code

        async def all_at_once() -> list[int]:
            async with httpx.AsyncClient(timeout=30, cookies=None) as client:
                return await asyncio.gather(*(visit(client) for _ in range(50)))

        statuses = asyncio.run(all_at_once())
        # Each reply reports 120 tokens, and its reservation has fewer than that. It is settled once
        # the page has it, so the last ones may still be.
        until = time.monotonic() + 10
        while site.ledger.spent().tokens != 120 * len(model.requests) and time.monotonic() < until:
            time.sleep(0.01)
        spent = site.ledger.spent()

    assert spent.tokens == 120 * statuses.count(200) == 120 * len(model.requests)
    assert spent.tokens <= 3_000 + 120 * 50
    assert set(statuses) == {200, 429}


def test_addresses_count_by_their_network(model: ModelServer) -> None:
    """/24 and /64; a header counts only if a named proxy sends it."""
    trusting = Visitors(SECRET, proxies=["10.0.0.0/8", "unix", "::1"])

    def address(peer: str | None, forwarded: str = "", visitors: Visitors = trusting) -> str:
        headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
        client = (peer, 1) if peer is not None else None
        return visitors.address_of(Request({"type": "http", "headers": headers, "client": client}))

    assert address("192.0.2.7") == address("192.0.2.99") == "192.0.2.0/24"
    assert address("2001:db8::1") == address("2001:db8::2:3") == "2001:db8::/64"
    assert address("::ffff:192.0.2.7") == "192.0.2.0/24"
    assert address("192.0.2.7", "198.51.100.1") == "192.0.2.0/24"
    assert address("10.1.2.3", "198.51.100.1") == "198.51.100.0/24"
    assert address("10.1.2.3", "203.0.113.9, 198.51.100.1, 10.9.9.9") == "198.51.100.0/24"
    assert address(None, "198.51.100.1") == "198.51.100.0/24"
    assert address("10.1.2.3", "nonsense") == "unknown"
    plain = Visitors(SECRET)
    assert address("10.1.2.3", "198.51.100.1", plain) == "10.1.2.0/24"
    with pytest.raises(ConfigError, match="`nginx` is not an address"):
        Visitors(SECRET, proxies=["nginx"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "name"),
    [
        ("10.1.2.3", "198.51.100.1", (), "10.1.2.3"),
        ("::ffff:127.0.0.1", "198.51.100.1", ("10.0.0.0/8",), "127.0.0.1"),
        (None, "198.51.100.1", (), "unix"),
        ("10.1.2.3", "198.51.100.1", ("10.0.0.0/8",), ""),
        ("10.1.2.3", "", (), ""),
        # A visitor who writes the header, and a server that has believed its proxy already.
        ("8.8.8.8", "198.51.100.1", (), ""),
        ("10.1.2.3", "192.168.1.1, 10.1.2.3", (), ""),
    ],
)
def test_a_proxy_that_is_not_named_is_logged_once(
    caplog: pytest.LogCaptureFixture,
    peer: str | None,
    forwarded: str,
    proxies: tuple[str, ...],
    name: str,
) -> None:
    """Behind it all strangers have one address, so the first ones would spend the budget of all."""
    visitors = Visitors(SECRET, proxies=proxies)
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    client = (peer, 1) if peer is not None else None
    for _ in range(2):
        visitors.address_of(Request({"type": "http", "headers": headers, "client": client}))

    remedy = f'write `LlmGateway.for_site(…, proxies=["{name}"])`'
    assert [remedy in record.getMessage() for record in caplog.records] == [True] * bool(name)


def test_a_visitor_over_budget_reads_why_and_another_is_answered(model: ModelServer) -> None:
    """The site's budget goes on for others."""
    with site_before(model.url, visitor=Budget(day=Limit(requests=1))) as site:
        site.account = "ann"
        page = site.page()
        answers = [page.post(PATH, json=ASKED) for _ in range(2)]
        site.account = "bob"
        other = site.page().post(PATH, json=ASKED)

    assert [answer.status_code for answer in answers] == [200, 429]
    assert code_of(answers[1]) == "insufficient_quota"
    assert "go on without the model, or come back tomorrow" in answers[1].text
    assert other.status_code == 200


def test_a_failed_request_costs_nothing(model: ModelServer) -> None:
    """Nothing but its place in the rate."""
    with ModelServer(refuses(500, f"{KEY} broke")) as broken, site_before(broken.url) as site:
        answer = site.page().post(PATH, json=ASKED)
        spent = site.ledger.spent()

    assert answer.status_code == 500
    assert KEY not in answer.text
    assert spent == Spend(1)


@pytest.mark.parametrize("begun", [True, False], ids=["words", "silence"])
def test_a_request_that_is_left_stays_booked(records: Records, begun: bool) -> None:
    """The provider may go on, and bills the thoughts before the first word."""
    event = events(piece({"content": "Let me think"}))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n"
    beginning = head + event if begun else b""
    with silent(beginning) as provider, site_before(provider, most_tokens=700) as site:
        with pytest.raises(httpx.ReadTimeout):
            site.page().post(PATH, json=ASKED | {"stream": begun}, timeout=0.5)
        record = records.next()
        spent = site.spent()

    assert (record["code"], record["output_tokens"]) == ("cancelled", 700)
    assert spent == Spend(1, record["input_tokens"] + 700, Decimal(record["usd"]))


def test_an_error_whose_text_never_ends_costs_nothing(records: Records) -> None:
    """Even where the page has left before."""
    beginning = b"HTTP/1.1 500 Broken\r\ncontent-length: 9\r\n\r\n{"
    with silent(beginning) as provider, site_before(provider) as site:
        with pytest.raises(httpx.ReadTimeout):
            site.page().post(PATH, json=ASKED, timeout=0.5)
        record = records.next()
        spent = site.spent()

    assert (record["code"], spent) == ("cancelled", Spend(1))


def test_strangers_do_not_read_where_the_model_is(records: Records) -> None:
    """The log and the report have the address, and the variable of the key."""
    reports: list[str] = []
    refusing = ModelServer(refuses(401), Turn(b"", 302, {"location": "https://e.vil/"}))
    with refusing as model, site_before(model.url, report=reports.append) as site:
        page = site.page()
        answers = [page.post(PATH, json=ASKED) for _ in range(2)]
    with site_before(model.url, report=reports.append) as site:
        answers.append(site.page().post(PATH, json=ASKED))

    codes = ["invalid_api_key", "upstream_redirect", "connection_lost"]
    assert [code_of(answer) for answer in answers] == codes
    secrets = ["MODEL_KEY", model.url, model.url]
    for answer, secret, report in zip(answers, secrets, reports, strict=True):
        record = records.next()
        assert "the log of the site has the reason" in answer.text
        assert secret not in answer.text
        assert secret in report
        assert record["reason"] == report
        assert record["msg"] % record["args"] == (
            f"model request ended with status {answer.status_code} ({code_of(answer)}) - {report}"
        )


def test_refusals_reach_no_provider(site: Site, model: ModelServer) -> None:
    """A body over the limit, an unknown model, an unknown path, a field that is not allowed."""
    page = site.page()
    before = len(model.requests)
    answers = [
        page.post(PATH, json={"messages": [{"role": "user", "content": "x" * (4 << 20)}]}),
        page.post(PATH, json={**ASKED, "model": "dearer"}),
        page.post(f"{LLM}/v1/models", json=ASKED),
        page.post(PATH, json={**ASKED, "store": True}),
        page.post(f"{LLM}/fallback/v1/chat/completions", json=ASKED),
    ]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [
        (413, "request_too_large"),
        (404, "model_not_found"),
        (404, "unknown_path"),
        (400, "invalid_parameter"),
        (501, "model_not_configured"),
    ]
    assert len(model.requests) == before
    assert site.ledger.spent().requests == 0


def test_lone_surrogates_are_answered(site: Site, model: ModelServer) -> None:
    """JavaScript strings may hold them, and UTF-8 cannot: in words, names of fields, and the model."""
    page = site.page()
    answers = [
        page.post(PATH, content=text, headers={"content-type": "application/json"})
        for text in (
            r'{"messages": [{"role": "user", "content": "\ud800"}]}',
            r'{"messages": [], "\ud800": 1}',
            r'{"messages": [], "model": "\ud800"}',
        )
    ]

    assert [answer.status_code for answer in answers] == [200, 400, 404]
    assert [code_of(answer) for answer in answers[1:]] == ["invalid_parameter", "model_not_found"]
    assert model.requests[-1].body["messages"][0]["content"] == r"\ud800"


def test_an_account_may_be_a_number(site: Site) -> None:
    """As the ids of users are in many databases."""
    site.account = 17  # type: ignore[assignment]
    page = site.page()
    answers = [page.post(PATH, json=ASKED).status_code]
    site.account = 18  # type: ignore[assignment]
    answers.append(page.post(PATH, json=ASKED).status_code)

    assert answers == [200, 403]


def test_the_models_can_be_stopped(model: ModelServer) -> None:
    """By a call, or by the answer of a function of the owner's."""
    switch = [False]
    with site_before(model.url, stopped=lambda: switch[0]) as site:
        page = site.page()
        answers = [page.post(PATH, json=ASKED)]
        asyncio.run(site.gateway.stop())
        answers.append(page.post(PATH, json=ASKED))
        asyncio.run(site.gateway.resume())
        switch[0] = True
        answers.append(page.post(PATH, json=ASKED))
        switch[0] = False
        answers.append(page.post(PATH, json=ASKED))

    assert [answer.status_code for answer in answers] == [200, 503, 503, 200]
    assert code_of(answers[1]) == "models_stopped"
    # A page waits for less than a minute, and goes on without a model.
    assert answers[1].headers["retry-after"] == "600"


def test_a_provider_that_never_ends_is_ended(records: Records) -> None:
    """After the time of a reply; it is settled once, at the longest reply."""
    with ModelServer(held("word " * 60)) as model, site_before(model.url, whole_s=0.5) as site:
        with pytest.raises(httpx.RemoteProtocolError):
            site.page().post(PATH, json=ASKED)
        model.wait_for_abort()
        record = records.next()
        spent = site.spent()

    assert (record["code"], record["status"]) == ("timeout", 504)
    assert spent.requests == 1
    assert 8_192 <= spent.tokens < 8_292


def test_a_page_that_stops_reading_is_left(
    monkeypatch: pytest.MonkeyPatch, records: Records
) -> None:
    """The request to the provider ends, and the memory of the server does not grow."""
    monkeypatch.setattr(forwarder, "READER_S", 0.3)
    ended = threading.Event()

    class Endless(Response):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            async def stream() -> None:
                headers = [(b"content-type", b"text/event-stream")]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
                while True:
                    body = events(piece({"content": "x" * 60_000}))
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                    # After a disconnect `send` returns at once, and nothing else would run.
                    await asyncio.sleep(0)

            async def leave() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass

            await run_until_first_done(stream(), leave())
            ended.set()

    async def answer(_: Request) -> Response:
        return Endless()

    provider = Loopback(Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])]))
    with site_before(f"{provider.origin}/v1") as site:
        page = site.page()
        with page.stream("POST", PATH, json=ASKED) as response:
            assert response.status_code == 200
            record = records.next()
        assert ended.wait(10)
        spent = site.spent()
    provider.stop()

    assert (record["code"], record["status"]) == ("reader_gone", 408)
    assert spent.requests == 1
    assert spent.tokens >= 8_192


def test_logs_have_numbers_and_no_content(site: Site, records: Records) -> None:
    """Neither the words of a visitor, nor a token, nor the key."""
    page = site.page()
    page.post(PATH, json={"messages": [{"role": "user", "content": "my secret words"}]})
    page.post(PATH, json={**ASKED, "store": True})
    request, refusal = records.next(), records.next()

    assert (request["event"], request["status"], request["model"]) == ("request", 200, "gpt-5-mini")
    assert (request["input_tokens"], request["output_tokens"]) == (100, 20)
    assert Decimal(request["usd"]) > 0
    assert (refusal["event"], refusal["code"]) == ("refusal", "invalid_parameter")
    text = str([request, refusal])
    for secret in ("my secret words", KEY, page.headers["x-webagent-token"]):
        assert secret not in text


def test_the_owner_reads_at_the_start_what_is_not_limited() -> None:
    """Workers that count for themselves, and a model without a price."""
    known = LlmGateway(model_at("http://127.0.0.1:1/v1"), Visitors(SECRET))
    unknown = LlmGateway(model_at("http://127.0.0.1:1/v1", "openai-chat:house"), Visitors(SECRET))

    assert known.notes(1) == []
    assert known.notes(3) == [
        "each of 3 workers counts for itself, so all limits are 3 times as high - "
        '`broker="redis://…"` counts for all of them'
    ]
    assert "the price of `house` is not known" in unknown.notes(1)[0]
    with pytest.raises(ConfigError, match="the price of `house` is not known"):
        LlmGateway(
            model_at("http://127.0.0.1:1/v1", "openai-chat:house"),
            Visitors(SECRET),
            visitor=Budget(day=Limit(usd=Decimal(1))),
        )


@pytest.mark.parametrize(("sent", "read"), [([b"a" * 9, b"b" * 9], 2), ([b"a" * (3 << 20)] * 3, 2)])
async def test_a_refused_request_is_read_up_to_the_limit(sent: list[bytes], read: int) -> None:
    """Caddy may lose a response that comes before the end of its request."""
    app = Starlette(routes=LlmGateway(None, Visitors(SECRET)).routes())
    left = list(sent)
    answers: list[int] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert len(sent) - len(left) == read
            answers.append(message["status"])

    scope = {
        "type": "http",
        "method": "POST",
        "path": PATH,
        "raw_path": PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"shop.example")],
    }
    await app(scope, receive, send)

    assert answers == [403]
