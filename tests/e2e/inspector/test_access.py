"""Everybody can use the inspector: by keyboard, with a screen reader, on any screen, in any light."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.inspector.conftest import Inspector, opened
from tests.e2e.panel.site import SOURCES
from tests.server import Server

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
AXE = SOURCES / "node_modules" / "axe-core" / "axe.min.js"
OTHERS = ("Manifest", "Model", "Timeline", "Run", "Doors")


async def faults(page: Page) -> list[str]:
    """The findings of axe, and anything that is wider than the screen."""
    # Evaluated from outside: the page's policy lets no other script in.
    await page.evaluate(f"window.axe ?? void (() => {{ {AXE.read_text('utf-8')} }})()")
    found: list[dict[str, Any]] = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)"
    )
    wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    told = [f"{f['id']}: {[node['html'] for node in f['nodes']]}" for f in found]
    return [*told, *(["it is wider than the screen"] if wide else [])]


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("scheme", "screen"),
    [("light", {}), ("dark", {}), ("light", PHONE)],
    ids=["light", "dark", "phone"],
)
async def test_axe_finds_nothing(
    browser: Browser, shopping: Page, template: Server, watch: Watch, scheme: str, screen: Any
) -> None:
    """In every view, with a tool that was called and an entry that was opened."""
    context = await browser.new_context(color_scheme=scheme, reduced_motion="reduce", **screen)
    page = await opened(context, template, watch)
    inspector = Inspector(page, shopping, template)
    await inspector.choose("searchBooks")
    await inspector.field("limit").fill("2")
    await inspector.call()
    for summary in await page.locator(".fold > summary").all():
        await summary.click()
    await inspector.field("limit").fill("none")
    await inspector.button("Call").click()
    assert await faults(page) == []
    for view in OTHERS:
        await inspector.show(view)
        await page.locator(".source, .tokens, .rows, .goal, .steps").first.wait_for()
        if view == "Timeline":
            await inspector.rows.last.click()
        assert await faults(page) == [], view
    await page.reload()
    assert await faults(page) == []
    await context.close()
    watch.check()


async def test_a_call_by_keyboard_alone(inspector: Inspector) -> None:
    """From the search over the form to the result, and on to the timeline."""
    page, keys = inspector.page, inspector.page.keyboard

    async def tab_to(name: str) -> None:
        for _ in range(60):
            await keys.press("Tab")
            if (await inspector.focused()).startswith(name):
                return
        raise AssertionError(f"no Tab leads to `{name}`")

    await page.evaluate("document.activeElement.blur()")
    await tab_to("Skip to the content")
    await keys.press("Enter")
    await tab_to("Search tools")
    await keys.type("listed category")
    await keys.press("Escape")
    await keys.type("catalogue")
    await keys.press("ArrowDown")
    await expect(page.get_by_role("heading", name="searchBooks")).to_be_visible()
    await keys.press("ArrowDown")
    await keys.press("ArrowUp")
    await tab_to("query")
    await keys.type("harbour")
    await tab_to("limit")
    await keys.type("1")
    await keys.press("Enter")
    await expect(inspector.outcome.get_by_text("ok", exact=True)).to_be_visible()
    await expect(inspector.button("Call")).to_be_focused()
    await tab_to("Tree")
    await keys.press("ArrowRight")
    await expect(inspector.outcome.locator("pre")).to_contain_text('"total"')
    await page.evaluate("document.activeElement.blur()")
    await tab_to("Timeline")
    await keys.press("Enter")
    await tab_to("Timeline")
    await keys.press("End")
    await expect(page.get_by_role("article", name="searchBooks")).to_be_visible()


@pytest.mark.conformance
async def test_the_outcome_of_a_call_is_announced(inspector: Inspector) -> None:
    """The result lies in a live region, and what is wrong belongs to its field."""
    await inspector.choose("searchBooks")
    assert await inspector.outcome.get_attribute("aria-live") == "polite"
    await inspector.field("limit").fill("many")
    await inspector.button("Call").click()
    field = inspector.field("limit")
    await expect(field).to_have_attribute("aria-invalid", "true")
    assert await field.evaluate(
        "field => field.ariaDescribedByElements.some((one) => one.textContent.includes('is not a number'))"
    )


@pytest.mark.conformance
async def test_targets_are_large_enough_for_fingers(
    browser: Browser, shopping: Page, template: Server, watch: Watch
) -> None:
    """On a phone nothing that can be touched is smaller than 24 pixels (WCAG 2.5.8)."""
    context = await browser.new_context(**PHONE)
    inspector = Inspector(await opened(context, template, watch), shopping, template)
    await inspector.choose("searchBooks")
    await inspector.call()
    small = """[...document.querySelectorAll("button, summary, input, select, textarea, nav a, [role=option]")]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24)
        .map((e) => e.outerHTML.slice(0, 100))"""
    for view in (*OTHERS, "Tools"):
        await inspector.show(view)
        assert await inspector.page.evaluate(small) == [], view
    await context.close()


def test_nothing_moves_with_reduced_motion() -> None:
    """Everything that moves does so only without a preference for reduced motion."""
    css = (Path(SOURCES) / "src" / "inspector" / "inspector.css").read_text("utf-8")
    still = css[: css.index("@media (prefers-reduced-motion: no-preference)")]
    moving = css.count("animation:") + css.count("transition:")
    assert moving > 0
    assert "animation" not in still
    assert css.count("transition:") == 0
