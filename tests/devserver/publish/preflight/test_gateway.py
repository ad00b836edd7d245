"""Findings on the gateway of a site: `webagent_site` itself, and what proxies make of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.model_server import Loopback
from webagent.diagnostics import Finding
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.publish.preflight.checks import server_findings
from webagent_dev.publish.preflight.fetch import fetch_site
from webagent_dev.publish.preflight.gateway import fetch_gateway, gateway_findings
from webagent_site import WebAgent
from webagent_site.llm.gateway import LlmGateway

LLM = "/__webagent__/llm/"
KEY = "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PAGE = "<!doctype html><html><head><title>Shop</title></head><body>Shop</body></html>"


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Callable[..., ASGIApp]:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for name in ("webagent.js", "global.js", "sandbox.html"):
        (bundle / name).write_text("export {};")
    (bundle / "bundle.json").write_text('{"build": "b1"}')
    (tmp_path / "webagents.md").write_text(
        "# Shop\n\n## buy\nBuy.\n\n### Params\n\n### Output\n`void`\n"
    )

    def site(model: str = "openai-chat:gpt-5-mini", secret: str = "0" * 32) -> ASGIApp:
        # Nothing listens at the base URL: a request that is forwarded would end with 502.
        keys = {"model": model, "base_url": "http://127.0.0.1:1/v1", "api_key_env": "KEY"}
        environment = {"KEY": KEY, "WEBAGENT_SECRET": secret}
        gateway = LlmGateway.for_site(keys, environment=environment)  # type: ignore[arg-type]
        webagent = WebAgent(tmp_path / "webagents.md", model=gateway, bundle=bundle)

        async def page(_: Request) -> Response:
            return HTMLResponse(PAGE)

        return webagent.wrap(Starlette(routes=[Route("/", page)]))

    return site


def found(app: ASGIApp, path: str = "/") -> list[Finding]:
    """Return the findings on a site that is served."""

    async def look() -> list[Finding]:
        site = await fetch_site(running.origin + path, f"{running.origin}{path}webagents.md")
        gateway = await fetch_gateway(site)
        assert gateway is not None
        all_of_them = [*server_findings(site), *gateway_findings(gateway)]
        for each in all_of_them:
            assert 0 <= each.finding.span.start <= each.finding.span.end <= len(each.source.text)
            # The line of a finding is shown, so that a key in it would be in a log.
            assert KEY not in each.source.text[: each.finding.span.end]
        return [each.finding for each in all_of_them]

    running = Loopback(app)
    try:
        return asyncio.run(look())
    finally:
        running.stop()


MODELS = ["openai:x", "openai-chat:x", "anthropic:x", "gemini:x", "ollama:x"]


@pytest.mark.parametrize("model", MODELS)
def test_a_gateway_as_it_should_be_has_no_findings(
    site: Callable[..., ASGIApp], model: str
) -> None:
    """In each protocol; no request reaches the provider."""
    assert found(site(model)) == []


def test_a_gateway_below_a_mount_is_found(site: Callable[..., ASGIApp]) -> None:
    """Its tokens are below the mount, too."""
    assert found(Starlette(routes=[Mount("/shop", site())]), "/shop/") == []


def changed(
    app: ASGIApp,
    *,
    sent: Callable[[Scope], None] = lambda scope: None,
    answered: Callable[[MutableHeaders], None] = lambda headers: None,
) -> ASGIApp:
    """Return an application behind a proxy that changes requests and headers of answers."""

    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        scope = {**scope, "headers": list(scope["headers"])}
        if scope["path"].startswith(LLM):
            sent(scope)

        async def passed(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["path"].startswith(LLM):
                answered(MutableHeaders(scope=message))
            await send(message)

        await app(scope, receive, passed)

    return proxy


def answering(app: ASGIApp, decide: Callable[[bytes], Response | None]) -> ASGIApp:
    """Return an application behind a proxy that answers requests to the model by itself."""

    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(f"{LLM}v1/"):
            body = await Request(scope, receive).body()
            if (response := decide(body)) is not None:
                await response(scope, receive, send)
                return

            whole = iter([{"type": "http.request", "body": body, "more_body": False}])

            async def again() -> Message:
                return next(whole, None) or await receive()

            await app(scope, again, send)
            return
        await app(scope, receive, send)

    return proxy


def without(*names: bytes) -> Callable[[Scope], None]:
    def remove(scope: Scope) -> None:
        scope["headers"] = [header for header in scope["headers"] if header[0] not in names]

    return remove


def as_own_page(scope: Scope) -> None:
    """Let a request look as if a page of the site had sent it."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    without(b"origin", b"sec-fetch-site")(scope)
    scope["headers"].append((b"origin", b"http://" + hosts[0]))


def as_post(scope: Scope) -> None:
    as_own_page(scope)
    scope["method"] = "POST"


def other_host(scope: Scope) -> None:
    without(b"host")(scope)
    scope["headers"].append((b"host", b"127.0.0.1:8000"))


def only_get(app: ASGIApp) -> ASGIApp:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            await PlainTextResponse("no", 405)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return proxy


def as_tokens(app: ASGIApp, body: bytes) -> ASGIApp:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        own = Response(body) if scope["path"] == f"{LLM}token" else app
        await own(scope, receive, send)

    return proxy


def kept(headers: MutableHeaders) -> None:
    headers["cache-control"] = "public, max-age=60"


def by_size(most: int, status: int) -> Callable[[bytes], Response | None]:
    return lambda body: JSONResponse({}, status) if len(body) > most else None


CASES: dict[str, tuple[Callable[[ASGIApp], ASGIApp], str, str, str]] = {
    "another host": (
        lambda app: changed(app, sent=other_host),
        "gateway-refuses-pages",
        "POST `http://127.0.0.1:*/__webagent__/llm/token` answers with status 403",
        "pass `Host` on unchanged",
    ),
    "no posts": (only_get, "gateway-refuses-pages", "status 405", "pass POSTs"),
    "a strange token": (
        lambda app: as_tokens(app, b"[" * 100_000),
        "gateway-refuses-pages",
        "answers with status 200",
        "let the proxy pass",
    ),
    "no cookies": (
        lambda app: changed(app, sent=without(b"cookie")),
        "gateway-refuses-pages",
        "8 of 8 requests",
        "cookies",
    ),
    "broken": (
        lambda app: answering(app, lambda body: JSONResponse({}, 500)),
        "gateway-refuses-pages",
        "status 500, so no request gets to the model",
        "the log of the application",
    ),
    "kept tokens": (
        lambda app: changed(app, answered=kept),
        "gateway-tokens",
        "`no-store` is missing",
        "leave `cache-control` as it is",
    ),
    "tokens for others": (
        lambda app: changed(app, sent=as_own_page),
        "gateway-tokens",
        "gives a token to a page of `https://other.example`",
        "pass `Origin` on unchanged",
    ),
    "tokens by GET": (
        lambda app: changed(app, sent=as_post),
        "gateway-tokens",
        "gives a token to a GET",
        "answer POSTs only",
    ),
    "any model": (
        lambda app: answering(app, lambda body: JSONResponse({"choices": []})),
        "gateway-limits",
        "the model `webagent-check`, which the owner has not named",
        "refuse other models",
    ),
    "any size": (
        lambda app: answering(app, by_size(4 << 20, 404)),
        "gateway-limits",
        "reads a request of more than 4194304 bytes",
        "status 413",
    ),
    "small bodies": (
        lambda app: answering(app, by_size(1 << 20, 413)),
        "gateway-body",
        "refuses a request of 3145728 bytes",
        "`client_max_body_size 5m`",
    ),
    "a key": (
        lambda app: answering(app, lambda body: JSONResponse({"error": f"wrong key {KEY}"}, 404)),
        "key-in-answer",
        "key of a provider: `sk-p…`",
        "revoke the key",
    ),
}
"""Faults, each with the rule that finds it, its sentence and its remedy."""


@pytest.mark.parametrize("case", CASES)
def test_a_fault_of_a_proxy_is_found(site: Callable[..., ASGIApp], case: str) -> None:
    """By its rule, with what to do."""
    broken, rule, message, remedy = CASES[case]
    first, *_ = [
        each for each in found(broken(site())) if each.rule == rule and _fits(message, each.message)
    ]

    assert remedy in (first.help or "")
    assert first.severity is LIVE_RULES[rule].severity


def _fits(pattern: str, text: str) -> bool:
    before, _, after = pattern.partition("*")
    return before in text and after in text


def test_every_rule_about_gateways_has_a_case() -> None:
    """A new rule comes with its test."""
    about = {rule for rule in LIVE_RULES if rule.startswith("gateway-")}

    assert about | {"key-in-answer"} == {rule for _, rule, _, _ in CASES.values()}


def test_workers_with_different_secrets_are_found(site: Callable[..., ASGIApp]) -> None:
    """A page would lose its model now and then."""
    workers = itertools.cycle([site(secret="a" * 32), site(secret="b" * 32)])

    async def balanced(scope: Scope, receive: Receive, send: Send) -> None:
        await next(workers)(scope, receive, send)

    (only,) = found(balanced)

    assert only.rule == "gateway-refuses-pages"
    assert only.message == "4 of 8 requests with a new token are refused with status 403"
    assert "the same `WEBAGENT_SECRET`" in (only.help or "")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_gateway_is_not_broken(site: Callable[..., ASGIApp], status: int) -> None:
    """The owner may have stopped the models."""
    assert found(answering(site(), lambda body: JSONResponse({}, status))) == []


def test_a_closed_connection_is_a_refusal(site: Callable[..., ASGIApp]) -> None:
    """Some servers do not read a request that is too long to its end."""
    app = site()

    async def closing(scope: Scope, receive: Receive, send: Send) -> None:
        lengths = [int(value) for name, value in scope["headers"] if name == b"content-length"]
        if max(lengths, default=0) > 4 << 20:
            # Without an answer uvicorn closes the connection.
            return
        await app(scope, receive, send)

    assert [each.rule for each in found(closing)] == []
