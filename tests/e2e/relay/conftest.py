"""A shop, a page of it that stays open, and whoever calls it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page

from tests.e2e.offering import write
from tests.e2e.relay.site import FILES, opened
from tests.page_client import owner
from tests.server import Server, hosting


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    return write(tmp_path / "site", FILES)


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests that change nothing of the site."""
    with hosting(write(tmp_path_factory.mktemp("relay") / "site", FILES)) as server:
        yield server


@pytest_asyncio.fixture(name="still", scope="module", loop_scope="session")
async def _still(
    context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Page, httpx.AsyncClient]]:
    """One page that stays open, and whoever calls it."""
    root = write(tmp_path_factory.mktemp("relay") / "site", FILES)
    with hosting(root) as server:
        async with owner(server) as client:
            page = await context.new_page()
            await opened(page, server, client)
            yield page, client
            await page.close()


@pytest_asyncio.fixture(name="client", loop_scope="session")
async def _client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with owner(server) as client:
        yield client
