"""Everybody can use the panel: by keyboard, with a screen reader, on any screen, in any light."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.panel.conftest import PAGE, Open, Talk
from tests.e2e.panel.story import (
    ADDED,
    APPROVAL,
    FAILED,
    FINISHED,
    GOAL,
    PLANNED,
    QUESTION,
    SEARCH,
    SENT,
    SPENT,
    STARTED,
    step,
)

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
SCHEMES = ["light", pytest.param("dark", marks=pytest.mark.conformance)]
FILE = {"kind": "file", "text": "I need your list.", "details": {"filename": "list.txt"}}


async def faults(page: Page) -> list[str]:
    """Return the findings of axe once all animations have ended."""
    await page.evaluate("Promise.all(document.getAnimations().map(a => a.finished.catch(() => 0)))")
    found: list[dict[str, Any]] = await page.evaluate(
        """(async () => {
          if (!window.axe) await import("/axe.js");
          return (await axe.run(document, { resultTypes: ["violations", "incomplete"] })).violations;
        })()"""
    )
    return [f"{f['id']}: {[node['html'] for node in f['nodes']]}" for f in found]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "screen", [pytest.param({}, marks=pytest.mark.conformance), PHONE], ids=["desktop", "phone"]
)
async def test_axe_finds_nothing(talk_on: Open, scheme: str, screen: dict[str, Any]) -> None:
    """This holds in each state of the panel, with everything unfolded."""
    page = f'<meta name="color-scheme" content="light dark">{PAGE}'
    talk: Talk = await talk_on(page, color_scheme=scheme, reduced_motion="reduce", **screen)
    await talk.open()
    assert await faults(talk.page) == []
    await talk.tell(STARTED, PLANNED, SEARCH, FAILED, step("r", "started", tool="wait"))
    await talk.tell(SPENT, SENT)
    for summary in await talk.log.locator("summary").all():
        await summary.click()
    for request in (APPROVAL, QUESTION, FILE, {"kind": "plan", "text": "x", "details": {}}):
        await talk.request(request)
        assert await faults(talk.page) == []
        if request is APPROVAL:
            await talk.panel.get_by_role("button", name="No", exact=True).click()
            assert await faults(talk.page) == []
            await talk.page.keyboard.press("Enter")
        else:
            await talk.panel.locator(".request button:visible").last.click()
            if request["kind"] == "plan":
                await talk.page.keyboard.press("Enter")
    await talk.tell(ADDED, {"type": "navigating", "url": "/next"}, FINISHED)
    await talk.tell(FINISHED | {"ok": False, "error": {"message": "no", "kind": "internal"}})
    await talk.panel.get_by_role("button", name="Details").click()
    await talk.panel.get_by_text("What the model is sent").click()
    assert await faults(talk.page) == []
    await talk.tell(STARTED)
    await talk.page.evaluate("panel.minimise()")
    assert await faults(talk.page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_axe_finds_nothing_in_an_odd_request(talk_on: Open, scheme: str) -> None:
    """With marks, explanations, a long text, lists, grants, and before all was read."""
    page = f'<meta name="color-scheme" content="light dark">{PAGE}'
    talk: Talk = await talk_on(page, color_scheme=scheme, reduced_motion="reduce", **PHONE)
    await talk.open()
    given = {
        "a\u202e": "p\u0430ypal\u200b" + "\n" * 99 + "x",
        "long": "word " * 5_000,
        "list": [*range(12)],
        "object": {"a": {"b": ["c"]}, "empty": "", "none": None},
    }
    odd = {"arguments": given, "similar": ["pay"]}
    await talk.request(APPROVAL | {"details": APPROVAL["details"] | odd})
    assert await faults(talk.page) == []
    await talk.panel.get_by_role("button", name="Allow for this session").click()
    assert await faults(talk.page) == []
    await talk.panel.get_by_role("button", name="No, and stop").click()
    calls = {"calls": [given, given]}
    await talk.request(APPROVAL | {"details": APPROVAL["details"] | calls})
    assert await faults(talk.page) == []


async def test_a_whole_run_by_keyboard(talk_on: Open) -> None:
    """From the goal through an approval and a question to the end, no mouse is needed."""
    talk: Talk = await talk_on()
    keys = talk.page.keyboard
    await talk.page.get_by_label("Search").focus()
    await talk.open()
    await keys.type(GOAL)
    await keys.press("Enter")
    assert await talk.page.evaluate("agent.goals") == [GOAL]
    await talk.tell(STARTED, PLANNED)

    await talk.request(APPROVAL)
    assert "May I do this?" in await talk.focused()
    while await talk.focused() != "Allow once":
        await keys.press("Tab")
    await expect(talk.panel.get_by_role("button", name="Allow once")).to_be_enabled()
    await keys.press("Enter")
    assert await talk.answers() == [{"yes": True}]
    assert await talk.focused() == "Stop"

    await talk.request(QUESTION)
    assert await talk.focused() == "answer"
    await keys.type("the paperback")
    await keys.press("Enter")
    assert (await talk.answers(2))[1] == {"yes": True, "text": "the paperback"}

    await talk.tell(FINISHED)
    await expect(talk.goal).to_be_focused()
    await keys.press("Escape")
    await expect(talk.panel).to_be_hidden()
    assert await talk.focused() == "search"


async def test_the_focus_is_not_trapped(talk: Talk) -> None:
    """Tab leaves the panel for the page, and comes back."""
    await talk.request(APPROVAL)
    names = set()
    for _ in range(25):
        await talk.page.keyboard.press("Tab")
        names.add(await talk.focused())
    assert {"search", "Allow once", "Stop"} <= names


async def test_a_request_does_not_take_the_focus_from_a_field(talk: Talk) -> None:
    """A request takes no key that was meant for a field."""
    await talk.page.get_by_label("Search").focus()
    await talk.request(APPROVAL)
    await expect(talk.panel.locator(".request")).to_be_visible()
    await talk.page.keyboard.type("soup ")
    await expect(talk.page.get_by_label("Search")).to_have_value("soup ")


async def test_a_request_is_never_answered_by_a_key_on_its_way(talk: Talk) -> None:
    """The focus is on the request, not on a button."""
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    for key in ("Enter", "Space", "y"):
        await talk.page.keyboard.press(key)
    assert await talk.page.evaluate("agent.answers") == []


async def test_requests_and_outcomes_are_announced(talk: Talk) -> None:
    """Steps are not announced."""
    status = talk.page.locator("webagent-panel").get_by_role("status")
    await talk.tell(STARTED, SEARCH)
    await expect(status).to_have_text("")
    await talk.request(APPROVAL)
    await expect(status).to_contain_text("Add “The Hobbit” to your basket?")
    await talk.tell(FINISHED)
    await expect(status).to_have_text(str(FINISHED["text"]))
    await expect(talk.log).to_have_attribute("aria-live", "off")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("height", [480, pytest.param(800, marks=pytest.mark.conformance)])
async def test_it_fits_every_screen(talk_on: Open, width: int, height: int) -> None:
    """All of it is on the screen and no parts overlap, also with a long request."""
    talk: Talk = await talk_on(viewport={"width": width, "height": height}, reduced_motion="reduce")
    await talk.open()
    long = APPROVAL["details"] | {"arguments": {f"argument{n}": "word " * 40 for n in range(20)}}
    await talk.tell(STARTED, PLANNED, SEARCH, FAILED)
    await talk.request(APPROVAL | {"text": "May I? " * 30, "details": long})
    inside = await talk.page.evaluate(
        """(() => {
          const panel = document.querySelector("webagent-panel").shadowRoot.querySelector(".panel");
          const box = panel.getBoundingClientRect();
          const buttons = [...panel.querySelectorAll("button")].filter((b) => b.checkVisibility())
            .filter((b) => !b.closest(".log"));
          return {
            within: box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight,
            sideways: panel.scrollWidth > panel.clientWidth
              || document.documentElement.scrollWidth > innerWidth,
            covered: buttons.filter((b) => {
              const { left, top, width, height } = b.getBoundingClientRect();
              const at = b.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
              return at !== b && !b.contains(at);
            }).map((b) => b.textContent || b.ariaLabel),
          };
        })()"""
    )
    assert inside == {"within": True, "sideways": False, "covered": []}


async def test_targets_are_large_enough_for_fingers(talk_on: Open) -> None:
    """On a phone nothing that can be touched is smaller than 44 pixels."""
    talk: Talk = await talk_on(**PHONE, reduced_motion="reduce")
    await talk.open()
    await talk.tell(STARTED, SEARCH, FAILED)
    await talk.request(APPROVAL)
    small = """[...document.querySelector("webagent-panel").shadowRoot.querySelectorAll(
        "button, summary, textarea, input")].filter((e) => e.checkVisibility()).filter((e) => {
          const { width, height } = e.getBoundingClientRect();
          return width < 44 || height < 44;
        }).map((e) => e.textContent || e.ariaLabel || e.id)"""
    assert await talk.page.evaluate(small) == []
    await talk.panel.get_by_role("button", name="Allow once").tap()
    await talk.tell(FINISHED, SPENT)
    assert await talk.page.evaluate(small) == []


BACKGROUND = """getComputedStyle(document.querySelector("webagent-panel")
    .shadowRoot.querySelector(".panel")).backgroundColor"""
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(23, 25, 30)"


@pytest.mark.parametrize(
    ("page_scheme", "system", "expected"),
    [
        ("normal", "light", LIGHT),
        ("normal", "dark", DARK),
        ("light dark", "dark", DARK),
        ("light", "dark", LIGHT),
        ("only light", "dark", LIGHT),
        ("dark", "light", DARK),
    ],
)
async def test_it_is_as_light_or_dark_as_the_page(
    talk_on: Open, page_scheme: str, system: str, expected: str
) -> None:
    """The color scheme of the page decides, or else that of the person's system."""
    css = f"<style>:root {{ color-scheme: {page_scheme} }}</style>{PAGE}"
    talk: Talk = await talk_on(css, color_scheme=system)
    await talk.open()
    assert await talk.page.evaluate(BACKGROUND) == expected


async def test_it_follows_a_switch_of_the_page(talk_on: Open) -> None:
    """Sites have buttons for it; systems switch in the evening."""
    css = "<style>:root { color-scheme: light } :root.dark { color-scheme: dark }</style>"
    talk: Talk = await talk_on(css + PAGE, color_scheme="light")
    await talk.open()
    await talk.page.evaluate("document.documentElement.className = 'dark'")
    await talk.page.wait_for_function(f"{BACKGROUND} === '{DARK}'")
    await talk.page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
    await talk.page.wait_for_function(f"{BACKGROUND} === '{LIGHT}'")
    await talk.page.emulate_media(color_scheme="dark")
    await talk.page.wait_for_function(f"{BACKGROUND} === '{DARK}'")


async def test_nothing_moves_with_reduced_motion(talk_on: Open) -> None:
    """`prefers-reduced-motion` stops all animations."""
    running = """document.querySelector("webagent-panel").shadowRoot.getAnimations().length"""
    talk: Talk = await talk_on(reduced_motion="reduce")
    await talk.open()
    await talk.tell(STARTED, step("r", "started"))
    assert await talk.page.evaluate(running) == 0
    await talk.page.emulate_media(reduced_motion="no-preference")
    assert await talk.page.evaluate(running) > 0


async def test_it_is_mirrored_on_pages_from_right_to_left(talk_on: Open) -> None:
    """The panel is at the other edge; each text has its own direction."""
    script = "<script>document.documentElement.dir = 'rtl'</script>"
    talk: Talk = await talk_on(script + PAGE)
    await talk.open()
    await talk.tell(STARTED | {"goal": "مرحبا"}, SEARCH)
    box = await talk.panel.bounding_box()
    assert box is not None
    assert box["x"] < 20
    close = await talk.panel.get_by_role("button", name="Stop and close").bounding_box()
    assert close is not None
    assert close["x"] < box["x"] + 60
    assert await talk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
