"""The panel keeps its state from one page to the next."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.panel.conftest import OPENED, PAGE, Open, Talk
from tests.e2e.panel.site import Site
from tests.e2e.panel.story import (
    APPROVAL,
    FAILED,
    FINISHED,
    GOAL,
    PLANNED,
    SEARCH,
    SENT,
    SPENT,
    STARTED,
    step,
)

TOLD = [STARTED, PLANNED, SEARCH, FAILED, SENT, SPENT]
KEPT = 'sessionStorage.setItem("webagent.run", "a run")'
ACTIVE = "document.activeElement.tagName"


async def test_it_continues_on_the_next_page(talk: Talk) -> None:
    """It is open with the steps so far, and the running step is finished there."""
    await talk.page.evaluate(KEPT)
    await talk.tell(*TOLD, step("s9", "started", tool="openBasket"))
    await talk.tell({"type": "navigating", "url": talk.url.replace("panel", "next")})
    await talk.load(talk.url.replace("panel", "next"))

    await expect(talk.log).to_contain_text(GOAL)
    await expect(talk.log.locator(".step")).to_have_count(3)
    await expect(talk.log).to_contain_text("Went to “A shop”")
    await expect(talk.panel.locator(".meter")).to_contain_text("4,210 tokens")
    await expect(talk.panel.get_by_role("button", name="Stop", exact=True)).to_be_visible()

    await talk.tell(
        STARTED | {"resumed": True}, step("s9", tool="openBasket", value={"navigated": True})
    )
    await expect(talk.log.locator(".step").last).to_have_class("step finished")
    await talk.tell(FINISHED)
    await expect(talk.log.locator(".bubble")).to_have_count(1)
    await expect(talk.goal).to_be_visible()


async def test_the_focus_stays_in_it_on_the_next_page(talk: Talk) -> None:
    """A person with a keyboard alone goes on where they were, and Escape still minimises it."""
    await talk.start(GOAL)
    await talk.page.evaluate(KEPT)
    await talk.tell(STARTED)
    await talk.load(talk.url.replace("panel", "next"))
    assert await talk.focused() == "Stop"

    await talk.request(APPROVAL)
    assert "May I do this?" in await talk.focused()
    await talk.load()
    await talk.request(APPROVAL)
    assert "May I do this?" in await talk.focused()
    await talk.page.evaluate("panel.close()")

    await talk.load()
    await expect(talk.pill).to_be_hidden()
    assert await talk.page.evaluate(ACTIVE) == "BODY"


async def test_the_focus_goes_to_the_next_goal_when_a_run_ends_on_another_page(talk: Talk) -> None:
    """As it does when the run ends where it began."""
    await talk.page.evaluate(KEPT)
    await talk.tell(STARTED)
    await talk.load(talk.url.replace("panel", "next"))
    await talk.tell(STARTED | {"resumed": True}, FINISHED)
    await expect(talk.goal).to_be_focused()
    await talk.load()
    await expect(talk.goal).to_be_focused()
    await talk.page.keyboard.press("Escape")
    await expect(talk.pill).to_be_visible()


async def test_the_focus_stays_in_the_panel_of_a_page(talk_on: Open) -> None:
    """Where the page has it in its own layout."""
    talk: Talk = await talk_on(f"{PAGE}<webagent-panel></webagent-panel>")
    await talk.goal.fill("find a boo")
    await talk.load()
    await expect(talk.goal).to_be_focused()


async def test_the_focus_is_not_taken_from_the_next_page(talk_on: Open) -> None:
    """Neither from a field that the page focuses, nor for a panel that did not have it."""
    talk: Talk = await talk_on(PAGE.replace("<input", "<input autofocus"))
    await talk.open()
    await expect(talk.goal).to_be_focused()
    await talk.load()
    await expect(talk.goal).to_be_visible()
    assert await talk.focused() == "search"

    talk = await talk_on(alone=True)
    await talk.open()
    await talk.page.get_by_label("Search").focus()
    await talk.load()
    await expect(talk.goal).to_be_visible()
    assert await talk.page.evaluate(ACTIVE) == "BODY"


async def test_a_page_that_is_gone_before_it_says_so_is_left_all_the_same(talk: Talk) -> None:
    """The next page often comes before the run can report that it goes there."""
    await talk.page.evaluate(KEPT)
    await talk.tell(STARTED, step("s9", "started", tool="openBasket"))
    await talk.load(talk.url.replace("panel", "next"))
    await expect(talk.log.locator(".went")).to_have_text(["Went to “A shop”"])


async def test_a_page_without_a_title_goes_by_its_address(talk_on: Open) -> None:
    """Once the visitor is there; the page that is left says nothing."""
    talk = await talk_on(PAGE.replace("<title>A shop</title>", ""))
    await talk.open()
    await talk.page.evaluate(KEPT)
    await talk.tell(STARTED, {"type": "navigating", "url": talk.url.replace("panel", "next")})
    await expect(talk.log.locator(".went")).to_have_count(0)
    await talk.load(talk.url.replace("panel", "next"))
    await expect(talk.log.locator(".went")).to_have_text("Went to “/next”")


async def test_an_element_of_the_page_before_is_not_shown_on_this_one(talk: Talk) -> None:
    """Its number is that of another element here."""
    link = step(
        "s1",
        "started",
        action="click_link",
        element={"pp_id": 1, "role": "link", "name": "Basket"},
    )
    await talk.page.evaluate(KEPT)
    await talk.tell(STARTED, link)
    await talk.load(talk.url.replace("panel", "next"))
    numbers = """import("/dom.js").then(({ createDom }) => createDom(document).snapshot().elements.map(({ id }) => id))"""
    assert 1 in await talk.page.evaluate(numbers)
    await talk.tell(step("s1", action="click_link", value={"navigated": True}))
    item = talk.log.locator(".step.finished")
    await expect(item).to_contain_text("Follow the link Basket")
    await expect(item.locator(".acts")).to_be_attached()
    await talk.page.wait_for_timeout(1200)
    await expect(item.get_by_role("button", name="Show on the page")).to_have_count(0)


async def test_it_stays_minimised_or_closed(talk: Talk) -> None:
    """The next page does not show a panel that the person has closed."""
    await talk.tell(STARTED, FINISHED)
    await talk.page.evaluate("panel.minimise()")
    await talk.load()
    await expect(talk.pill).to_be_visible()
    await talk.page.evaluate("panel.close()")
    await talk.load()
    await expect(talk.page.locator("webagent-panel")).to_have_count(0)
    await talk.open()
    await expect(talk.log).to_contain_text(GOAL)


async def test_a_goal_that_is_being_written_is_kept(talk: Talk) -> None:
    """Following a link meanwhile does not lose it."""
    await talk.goal.fill("find a boo")
    await talk.load()
    await expect(talk.goal).to_have_value("find a boo")


async def test_a_run_that_does_not_continue_says_so(talk: Talk) -> None:
    """In a copy of the tab, for example, the run stays in the first tab."""
    await talk.tell(*TOLD)
    await talk.load()
    await expect(talk.log.locator(".outcome.bad .text")).to_contain_text("This stopped here")
    await expect(talk.goal).to_be_visible()
    await talk.log.get_by_role("button", name="Try again").click()
    assert await talk.page.evaluate("agent.goals") == [GOAL]


async def test_a_copy_of_the_tab_has_its_own_conversation(talk: Talk) -> None:
    """Later events of the first tab are not shown in the copy."""
    await talk.page.evaluate(KEPT)
    await talk.tell(*TOLD)
    await talk.page.evaluate("panel.minimise()")
    await talk.page.wait_for_function("sessionStorage['webagent.panel.talk']?.includes('spent')")
    async with talk.page.expect_popup() as opened:
        await talk.page.evaluate("void window.open('/next')")
    copy = Talk(await opened.value, "")
    await copy.page.wait_for_function("window.loaded")
    await copy.page.evaluate("sessionStorage.removeItem('webagent.run')")
    await expect(copy.pill).to_have_text("Assistant")
    await talk.tell(FINISHED)
    assert "is in your basket" not in str(await copy.page.locator(".log").text_content())


@pytest.mark.conformance
async def test_long_results_are_shortened_on_the_next_page(talk: Talk) -> None:
    """The storage of a tab is small, and the site uses it too."""
    await talk.page.evaluate(KEPT)
    many = [{"title": f"book {n}", "about": "x" * 1000} for n in range(200)]
    await talk.tell(*TOLD, *[step(f"m{n}", tool="list", value=many) for n in range(40)])
    await talk.load()
    await expect(talk.log.locator(".step")).to_have_count(42)
    assert await talk.page.evaluate("sessionStorage['webagent.panel.talk'].length") < 400_000


async def test_a_full_storage_hurts_nobody(talk: Talk) -> None:
    """The panel works without remembering."""
    await talk.page.evaluate("sessionStorage.setItem('site', 'x'.repeat(5_240_000))")
    await talk.tell(*TOLD, FINISHED)
    await talk.page.evaluate("dispatchEvent(new Event('pagehide'))")
    await expect(talk.log.locator(".outcome")).to_be_visible()


@pytest.mark.conformance
@pytest.mark.parametrize("kept", ["", "x", "[]", '{"v": 1, "events": 3}', '{"v": 2}', "null"])
async def test_a_conversation_the_panel_did_not_keep_is_not_shown(talk: Talk, kept: str) -> None:
    """The storage may contain anything."""
    await talk.page.evaluate("panel.minimise()")
    await talk.page.evaluate(
        """kept => addEventListener("pagehide",
             () => { sessionStorage["webagent.panel.talk"] = kept; })""",
        kept,
    )
    await talk.load()
    await expect(talk.pill).to_be_visible()


async def test_a_page_that_was_asleep_shows_what_has_happened_since(talk: Talk) -> None:
    """The memory of a page from the back/forward cache is older than the tab's storage."""
    await talk.tell(*TOLD)
    await talk.request(APPROVAL)
    await talk.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    await talk.page.evaluate(
        """finished => {
             const kept = JSON.parse(sessionStorage["webagent.panel.talk"]);
             kept.events.push({ run_id: "r1", ...finished });
             sessionStorage["webagent.panel.talk"] = JSON.stringify(kept);
             dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
           }""",
        FINISHED,
    )
    await expect(talk.log.locator(".outcome")).to_contain_text("is in your basket")
    await expect(talk.panel.locator(".request")).to_have_count(0)


async def test_a_run_that_began_without_the_panel_is_shown_from_its_beginning(
    talk_on: Open,
) -> None:
    """A script started it, and a panel that is opened later shows all its steps."""
    heard = json.dumps([{"run_id": "r7", **event} for event in TOLD])
    html = f"{PAGE}<script>window.heardBefore = {heard}</script>"
    talk = await talk_on(html, alone=True, reduced_motion="reduce")
    stop = talk.panel.get_by_role("button", name="Stop", exact=True)
    # The second time the tab has the conversation, and its storage nothing of the run.
    for _ in range(2):
        await talk.page.clock.install()
        await talk.load()
        await talk.open()
        await expect(talk.log).to_contain_text(GOAL)
        await expect(talk.log.locator(".step")).to_have_count(2)
        await talk.page.clock.run_for(10_000)
        await expect(stop).to_be_visible()


LAUNCHED = '<script type="module" src="/webagent.js"{}></script>'


@pytest.fixture(name="launched")
def _launched(site: Site, talk_on: Open) -> Site:
    """A site whose pages have the page's script."""
    del talk_on
    site.page("/on", PAGE + LAUNCHED.format(' data-panel="on"'))
    site.page("/off", PAGE + LAUNCHED.format(""))
    site.page("/around", f'{PAGE}<iframe src="/on"></iframe>')
    return site


async def test_a_button_loads_and_opens_the_panel(browser: Browser, launched: Site) -> None:
    """Neither the panel nor anything else is loaded before."""
    context = await browser.new_context()
    await context.add_init_script(OPENED)
    page = await context.new_page()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url.removeprefix(launched.origin)))
    await page.goto(f"{launched.origin}/on")
    button = page.get_by_role("button", name="Open the assistant")
    await expect(button).to_be_visible()
    assert [path for path in loaded if path.startswith("/")] == ["/on", "/webagent.js"]
    assert await page.evaluate("webagent.state") == "idle"
    await button.click()
    await expect(page.get_by_label("What should be done")).to_be_focused()
    await expect(button).to_be_hidden()

    await page.goto(f"{launched.origin}/on")
    await expect(page.get_by_label("What should be done")).to_be_visible()
    await page.get_by_role("button", name="Close").click()
    await expect(button).to_be_visible()
    await context.close()


async def test_a_site_offers_the_panel_by_an_attribute(page: Page, launched: Site) -> None:
    """In production there is no button without the attribute, and never one in frames."""
    await page.goto(f"{launched.origin}/off")
    await page.wait_for_function("window.webagent")
    await expect(page.locator("webagent-launcher")).to_have_count(0)
    await page.goto(f"{launched.origin}/around")
    inner = page.frame(url="**/on")
    assert inner is not None
    await inner.wait_for_function("window.webagent")
    await expect(inner.locator("webagent-launcher")).to_have_count(0)
