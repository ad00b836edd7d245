"""The site's own code calls tools of a page that a visitor has open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import expect

from tests.e2e.siteserver.bookshop import Visitor
from tests.e2e.siteserver.live_shop import LiveShop
from tests.siteserver.live_site import serving


@pytest_asyncio.fixture(name="shop", loop_scope="session")
async def _shop(tmp_path: Path) -> AsyncIterator[LiveShop]:
    shop = LiveShop(tmp_path, live=True)
    async with serving(shop):
        yield shop


async def test_a_tool_that_reads_is_called_at_once(shop: LiveShop, visitor: Visitor) -> None:
    """Its value comes back, and nobody is asked."""
    await visitor.page.goto(f"{shop.url}/?user=ada")

    result = await shop.call("ada", "findBooks", query="harbour")

    assert (result["ok"], result["value"]) == (True, [{"title": "Harbour Lights"}])
    await expect(visitor.panel).to_have_count(0)


async def test_the_person_is_asked_before_a_tool_that_writes(
    shop: LiveShop, visitor: Visitor
) -> None:
    """By the panel's own card; the caller gets the value after the yes."""
    await visitor.page.goto(f"{shop.url}/?user=ada")
    calling = asyncio.create_task(shop.call("ada", "addBook", title="Harbour Lights"))
    await expect(visitor.panel).to_contain_text("Harbour Lights", timeout=60_000)
    await expect(visitor.panel).to_contain_text("The shop: Add a book to the basket")
    await visitor.picture("live-asked")
    basket = visitor.page.locator("#basket li")
    await expect(basket).to_have_count(0)
    await visitor.panel.get_by_role("button", name="Allow once").click()
    result = await calling

    assert (result["ok"], result["value"]) == (True, "Harbour Lights")
    await expect(basket).to_have_text(["Harbour Lights"])
    await visitor.picture("live-done")


async def test_a_no_of_the_person_is_an_error_of_the_call(shop: LiveShop, visitor: Visitor) -> None:
    """Nothing was done."""
    await visitor.page.goto(f"{shop.url}/?user=ada")
    calling = asyncio.create_task(shop.call("ada", "addBook", title="Harbour Lights"))
    await expect(visitor.panel).to_contain_text("Harbour Lights", timeout=60_000)
    await visitor.panel.get_by_role("button", name="No, and stop").click()
    result = await calling

    assert result["error"]["kind"] in ("denied", "cancelled")
    await expect(visitor.page.locator("#basket li")).to_have_count(0)


async def test_a_call_for_another_account_is_refused(shop: LiveShop, visitor: Visitor) -> None:
    """The visitor has logged in as another in a second tab; the first one has not been loaded since."""
    await visitor.page.goto(f"{shop.url}/?user=ada")
    assert (await shop.call("ada", "findBooks", query="harbour"))["ok"]
    second = await visitor.page.context.new_page()
    await second.goto(f"{shop.url}/?user=eve")

    result = await shop.call("ada", "findBooks", query="harbour")

    assert result["error"]["kind"] == "denied"
    assert "another visitor" in result["error"]["message"]
    async with asyncio.timeout(20):
        while len(await shop.agent.pages.of("account eve")) < 2:  # noqa: ASYNC110 - in the page
            await asyncio.sleep(0.1)
    assert await shop.agent.pages.of("account ada") == []


async def test_a_tab_keeps_its_id_over_a_navigation(shop: LiveShop, visitor: Visitor) -> None:
    """It is known by its secret."""
    await visitor.page.goto(f"{shop.url}/?user=ada")
    await shop.call("ada", "findBooks", query="harbour")
    (before,) = await shop.agent.pages.of("account ada")
    await visitor.page.goto(f"{shop.url}/other")
    await shop.call("ada", "findBooks", query="harbour")
    (after,) = await shop.agent.pages.of("account ada")

    assert after.tab == before.tab
    assert after.document != before.document
    assert after.url == f"{shop.url}/other"


async def test_a_lost_connection_loses_no_call(shop: LiveShop, visitor: Visitor) -> None:
    """The page works on it meanwhile, once, and answers over its next connection."""
    await visitor.page.goto(f"{shop.url}/?user=ada")
    assert (await shop.call("ada", "findBooks", query="harbour"))["ok"]
    await visitor.page.evaluate(
        """() => {
            window.made = 0;
            window.findBooks = async () => {
                window.made += 1;
                await new Promise((resolve) => setTimeout(resolve, 1500));
                return [{ title: "Late" }];
            };
        }"""
    )
    calling = asyncio.create_task(shop.call("ada", "findBooks", query="harbour"))
    await visitor.page.wait_for_function("window.made > 0")
    (held,) = shop.agent.pages._held.values()
    held.connection._lost.set()
    result = await calling

    assert result["value"] == [{"title": "Late"}]
    assert await visitor.page.evaluate("window.made") == 1
    assert held not in shop.agent.pages._held.values()
