"""The manifest and the declarations as resources of the protocol, and notifications of saves."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import MCPError

from tests.devserver.agents.client import AGES, connected
from tests.page_client import ClientPage
from tests.server import Server

pytestmark = pytest.mark.usefixtures("nothing_left")


UPDATED = "notifications/resources/updated"


@pytest.mark.parametrize("age", AGES)
async def test_the_site_can_be_read(server: Server, age: str) -> None:
    """Its manifest, declarations and notes, and a prompt that explains how to work with it."""
    async with connected(server, age) as client:
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        texts = [(await client.read_resource(uri)).contents[0].text for uri in uris]
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt(prompts[0].name, {"goal": "buy a book"})
        with pytest.raises(MCPError, match="there is no resource `"):
            await client.read_resource("webagent://nothing")
        with pytest.raises(MCPError, match="there is no prompt `nothing`"):
            await client.get_prompt("nothing")

    assert uris == ["webagent://manifest", "webagent://declarations", "webagent://notes"]
    assert "## searchBooks" in texts[0]
    assert "searchBooks(query: string)" in texts[1]
    assert "Be kind." in texts[2]
    said = prompt.messages[0].content.text
    assert "Shop" in said
    assert "Be kind." in said
    assert "buy a book" in said


WRAP = {
    "name": "wrap",
    "source": "modelContext",
    "calling": "object",
    "params": [
        {"name": "paper", "type": "'blue' | 'red'", "description": "Which."},
        {"name": "to-whom", "type": "string", "required": False},
    ],
    "returns": "{ wrapped: boolean }",
}


FIND = {
    "name": "searchBooks",
    "calling": "positional",
    "params": [{"name": "query", "type": "string"}],
}


async def test_declarations_are_those_of_the_open_page(server: Server) -> None:
    """Tools that can be called there now, with their parameters; no others."""
    away = {**WRAP, "name": "away", "available": False}
    async with ClientPage(server, tools=(FIND, WRAP, away)), connected(server) as client:
        (told,) = (await client.read_resource("webagent://declarations")).contents

    assert "searchBooks(query: string): Promise<" in told.text
    member = "/** Which. */ paper: 'blue' | 'red'; \"to-whom\"?: string"
    assert f"wrap(input: {{ {member} }}): Promise<{{\n    wrapped: boolean;\n" in told.text
    assert "away" not in told.text


async def test_clients_without_sessions_are_notified_of_saves(server: Server) -> None:
    """For the resources that they name, and for the list when it changes."""
    file = server.root / "webagents.md"
    before = file.read_text(encoding="utf-8")
    async with (
        connected(server) as client,
        client.listen(
            resources_list_changed=True, resource_subscriptions=["webagent://manifest"]
        ) as changes,
        asyncio.timeout(20),
    ):
        file.write_text(before.replace("## Rules\nBe kind.", ""), encoding="utf-8")
        told = {type(await anext(changes)).__name__ for _ in range(2)}
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        file.write_text(before, encoding="utf-8")
        await anext(changes)

    assert told == {"ResourceUpdated", "ResourcesListChanged"}
    assert uris == ["webagent://manifest", "webagent://declarations"]


@pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")
async def test_clients_with_sessions_are_notified_of_saves(server: Server) -> None:
    """For the resources that they subscribe to, until they unsubscribe."""
    news: asyncio.Queue[Any] = asyncio.Queue()
    file = server.root / "webagents.md"
    before = file.read_text(encoding="utf-8")

    async def hear(message: Any) -> None:
        news.put_nowait(message)

    async def next_uri() -> str:
        while getattr(message := await news.get(), "method", "") != UPDATED:
            pass
        return str(message.params.uri)

    async with connected(server, "legacy", message_handler=hear) as client, asyncio.timeout(20):
        with pytest.raises(MCPError, match="there is no resource `"):
            await client.subscribe_resource("webagent://nothing")
        for name in ("manifest", "notes"):
            await client.subscribe_resource(f"webagent://{name}")
        file.write_text(f"{before}\nVery kind.\n", encoding="utf-8")
        first = {await next_uri(), await next_uri()}
        read = (await client.read_resource("webagent://notes")).contents[0].text
        await client.unsubscribe_resource("webagent://manifest")
        file.write_text(before, encoding="utf-8")
        second = await next_uri()

    assert first == {"webagent://manifest", "webagent://notes"}
    assert "Very kind." in read
    assert second == "webagent://notes"
