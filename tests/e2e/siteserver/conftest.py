"""Visitors of small applications."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.conftest import Watch
from tests.e2e.panel.conftest import OPENED
from tests.e2e.siteserver.bookshop import Visitor


@pytest_asyncio.fixture(name="visitor", loop_scope="session")
async def _visitor(browser: Browser, watch: Watch) -> AsyncIterator[Visitor]:
    context = await browser.new_context(reduced_motion="reduce")
    await context.add_init_script(OPENED)
    page = await context.new_page()
    watch.attach(page)
    yield Visitor(page)
    await context.close()
    # The browser logs refused requests in its own console.
    watch.errors.clear()
