"""Several processes of a site before one provider, with one Redis between them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.model_server import Loopback, ModelServer, says
from tests.redis_server import RedisServer
from webagent_site import WebAgent
from webagent_site.broker.ledger import Budget, Limit
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.errors import BrokerUnavailable, ConfigError
from webagent_site.llm.gateway import LlmGateway

LLM = "/__webagent__/llm"
PATH = f"{LLM}/v1/chat/completions"
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}], "stream": True}
ORIGIN = "http://shop.example"
MANIFEST = "# Shop\n\n## getCart\nReturns the cart.\n\n### Params\n\n### Output\n```typescript\nvoid\n```\n"
ENVIRONMENT = {"MODEL_KEY": "sk-1", "WEBAGENT_SECRET": "0123456789abcdef"}
Gateways = Callable[..., list[str]]


@pytest.fixture(name="model")
def _model() -> Iterator[ModelServer]:
    with ModelServer(says("hi"), cycle=True) as model:
        yield model


@pytest.fixture(name="gateways")
def _gateways(model: ModelServer) -> Iterator[Gateways]:
    """Start three, as a site with three workers would; yield their addresses."""
    running: list[Loopback] = []

    def start(broker: Callable[[], Any], **options: Any) -> list[str]:
        for _ in range(3):
            gateway = LlmGateway.for_site(
                {
                    "model": "openai-chat:gpt-5-mini",
                    "base_url": model.url,
                    "api_key_env": "MODEL_KEY",
                },
                broker=broker(),
                account=lambda request: request.headers.get("x-user"),
                origins=[ORIGIN],
                environment=ENVIRONMENT,
                most_tokens=20,
                **options,
            )

            async def close(_: Request, gateway: LlmGateway = gateway) -> Response:
                await gateway.close()
                return Response(status_code=204)

            routes = [*gateway.routes(), Route("/close", close, methods=["POST"])]
            running.append(Loopback(Starlette(routes=routes)))
        return [each.origin for each in running]

    yield start
    for each in running:
        assert httpx.post(f"{each.origin}/close").status_code == 204
        each.stop()


def visits(urls: list[str], count: int, account: str) -> list[httpx.Response]:
    """Send requests at once, each of a session of its own, in turn to all processes."""

    async def visit(client: httpx.AsyncClient, number: int) -> httpx.Response:
        url = urls[number % len(urls)]
        headers = {"origin": ORIGIN} | ({"x-user": account} if account else {})
        issued = await client.post(f"{urls[0]}{LLM}/token", headers=headers)
        headers |= {
            "x-webagent-token": issued.json()["token"],
            "cookie": issued.headers["set-cookie"].partition(";")[0],
        }
        return await client.post(f"{url}{PATH}", json=ASKED, headers=headers)

    async def all_at_once() -> list[httpx.Response]:
        async with httpx.AsyncClient(timeout=60, cookies=None) as client:
            return await asyncio.gather(*(visit(client, number) for number in range(count)))

    return asyncio.run(all_at_once())


@pytest.mark.parametrize("account", ["ann", ""], ids=["account", "no cookies"])
def test_fifty_at_once_have_one_budget_over_three_processes(
    redis: RedisServer, gateways: Gateways, model: ModelServer, account: str
) -> None:
    """Of one account, or of one address whose visitors drop their cookies."""
    prefix = secrets.token_hex(4)
    urls = gateways(
        lambda: RedisBroker(redis.url, prefix=prefix),
        site=Budget(),
        visitor=Budget(day=Limit(requests=20)),
    )
    answers = visits(urls, 50, account)

    assert sum(each.status_code == 200 for each in answers) == 20 == len(model.requests)
    refused = [each for each in answers if each.status_code != 200]
    assert {each.status_code for each in refused} == {429}
    assert {each.json()["error"]["code"] for each in refused} == {"insufficient_quota"}


def test_without_a_broker_each_process_has_its_own(gateways: Gateways, model: ModelServer) -> None:
    """The limits are as many times as high, and the start says so."""
    urls = gateways(lambda: None, site=Budget(), visitor=Budget(day=Limit(requests=10)))
    answers = visits(urls, 50, "ann")

    assert sum(each.status_code == 200 for each in answers) == 30


def test_a_request_that_cannot_be_counted_is_refused(
    gateways: Gateways, model: ModelServer
) -> None:
    """Nothing reaches the provider; the page may come back in seconds."""
    urls = gateways(lambda: "redis://127.0.0.1:9/0")
    (answer,) = visits(urls, 1, "ann")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["error"]["code"] == "broker_unavailable"
    assert "the broker of the site does not answer" in answer.json()["error"]["message"]
    assert len(model.requests) == 0


@pytest.mark.parametrize("given", ["an address", "a client"])
def test_the_models_of_all_processes_are_stopped(
    redis: RedisServer, gateways: Gateways, model: ModelServer, given: str
) -> None:
    """By any of them, in any event loop; one that starts later knows it, too."""
    prefix = secrets.token_hex(4)
    urls = gateways(lambda: RedisBroker(redis.url, prefix=prefix))

    async def stop(stopped: bool) -> None:
        client = Redis.from_url(redis.url)
        await RedisBroker(
            redis.url if given == "an address" else client, prefix=prefix
        ).set_stopped(stopped)
        await client.aclose()

    asyncio.run(stop(True))
    refused = visits(urls, 3, "ann")
    asyncio.run(stop(False))
    passed = visits(urls, 1, "ann")

    assert {each.json()["error"]["code"] for each in refused} == {"models_stopped"}
    assert [each.status_code for each in passed] == [200]


def test_an_owner_learns_that_the_models_are_not_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Redis does not answer the other processes would go on."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    (tmp_path / "webagents.md").write_text(MANIFEST)
    agent = WebAgent(
        tmp_path / "webagents.md", model="openai-chat:gpt-5-mini", broker="redis://127.0.0.1:9/0"
    )

    with pytest.raises(BrokerUnavailable, match="does not answer"):
        asyncio.run(agent.stop_models())


def test_an_application_names_its_broker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of several workers nobody counts for itself, so there is nothing to say at the start."""
    for name, value in {**ENVIRONMENT, "OPENAI_API_KEY": "sk-1", "WEB_CONCURRENCY": "3"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "webagents.md").write_text(MANIFEST)
    model = "openai-chat:gpt-5-mini"
    alone = WebAgent(tmp_path / "webagents.md", model=model)
    together = WebAgent(tmp_path / "webagents.md", model=model, broker="redis://127.0.0.1:9/0")

    assert "each of 3 workers counts for itself" in " ".join(alone.notes())
    assert 'broker="redis://' in " ".join(alone.notes())
    assert together.notes() == []


def test_a_gateway_has_the_broker_of_its_application(tmp_path: Path) -> None:
    """One that counts elsewhere is refused, with what to write."""
    (tmp_path / "webagents.md").write_text(MANIFEST)
    broker = RedisBroker("redis://127.0.0.1:9/0")
    keys = {"model": "openai-chat:gpt-5-mini", "api_key_env": "MODEL_KEY"}
    same = LlmGateway.for_site(keys, broker=broker, environment=ENVIRONMENT)
    other = LlmGateway.for_site(keys, environment=ENVIRONMENT)

    assert WebAgent(tmp_path / "webagents.md", model=same, broker=broker).notes() == []
    with pytest.raises(ConfigError, match=r"LlmGateway\.for_site\(…, broker=…\)"):
        WebAgent(tmp_path / "webagents.md", model=other, broker=broker).check()
