"""The JavaScript of the documentation runs in the demo shop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page

from tests.e2e.conftest import Watch, in_place
from tests.server import Server
from tests.test_docs import blocks

_OTHERS = ("README.md", "docs/tutorial.md")
"""The README has a page of its own for each block, the tutorial a site and a test of its own."""


@pytest_asyncio.fixture(name="shops", scope="module", loop_scope="session")
async def _shops(browser: Browser, template: Server) -> AsyncIterator[BrowserContext]:
    """Where pages share one Python that stays alive, so that each block finds it ready."""
    context = await browser.new_context()
    await context.add_init_script(in_place("shared"))
    page = await context.new_page()
    await page.goto(template.url)
    await page.evaluate("webagent.ready")
    yield context
    await context.close()


@pytest_asyncio.fixture(name="shop_page", loop_scope="session")
async def _shop_page(shops: BrowserContext, watch: Watch) -> AsyncIterator[Page]:
    page = await shops.new_page()
    watch.attach(page)
    yield page
    await page.evaluate("localStorage.clear()")
    await page.close()
    watch.check()


@pytest.mark.parametrize(
    ("path", "line", "code"),
    [block for block in blocks("js") if str(block.id).startswith("README.md")],
)
async def test_javascript_in_the_readme_runs(
    page: Page, template: Server, path: Path, line: int, code: str
) -> None:
    """In a page that starts Python as every page does."""
    await _run(page, template, code)


@pytest.mark.parametrize(
    ("path", "line", "code"),
    [block for block in blocks("js") if not str(block.id).startswith(_OTHERS)],
)
async def test_javascript_in_the_documentation_runs(
    shop_page: Page, template: Server, path: Path, line: int, code: str
) -> None:
    """Each block runs in a new page, and none of its assertions fails."""
    await _run(shop_page, template, code)


async def _run(page: Page, template: Server, code: str) -> None:
    """Run a block as a module's body would."""
    await page.goto(template.url)
    await page.evaluate("webagent.ready")
    await page.evaluate(f"(async () => {{\n{code}\n}})()")
