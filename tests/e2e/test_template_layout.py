"""The pages of the template keep their layout while their scripts write."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from tests.server import Server

OBSERVED = """window.shift = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({type: "layout-shift", buffered: true});"""


@pytest.mark.conformance
@pytest.mark.chromium("only Chromium reports layout shifts")
@pytest.mark.parametrize("width", [1280, 390])
async def test_little_moves_while_a_page_loads(
    browser: Browser, template: Server, width: int
) -> None:
    """The shift is under 0.1, which counts as good, and nothing is wider than the window."""
    for name in ("index", "article", "basket", "contact", "visit", "delivery"):
        page = await browser.new_page(viewport={"width": width, "height": 844})
        await page.add_init_script(OBSERVED)
        await page.goto(f"{template.url}/{name}.html", wait_until="networkidle")
        shift = await page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shift), 300)))"
        )
        assert shift < 0.1, f"{name} at {width}: {shift}"
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert await page.evaluate(wide), f"{name} at {width}"
        headings = await page.evaluate("document.querySelectorAll('h1').length")
        assert headings == 1, f"{name} has {headings} h1"
        await page.close()
