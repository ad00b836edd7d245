"""A front end drives the agent of a page that is open in a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.e2e.siteserver.bookshop import Visitor
from tests.e2e.siteserver.live_shop import LiveShop
from tests.front_end import FrontEnd, interrupt_in
from tests.redis_server import NONE, RedisServer, find_redis
from tests.siteserver.live_site import serving
from webagent_site.broker.redis_broker import RedisBroker

BUY = "Add Harbour Lights to the basket"
UNTIL_OVER = """async () => {
  const runs = await webagent.runs();
  while (runs.isBusy) await new Promise((resolve) => setTimeout(resolve, 50));
}"""
APPROVED = {"approved": True}


@pytest_asyncio.fixture(name="shop", loop_scope="session")
async def _shop(tmp_path: Path) -> AsyncIterator[LiveShop]:
    shop = LiveShop(tmp_path, agui="caller")
    async with serving(shop):
        yield shop


async def _front_end(shop: LiveShop, visitor: Visitor, **options: Any) -> FrontEnd:
    """Open the shop as Ada; return a front end with her cookies."""
    await visitor.page.goto(f"{shop.url}/?user=ada")
    await visitor.page.evaluate("webagent.ready")
    script = "fetch('/__webagent__/llm/token', { method: 'POST' }).then((r) => r.json())"
    issued = await visitor.page.evaluate(script)
    found = await visitor.page.context.cookies(f"{shop.url}/__webagent__/agui")
    cookie = "; ".join(f"{each['name']}={each['value']}" for each in found)
    async with asyncio.timeout(30):
        while not await shop.agent.pages.of("account ada"):  # noqa: ASYNC110 - in the page
            await asyncio.sleep(0.05)
    return FrontEnd(shop.url, cookie, issued["token"], **options)


async def test_a_yes_is_taken_at_another_process(tmp_path: Path, visitor: Visitor) -> None:
    """The page and the question are at the first one; the book is in the basket once."""
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    redis = RedisServer(path, tmp_path)
    first, second = (
        LiveShop(tmp_path, agui="caller", broker=RedisBroker(redis.url)) for _ in range(2)
    )
    async with serving(first, second):
        front = await _front_end(first, visitor)
        interrupt = interrupt_in(await front.run(BUY))
        basket = visitor.page.locator("#basket li")
        await expect(basket).to_have_count(0)
        front.address = second.url
        events = await front.resume(interrupt["id"], APPROVED)
        await expect(basket).to_have_text(["Harbour Lights"])

    redis.kill()
    assert interrupt["toolCallId"] in [event.get("toolCallId") for event in events]
    assert events[-1]["outcome"] == {"type": "success"}


@pytest.mark.conformance
async def test_a_question_nobody_answers_ends_the_run_in_the_page(
    shop: LiveShop, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a word of the server: its process may have ended meanwhile."""
    front = await _front_end(shop, visitor)
    # The first run starts the agent, which takes its time.
    await front.run("Find harbour")
    monkeypatch.setattr("webagent_site.agui.endpoint.RUN_S", 5.0)
    interrupt = interrupt_in(await front.run(BUY))
    await asyncio.wait_for(visitor.page.evaluate(UNTIL_OVER), 20)
    late = await front.resume(interrupt["id"], APPROVED)

    assert late[-1]["code"] == "denied"
    await expect(visitor.page.locator("#basket li")).to_have_count(0)


async def test_a_yes_does_not_reach_another_visitor(shop: LiveShop, visitor: Visitor) -> None:
    """Eve has logged in; a front end with Ada's old cookies and token answers Ada's question."""
    front = await _front_end(shop, visitor)
    interrupt = interrupt_in(await front.run(BUY))
    second = await visitor.page.context.new_page()
    await second.goto(f"{shop.url}/?user=eve")
    events = await front.resume(interrupt["id"], APPROVED)
    await asyncio.wait_for(visitor.page.evaluate(UNTIL_OVER), 20)

    assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", "denied")
    assert "another visitor" in events[-1]["message"]
    await expect(visitor.page.locator("#basket li")).to_have_count(0)


async def test_a_front_end_that_goes_away_ends_the_run_in_the_page(
    tmp_path: Path, visitor: Visitor
) -> None:
    """The card of the panel goes with it."""
    shop = LiveShop(tmp_path, agui="page")
    async with serving(shop):
        front = await _front_end(shop, visitor)
        running = asyncio.create_task(front.run(BUY))
        allow = visitor.panel.get_by_role("button", name="Allow once")
        await expect(allow).to_be_visible(timeout=60_000)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

        await expect(allow).to_be_hidden()
        await expect(visitor.page.locator("#basket li")).to_have_count(0)
