"""A2A clients give tasks to the agent of a page in a real browser."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page

from tests.devserver.agents.a2a.client import A2a, message, states, words
from tests.server import Server

WAIT = """() => {
  globalThis.getBasket = () => { globalThis.waits = true; return new Promise(() => {}); };
}"""


async def test_a_client_uses_the_open_page(server: Server, page: Page) -> None:
    """It calls a tool, gives a goal and answers a question; the page's basket shows the result."""
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with A2a(server, "rest") as client, asyncio.timeout(100):
        card = (await client.http.get("/.well-known/agent-card.json")).json()
        tools = [tool["name"] for tool in await page.evaluate("webagent.tools()")]
        called = await client.send({"data": {"tool": "searchBooks", "arguments": {"query": "sea"}}})
        task = await client.send('add "The Harbour Towns" to the basket')
        asked = []
        while task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED":
            asked.append(words(task))
            task = await client.send("yes", taskId=task["id"])
    basket = await page.evaluate("getBasket()")

    assert card["name"] == "Catchword Books"
    assert {skill["id"] for skill in card["skills"]} >= {"do_goal", "searchBooks", "addToBasket"}
    assert called["artifacts"][0]["parts"][0]["data"]["books"]
    assert [tool["name"] for tool in called["metadata"]["tools"]] == tools
    assert asked
    assert task["status"]["state"] == "TASK_STATE_COMPLETED", words(task)
    assert [item["title"] for item in basket["items"]] == ["The Harbour Towns"]


@pytest.mark.conformance
async def test_a_task_continues_across_pages_of_the_site(server: Server, page: Page) -> None:
    """Its stream stays open. If the tab leaves the site, the task fails with that reason."""
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with A2a(server) as client, asyncio.timeout(100):
        goal = message("open the contact page and tell me its title")
        events: list[dict[str, Any]] = [
            each async for each in client.stream("SendStreamingMessage", **goal)
        ]
        assert states(events)[0] == "WORKING"
        assert states(events)[-1] == "COMPLETED", events[-1]
        await page.wait_for_url("**/contact.html")

        await page.evaluate(WAIT)
        waiting = {"data": {"tool": "getBasket", "arguments": {}}}
        task = (await client.ask("SendMessage", **message(waiting, at_once=True)))["task"]
        await page.wait_for_function("globalThis.waits")
        await page.goto("about:blank")
        failed = await client.until(task["id"], "FAILED")
    await page.goto(server.url)
    assert "the page went away before `getBasket` answered" in words(failed)
