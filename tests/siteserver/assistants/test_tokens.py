"""Attacks on the codes and tokens of assistants."""

from __future__ import annotations

import asyncio

import pytest

from tests.local_ca import Documents
from tests.siteserver.assistants.conftest import (
    OAUTH,
    Assistant,
    Browser,
    describe,
)


async def test_a_code_is_for_one_exchange(browser: Browser, assistant: Assistant) -> None:
    """Shown again, it ends what the first exchange has given out."""
    code = await browser.connected(assistant)
    first = await browser.http.post(f"{OAUTH}/token", data=assistant.shows(code))
    second = await browser.http.post(f"{OAUTH}/token", data=assistant.shows(code))
    refreshed = await browser.http.post(
        f"{OAUTH}/token", data=assistant.refreshes(first.json()["refresh_token"])
    )

    assert [first.status_code, second.status_code, refreshed.status_code] == [200, 400, 400]
    assert await browser.grants() == []


async def test_of_many_exchanges_at_once_one_wins_at_most(
    browser: Browser, assistant: Assistant
) -> None:
    """The connection then ends, since somebody else has the code."""
    code = await browser.connected(assistant)
    answers = await asyncio.gather(
        *(browser.http.post(f"{OAUTH}/token", data=assistant.shows(code)) for _ in range(5))
    )

    assert sum(each.status_code == 200 for each in answers) <= 1
    assert await browser.grants() == []


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"redirect_uri": "https://evil.example/back"}, "invalid_request"),
        ({"client_id": "https://evil.example/client.json"}, "invalid_grant"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": "https://shop.example/a2a/jsonrpc"}, "invalid_target"),
        ({"resource": "https://shop.example"}, "invalid_target"),
        ({"code": "webagent_code_" + "A" * 65}, "invalid_grant"),
        ({"code": "'; --"}, "invalid_grant"),
        ({"grant_type": "password"}, "invalid_request"),
    ],
)
async def test_a_code_is_worth_nothing_to_others(
    browser: Browser, assistant: Assistant, changed: dict[str, str], error: str
) -> None:
    """Without all that belongs to it."""
    code = await browser.connected(assistant)
    answer = await browser.http.post(f"{OAUTH}/token", data={**assistant.shows(code), **changed})

    assert (answer.status_code, answer.json()["error"]) == (400, error)


async def test_a_code_ends_after_a_minute(
    browser: Browser, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here, after a moment."""
    monkeypatch.setattr("webagent_site.assistants.credentials.CODE_S", 0.05)
    code = await browser.connected(assistant)
    await asyncio.sleep(0.1)
    answer = await browser.http.post(f"{OAUTH}/token", data=assistant.shows(code))

    assert answer.json()["error"] == "invalid_grant"


async def test_tokens_are_replaced_and_an_old_one_ends_all(
    browser: Browser, assistant: Assistant
) -> None:
    """Somebody else has one of the two."""
    first = await browser.tokens(assistant)
    second = await browser.http.post(
        f"{OAUTH}/token", data=assistant.refreshes(first["refresh_token"])
    )
    assert second.status_code == 200
    assert len({*first.values(), *map(str, second.json().values())}) > len(first)
    assert len(await browser.grants()) == 1

    reused = await browser.http.post(
        f"{OAUTH}/token", data=assistant.refreshes(first["refresh_token"])
    )
    after = await browser.http.post(
        f"{OAUTH}/token", data=assistant.refreshes(second.json()["refresh_token"])
    )
    assert (reused.status_code, after.status_code) == (400, 400)
    assert await browser.grants() == []


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_an_assistant_ends_its_own_connection(
    browser: Browser, assistant: Assistant, kind: str
) -> None:
    """With one of its tokens; another assistant cannot."""
    tokens = await browser.tokens(assistant)
    other = {"token": tokens[kind], "client_id": "https://evil.example/client.json"}
    own = {"token": tokens[kind], "client_id": assistant.client_id}

    assert (await browser.http.post(f"{OAUTH}/revoke", data=other)).status_code == 200
    assert len(await browser.grants()) == 1
    assert (await browser.http.post(f"{OAUTH}/revoke", data=own)).status_code == 200
    assert await browser.grants() == []


async def test_a_token_of_another_assistant_is_not_refreshed(
    browser: Browser, assistant: Assistant, served: Documents
) -> None:
    """It stays valid for its own."""
    tokens = await browser.tokens(assistant)
    other = Assistant(describe(served, "/other.json"))
    answer = await browser.http.post(
        f"{OAUTH}/token", data=other.refreshes(tokens["refresh_token"])
    )

    assert answer.json()["error"] == "invalid_grant"
    assert (
        await browser.http.post(f"{OAUTH}/token", data=assistant.refreshes(tokens["refresh_token"]))
    ).status_code == 200


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("application/x-www-form-urlencoded", b"client_id=a&client_id=b", 400),
        ("application/x-www-form-urlencoded", b"x=" + b"y" * 40_000, 413),
        ("application/x-www-form-urlencoded", b"\xff\x00=%zz", 401),
        ("multipart/form-data; boundary=x", b"--x--", 415),
    ],
)
async def test_an_odd_form_is_refused(
    browser: Browser, content_type: str, body: bytes, status: int
) -> None:
    """In the words of OAuth."""
    headers = {"content-type": content_type}
    answer = await browser.http.post(f"{OAUTH}/token", content=body, headers=headers)

    assert answer.status_code == status
    assert answer.json()["error"]
