"""An example in three workers with a scripted provider, behind nginx and behind Caddy."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.deployed import (
    KEY,
    LLM,
    PROXIES,
    Deployed,
    behind_nginx,
    needs,
    wait_for,
    workers,
)
from tests.examples import EXAMPLES
from tests.model_server import LIMIT_S, Loopback, ModelServer, held, says
from webagent_site import WebAgent
from webagent_site.config.llm import ModelKeys
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.visitors import SESSION_COOKIE
from webagent_site.llm.gateway import LlmGateway

ASKED = {"messages": [{"role": "user", "content": "hello"}], "stream": True}


@pytest.fixture(name="model", scope="module")
def _model() -> Iterator[ModelServer]:
    with ModelServer() as model:
        yield model


@pytest.fixture(name="inner", scope="module")
def _inner(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workers("fastapi", tmp_path_factory.mktemp("workers"), model) as address:
        wait_for(f"http://{address}")
        yield address


@pytest.fixture(name="site", scope="module", params=PROXIES)
def _site(
    request: pytest.FixtureRequest, inner: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    needs(request.param)
    behind, name = PROXIES[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    with behind(EXAMPLES / "deploy" / name, {"127.0.0.1:8000": inner}, folder) as site:
        wait_for(site.url)
        yield site


def test_page_bundle_and_reply_pass_and_the_log_keeps_no_secret(
    site: Deployed, model: ModelServer
) -> None:
    """The reply arrives while the provider still holds its end."""
    page = httpx.get(site.url)
    found = re.search(r'/webagent/[^"]+/webagent\.js', page.text)
    assert found
    script = httpx.get(site.url + found[0], headers={"accept-encoding": "gzip"})
    assert script.headers["content-encoding"] == "gzip"
    assert "immutable" in script.headers["cache-control"]

    token, session = site.visitor()
    model.add(held("Let me think"))
    path, sent = f"{site.url}{LLM}/v1/chat/completions", site.headers(token, session)
    with httpx.stream("POST", path, json=ASKED, headers=sent, timeout=LIMIT_S) as reply:
        assert reply.status_code == 200
        shown, released = "", False
        for chunk in reply.iter_text():
            shown += chunk
            if "nk" in shown and not released:
                released = True
                # All of the words are here, and the end is not.
                assert "[DONE]" not in shown
                model.release()
    assert "[DONE]" in shown
    logged = httpx.get(site.url, headers={"cookie": "session=s3cr3t", "authorization": "t0p"})
    assert logged.status_code == 200
    log = site.access_log.read_text("utf-8")
    assert f"{LLM}/token" in log
    for secret in (token, session, KEY, "s3cr3t", "t0p"):
        assert secret not in log


def test_check_finds_nothing_behind_the_proxy(site: Deployed, model: ModelServer) -> None:
    """Not even in Chromium; and it asks the model for nothing."""
    asked = len(model.requests)

    assert _findings(site.url) == ""
    assert len(model.requests) == asked


def _findings(url: str, *options: str) -> str:
    check = [sys.executable, "-m", "webagent_dev", "check", url, "--format", "concise", *options]
    return subprocess.run(check, stdout=subprocess.PIPE, text=True, check=False).stdout


_OWN, _OTHER, _MISSING, _FORGED = "own", "other", "missing", "forged"


@pytest.fixture(name="visitors", scope="module")
def _visitors(site: Deployed) -> dict[str, tuple[str, str]]:
    return {_OWN: site.visitor(), _OTHER: site.visitor()}


@pytest.mark.parametrize(
    ("origin", "session", "token"),
    [
        *product(
            (_OWN, _OTHER, _MISSING), (_OWN, _OTHER, _MISSING), (_OWN, _OTHER, _MISSING, _FORGED)
        )
    ],
)
def test_only_a_page_with_its_own_token_reaches_the_model(
    site: Deployed,
    model: ModelServer,
    visitors: dict[str, tuple[str, str]],
    origin: str,
    session: str,
    token: str,
) -> None:
    """Origins, sessions of two visitors, and tokens: each with each."""
    headers = {}
    if origin != _MISSING:
        headers["origin"] = site.url if origin == _OWN else "https://other.example"
    if session != _MISSING:
        headers["cookie"] = f"{SESSION_COOKIE}={visitors[session][1]}"
    if token == _FORGED:
        headers[TOKEN_HEADER] = visitors[_OWN][0][:-4] + "beef"
    elif token != _MISSING:
        headers[TOKEN_HEADER] = visitors[token][0]
    asked = len(model.requests)
    may = origin == _OWN and session == token != _MISSING
    if may:
        model.add(says("hello"))

    answer = httpx.post(f"{site.url}{LLM}/v1/chat/completions", json=ASKED, headers=headers)

    assert answer.status_code == (200 if may else 403), answer.text
    assert len(model.requests) - asked == may


_CACHE = """
proxy_cache_path {folder}/cache keys_zone=shared:1m;
server {{
    listen 80;
    client_max_body_size 5m;
    location / {{
        proxy_pass http://{site};
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_cache shared;
        proxy_cache_methods GET HEAD;
        add_header x-cache $upstream_cache_status always;
    }}
}}
"""


def test_a_shared_cache_keeps_pages_and_the_bundle_and_no_tokens(tmp_path: Path) -> None:
    """As a content delivery network does that obeys `cache-control`: see `docs/how-to/cdn.md`."""
    needs("nginx")
    pages = []

    async def page(_: Request) -> Response:
        pages.append(1)
        html = "<!doctype html><html><head><title>Shop</title></head><body>Shop</body></html>"
        return HTMLResponse(html, headers={"cache-control": "public, max-age=60"})

    model = {"model": "openai-chat:gpt-5-mini", "base_url": "http://127.0.0.1:1"}
    keys: ModelKeys = {**model, "api_key_env": "KEY"}  # type: ignore[typeddict-item]
    gateway = LlmGateway.for_site(keys, environment={"KEY": KEY})
    webagent = WebAgent(EXAMPLES / "fastapi" / "webagents.md", model=gateway)
    running = Loopback(webagent.wrap(Starlette(routes=[Route("/", page)])))
    config = tmp_path / "cache.conf"
    inner = running.origin.removeprefix("http://")
    config.write_text(_CACHE.format(folder=tmp_path, site=inner), "utf-8")
    try:
        with behind_nginx(config, {}, tmp_path) as site:
            wait_for(f"{site.url}/webagents.md")

            def kept(path: str, coding: str = "gzip") -> httpx.Response:
                first, second = (
                    httpx.get(site.url + path, headers={"accept-encoding": coding})
                    for _ in range(2)
                )
                assert first.content == second.content
                return second

            html = kept("/")
            assert html.headers["x-cache"] == "HIT"
            assert len(pages) == 1
            assert "webagent_page_" not in html.text
            found = re.search(r'/webagent/[^"]+/webagent\.js', html.text)
            assert found
            for coding in ("gzip", "zstd", "identity"):
                script = kept(found[0], coding)
                assert script.headers["x-cache"] == "HIT"
                assert script.headers.get("content-encoding", "identity") == coding
            assert kept("/webagents.md").headers["x-cache"] != "HIT"

            one, other = site.visitor(), site.visitor()
            assert one[0] != other[0]
            assert one[1] != other[1]
            sent = httpx.get(f"{site.url}{LLM}/token", headers={"origin": site.url})
            assert sent.status_code == 405

            # The functions of the manifest are those of another page.
            assert _findings(site.url, "--ignore", "tool-not-there") == ""
    finally:
        running.stop()
