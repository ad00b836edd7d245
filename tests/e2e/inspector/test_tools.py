"""The inspector's tools: what they are, forms made from schemas, calls, and code that does the same."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.conftest import Serve, Watch
from tests.e2e.inspector.conftest import Inspect, Inspector, address
from tests.server import Server


async def test_a_tool_is_called_from_its_form(inspector: Inspector) -> None:
    """With what was filled in, and nothing of what was left out; the page shows it too."""
    page = inspector.page
    await inspector.choose("searchBooks")
    await expect(page.get_by_role("heading", name="searchBooks")).to_be_visible()
    await inspector.field("query").fill("harbour")
    await inspector.field("limit").fill("2")
    await inspector.call()
    await expect(inspector.outcome.get_by_text("ok", exact=True)).to_be_visible()
    await expect(inspector.outcome.locator(".tree")).to_contain_text("books: 2 items")
    assert "harbour" in inspector.shop.url
    await inspector.outcome.get_by_role("tab", name="JSON").click()
    shown = await inspector.outcome.locator("pre").inner_text()
    assert len(json.loads(shown)["books"]) == 2
    await expect(page.locator(".callbox pre").last).to_have_text(
        'const result = await global.searchBooks("harbour", 2);'
    )
    await page.get_by_role("tab", name="Shell").click()
    await expect(page.locator(".callbox pre").last).to_contain_text(
        """webagent-dev call searchBooks '{"query": "harbour", "limit": 2}' --site http"""
    )


async def test_a_reload_keeps_what_was_filled_in(inspector: Inspector, template: Server) -> None:
    """The view, the filters and the arguments, but for secrets; the token is asked for again."""
    page = inspector.page
    await page.get_by_role("searchbox", name="Search tools").fill("log the visitor in")
    await inspector.choose("login")
    await inspector.field("email").fill("ada")
    await inspector.field("password").fill("hunter2")
    await expect(page.locator(".callbox pre .in-string").first).to_have_text('"ada"')
    await inspector.show("Timeline")
    await page.get_by_label("Kind").select_option("call")
    await inspector.show("Tools")
    await page.reload()
    await page.get_by_label("Address or token").fill(address(template))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="login")).to_be_visible()
    await expect(inspector.field("email")).to_have_value("ada")
    await expect(inspector.field("password")).to_have_value("")
    await expect(page.get_by_role("searchbox", name="Search tools")).to_have_value(
        "log the visitor in"
    )
    await inspector.show("Timeline")
    await expect(page.get_by_label("Kind")).to_have_value("call")
    assert "hunter2" not in await page.evaluate("JSON.stringify({...sessionStorage})")


@pytest.mark.conformance
async def test_the_code_that_is_shown_does_the_same(inspector: Inspector) -> None:
    """The line for a terminal calls the tool in the open page; the program is Python."""
    await inspector.choose("addToBasket")
    await inspector.field("bookId").fill("the-harbour-towns")
    await inspector.page.get_by_role("tab", name="Shell").click()
    line = await inspector.page.locator(".callbox pre").last.inner_text()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", line, env={**os.environ, "PATH": path}, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert json.loads(out)["count"] == 1
    assert await inspector.shop.evaluate("getBasket().then((basket) => basket.count)") == 1
    await inspector.shop.evaluate("removeFromBasket('the-harbour-towns')")
    await inspector.page.get_by_role("tab", name="Python").click()
    program = ast.parse(await inspector.page.locator(".callbox pre").last.inner_text())
    assert "global.addToBasket" in ast.unparse(program)


@pytest.mark.conformance
async def test_errors_are_shown_next_to_their_field(inspector: Inspector) -> None:
    """Found by the form before a call, or by the page in it."""
    await inspector.choose("searchBooks")
    await inspector.field("limit").fill("many")
    await inspector.button("Call").click()
    wrong = inspector.page.locator(".field:has(label:has-text('limit')) .wrong")
    await expect(wrong).to_have_text("`many` is not a number - write it like `12.5`")
    await expect(inspector.field("limit")).to_be_focused()
    await expect(inspector.outcome).to_contain_text("No call yet")
    await inspector.field("limit").fill("2")
    await expect(wrong).to_be_hidden()

    await inspector.page.get_by_role("tab", name="JSON").first.click()
    text = inspector.page.locator("textarea.json")
    await text.fill('{"query": "x",\n "limit": many}')
    await inspector.button("Call").click()
    await expect(inspector.main).to_contain_text("`many` is neither true, false, null nor a text")
    await expect(inspector.main).to_contain_text("line 2, column 11")
    await text.fill('{"query": 7}')
    await inspector.page.get_by_role("tab", name="Form").click()
    await inspector.call()
    await expect(inspector.outcome).to_contain_text("invalid_arguments at query")
    await expect(inspector.page.locator(".wrong:visible")).to_have_count(1)


async def test_an_irreversible_call_takes_one_more_press(inspector: Inspector) -> None:
    """On another button; Escape and Back call nothing."""
    await inspector.choose("sendContactMessage")
    for name, text in (
        ("name", "Ada"),
        ("email", "ada@catchword.example"),
        ("message", "Hello there."),
    ):
        await inspector.field(name).fill(text)
    await inspector.field("topic").select_option("order")
    await inspector.button("Call").click()
    await expect(inspector.page.get_by_text("This cannot be undone.")).to_be_visible()
    await expect(inspector.button("Back")).to_be_focused()
    await inspector.page.keyboard.press("Escape")
    await expect(inspector.button("Call")).to_be_focused()
    await expect(inspector.outcome).to_contain_text("No call yet")
    await inspector.button("Call").click()
    await inspector.button("Call it anyway").click()
    await expect(inspector.outcome).to_contain_text("reference:")


@pytest.mark.conformance
async def test_errors_say_what_happened(inspector: Inspector) -> None:
    """With kind, words of the tool, and the help there is."""
    await inspector.choose("getUserProfile")
    await inspector.call()
    await expect(inspector.outcome).to_contain_text("not_logged_in")
    await expect(inspector.outcome).to_contain_text("Not logged in")


@pytest.mark.conformance
async def test_tools_are_found_by_words(inspector: Inspector) -> None:
    """Of their names and descriptions; Enter goes to the first."""
    search = inspector.page.get_by_role("searchbox", name="Search tools")
    await search.fill("parcel country")
    options = inspector.page.get_by_role("listbox", name="Tools").get_by_role("option")
    await expect(options).to_have_count(1)
    await search.press("Enter")
    await expect(inspector.page.get_by_role("heading", name="getDeliveryPrice")).to_be_visible()
    assert "tool=getDeliveryPrice" in inspector.page.url


@pytest.mark.conformance
async def test_pages_come_and_go(inspect: Inspect, server: Server, watch: Watch) -> None:
    """Without a reload; who has none open reads how to open one."""
    inspector = await inspect(server)
    pages = inspector.page.get_by_role("combobox", name="Page", exact=True)
    await expect(pages.locator("option")).to_have_count(2)
    await inspector.shop.goto(f"{server.url}/contact.html")
    await expect(pages.locator("option").last).to_contain_text("Contact")
    await inspector.shop.close()
    await expect(inspector.main).to_contain_text("No page of the site is open.")
    again = await inspector.page.context.new_page()
    await again.goto(server.url)
    await expect(inspector.main).not_to_contain_text("No page of the site is open.")
    # A request to a page that had just gone.
    watch.errors[:] = [line for line in watch.errors if "409" not in line]


@pytest.mark.conformance
async def test_tools_of_all_sources_are_grouped(inspect: Inspect, serve: Serve, shop: Path) -> None:
    """Each under its source; of two pages the chosen one is looked at.

    The manifest of this shop has nothing to say of visits, which a component offers.
    """
    manifest = shop / "webagents.md"
    text = manifest.read_text("utf-8")
    sections = re.split(r"(?m)^(?=## )", text)
    manifest.write_text("".join(s for s in sections if not s.startswith("## visit_")), "utf-8")
    inspector = await inspect(serve(shop), "/contact.html")
    pages = inspector.page.get_by_role("combobox", name="Page", exact=True)
    await pages.select_option(label=await inspector.shop.title())
    tools = inspector.page.get_by_role("listbox", name="Tools")
    for source, tool in (
        ("Manifest", "getBasket"),
        ("Forms", "contactForm"),
        ("Components", "visit_arrange"),
    ):
        group = tools.get_by_role("group", name=re.compile(f"^{source}"))
        await expect(group).to_contain_text(tool)


async def test_the_token_leaves_the_address_at_once(
    browser: Browser, template: Server, watch: Watch
) -> None:
    """It stays in memory alone: a reload asks for it, and it can be pasted with its address."""
    page = await browser.new_page()
    watch.attach(page)
    url = address(template, "?view=manifest")
    await page.goto(url)
    await expect(page.get_by_role("heading", name="Nothing is wrong with it.")).to_be_visible()
    assert "token" not in page.url
    assert await page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    await page.reload()
    field = page.get_by_label("Address or token")
    await expect(field).to_be_focused()
    watch.check()
    await field.fill("wrong")
    await field.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("That is not the token")
    watch.errors.clear()
    await field.fill(url)
    await field.press("Enter")
    await expect(page.get_by_role("heading", name="Nothing is wrong with it.")).to_be_visible()
    await page.evaluate("address => { location.hash = address.split('#')[1]; }", url)
    await expect(page).not_to_have_url(re.compile("#"))
    await page.close()


@pytest.mark.conformance
async def test_it_goes_on_with_a_server_that_was_started_again(
    inspect: Inspect, serve: Serve, server: Server, watch: Watch
) -> None:
    """Under the same token, by itself; meanwhile it says that nobody is there."""
    inspector = await inspect(server, query="?view=manifest")
    await expect(inspector.page.get_by_role("heading", name="Nothing is wrong")).to_be_visible()
    port = server.url.rsplit(":", 1)[1]
    server.stop()
    alert = inspector.page.get_by_role("alert")
    await expect(alert).to_contain_text("The view shows the last known state.")
    manifest = server.root / "webagents.md"
    manifest.write_text(
        manifest.read_text().replace("(string, required): Words", "(strin|): Words")
    )
    serve(server.root, "--port", port)
    await expect(alert).to_be_hidden()
    await expect(inspector.page.get_by_role("heading", name="1 error")).to_be_visible()
    # The browser logged each request that nobody answered.
    watch.errors.clear()
