"""The panel and the agent behind it, in the demo shop, without a model."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.conftest import Serve, Watch
from tests.e2e.panel.conftest import OPENED
from tests.server import Server

GOAL = "find books by Tolkien and add the cheapest one to my basket"
START_MS = 60_000
"""Python is downloaded and started meanwhile."""


@pytest_asyncio.fixture(name="visitor", loop_scope="session")
async def _visitor(serve: Serve, browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    """A page of a context of its own, whose panel a test can look into."""
    context = await browser.new_context()
    await context.add_init_script(OPENED)
    page = await context.new_page()
    watch.attach(page)
    yield page
    await context.close()
    watch.check()


def button(page: Page, name: str) -> Locator:
    return page.locator("webagent-panel").get_by_role("button", name=name, exact=True)


async def ask_for(page: Page, goal: str) -> None:
    await page.get_by_role("button", name="Open the assistant").click()
    await page.get_by_label("What should be done").fill(goal)
    await page.keyboard.press("Enter")


async def test_a_visitor_gets_what_they_asked_for(visitor: Page, template: Server) -> None:
    """Goal, plan, approval, and the cheapest book is in the basket."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Go ahead").click(timeout=START_MS)
    await expect(visitor.locator("webagent-panel .request")).to_contain_text("addToBasket")
    await button(visitor, "Allow once").click()
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text("Farmer Giles of Ham")

    basket = await visitor.evaluate("webagent.call('getBasket')")
    assert [item["title"] for item in basket["items"]] == ["Farmer Giles of Ham"]


async def test_a_run_outlives_its_page(visitor: Page, template: Server) -> None:
    """Left in the middle of a question, it asks again on the next page and comes to its end."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Go ahead").click(timeout=START_MS)
    await button(visitor, "Allow once").wait_for()
    await visitor.get_by_role("link", name="Delivery").first.click()
    await visitor.wait_for_url("**/delivery.html")

    await expect(visitor.locator("webagent-panel .log")).to_contain_text(GOAL)
    await button(visitor, "Allow once").click(timeout=START_MS)
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text("Farmer Giles of Ham")
    await expect(visitor.locator("webagent-panel .log .bubble")).to_have_count(1)
    assert await visitor.evaluate("sessionStorage.getItem('webagent.run')") is None

    basket = await visitor.evaluate("webagent.call('getBasket')")
    assert [item["quantity"] for item in basket["items"]] == [1]


async def test_a_copy_of_the_tab_leaves_the_run_where_it_is(
    visitor: Page, template: Server
) -> None:
    """The window that was opened says so; the run is finished in the first."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Go ahead").click(timeout=START_MS)
    await button(visitor, "Allow once").wait_for()
    async with visitor.expect_popup() as opened:
        await visitor.evaluate("void window.open('/delivery.html')")
    copy = await opened.value
    await expect(copy.locator("webagent-panel .outcome")).to_contain_text("did not go on here")

    await button(visitor, "Allow once").click()
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text("Farmer Giles of Ham")


async def test_a_run_that_a_script_starts_asks_in_the_panel(
    visitor: Page, template: Server
) -> None:
    """Nobody has opened it before; a no is the end of what was asked for."""
    await visitor.goto(template.url)
    await visitor.evaluate("goal => { window.outcome = webagent.run(goal); }", GOAL)
    await button(visitor, "Go ahead").click(timeout=START_MS)
    await button(visitor, "Don’t allow").click()
    await visitor.locator("webagent-panel").get_by_label("Why not?").fill("too dear")
    await visitor.keyboard.press("Enter")
    await expect(visitor.locator("webagent-panel .log")).to_contain_text(GOAL)

    outcome = await visitor.evaluate("outcome")
    assert not outcome["ok"]
    basket = await visitor.evaluate("webagent.call('getBasket')")
    assert basket["items"] == []


async def test_stop_ends_the_run(visitor: Page, template: Server) -> None:
    """And the next goal starts anew."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Go ahead").wait_for(timeout=START_MS)
    await button(visitor, "Stop").click()
    await expect(visitor.locator("webagent-panel .outcome.bad")).to_be_visible()
    await visitor.get_by_label("What should be done").fill("what is in my basket?")
    await visitor.keyboard.press("Enter")
    await expect(visitor.locator("webagent-panel .log .bubble")).to_have_count(2)
    await expect(visitor.locator("webagent-panel .outcome")).to_have_count(2)
