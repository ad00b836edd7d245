"""The grants of a visitor: in the panel, and at several processes."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from tests.redis_server import NONE, RedisServer, find_redis
from tests.siteserver.assistants.conftest import (
    OAUTH,
    ORIGIN,
    RESOURCE,
    Assistant,
    Browser,
    Site,
)
from webagent_site.broker.redis_broker import RedisBroker


async def test_the_panel_allows_tools_and_disconnects(
    browser: Browser, assistant: Assistant
) -> None:
    """One by one; the cookie for pages goes with the last one."""
    await browser.tokens(assistant)
    await browser.tokens(assistant)
    first, second = await browser.grants()
    await browser.panel(do="allow", id=first["id"], tool="searchBooks")
    await browser.panel(do="allow", id=first["id"], tool="buy")
    changed = await browser.panel(do="forbid", id=first["id"], tool="buy")
    gone = await browser.panel(do="disconnect", id=first["id"])
    last = await browser.panel(do="disconnect")

    assert [each["tools"] for each in changed.json()["assistants"]] == [["searchBooks"], []]
    assert changed.json()["address"] == RESOURCE
    assert [each["id"] for each in gone.json()["assistants"]] == [second["id"]]
    assert "Max-Age=31536000" in gone.headers["set-cookie"]
    assert last.json()["assistants"] == []
    assert "Max-Age=0" in last.headers["set-cookie"]


async def test_a_visitor_sees_and_changes_their_own_alone(site: Site, assistant: Assistant) -> None:
    """Also with the id of another's."""
    app = site(accounts=True)
    ada, bob = Browser(app, "ada"), Browser(app, "bob")
    await ada.tokens(assistant)
    [grant] = await ada.grants()
    allowed = await bob.panel(do="allow", id=grant["id"], tool="buy")
    await bob.panel(do="disconnect", id=grant["id"])
    await bob.panel(do="disconnect")

    assert await bob.grants() == []
    assert allowed.status_code == 404
    assert await ada.grants() == [grant]
    assert await Browser(app, "ada").grants() == [grant]


@pytest.mark.parametrize(
    "asks",
    [
        {},
        {"do": "buy"},
        {"do": 1},
        {"do": "allow"},
        {"do": "allow", "id": "x", "tool": 1},
        {"do": "allow", "id": "x", "tool": "\ud800"},
    ],
)
async def test_an_odd_request_of_a_panel_is_refused(
    browser: Browser, asks: dict[str, object]
) -> None:
    """With a sentence."""
    answer = await browser.panel(**asks)

    assert answer.status_code == 400
    assert answer.json()["error"]["kind"] == "invalid_arguments"


async def test_only_pages_of_the_site_ask(browser: Browser, assistant: Assistant) -> None:
    """With their token, from their origin."""
    await browser.tokens(assistant)
    without = await browser.http.post(
        "/__webagent__/assistants", json={"do": "list"}, headers={"origin": ORIGIN}
    )
    other = await browser.http.post(
        "/__webagent__/assistants", json={"do": "list"}, headers={"origin": "https://evil.example"}
    )

    assert (without.status_code, other.status_code) == (403, 403)


async def test_a_visitor_has_twenty_assistants_at_most(
    browser: Browser, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here, two."""
    monkeypatch.setattr("webagent_site.assistants.consent.MOST_GRANTS", 2)
    await browser.tokens(assistant)
    await browser.tokens(assistant)
    refused = await browser.press(await browser.asked(assistant.asks), "connect")

    assert refused.status_code == 409


@pytest.fixture(name="own_redis")
def _own_redis(tmp_path: Path) -> RedisServer:
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    return RedisServer(path, tmp_path)


async def test_any_process_answers_and_feels_the_end(
    site: Site, assistant: Assistant, redis: RedisServer
) -> None:
    """Consent at one, the code at another, the end at a third."""
    prefix = secrets.token_hex(4)
    brokers = [RedisBroker(redis.url, prefix=prefix) for _ in range(3)]
    apps: list[ASGIApp] = [site(accounts=True, broker=each) for each in brokers]
    first, second, third = (Browser(app, "ada") for app in apps)
    code = await first.connected(assistant)
    tokens = await second.http.post(f"{OAUTH}/token", data=assistant.shows(code))
    assert tokens.status_code == 200
    assert len(await third.grants()) == 1

    await third.panel(do="disconnect")
    assert await first.grants() == []
    refused = await first.http.post(
        f"{OAUTH}/token", data=assistant.refreshes(tokens.json()["refresh_token"])
    )
    assert refused.json()["error"] == "invalid_grant"
    for broker in brokers:
        await broker.close()


async def test_without_redis_everything_is_refused(
    site: Site, assistant: Assistant, own_redis: RedisServer
) -> None:
    """With 503 and the time to wait."""
    broker = RedisBroker(own_redis.url)
    browser = Browser(site(broker=broker))
    page = await browser.asked(assistant.asks)
    code = await browser.connected(assistant)
    own_redis.kill()
    answers = [
        await browser.press(page, "connect"),
        await browser.http.post(f"{OAUTH}/token", data=assistant.shows(code)),
        await browser.http.post(
            f"{OAUTH}/revoke", data={"token": code, "client_id": assistant.client_id}
        ),
        await browser.panel(do="list"),
    ]
    await broker.close()

    assert [each.status_code for each in answers] == [503] * 4
    assert all(each.headers["retry-after"] == "5" for each in answers)
