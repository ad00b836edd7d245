"""`AgentClient.run_code`: programs against a page that Playwright drives."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Browser, Page

from tests.server import Server
from webagent import AgentClient, parse

BUY = """
const { books } = await global.searchBooks("harbour");
await global.addToBasket(books[0].id, 2);
const basket: { items: { quantity: number }[] } = await global.getBasket();
console.log("in the basket:", basket.items.length);
basket.items[0].quantity
"""


async def test_a_program_from_outside_uses_the_tools(shop_page: Page, client: AgentClient) -> None:
    """It calls the site's functions in the page, and its result has the one shape."""
    result = await client.run_code(shop_page, BUY)

    assert result.ok, result.error
    assert result.value == 2
    assert [call.name for call in result.calls] == ["searchBooks", "addToBasket", "getBasket"]
    assert [(log.level, log.text) for log in result.logs] == [("log", "in the basket: 1")]


@pytest.mark.conformance
async def test_the_result_is_that_of_the_page_itself(shop_page: Page, client: AgentClient) -> None:
    """`webagent.execute()` in the page and `run_code` from outside give the same."""
    code = "const { books } = await global.searchBooks('harbour', 1); [books, await listTools()]"
    outside = (await client.run_code(shop_page, code)).to_dict()
    inside = await shop_page.evaluate("(code) => webagent.execute(code)", code)
    for result in (outside, inside):
        del result["duration_ms"]

    assert outside == inside


@pytest.mark.conformance
async def test_the_page_does_not_notice_the_sandbox(shop_page: Page, client: AgentClient) -> None:
    """It gets no frame, no name and no neighbour in its browser context."""
    before = await shop_page.evaluate("Object.getOwnPropertyNames(window).length")
    result = await client.run_code(shop_page, "typeof document")

    assert result.value == "undefined"
    assert len(shop_page.frames) == 1
    assert shop_page.context.pages == [shop_page]
    assert await shop_page.evaluate("Object.getOwnPropertyNames(window).length") == before


@pytest.mark.conformance
async def test_a_program_survives_a_navigation_of_the_page(
    shop_page: Page, client: AgentClient, template: Server
) -> None:
    """It lives elsewhere, and calls the tools of the page that is open then."""
    client.load_manifest(parse(f"{client.manifest.content}\n\n## begin\nBegins.\n\n### Params\n"))
    await shop_page.evaluate("() => { window.begin = () => { window.begun = true } }")
    running = asyncio.create_task(
        client.run_code(
            shop_page,
            "await global.begin(); let found;"
            "while (!found) try { found = await global.listCategories() } catch {} found.length > 0",
        )
    )
    await shop_page.wait_for_function("window.begun")
    await shop_page.goto(f"{template.url}/basket.html")
    result = await running

    assert result.ok, result.error
    assert result.value is True


async def test_a_page_that_is_left_takes_its_program_with_it(
    shop_page: Page, client: AgentClient
) -> None:
    """With `isolation="page"` that is the error `navigated`, which names what was called."""
    result = await client.run_code(
        shop_page,
        "await global.listCategories(); location.href = '/basket.html'; await new Promise(() => {})",
        isolation="page",
    )
    await shop_page.wait_for_url("**/basket.html")

    assert result.error is not None
    assert result.error.kind == "navigated"
    assert [call.name for call in result.calls] == ["listCategories"]


@pytest.mark.conformance
async def test_a_cancelled_program_makes_no_more_calls(
    shop_page: Page, client: AgentClient
) -> None:
    """Cancelling the task that awaits it ends it in the browser too."""
    await client.run_code(shop_page, "1")
    await shop_page.evaluate(
        "() => { window.count = 0; window.listCategories = async () => { count += 1; return [] } }"
    )
    running = asyncio.create_task(
        client.run_code(shop_page, "for (;;) await global.listCategories()")
    )
    await shop_page.wait_for_function("count > 3")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    made = await shop_page.evaluate("count")
    await client.run_code(shop_page, "await new Promise((ok) => setTimeout(ok, 100))")

    assert await shop_page.evaluate("count") <= made + 1


@pytest.mark.conformance
async def test_the_sandbox_is_closed_with_the_client(
    browser: Browser, shop_page: Page, client: AgentClient
) -> None:
    """The browser context of the sandbox is made for the first program and goes with the client."""
    before = len(browser.contexts)
    await client.run_code(shop_page, "1")
    await client.run_code(shop_page, "2")
    opened = len(browser.contexts)
    await client.close()

    assert opened == before + 1
    assert len(browser.contexts) == before


async def test_a_page_that_is_closed_is_an_error(
    browser: Browser, template: Server, client: AgentClient
) -> None:
    """Nothing is raised: the result says that the page is gone."""
    page = await browser.new_page()
    await page.goto(template.url)
    await page.close()
    result = await client.run_code(page, "1")

    assert result.error is not None
    assert result.error.kind == "page_gone"
