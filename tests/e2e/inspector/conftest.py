"""The inspector next to a page of the site in one browser, as a developer has them."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Locator, Page, expect

from tests.e2e.conftest import TEMPLATE, Serve, Watch
from tests.server import Server, hosting
from webagent_dev.config.owner import Owner

expect.set_options(timeout=30_000)


class Inspector:
    """The inspector in one tab, a page of the site in another."""

    def __init__(self, page: Page, shop: Page, server: Server) -> None:
        """Wrap the two pages."""
        self.page = page
        self.shop = shop
        self.server = server
        self.main: Locator = page.locator("main")
        self.outcome: Locator = page.locator(".outcome")
        self.rows: Locator = page.get_by_role("listbox", name="Timeline").get_by_role("option")

    async def show(self, view: str) -> None:
        """Go to a view."""
        await self.page.get_by_role("link", name=view, exact=True).click()

    async def choose(self, tool: str) -> None:
        """Choose a tool of the list."""
        tools = self.page.get_by_role("listbox", name="Tools")
        await (
            tools.get_by_role("option").filter(has=self.page.get_by_text(tool, exact=True)).click()
        )

    def field(self, name: str, group: str = "") -> Locator:
        """Return the field of an argument, in a group or anywhere."""
        form = self.page.locator(".arguments")
        place = form.get_by_role("group", name=group).last if group else form
        return place.get_by_label(name).and_(self.page.locator("input, select, textarea"))

    def button(self, name: str) -> Locator:
        """Return a button."""
        return self.page.get_by_role("button", name=name, exact=True)

    async def call(self) -> None:
        """Press the button and wait for the outcome."""
        await self.button("Call").click()
        await self.outcome.locator(".chip").first.wait_for()

    async def focused(self) -> str:
        """Return the name of the focused element."""
        text: str = await self.page.evaluate(
            """(() => {
              let at = document.activeElement;
              while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
              return at.ariaLabel || at.labels?.[0]?.innerText || at.innerText || at.tagName;
            })()"""
        )
        return text


def address(server: Server, query: str = "") -> str:
    """Return the address that a developer opens."""
    return f"{server.url}/__webagent__/{query}#token={Owner(server.root.resolve()).token}"


async def opened(context: BrowserContext, server: Server, watch: Watch, query: str = "") -> Page:
    """Open the inspector in another tab of a browser."""
    page = await context.new_page()
    watch.attach(page)
    await page.goto(address(server, query))
    return page


@pytest.fixture(name="template", scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the template whose only open pages are those of the inspector's tests.

    A call goes to the page that was in focus last, whichever test has opened it.
    """
    root = tmp_path_factory.mktemp("inspected") / "shop"
    shutil.copytree(TEMPLATE, root)
    with hosting(root) as server:
        yield server


@pytest_asyncio.fixture(name="shopping", scope="session", loop_scope="session")
async def _shopping(browser: Browser, template: Server) -> AsyncIterator[Page]:
    """One page of the template, whose agent has started, for all tests that only use it."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(template.url)
    await page.evaluate("webagent.ready")
    yield page
    await context.close()


@pytest_asyncio.fixture(name="inspector", loop_scope="session")
async def _inspector(shopping: Page, template: Server, watch: Watch) -> AsyncIterator[Inspector]:
    """The inspector next to that page."""
    page = await opened(shopping.context, template, watch)
    await page.get_by_role("listbox", name="Tools").wait_for()
    yield Inspector(page, shopping, template)
    await page.close()
    watch.check()


Inspect = Callable[..., Awaitable[Inspector]]
"""Opens a page of a test's own server and the inspector; takes the options of a context."""


@pytest_asyncio.fixture(name="inspect", loop_scope="session")
async def _inspect(browser: Browser, serve: Serve, watch: Watch) -> AsyncIterator[Inspect]:
    contexts = []

    async def inspect(
        server: Server, path: str = "/", query: str = "", **options: Any
    ) -> Inspector:
        context = await browser.new_context(**options)
        contexts.append(context)
        shop = await context.new_page()
        await shop.goto(f"{server.url}{path}")
        return Inspector(await opened(context, server, watch, query), shop, server)

    del serve  # its servers stop after these pages are closed
    yield inspect
    for context in contexts:
        await context.close()
    watch.check()
