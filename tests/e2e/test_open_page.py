"""`webagent-dev call`, `run` and `token` beside a running server: in the page that is open."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.e2e.conftest import Serve
from tests.e2e.test_commands import command
from tests.page_client import owner
from tests.server import Server


async def opened(browser: Browser, server: Server, path: str = "/") -> Page:
    """Open a page and wait until the server knows what it offers."""
    page = await browser.new_page()
    await page.goto(f"{server.url}{path}")
    await page.evaluate("webagent.ready")
    async with owner(server) as client, asyncio.timeout(60):
        # Until then a call is made in a fresh page, or in one of the test before.
        known: list[int] = []
        shown = [one for context in browser.contexts for one in context.pages]
        count = sum(one.url.startswith(f"{server.url}/") for one in shown)
        while len(known) != count or not any(known):
            known = [each["tools"] for each in (await client.get("state")).json()["pages"]]
    return page


async def test_a_call_is_made_in_the_open_page(
    browser: Browser, server: Server, shop: Path
) -> None:
    """With what the page knows: what it put into the basket is seen there."""
    page = await opened(browser, server)
    code, out, err = await command(
        "call", "addToBasket", "bookId=the-harbour-towns", "--site", shop
    )

    assert (code, err) == (0, "")
    assert json.loads(out)
    assert await page.evaluate("getBasket().then((basket) => basket.items.length)") == 1
    await page.close()


async def test_a_result_that_is_not_as_declared_is_marked(
    browser: Browser, server: Server, shop: Path
) -> None:
    """As over MCP: the error says where, and the value is there."""
    page = await opened(browser, server)
    await page.evaluate("globalThis.searchBooks = async () => ({books: [], total: 'none'})")
    asked = ("call", "searchBooks", "query=x", "--site", shop)
    code, out, _ = await command(*asked)
    data_code, data, _ = await command(*asked, "--format", "json")
    result = json.loads(data)

    assert (code, data_code, result["ok"]) == (1, 1, False)
    assert "invalid_result: the tool gave something else than it declares" in out
    assert "(at `total`)" in out
    assert '"total": "none"' in out
    assert result["error"]["path"] == "total"
    assert result["value"] == {"books": [], "total": "none"}
    await page.close()


@pytest.mark.conformance
async def test_another_page_than_the_open_one_is_asked_for(
    browser: Browser, server: Server, shop: Path
) -> None:
    """A fresh one has an empty basket."""
    page = await opened(browser, server)
    await page.evaluate("addToBasket('the-harbour-towns')")
    for fresh in (("--headless",), ("--page", "basket.html")):
        code, out, _ = await command("call", "getBasket", "--site", shop, *fresh)
        assert (code, json.loads(out)["items"]) == (0, [])
    await page.close()


@pytest.mark.conformance
async def test_of_several_pages_one_is_named(browser: Browser, server: Server, shop: Path) -> None:
    """Else it is said which there are; a part of the id is enough."""
    pages = [await opened(browser, server) for _ in range(2)]
    ids = [await page.evaluate("sessionStorage['webagent-page-id']") for page in pages]
    await pages[1].evaluate("addToBasket('the-harbour-towns')")
    found = []
    for page_id in ids:
        code, out, _ = await command("call", "getBasket", "--site", shop, "--tab", page_id[:12])
        assert code == 0
        found.append(len(json.loads(out)["items"]))
    code, _, err = await command("call", "getBasket", "--site", shop, "--tab", "nobody")

    assert found == [0, 1]
    assert code == 2
    assert "no page with the id `nobody` is open" in err
    assert all(page_id in err for page_id in ids)
    for page in pages:
        await page.close()


@pytest.mark.conformance
async def test_a_page_whose_agent_works_on_another_goal_says_so(
    browser: Browser, server: Server, shop: Path
) -> None:
    """And not that there is nobody to ask; a page of one's own is the way out."""
    page = await opened(browser, server)
    await page.evaluate(
        """void webagent.run("add the-harbour-towns to the basket",
             { approve: () => new Promise(() => { window.asked = true; }) })"""
    )
    await page.wait_for_function("window.asked")
    code, out, _ = await command("run", "search for harbour", "--site", shop)

    assert code == 1
    assert "not done  denied: the agent works on another goal" in out
    assert "write `--headless` for a fresh page" in out
    assert "there is no terminal to ask in" not in out
    await page.close()


@pytest.mark.conformance
async def test_the_agent_works_in_the_open_page(
    browser: Browser, server: Server, shop: Path
) -> None:
    """Also by the server's address, and while it goes from page to page."""
    page = await opened(browser, server)
    goal = "find books by Tolkien and add the cheapest one to my basket"
    code, out, err = await command("run", goal, "--site", server.url, "--yes")

    assert (code, err) == (0, ""), out
    assert f"page      {server.url}/ (open" in out
    assert "Farmer Giles of Ham" in out
    await page.wait_for_url("**/basket.html")
    await page.get_by_text("Farmer Giles of Ham").first.wait_for()
    await page.close()


@pytest.mark.conformance
async def test_the_planner_works_in_the_open_page(
    browser: Browser, server: Server, shop: Path
) -> None:
    """`--planner` says who plans, and not where."""
    page = await opened(browser, server)
    goal = 'add "The Harbour Towns" to the basket'
    code, out, _ = await command("run", goal, "--site", shop, "--planner", "--yes")

    assert code == 0
    assert f"page      {server.url}/ (open" in out
    assert await page.evaluate("getBasket().then((basket) => basket.items.length)") == 1
    await page.close()


@pytest.mark.conformance
async def test_without_a_terminal_nothing_is_written_unasked(
    browser: Browser, server: Server, shop: Path
) -> None:
    """The answer to the agent's question is no."""
    page = await opened(browser, server)
    goal = 'add "The Harbour Towns" to the basket'
    code, out, _ = await command("run", goal, "--site", shop, "--format", "json")

    assert code == 1
    assert json.loads(out)["ok"] is False
    assert await page.evaluate("getBasket().then((basket) => basket.items.length)") == 0
    await page.close()


@pytest.mark.conformance
async def test_what_yes_does_not_allow_is_asked_in_the_terminal(
    browser: Browser, server: Server, shop: Path
) -> None:
    """It does not wait for a person in front of the page."""
    page = await opened(browser, server)
    goal = "go to http://127.0.0.1:9/"
    code, out, _ = await command("run", goal, "--site", shop, "--yes", "--format", "json")

    assert code == 1
    assert "nobody is there to be asked" in json.loads(out)["text"]
    await page.close()


@pytest.mark.conformance
async def test_without_an_open_page_there_is_a_fresh_one(server: Server, shop: Path) -> None:
    """The server alone has nothing to call."""
    code, out, _ = await command("call", "getBasket", "--site", shop)

    assert (code, json.loads(out)["items"]) == (0, [])


async def test_a_tab_of_no_server_is_a_mistake(shop: Path) -> None:
    """It is said what to start."""
    code, _, err = await command("call", "getBasket", "--site", shop, "--tab", "x")

    assert code == 2
    assert "no server of" in err
    assert "webagent-dev serve" in err


async def test_the_token_opens_the_interface(serve: Serve, shop: Path) -> None:
    """It is the same before, while and after a server runs; where to use it is said aside."""
    code, before, err = await command("token", shop)
    assert (code, "so there is no link" in err) == (0, True)
    server = serve(shop)
    _, during, aside = await command("token", server.url)
    server.stop()
    _, after, _ = await command("token", shop)

    assert before == during == after
    assert f"{server.url}/__webagent__/#code=" in aside
    assert during.strip() not in aside + server.output
    code, _, err = await command("token", server.url)
    assert (code, "no server on this machine runs" in err) == (2, True)


@pytest.mark.conformance
async def test_ctrl_c_ends_a_run_in_the_page(browser: Browser, server: Server, shop: Path) -> None:
    """A caller that is stopped does not leave an agent behind."""
    page = await opened(browser, server)
    await page.evaluate("""() => {
      globalThis.getBasket = () => new Promise(() => {});
      globalThis.ended = new Promise((resolve) => {
        webagent.addEventListener("agent", ({ detail }) => {
          if (detail.type === "finished") resolve(detail.error?.kind);
        });
      });
      globalThis.begun = new Promise((resolve) => {
        webagent.addEventListener("call", () => resolve());
      });
    }""")
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", "run", "show my basket", "--site", str(shop)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        # Jobs in the background begin with it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    await page.evaluate("begun")
    running.send_signal(signal.SIGINT)
    _, err = await running.communicate()
    assert "Traceback" not in err.decode()
    assert await page.evaluate("ended") == "cancelled"
    await page.close()
