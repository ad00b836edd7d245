"""Real Chromium against a real server on 127.0.0.1."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Request, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.server import Server, serving

HERE = Path(__file__).parent
TEMPLATE = HERE.parent.parent / "site_template"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of this folder in one event loop, the browser's."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(name="browser", scope="session", loop_scope="session")
async def _browser() -> AsyncIterator[Browser]:
    path = find_chromium()
    if path is None:
        pytest.fail("no Chromium; `make test` gets one, or name one in $CHROMIUM")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(ARGS))
        yield browser
        await browser.close()


@pytest.fixture(name="shop")
def _shop(tmp_path: Path) -> Path:
    """A copy of the template that a test may change."""
    return shutil.copytree(TEMPLATE, tmp_path / "shop")


@pytest.fixture(name="server")
def _server(shop: Path) -> Iterator[Server]:
    with serving(shop) as server:
        yield server


class Watch:
    """What a page did that it should not have: foreign requests, errors."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self.foreign: list[str] = []
        self.errors: list[str] = []

    def attach(self, page: Page) -> None:
        """Listen to a page."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )


@pytest_asyncio.fixture(name="watch", loop_scope="session")
async def _watch() -> Watch:
    return Watch()


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def _page(browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    """A page of its own context that reaches 127.0.0.1 and no other host.

    Whoever expects errors of the page clears `watch.errors` at the end of the test.
    """
    context = await browser.new_context()

    async def only_local(route, request: Request) -> None:  # type: ignore[no-untyped-def]
        if urlsplit(request.url).hostname == "127.0.0.1":
            await route.continue_()
        else:
            watch.foreign.append(request.url)
            await route.abort()

    await context.route(lambda url: urlsplit(url).hostname != "127.0.0.1", only_local)
    page = await context.new_page()
    watch.attach(page)
    yield page
    await context.close()
    assert watch.foreign == [], "requests left the served origin"
    assert watch.errors == [], "the page reported errors"
