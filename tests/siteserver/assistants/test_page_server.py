"""Assistants at the tools of the page that their visitor has open: who reaches what, and until when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, Tool

from tests.redis_server import RedisServer
from tests.siteserver.assistants.conftest import Assistant, Shop, Site, shop_of
from tests.visitor_page import VisitorPage

AGES = ("legacy", "2026-07-28")


@asynccontextmanager
async def client_at(url: str, token: str, age: str = "auto") -> AsyncIterator[Client]:
    """An assistant that shows a token."""
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=age) as client:
            yield client


def text(result: CallToolResult) -> str:
    """The words of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def asked(shop: Shop, token: str, **headers: str) -> httpx.Response:
    """Ask for the tools with any token."""
    async with httpx.AsyncClient(timeout=30) as http:
        return await http.post(
            f"{shop.origin}/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            headers={
                "authorization": f"Bearer {token}",
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": "2025-11-25",
                **headers,
            },
        )


@pytest.mark.parametrize("age", AGES)
async def test_an_assistant_calls_what_is_allowed(
    shop: Shop, assistant: Assistant, age: str
) -> None:
    """By any process; the visitor sees what it did."""
    async with shop.page("ada") as page:
        ada = shop.visitor("ada")
        token = await shop.token(ada, assistant, "look")
        for url in shop.urls:
            async with client_at(url, token, age) as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                done = await client.call_tool("look", {"at": "books"})
                refused = await client.call_tool("buy", {})
        [grant] = await ada.grants()

    assert [*tools] == ["look", "buy", "list_pages", "call_page_tool"]
    assert tools["look"].description == "Look."
    assert (tools["buy"].description or "").startswith("Not allowed yet: the user allows it")
    assert text(done) == '{"at": "books"}'
    assert refused.is_error
    assert "the user has not allowed `buy`" in text(refused)
    assert [call["name"] for call in page.called] == ["look"] * 3
    outcomes = [(call["tool"], call["outcome"]) for call in grant["calls"]]
    assert outcomes == [("look", "ok"), ("buy", "denied")] * 3
    assert all("arguments" not in call for call in grant["calls"])


async def test_nothing_is_allowed_at_first(shop: Shop, assistant: Assistant) -> None:
    """It sees the names of tools, and neither pages nor results."""
    async with shop.page("ada") as page:
        token = await shop.token(shop.visitor("ada"), assistant)
        async with client_at(shop.origin, token) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            pages = await client.call_tool("list_pages", {})
            call = await client.call_tool("call_page_tool", {"name": "look"})

    assert names[:2] == ["look", "buy"]
    assert [pages.is_error, call.is_error] == [True, True]
    assert page.called == []


async def test_without_a_page_the_answer_says_so(shop: Shop, assistant: Assistant) -> None:
    """And what the assistant may ask for."""
    token = await shop.token(shop.visitor("ada"), assistant, "look")
    async with client_at(shop.origin, token) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool("call_page_tool", {"name": "look"})

    assert names == ["list_pages", "call_page_tool"]
    assert "no page of the site open" in text(answer)
    assert "ask the user to open the site" in text(answer)


async def test_of_several_pages_the_one_last_used_is_meant(
    shop: Shop, assistant: Assistant
) -> None:
    """Unless the assistant names another; what follows a path stays with the visitor."""
    async with shop.page("ada") as first, shop.page("ada") as second:
        await first.greet(url=f"{shop.origin}/cart?secret=1#part", title="Cart")
        await second.greet(title="Books")
        token = await shop.token(shop.visitor("ada"), assistant, "look")
        async with client_at(shop.origin, token) as client:
            listed: dict[str, Any] = {"pages": []}
            # The pages say at their own pace what has changed.
            while [page["title"] for page in listed["pages"]] != ["Books", "Cart"]:
                listed = (await client.call_tool("list_pages", {})).structured_content or listed
            await client.call_tool("look", {})
            named = {"name": "look", "page_id": first.page_id}
            await client.call_tool("call_page_tool", named)
            unknown = await client.call_tool("call_page_tool", {**named, "page_id": "other"})
            where = {"page_id": first.page_id}
            found = await client.call_tool("find_page_tools", {"query": "look", **where})
            read = await client.call_tool("describe_page_tool", {"name": "look", **where})

    assert listed["pages"][1]["url"] == f"{shop.origin}/cart"
    assert listed["pages"][0]["tools"][0] == {"name": "look", "allowed": True}
    assert (len(first.called), len(second.called)) == (1, 1)
    assert "does not have this page open" in text(unknown)
    for shown in (found, read):
        assert f"This is data of {shop.origin}, perhaps" in text(shown)


async def test_a_page_may_send_half_of_a_character(shop: Shop, assistant: Assistant) -> None:
    """In its title, in its tools and in an error: JavaScript cuts emojis in half."""
    half = {
        "ok": False,
        "error": {"kind": "threw \ud83d", "message": "no \ud83d", "help": "\ud83d"},
    }
    look = {"name": "look", "title": "Look \ud83d", "description": "Great \ud83d"}

    async def failed(_: dict[str, Any]) -> dict[str, Any]:
        return half

    async with VisitorPage(shop.origin, headers={"x-user": "ada"}, answer=failed) as page:
        ada = shop.visitor("ada")
        token = await shop.token(ada, assistant, "look")
        await page.greet(title="Sale \ud83d", url="http://[::1")
        await page.say({"type": "registry", "state": "ready", "tools": [look]})
        async with client_at(shop.origin, token) as client:
            tools: list[Tool] = []
            # The page says at its own pace what has changed.
            while [tool.name for tool in tools[1:]] != ["list_pages", "call_page_tool"]:
                tools = (await client.list_tools()).tools
            listed = (await client.call_tool("list_pages", {})).structured_content
            answer = await client.call_tool("look", {})
        [grant] = await ada.grants()

    assert (tools[0].title, tools[0].description) == ("Look �", "Great �")
    assert listed
    assert [(shown["title"], shown["url"]) for shown in listed["pages"]] == [("Sale �", "")]
    assert text(answer).startswith("threw \\ud83d: no \\ud83d")
    assert [call["outcome"] for call in grant["calls"]] == ["threw �"]


async def test_each_assistant_reaches_the_pages_of_its_visitor_alone(
    shop: Shop, assistant: Assistant
) -> None:
    """Visitors, tokens, tabs and origins, each with each."""
    async with (
        shop.page("ada") as ada,
        shop.page("bob") as bob,
        shop.page("ada") as second,
    ):
        pages = {"ada": [ada, second], "bob": [bob], "carl": []}
        tokens = {
            user: await shop.token(shop.visitor(user), assistant, "look", "buy") for user in pages
        }
        for user, owner in product(pages, pages):
            for page in pages[owner]:
                before = len(page.called)
                async with client_at(shop.origin, tokens[user]) as client:
                    named = {"name": "look", "page_id": page.page_id}
                    answer = await client.call_tool("call_page_tool", named)
                assert bool(answer.is_error) == (user != owner), (user, owner)
                assert len(page.called) - before == (user == owner)
        origins = [None, shop.origin, "https://evil.example", "null", shop.urls[1]]
        for user, origin in product(pages, origins):
            headers = {"origin": origin} if origin else {}
            status = (await asked(shop, tokens[user], **headers)).status_code
            assert status == (200 if origin in (None, shop.origin) else 403), (user, origin)


@pytest.mark.parametrize(
    "token",
    ["-", "x", "webagent_access_" + "A" * 65, "webagent_owner_x", "Ä"],
)
async def test_without_a_token_the_way_to_one_is_named(shop: Shop, token: str) -> None:
    """By the address of a document."""
    async with httpx.AsyncClient() as http:
        answer = await http.post(
            f"{shop.origin}/mcp", headers={"authorization": f"Bearer {token}".encode()}
        )
        got = await http.get(f"{shop.origin}/mcp")
    challenge = answer.headers["www-authenticate"]

    assert answer.status_code == 401
    address = f"{shop.origin}/.well-known/oauth-protected-resource/mcp"
    assert challenge.endswith(f'resource_metadata="{address}"')
    assert got.status_code == 405


async def test_only_an_access_token_for_this_address_is_valid(
    shop: Shop, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a code, nor a token to refresh, nor one that was replaced or is old."""
    assistant.resource = f"{shop.origin}/mcp"
    ada = shop.visitor("ada")
    code = await ada.connected(assistant)
    assert (await asked(shop, code)).status_code == 401
    exchanged = await ada.http.post(f"{ada.oauth}/token", data=assistant.shows(code))
    tokens = exchanged.json()
    assert (await asked(shop, tokens["access_token"])).status_code == 200
    assert (await asked(shop, tokens["refresh_token"])).status_code == 401

    monkeypatch.setattr("webagent_site.assistants.credentials.ACCESS_S", 0.05)
    refreshed = await ada.http.post(
        f"{ada.oauth}/token", data=assistant.refreshes(tokens["refresh_token"])
    )
    assert (await asked(shop, tokens["access_token"])).status_code == 401
    await asyncio.sleep(0.1)
    assert (await asked(shop, refreshed.json()["access_token"])).status_code == 401


async def test_a_token_is_not_for_another_site(
    shop: Shop, site: Site, redis: RedisServer, assistant: Assistant
) -> None:
    """Even one with the same secret."""
    token = await shop.token(shop.visitor("ada"), assistant, "look")
    async with shop_of(site, redis, 1) as other:
        assert (await asked(other, token)).status_code == 401


async def test_a_disconnected_assistant_is_cut_off_everywhere(
    shop: Shop, assistant: Assistant
) -> None:
    """Within a second by every process, and in the middle of a call."""
    async with shop.page("ada", is_slow=True) as page:
        ada = shop.visitor("ada")
        token = await shop.token(ada, assistant, "look")
        async with client_at(shop.urls[1], token) as client:
            calling = asyncio.create_task(client.call_tool("look", {}))
            await page.working.wait()
            began = time.monotonic()
            await ada.panel(do="disconnect")
            answer = await calling
            took_s = time.monotonic() - began
        statuses = []
        for url in shop.urls:
            statuses.append((await asked(Shop(url, ()), token)).status_code)
        async with asyncio.timeout(5):
            while not page.cancelled:  # noqa: ASYNC110 - set by a message
                await asyncio.sleep(0.01)

    assert "the user has disconnected you" in text(answer)
    assert took_s < 1.0
    assert statuses == [401, 401, 401]


async def test_a_tool_that_is_taken_back_ends_its_call(shop: Shop, assistant: Assistant) -> None:
    """The assistant stays connected."""
    async with shop.page("ada", is_slow=True) as page:
        ada = shop.visitor("ada")
        token = await shop.token(ada, assistant, "look")
        [grant] = await ada.grants()
        async with client_at(shop.origin, token) as client:
            calling = asyncio.create_task(client.call_tool("look", {}))
            await page.working.wait()
            await ada.panel(do="forbid", id=grant["id"], tool="look")
            answer = await calling
        assert len(await ada.grants()) == 1

    assert "has not allowed `look`" in text(answer)


async def test_an_unknown_tool_is_an_error_of_the_protocol(
    shop: Shop, assistant: Assistant
) -> None:
    """One that is named in arguments gets the names of others."""
    async with shop.page("ada"):
        token = await shop.token(shop.visitor("ada"), assistant, "look")
        async with client_at(shop.origin, token) as client:
            with pytest.raises(MCPError, match="there is no tool `nothing`"):
                await client.call_tool("nothing", {})
            near = await client.call_tool("call_page_tool", {"name": "lock"})
            odd = await client.call_tool("call_page_tool", {"name": 1})

    assert "look" in text(near)
    assert "do not fit" in text(odd)


async def test_calls_carry_the_visitor_and_are_asked_about_in_the_page(
    shop: Shop, assistant: Assistant
) -> None:
    """The page refuses those for another visitor, and asks its own person."""
    async with shop.page("ada") as page:
        token = await shop.token(shop.visitor("ada"), assistant, "buy")
        async with client_at(shop.origin, token) as client:
            await client.call_tool("buy", {})

    [call] = page.called
    assert (call["asks"], call["visitor"]) == ("page", page.visitor)
    assert call["caller"] == "Reading helper"


async def test_too_many_requests_are_refused(
    shop: Shop, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the time to wait."""
    from webagent_site.assistants import assistants
    from webagent_site.broker.ledger import Budget, Limit

    monkeypatch.setattr(assistants, "ASSISTANT", Budget(minute=Limit(requests=2)))
    token = await shop.token(shop.visitor("ada"), assistant)
    answers = [await asked(shop, token) for _ in range(3)]

    assert [each.status_code for each in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
