"""The table of refusals in the contracts, each of them provoked: what a page gets, or the log has."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.model_server import Loopback, ModelServer, Turn, held, refuses
from tests.reference.contracts import code, rows
from tests.siteserver.llm.test_gateway import (
    ASKED,
    LLM,
    PATH,
    SECRET,
    Records,
    Site,
    code_of,
    model_at,
    site_before,
)
from webagent_site.broker.ledger import Budget, Limit
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.http.visitors import Visitors
from webagent_site.llm.gateway import LlmGateway
from webagent_site.llm.telemetry import LOGGER

Found = tuple[str, int]
"""A code and its status."""

TABLE = {
    (code(row["code"]), int(status))
    for row in rows("Refusals of the gateway")
    for status in row["status"].split(", ")
}
ELSEWHERE = {("reader_gone", 408)}
"""Takes the time of a reader: `test_a_page_that_stops_reading_is_left`."""


def answered(answer: httpx.Response) -> Found:
    return code_of(answer), answer.status_code


def asked(site: Site, data: Any = ASKED, path: str = PATH, **more: Any) -> Found:
    """Return the answer to a page."""
    return answered(site.page().post(path, json=data, **more))


def sent(text: str, kind: str = "application/json") -> Callable[[Site], Found]:
    headers = {"content-type": kind}
    return lambda site: answered(site.page().post(PATH, content=text, headers=headers))


def stopped(site: Site) -> Found:
    page = site.page()
    asyncio.run(site.gateway.stop())
    return answered(page.post(PATH, json=ASKED))


def without_token(site: Site) -> Found:
    return answered(httpx.post(site.url + PATH, json=ASKED, headers={"origin": site.url}))


BY_THE_GATEWAY: dict[str, Callable[[Site], Found]] = {
    "invalid_content_type": sent("{}", "text/plain"),
    "invalid_json": sent("{"),
    "invalid_messages": lambda site: asked(site, {}),
    "invalid_page_token": without_token,
    "invalid_parameter": lambda site: asked(site, ASKED | {"store": True}),
    "invalid_tool": lambda site: asked(site, ASKED | {"tools": [{"type": "web_search"}]}),
    "model_not_configured": lambda site: asked(site, path=PATH.replace("/v1", "/fallback/v1")),
    "model_not_found": lambda site: asked(site, ASKED | {"model": "dearer"}),
    "models_stopped": stopped,
    "remote_image": lambda site: asked(
        site,
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": "https://shop.example/a.png"}}
                    ],
                }
            ]
        },
    ),
    "request_too_large": lambda site: asked(site, {"messages": ["x" * (4 << 20)]}),
    "unknown_path": lambda site: asked(site, path=f"{LLM}/v1/files"),
    "wrong_origin": lambda site: asked(site, headers={"origin": "https://other.example"}),
}
"""Refusals of the gateway itself: nothing reaches the provider, and nothing is counted."""


@pytest.fixture(name="records")
def _records() -> Iterator[Records]:
    records, log = Records(), logging.getLogger(LOGGER)
    log.addHandler(records)
    yield records
    log.removeHandler(records)


def refused_by_the_gateway() -> Iterator[Found]:
    with ModelServer() as model:
        for name, ask in BY_THE_GATEWAY.items():
            with site_before(model.url) as site:
                found = ask(site)
                assert found[0] == name
                assert site.ledger.spent().requests == 0
                yield found
        assert model.requests == []
    for provider, data, path in (
        ("gemini:gemini-2.5-flash", {"contents": 1}, "models/gemini-2.5-flash:generateContent"),
        ("openai:gpt-5-mini", {}, "responses"),
    ):
        llm = model_at("http://127.0.0.1:1", provider)
        with gateway_of(LlmGateway(llm, Visitors(SECRET))) as (origin, headers):
            answer = httpx.post(f"{origin}{LLM}/v1/{path}", json=data, headers=headers)
            assert answer.status_code == 400
            yield _named(answer), answer.status_code


def _named(answer: httpx.Response) -> str:
    """Return the code of an error of any protocol, by the field that its message names."""
    field = re.search(r"has no `(\w+)`", answer.text)
    assert field is not None, answer.text
    return f"invalid_{field[1]}"


@contextmanager
def gateway_of(gateway: LlmGateway) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve a gateway; yield its origin, and the headers of a page with its token."""
    running = Loopback(Starlette(routes=gateway.routes()))
    try:
        headers = {"origin": running.origin}
        issued = httpx.post(f"{running.origin}{LLM}/token", headers=headers)
        cookie = issued.headers["set-cookie"].partition(";")[0]
        token = {"x-webagent-token": issued.json()["token"], "cookie": cookie}
        yield running.origin, headers | token
    finally:
        running.stop()


def over_a_budget() -> Iterator[Found]:
    spent, once = Budget(day=Limit(requests=0)), Budget(minute=Limit(requests=0))
    for budget in (spent, once):
        with site_before("http://127.0.0.1:1/v1", visitor=budget) as site:
            yield asked(site)
    llm = model_at("http://127.0.0.1:1", "ollama:qwen3")
    gateway = LlmGateway(llm, Visitors(SECRET), visitor=spent)
    with gateway_of(gateway) as (origin, headers):
        # This protocol's errors are sentences.
        answer = httpx.post(f"{origin}{LLM}/v1/chat", json=ASKED, headers=headers)
        assert "come back tomorrow" in answer.json()["error"]
        yield "insufficient_quota", answer.status_code


def not_counted() -> Iterator[Found]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"redis://127.0.0.1:{free.getsockname()[1]}"
    llm = model_at("http://127.0.0.1:1/v1")
    gateway = LlmGateway(llm, Visitors(SECRET), broker=RedisBroker(address))
    with gateway_of(gateway) as (origin, headers):
        yield answered(httpx.post(origin + PATH, json=ASKED, headers=headers, timeout=30))


def failed_by_the_provider(records: Records) -> Iterator[Found]:
    with site_before("http://127.0.0.1:1/v1") as site:
        yield asked(site)
    turns = [refuses(401), refuses(403), Turn(b"", 302, {"location": "https://other.example/"})]
    with ModelServer(*turns) as model, site_before(model.url) as site:
        for _ in turns:
            yield asked(site)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with site_before(url, whole_s=0.3) as site:
            yield asked(site)

    async def endless(_: Request) -> Response:
        return Response(b" " * (17 << 20), media_type="application/json")

    provider = Loopback(Starlette(routes=[Route("/{path:path}", endless, methods=["POST"])]))
    with site_before(f"{provider.origin}/v1") as site:
        while not records.empty():
            records.next()
        with pytest.raises(httpx.RemoteProtocolError):
            asked(site)
        yield logged(records)
    provider.stop()


def left_by_the_page(records: Records) -> Iterator[Found]:
    with ModelServer(held()) as model, site_before(model.url) as site:
        while not records.empty():
            records.next()
        with site.page().stream("POST", PATH, json=ASKED) as reply:
            assert reply.status_code == 200
        model.wait_for_abort()
        yield logged(records)
        page = site.page()
        head = [f"POST {PATH} HTTP/1.1", f"host: {site.url[7:]}", "content-length: 9"]
        given = dict(page.headers) | {
            "cookie": "; ".join(f"{k}={v}" for k, v in page.cookies.items())
        }
        names = ("origin", "x-webagent-token", "cookie")
        head += ["content-type: application/json", *(f"{name}: {given[name]}" for name in names)]
        with socket.create_connection(("127.0.0.1", int(site.url.rpartition(":")[2]))) as client:
            client.sendall("\r\n".join([*head, "", "{"]).encode())
        yield logged(records)


def logged(records: Records) -> Found:
    record = records.next()
    return record["code"], record["status"]


@pytest.mark.conformance
def test_each_refusal_has_the_status_of_the_table(records: Records) -> None:
    """And there is no other row."""
    found = {
        *refused_by_the_gateway(),
        *over_a_budget(),
        *not_counted(),
        *failed_by_the_provider(records),
        *left_by_the_page(records),
    }

    assert found | ELSEWHERE == TABLE
