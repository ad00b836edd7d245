"""The panel and the agent behind it, in the demo shop, without a model."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import Serve, Watch
from tests.e2e.panel.conftest import OPENED
from tests.server import Server
from tests.unpacked import unpacked_bundle

GOAL = "find books by Tolkien and add the cheapest one to my basket"
START_MS = 60_000
"""Python is downloaded and started meanwhile."""


@pytest_asyncio.fixture(name="visitor", loop_scope="session")
async def _visitor(serve: Serve, browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    """A page in a context of its own, whose panel a test can inspect."""
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
    """After the goal and one question, the cheapest book is in the basket."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    request = visitor.locator("webagent-panel .request")
    await expect(request).to_contain_text("addToBasket", timeout=START_MS)
    await button(visitor, "Allow once").click()
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text(
        "Farmer Giles of Ham", timeout=START_MS
    )

    basket = await visitor.evaluate("webagent.call('getBasket')")
    assert [item["title"] for item in basket["items"]] == ["Farmer Giles of Ham"]


async def test_the_agent_starts_when_a_visitor_opens_the_panel(
    visitor: Page, serve: Serve, tmp_path: Path
) -> None:
    """Python starts with all that a run imports; on the next page the first letter starts it."""
    (tmp_path / "index.html").write_text('<!doctype html><link rel="icon" href="data:,"><p>Small')
    config = '[page]\nstart = "use"\nruntime = "shared"\n'
    (tmp_path / "webagent.toml").write_text(config, encoding="utf-8")
    await visitor.goto(serve(tmp_path).url)
    launcher = visitor.get_by_role("button", name="Open the assistant")
    await expect(launcher).to_be_visible()
    assert await visitor.evaluate("webagent.state") == "idle"

    await launcher.click()
    goal = visitor.locator("webagent-panel textarea")
    await expect(goal).to_be_focused()
    await visitor.wait_for_function("webagent.state === 'ready'", timeout=START_MS)
    loaded = "import sys; 'webagent.agent.session' in sys.modules"
    await visitor.wait_for_function(
        "async (code) => (await webagent.python(code)).value", arg=loaded, timeout=START_MS
    )

    await visitor.reload()
    await expect(goal).to_be_visible()
    assert await visitor.evaluate("webagent.state") == "idle"
    await goal.press_sequentially("f")
    await visitor.wait_for_function("webagent.state === 'ready'", timeout=START_MS)


@pytest.mark.conformance
async def test_a_run_outlives_its_page(visitor: Page, template: Server) -> None:
    """If the page is left during a question, the run asks again on the next page and ends."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Allow once").wait_for(timeout=START_MS)
    await visitor.get_by_role("link", name="Delivery").first.click()
    await visitor.wait_for_url("**/delivery.html")

    await expect(visitor.locator("webagent-panel .log")).to_contain_text(GOAL)
    await button(visitor, "Allow once").click(timeout=START_MS)
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text(
        "Farmer Giles of Ham", timeout=START_MS
    )
    await expect(visitor.locator("webagent-panel .log .bubble")).to_have_count(1)
    assert await visitor.evaluate("sessionStorage.getItem('webagent.run')") is None

    basket = await visitor.evaluate("webagent.call('getBasket')")
    assert [item["quantity"] for item in basket["items"]] == [1]


@pytest.mark.conformance
async def test_a_copy_of_the_tab_leaves_the_run_where_it_is(
    visitor: Page, template: Server
) -> None:
    """The new window says so, and the run ends in the first."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Allow once").wait_for(timeout=START_MS)
    async with visitor.expect_popup() as opened:
        await visitor.evaluate("void window.open('/delivery.html')")
    copy = await opened.value
    await expect(copy.locator("webagent-panel .outcome")).to_contain_text(
        "This stopped here", timeout=START_MS
    )

    await button(visitor, "Allow once").click()
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text(
        "Farmer Giles of Ham", timeout=START_MS
    )


@pytest.mark.conformance
async def test_a_run_that_a_script_starts_asks_in_the_panel(
    visitor: Page, template: Server
) -> None:
    """The panel opens by itself, and a denial ends the run."""
    await visitor.goto(template.url)
    await visitor.evaluate("goal => { window.outcome = webagent.run(goal); }", GOAL)
    await button(visitor, "No").click(timeout=START_MS)
    await visitor.locator("webagent-panel").get_by_label("Why not?").fill("too dear")
    await visitor.keyboard.press("Enter")
    await expect(visitor.locator("webagent-panel .log")).to_contain_text(GOAL)

    outcome = await visitor.evaluate("outcome")
    assert not outcome["ok"]
    basket = await visitor.evaluate("webagent.call('getBasket')")
    assert basket["items"] == []


@pytest.mark.conformance
async def test_stop_ends_the_run(visitor: Page, template: Server) -> None:
    """The next goal starts a new run."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    await button(visitor, "Allow once").wait_for(timeout=START_MS)
    await button(visitor, "Stop").click()
    await expect(visitor.locator("webagent-panel .outcome.ended")).to_have_text("Stopped.")
    await visitor.get_by_label("What should be done").fill("what is in my basket?")
    await visitor.keyboard.press("Enter")
    await expect(visitor.locator("webagent-panel .log .bubble")).to_have_count(2)
    await expect(visitor.locator("webagent-panel .outcome")).to_have_count(2)


@pytest.mark.conformance
async def test_a_visitor_chooses_the_hour_of_a_visit(visitor: Page, template: Server) -> None:
    """The hours of the form are a list in the language of the page; the form gets the exact value."""
    await visitor.goto(f"{template.url}/contact.html")
    await ask_for(visitor, "arrange a visit")
    hours = visitor.locator("webagent-panel").get_by_label("Time")
    await hours.wait_for(timeout=START_MS)
    await hours.select_option(index=2)
    shown = await hours.evaluate("list => list.selectedOptions[0].text")
    assert re.fullmatch(r"\w+, \d+ \w+ \d{4} at \d\d:\d\d", shown)
    await button(visitor, "Send").click()
    given = visitor.locator("webagent-panel .request .given")
    await expect(given).to_have_text(re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d"), timeout=START_MS)
    await expect(given).to_contain_text("from your answer")
    await expect(visitor.locator("webagent-panel .bubble").last).to_have_text(f"You: {shown}")


@pytest.mark.conformance
async def test_a_visitor_takes_over_on_another_page(visitor: Page, template: Server) -> None:
    """The run waits on the page that the visitor goes to, and asks again when it goes on."""
    await visitor.goto(template.url)
    await ask_for(visitor, GOAL)
    request = visitor.locator("webagent-panel .request")
    await request.get_by_role("button", name="I’ll take over").click(timeout=START_MS)
    await expect(button(visitor, "Go on")).to_be_visible()
    await visitor.get_by_role("link", name="Delivery").first.click()
    await visitor.wait_for_url("**/delivery.html")
    await button(visitor, "Go on").wait_for(timeout=START_MS)
    assert await visitor.evaluate("webagent.call('getBasket').then(({ items }) => items)") == []
    await button(visitor, "Go on").click()
    await button(visitor, "Allow once").click()
    await expect(visitor.locator("webagent-panel .outcome")).to_contain_text(
        "Farmer Giles of Ham", timeout=START_MS
    )


SCRIPTS = (
    '<head><script src="/__webagent__/global.js"></script><script type="module" '
    'src="/__webagent__/webagent.js" data-manifest="/webagents.md" data-panel="on"></script>'
)


class Files(SimpleHTTPRequestHandler):
    """A web server that knows nothing of the agent."""

    extensions_map: ClassVar[dict[str, str]] = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture(name="published")
def _published(shop: Path) -> Iterator[str]:
    """URL of the shop as a site owner publishes it, with the bundle next to it."""
    (shop / "__webagent__").symlink_to(unpacked_bundle())
    for page in shop.glob("*.html"):
        html = page.read_text(encoding="utf-8").replace("<head>", SCRIPTS)
        page.write_text(html, encoding="utf-8")
    handler = functools.partial(Files, directory=str(shop))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.conformance
async def test_a_run_continues_when_the_visitor_goes_back(published: str) -> None:
    """The page may come from the cache with an old state, and nothing is done twice."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=list(ARGS),
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await (await browser.new_context()).new_page()
        await page.add_init_script(OPENED)
        await page.goto(f"{published}/index.html")
        await ask_for(page, GOAL)
        await button(page, "Allow once").wait_for(timeout=START_MS)
        await page.evaluate("location.href = '/delivery.html'")
        await page.wait_for_url("**/delivery.html")
        await button(page, "Allow once").wait_for(timeout=START_MS)
        await page.evaluate("void setTimeout(() => history.back())")
        await page.wait_for_url("**/index.html*", wait_until="commit")
        await page.wait_for_function(
            """(() => {
                 const { resumed, left } = JSON.parse(sessionStorage["webagent.run"].split("\\n")[0]);
                 return resumed === 2 && left === null;
               })()"""
        )
        await button(page, "Allow once").click(timeout=START_MS)
        outcome = page.locator("webagent-panel .outcome")
        await expect(outcome).to_contain_text("Farmer Giles of Ham", timeout=START_MS)

        basket = await page.evaluate("webagent.call('getBasket')")
        assert [item["quantity"] for item in basket["items"]] == [1]
        await browser.close()
