"""The inspector's other views: the manifest, what a model is given, what happens, and runs."""

from __future__ import annotations

import asyncio
import json

import anyio
import pytest
from playwright.async_api import Download, expect

from tests.e2e.conftest import Watch
from tests.e2e.inspector.conftest import Inspect, Inspector
from tests.server import Server


@pytest.mark.conformance
async def test_findings_appear_on_save(inspect: Inspect, server: Server) -> None:
    """Beside the text, each with a way to its line; so does their end."""
    inspector = await inspect(server, query="?view=manifest")
    await expect(inspector.page.get_by_role("heading", name="Nothing is wrong")).to_be_visible()
    manifest = server.root / "webagents.md"
    good = manifest.read_text()
    manifest.write_text(
        good.replace("(string, required): Words to", "(strin|, required): Words to")
    )
    await expect(inspector.page.get_by_role("heading", name="1 error")).to_be_visible()
    finding = inspector.page.locator(".finding")
    await expect(finding).to_contain_text("webagent-dev explain invalid-type")
    line = good[: good.index("`query`")].count("\n") + 1
    await finding.get_by_role("button", name=f"line {line}, ").click()
    here = inspector.page.locator(".source li.here")
    await expect(here).to_contain_text("strin|")
    await expect(here).to_be_focused()
    await expect(here).to_be_in_viewport()
    manifest.write_text(good)
    await expect(inspector.page.get_by_role("heading", name="Nothing is wrong")).to_be_visible()
    await inspector.page.get_by_role("tab", name="Declarations").click()
    await expect(inspector.page.locator(".manifest pre")).to_contain_text("declare const global")
    await inspector.page.get_by_role("tab", name="Schemas").click()
    await inspector.page.get_by_text("searchBooks", exact=True).click()
    await expect(inspector.page.locator(".manifest pre")).to_contain_text('"query"')


@pytest.mark.conformance
async def test_the_prompt_of_a_model_is_shown(inspector: Inspector) -> None:
    """For a goal: each part with its tokens, and the words themselves."""
    await inspector.show("Model")
    tokens = inspector.page.locator(".tokens")
    await expect(tokens).to_contain_text("Together")
    await inspector.page.get_by_label("Goal").fill("find books about the harbour")
    await inspector.button("Look").click()
    await inspector.page.get_by_text("The goal: ").click()
    await expect(inspector.page.locator(".prompt")).to_contain_text("about the harbour")
    numbers = [
        int(text.replace(",", ""))
        for text in await tokens.locator("dd").all_inner_texts()
        if text[0].isdigit()
    ]
    together = (await tokens.locator(".sum dd").inner_text()).split()[1]
    assert sum(numbers) == int(together.replace(",", ""))


async def test_the_timeline_shows_what_the_page_does_itself(inspector: Inspector) -> None:
    """A call of the page's own script, with its states in one line; it can be repeated."""
    await inspector.show("Timeline")
    # Tests share the inspector, and others have searched too.
    await inspector.button("Clear").click()
    await inspector.shop.evaluate("webagent.call('searchBooks', 'harbour', 3)")
    row = inspector.rows.filter(has_text="searchBooks").last
    await expect(row).to_contain_text("ok")
    await row.click()
    detail = inspector.page.get_by_role("article", name="searchBooks")
    await expect(detail).to_contain_text("Arguments")
    await expect(detail).to_contain_text("books: 3 items")
    await inspector.button("Call it again").click()
    await expect(detail.get_by_role("heading", name="And now")).to_be_visible()
    await expect(detail.locator(".again")).to_contain_text("books: 3 items")
    await inspector.button("Open in Tools").click()
    await expect(inspector.field("query")).to_have_value("harbour")
    await expect(inspector.field("limit")).to_have_value("3")


@pytest.mark.conformance
async def test_the_timeline_is_filtered_exported_and_cleared(inspector: Inspector) -> None:
    """By kind, state and words; the file holds what is shown."""
    await inspector.show("Timeline")
    await inspector.button("Clear").click()
    await inspector.shop.evaluate(
        """(async () => {
          await webagent.call("listCategories");
          await webagent.call("addToBasket", "nothing").catch(() => {});
          setTimeout(() => { throw new Error("the shelf is empty"); });
        })()"""
    )
    await expect(inspector.rows).to_have_count(3)
    await inspector.page.get_by_role("combobox", name="State").select_option("failed")
    await expect(inspector.rows).to_have_count(2)
    await inspector.page.get_by_role("searchbox", name="Filter by words").fill("unknown book")
    await expect(inspector.rows).to_have_count(1)
    async with inspector.page.expect_download() as download:
        await inspector.button("Export").click()
    file = anyio.Path(await (await download.value).path())
    exported = json.loads(await file.read_text())
    assert [entry["detail"]["state"] for entry in exported["entries"]] == ["started", "failed"]
    await inspector.page.get_by_role("searchbox", name="Filter by words").fill("")
    await inspector.button("Clear").click()
    await expect(inspector.main).to_contain_text("Nothing has happened yet.")


@pytest.mark.conformance
async def test_the_timeline_keeps_up_and_can_be_held(inspector: Inspector) -> None:
    """Of hundreds of calls the newest are there; while it is held, none appears."""
    await inspector.show("Timeline")
    await inspector.button("Clear").click()
    await inspector.button("Pause").click()
    await inspector.shop.evaluate(
        "(async () => { for (let n = 0; n < 450; n++) await webagent.call('getBasket'); })()"
    )
    await expect(inspector.main).to_contain_text("450 changed while paused")
    await expect(inspector.rows).to_have_count(0)
    await inspector.button("Pause").click()
    await expect(inspector.rows).to_have_count(400)
    await expect(inspector.rows.last).to_be_in_viewport()
    await inspector.button("Show older").click()
    await expect(inspector.rows).to_have_count(450)


@pytest.mark.conformance
async def test_a_run_is_watched_and_answered(inspector: Inspector, watch: Watch) -> None:
    """A change is asked for here; the page makes it."""
    await inspector.show("Run")
    goal = inspector.page.get_by_role("textbox", name="Goal")
    await goal.fill('add "the-harbour-towns" to the basket')
    await goal.press("Enter")
    await inspector.show("Manifest")
    await inspector.page.get_by_role("link", name="Run asks you something").click()
    await expect(inspector.page.get_by_text("May I do this?")).to_be_visible()
    assert await inspector.shop.evaluate("getBasket().then((basket) => basket.count)") == 0
    # The second half of a double click is no answer, so two quick clicks would be one.
    await expect(inspector.button("Allow once")).to_be_enabled()
    await inspector.button("Allow once").press("Enter")
    await expect(inspector.page.locator(".story .outcome .text")).to_have_text(
        "The Harbour Towns is in your basket."
    )
    card = inspector.page.locator(".story .cards > li")
    await expect(card).to_contain_text("The Harbour Towns")
    await expect(card.get_by_role("button", name="Show on the page")).to_have_count(0)
    await expect(inspector.button("Undo")).to_have_count(0)
    async with inspector.page.context.expect_page() as opened:
        await card.get_by_role("link").click()
    book = await opened.value
    await book.wait_for_url("**/book.html?id=the-harbour-towns")
    await book.close()
    await expect(inspector.button("Start")).to_be_visible()
    assert await inspector.shop.evaluate("getBasket().then((basket) => basket.count)") == 1
    downloads: list[Download] = []
    inspector.page.on("download", lambda one: downloads.append(one))
    await inspector.button("Save as a test").click()
    async with asyncio.timeout(30):
        while len(downloads) < 2:
            await inspector.page.wait_for_timeout(50)
    test, case = [await anyio.Path(await one.path()).read_text("utf-8") for one in downloads]
    assert [one.suggested_filename for one in downloads] == [
        "test_add_the_harbour_towns_to_the_basket.py",
        "add_the_harbour_towns_to_the_basket.json",
    ]
    assert 'tools["addToBasket"](bookId=' in test
    assert json.loads(case)[0]["expectedCall"][-1]["functionName"] == "addToBasket"
    await inspector.shop.evaluate("removeFromBasket('the-harbour-towns')")
    await inspector.show("Timeline")
    await inspector.rows.filter(has_text="the-harbour-towns").filter(has_text="run").click()
    await expect(inspector.page.get_by_role("article")).to_contain_text("by inspector")
    await expect(inspector.page.get_by_role("article").locator(".story")).to_contain_text("Plan")
    # The run left its page, which may have been asked for its tools just then.
    watch.errors.clear()


@pytest.mark.conformance
async def test_a_run_is_stopped(inspector: Inspector) -> None:
    """In the page too, which is free for the next."""
    await inspector.show("Run")
    goal = inspector.page.get_by_role("textbox", name="Goal")
    await goal.fill('add "the-harbour-towns" to the basket')
    await goal.press("Enter")
    await expect(inspector.button("Allow once")).to_be_visible()
    await inspector.button("Stop").click()
    await expect(inspector.main).to_contain_text("Stopped.")
    await expect(goal).to_be_focused()
    await expect(inspector.button("Allow once")).to_be_hidden()
    await goal.press("Enter")
    await expect(inspector.button("Allow once")).to_be_visible()
    await inspector.button("Stop").click()
