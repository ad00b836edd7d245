"""The use of tools: what pages report, what is refused, and who sees it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as SyncRedis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from tests.redis_server import RedisServer
from webagent_site import WebAgent
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.config.llm import configured
from webagent_site.errors import ConfigError
from webagent_site.llm.gateway import LlmGateway, page_token_check
from webagent_site.usage import tool_usage

USAGE = "/__webagent__/usage"
TOKEN = "/__webagent__/llm/token"
ORIGIN = {"origin": "http://testserver"}
OWNER = {"x-owner": "yes"}
CALL = {"type": "call", "tool": "searchBooks", "duration_ms": 12.5}


def is_owner(request: Request) -> bool:
    return request.headers.get("x-owner") == "yes"


async def index(_: Request) -> Response:
    return HTMLResponse("<!doctype html><title>Shop</title><h1>Shop</h1>")


def client_of(root: Path, bundle: Path, **options: Any) -> TestClient:
    agent = WebAgent(root / "webagents.md", bundle=bundle, **options)
    return TestClient(agent.wrap(Starlette(routes=[Route("/", index)])))


def token_of(client: TestClient, path: str = TOKEN) -> dict[str, str]:
    answer = client.post(path, headers=ORIGIN)
    assert answer.status_code == 200, answer.text
    return {**ORIGIN, "x-webagent-token": answer.json()["token"]}


class Page:
    """A page of the site, with its token."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.headers = token_of(client)

    def report(self, *events: Any, **headers: str) -> Any:
        return self.client.post(USAGE, json={"events": events}, headers=self.headers | headers)

    def numbers(self) -> list[str]:
        """Return the cells of the first row as the owner sees them."""
        html = self.client.get(USAGE, headers=OWNER).text
        return [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r"<td.*?</td>", html)]


@pytest.fixture(name="page")
def _page(root: Path, bundle: Path) -> Iterator[Page]:
    with client_of(root, bundle, usage=is_owner) as client:
        yield Page(client)


@pytest.fixture(name="shared")
def _shared(redis: RedisServer) -> RedisBroker:
    return RedisBroker(redis.url, prefix=secrets.token_hex(4))


@pytest.fixture(name="counted", params=["memory", "redis"])
def _counted(request: pytest.FixtureRequest, root: Path, bundle: Path) -> Iterator[Page]:
    """A page whose reports are counted in memory, and on Redis."""
    broker = request.getfixturevalue("shared") if request.param == "redis" else None
    with client_of(root, bundle, usage=is_owner, broker=broker) as client:
        yield Page(client)


def test_pages_report_and_the_owner_sees(counted: Page) -> None:
    """Calls, kinds of errors, the time of 95 of 100, refusals, stops and thumbs of each tool."""
    times = [{**CALL, "duration_ms": ms} for ms in [*range(1, 20), 1_500]]
    failed = [CALL | {"error": kind} for kind in ("threw", "threw", "timeout")]
    others = [
        {"type": kind, "tool": "searchBooks"}
        for kind in ("refusal", "stop", "helpful", "unhelpful")
    ]
    assert counted.report(*times).status_code == 204
    assert counted.numbers()[:3] == ["20", "0", "19 ms"]
    assert counted.report(*failed, *others).status_code == 204

    calls, errors, _, *rest = counted.numbers()
    assert (calls, errors.split()) == ("23", ["3", "threw", "2", "timeout", "1"])
    assert rest == ["1"] * 4


def test_nothing_is_there_without_a_callable(root: Path, bundle: Path) -> None:
    """No path, no token, and pages do not know that anybody could count."""
    with client_of(root, bundle) as client:
        paths = [client.get(USAGE), client.post(USAGE, headers=ORIGIN), client.post(TOKEN)]
        assert [answer.status_code for answer in paths] == [404, 404, 404]
        assert "usage" not in client.get("/").text


def test_pages_learn_where_to_report(root: Path, bundle: Path) -> None:
    """Below the mount of the application, too."""
    agent = WebAgent(root / "webagents.md", bundle=bundle, usage=is_owner)
    app = agent.wrap(Starlette(routes=[Route("/", index)]))
    with TestClient(Starlette(routes=[Mount("/shop", app)])) as client:
        assert f'data-usage="/shop{USAGE}"' in client.get("/shop/").text
        headers = token_of(client, f"/shop{TOKEN}")
        answer = client.post(f"/shop{USAGE}", json={"events": [CALL]}, headers=headers)
        assert answer.status_code == 204


@pytest.mark.parametrize("answer", [False, None, "yes", 1])
def test_only_a_yes_is_one(root: Path, bundle: Path, answer: Any) -> None:
    """For everybody else there is nothing, whatever the function returns instead."""
    with client_of(root, bundle, usage=lambda request: answer) as client:
        found = client.get(USAGE)
    assert (found.status_code, "searchBooks" in found.text) == (404, False)


def test_the_function_may_wait(root: Path, bundle: Path) -> None:
    """As one that asks a database does."""

    async def may(request: Request) -> bool:
        return is_owner(request)

    with client_of(root, bundle, usage=may) as client:
        assert client.get(USAGE).status_code == 404
        assert client.get(USAGE, headers=OWNER).status_code == 200


def test_the_page_loads_nothing(page: Page) -> None:
    """No script, no cache, and no other site may frame it."""
    found = page.client.get(USAGE, headers=OWNER)

    policy = found.headers["content-security-policy"]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]{43}='; frame-ancestors 'none'", policy
    )
    assert found.headers["cache-control"] == "no-store"
    assert "<script" not in found.text


@pytest.mark.parametrize(
    ("headers", "status", "kind"),
    [
        ({"origin": "https://evil.example"}, 403, "wrong_origin"),
        ({"sec-fetch-site": "cross-site"}, 403, "wrong_origin"),
        ({"x-webagent-token": "webagent_page_1900000000_" + "0" * 64}, 403, "invalid_page_token"),
        ({"x-webagent-token": ""}, 403, "invalid_page_token"),
        ({"content-type": "text/plain"}, 415, "invalid_arguments"),
    ],
)
def test_requests_that_no_page_of_the_site_sends(
    page: Page, headers: dict[str, str], status: int, kind: str
) -> None:
    """Nothing of them is counted."""
    answer = page.report(CALL, **headers)

    assert (answer.status_code, answer.json()["error"]["kind"]) == (status, kind)
    assert page.numbers()[0] == "0"


@pytest.mark.parametrize(
    "event",
    [
        CALL | {"arguments": {"query": "my address"}},
        CALL | {"error": "<b>made up</b>"},
        CALL | {"error": ["threw"]},
        CALL | {"duration_ms": -1},
        CALL | {"duration_ms": 1e300},
        CALL | {"duration_ms": True},
        {"type": "helpful", "tool": "searchBooks", "duration_ms": 1},
        {"type": "paid", "tool": "searchBooks"},
        {"type": ["call"], "tool": "searchBooks"},
        {"type": "call", "tool": 7},
        {"tool": "searchBooks"},
        "searchBooks",
        None,
    ],
)
def test_reports_of_another_form(page: Page, event: Any) -> None:
    """The whole report is refused, and what it brought is not repeated."""
    answer = page.report(CALL, event)

    error = answer.json()["error"]
    assert (answer.status_code, error["kind"]) == (400, "invalid_arguments")
    assert "events[1]" in error["message"]
    assert not {"address", "made up", "paid"} & set(re.findall(r"[\w ]+", answer.text))
    assert page.numbers()[0] == "0"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"events": {}}', 400),
        (b'{"events": [], "more": 1}', 400),
        (b'{"events": [' + b"[" * 5_000, 400),
        (b"\xff\xfe", 400),
        (b'{"events": [%s]}' % b",".join([b"1"] * 51), 400),
        (b" " * 20_000, 413),
    ],
)
def test_bodies_that_are_no_report(page: Page, body: bytes, status: int) -> None:
    """Each has its error."""
    headers = page.headers | {"content-type": "application/json"}
    answer = page.client.post(USAGE, content=body, headers=headers)

    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


def test_names_that_the_manifest_does_not_have(page: Page) -> None:
    """They take no memory, and the owner does not see them."""
    forged = [{"type": "call", "tool": f"<script>{number}"} for number in range(49)]

    assert page.report(*forged, CALL).status_code == 204
    html = page.client.get(USAGE, headers=OWNER).text
    assert html.count('scope="row"') == 1
    assert "script" not in html
    assert page.numbers()[0] == "1"


def test_a_flood_is_refused(counted: Page) -> None:
    """Each visitor has 30 reports a minute, whatever cookies they drop."""
    statuses = []
    for _ in range(35):
        counted.client.cookies.clear()
        counted.headers = token_of(counted.client)
        statuses.append(counted.report(CALL).status_code)

    assert statuses == [204] * 30 + [429] * 5
    refused = counted.report(CALL)
    assert refused.json()["error"]["kind"] == "rate_limit_exceeded"
    assert 0 < int(refused.headers["retry-after"]) <= 66
    assert counted.numbers()[0] == "30"


def test_a_title_is_shown_as_text(root: Path, bundle: Path) -> None:
    """Nothing of a manifest becomes markup."""
    manifest = root / "webagents.md"
    text = manifest.read_text() + "\n### Behavior\n- title: <b>Find</b> & more\n"
    manifest.write_text(text)
    with client_of(root, bundle, usage=is_owner) as client:
        html = client.get(USAGE, headers=OWNER).text
    assert "&lt;b&gt;Find&lt;/b&gt; &amp; more<small>searchBooks</small>" in html


def test_a_gateway_of_another_kind(root: Path, bundle: Path) -> None:
    """One that does not know visitors cannot tell whose reports these are."""
    llm = configured({}, {"model": "ollama:qwen3"}, lambda role, key, value: key)
    gateway = LlmGateway(llm, page_token_check("x"))
    with pytest.raises(ConfigError, match=r"make it with `LlmGateway\.for_site`"):
        client_of(root, bundle, model=gateway, usage=is_owner)


def test_several_workers(root: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They need one secret, and the page says that each counts for itself."""
    monkeypatch.setenv("WEB_CONCURRENCY", "3")
    monkeypatch.delenv("WEBAGENT_SECRET")
    with pytest.raises(ConfigError, match="3 workers and no `WEBAGENT_SECRET`"):
        client_of(root, bundle, usage=is_owner)
    monkeypatch.setenv("WEBAGENT_SECRET", "0123456789abcdef")
    with client_of(root, bundle, usage=is_owner) as client:
        html = client.get(USAGE, headers=OWNER).text
    assert "There are 3 processes, and each counts for itself." in html


def test_processes_count_together(
    root: Path, bundle: Path, shared: RedisBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report to one is seen at another; the time is of the latest calls of all."""
    for name, value in (("WEB_CONCURRENCY", "3"), ("WEBAGENT_SECRET", "0123456789abcdef")):
        monkeypatch.setenv(name, value)
    options: dict[str, Any] = {"usage": is_owner, "broker": shared}
    with client_of(root, bundle, **options) as one:
        page = Page(one)
        for number in range(22):
            calls = [CALL | {"duration_ms": number * 50 + each} for each in range(50)]
            assert page.report(*calls).status_code == 204
    with client_of(root, bundle, **options) as two:
        html = two.get(USAGE, headers=OWNER).text
        numbers = Page(two).numbers()

    assert numbers[:3] == ["1100", "0", "1.0 s"]
    assert "for itself" not in html


def test_a_broker_that_does_not_answer(root: Path, bundle: Path) -> None:
    """Pages are refused, and the owner reads why."""
    with client_of(root, bundle, usage=is_owner, broker="redis://127.0.0.1:9/0") as client:
        refused = Page(client).report(CALL)
        seen = client.get(USAGE, headers=OWNER)

    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert refused.json()["error"]["kind"] == "broker_unavailable"
    assert seen.status_code == 503
    assert "the broker of the site does not answer" in seen.text


@pytest.mark.parametrize("value", ["many", "-", ""])
def test_foreign_values_on_redis(
    root: Path, bundle: Path, redis: RedisServer, shared: RedisBroker, value: str
) -> None:
    """Nothing of it is shown."""
    with client_of(root, bundle, usage=is_owner, broker=shared) as client:
        page = Page(client)
        page.report(CALL)
        with SyncRedis.from_url(redis.url) as other:
            (key,) = other.scan_iter(f"*{shared._prefix}*numbers:searchBooks")
            other.hset(key, "calls", value)
        assert client.get(USAGE, headers=OWNER).status_code == 503


class Instrument:
    """Keeps measurements, in place of an instrument of OpenTelemetry."""

    def __init__(self, name: str, measured: list[Any]) -> None:
        self.name = name
        self.measured = measured

    def record(self, value: float, attributes: dict[str, str]) -> None:
        self.measured.append((self.name, value, attributes))

    add = record


class Meter:
    """Makes such instruments."""

    def __init__(self) -> None:
        self.measured: list[Any] = []

    def instrument(self, name: str, *_: Any, **__: Any) -> Instrument:
        return Instrument(name, self.measured)

    create_histogram = create_counter = instrument


def test_the_numbers_are_metrics(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the names of OpenTelemetry's conventions where it has some."""
    meter = Meter()
    monkeypatch.setattr("opentelemetry.metrics.get_meter", lambda name: meter)
    tool_usage._instruments.cache_clear()
    page.report(
        CALL | {"error": "threw"}, {"type": "stop", "tool": "searchBooks"},
        {"type": "unhelpful", "tool": "searchBooks"}, {"type": "refusal", "tool": "forged"},
    )  # fmt: skip
    tool_usage._instruments.cache_clear()

    tool = {"gen_ai.tool.name": "searchBooks"}
    assert meter.measured == [
        ("webagent.tool.duration", 0.0125, tool | {"error.type": "threw"}),
        ("webagent.tool.stops", 1, tool),
        ("webagent.tool.thumbs", 1, tool | {"webagent.thumb": "down"}),
    ]
