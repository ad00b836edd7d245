"""The pages of the template keep still while they load, fit a phone, and can be used by everybody."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from tests.e2e.panel.conftest import OPENED
from tests.e2e.panel.site import SOURCES
from tests.server import Server

PAGES = (
    *("index", "article", "basket", "contact", "visit", "delivery", "account", "404"),
    "book.html?id=the-salt-ledger",
)
STORED = """
sessionStorage.setItem("catchword.session", '"ada@catchword.example"');
localStorage.setItem("catchword.basket", '{"the-salt-ledger":1,"soup-mostly":2}');
"""
"""A person who is logged in and has chosen books."""

OBSERVED = """window.shift = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({type: "layout-shift", buffered: true});"""
SETTLED = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shift), 300)))"

CUT = """[...document.querySelectorAll(".table-frame")].filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.textContent)"""
"""The frames of tables that show only a part of their table."""

BROKEN = """[...document.querySelectorAll("th, td")].filter((one) => one.checkVisibility()).flatMap((one) => {
  const range = document.createRange();
  const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\p{L}\\d]+/gu)) {
    range.setStart(texts.currentNode, index);
    range.setEnd(texts.currentNode, index + word.length);
    if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(word);
  }
  return found;
})"""
"""The words of tables that stand on two lines."""

AXE = SOURCES / "node_modules" / "axe-core" / "axe.min.js"
RULES = {"label-content-name-mismatch": {"enabled": True}}
"""The one rule of axe that is off by default and that audits count."""


def address(server: Server, name: str) -> str:
    """Return the URL of a page of the template."""
    return f"{server.url}/{name if '?' in name else f'{name}.html'}"


async def faults(page: Page) -> list[str]:
    """Return the findings of axe, the frame and what the panel has in its shadow among them."""
    await page.evaluate("Promise.all(document.getAnimations().map(a => a.finished.catch(() => 0)))")
    await page.evaluate(f"window.axe ?? void (() => {{ {AXE.read_text('utf-8')} }})()")
    found: list[dict[str, Any]] = await page.evaluate(
        "rules => axe.run({ rules, resultTypes: ['violations'] }).then((all) => all.violations)",
        RULES,
    )
    return [f"{f['id']}: {[node['html'] for node in f['nodes']]}" for f in found]


async def visitor(browser: Browser, stored: str, **options: Any) -> BrowserContext:
    """Open a context of somebody who has stored this."""
    context = await browser.new_context(**options)
    await context.add_init_script(f"{stored}{OBSERVED}")
    return context


@pytest.mark.conformance
@pytest.mark.chromium("only Chromium reports layout shifts")
@pytest.mark.parametrize("stored", ["", STORED], ids=["stranger", "customer"])
@pytest.mark.parametrize("width", [1280, 390, 360])
async def test_little_moves_while_a_page_loads(
    browser: Browser, template: Server, width: int, stored: str
) -> None:
    """The shift is under 0.1, which counts as good; nothing is wider than the window, or cut."""
    context = await visitor(browser, stored, viewport={"width": width, "height": 844})
    for name in PAGES:
        page = await context.new_page()
        await page.goto(address(template, name), wait_until="networkidle")
        shift = await page.evaluate(SETTLED)
        assert shift < 0.1, f"{name} at {width}: {shift}"
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert await page.evaluate(wide), f"{name} at {width}"
        assert await page.evaluate(CUT) == [], f"{name} at {width}"
        assert await page.evaluate(BROKEN) == [], f"{name} at {width}"
        headings = page.locator("h1:visible")
        assert await headings.count() == 1, f"{name} has {await headings.all_inner_texts()} as h1"
        await page.close()
    await context.close()


@pytest.mark.conformance
@pytest.mark.parametrize("stored", ["", STORED], ids=["stranger", "customer"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing(
    browser: Browser, template: Server, scheme: str, stored: str
) -> None:
    """No page has a finding, with the panel closed and open: names, landmarks, contrast, order."""
    context = await visitor(
        browser, f"{OPENED}{stored}", color_scheme=scheme, reduced_motion="reduce"
    )
    found = []
    for name in PAGES:
        page = await context.new_page()
        await page.goto(address(template, name))
        found += [f"{name}, {fault}" for fault in await faults(page)]
        if name != "visit":
            await page.locator("webagent-launcher button").click()
            await page.locator("webagent-panel").get_by_role("dialog").wait_for()
            found += [f"{name} and panel, {fault}" for fault in await faults(page)]
        await page.close()
    await context.close()
    assert found == []
