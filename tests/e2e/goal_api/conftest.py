"""Sites with one page that stays open, and tasks that are done in it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.conftest import TEMPLATE
from tests.page_client import owner
from tests.server import Server, hosting

TASKS = Path(__file__).parents[2] / "sites" / "tasks"
Tab = tuple[Server, Page]


@asynccontextmanager
async def opened(browser: Browser, server: Server, path: str = "/") -> AsyncIterator[Page]:
    """Open a page of a site in a profile of its own, and wait until the server knows it."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(server.url + path)
    async with owner(server) as client, asyncio.timeout(60):
        while not (await client.get("state")).json()["pages"]:
            pass
    yield page
    await context.close()


@pytest_asyncio.fixture(name="shop_tab", scope="module", loop_scope="session")
async def _shop_tab(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Tab]:
    """The bookshop, and a page of it; no task needs its agent, so that none is started."""
    root = shutil.copytree(TEMPLATE, tmp_path_factory.mktemp("tasks") / "shop")
    (root / "webagent.toml").write_text('[page]\nstart = "use"\n', encoding="utf-8")
    with hosting(root) as server:
        async with opened(browser, server) as page:
            yield server, page


@pytest_asyncio.fixture(name="tea_tab", scope="module", loop_scope="session")
async def _tea_tab(browser: Browser) -> AsyncIterator[Tab]:
    """A site with a page of every kind, and a page of it."""
    with hosting(TASKS) as server:
        async with opened(browser, server) as page:
            yield server, page
