"""Every test of this folder runs twice: on the browser's own `modelContext`, and on ours.

The results are the same, so `make test` keeps to ours; both are run by `make conformance`, and ours
in Firefox, too, which has none of its own.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from tests.browsers import BROWSER, launch
from tests.e2e.modelcontext.sites import Site
from tests.e2e.turns import Turns
from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles

NATIVE = "--enable-features=WebMCP"
FLAGS = {"native": NATIVE, "ours": "--disable-features=WebMCP"}
if BROWSER == "firefox":
    del FLAGS["native"]
ONLY_LOCAL = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"

Run = Callable[..., Awaitable[Any]]
"""Runs the body of an async function in a page, and returns what it returns."""


def our_script() -> str:
    """Return the script of the bundle that gives pages `document.modelContext`."""
    return BundleFiles(BUNDLE).read("modelcontext.js").decode()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark those on the browser's own."""
    for item in items:
        call = getattr(item, "callspec", None)
        if call is not None and call.params.get("modelcontext_page") == "native":
            item.add_marker(pytest.mark.conformance)


def table(call: str, expressions: Iterable[str]) -> str:
    """JavaScript that returns what `call` gives for each expression, put in for `{}`, under its text."""
    rows = (f"{json.dumps(text)}: await {call.replace('{}', text)}" for text in expressions)
    return f"return {{{', '.join(rows)}}};"


@pytest_asyncio.fixture(name="browsers", scope="session", loop_scope="session")
async def _browsers() -> AsyncIterator[dict[str, Browser]]:
    async with async_playwright() as playwright:
        browsers = {
            kind: await launch(playwright, ONLY_LOCAL, flag) for kind, flag in FLAGS.items()
        }
        yield browsers
        for browser in browsers.values():
            await browser.close()


@pytest_asyncio.fixture(name="contexts", scope="session", loop_scope="session")
async def _contexts(browsers: dict[str, Browser]) -> AsyncIterator[dict[str, BrowserContext]]:
    contexts = {kind: await browser.new_context() for kind, browser in browsers.items()}
    await contexts["ours"].add_init_script(our_script())
    yield contexts
    for context in contexts.values():
        await context.close()


@pytest.fixture(name="turns", scope="session")
def _turns(contexts: dict[str, BrowserContext]) -> dict[str, Turns]:
    return {kind: Turns(context) for kind, context in contexts.items()}


@pytest.fixture(name="site", scope="session")
def _site() -> Iterator[Site]:
    """The site whose page is on top."""
    site = Site()
    yield site
    site.stop()


@pytest.fixture(name="other", scope="session")
def _other() -> Iterator[Site]:
    """A site of another origin."""
    site = Site()
    yield site
    site.stop()


@pytest_asyncio.fixture(name="modelcontext_page", loop_scope="session", params=list(FLAGS))
async def _modelcontext_page(
    request: pytest.FixtureRequest, turns: dict[str, Turns], site: Site
) -> AsyncIterator[Page]:
    """A page of `site`, in the browser that has `modelContext` and in the one that has ours."""
    async for page in open_page(turns[request.param], site):
        yield page


@pytest_asyncio.fixture(name="our_page", loop_scope="session")
async def _our_page(turns: dict[str, Turns], site: Site) -> AsyncIterator[Page]:
    """A page of `site` with ours, for what only ours has."""
    async for page in open_page(turns["ours"], site):
        yield page


async def open_page(turns: Turns, site: Site) -> AsyncIterator[Page]:
    """Open the page; it must end without an uncaught error."""
    errors: list[str] = []
    async with turns.turn() as page:
        page.on("pageerror", lambda error: errors.append(str(error)))
        await page.goto(site.origin)
        yield page
    assert errors == [], "the page had uncaught errors"


@pytest.fixture(name="run")
def _run(modelcontext_page: Page, site: Site, other: Site) -> Run:
    return runner(modelcontext_page, site, other)


@pytest.fixture(name="run_ours")
def _run_ours(our_page: Page, site: Site, other: Site) -> Run:
    return runner(our_page, site, other)


def runner(page: Page, site: Site, other: Site) -> Run:
    """Run code in the page; `HERE`, `OTHER` and `ELSEWHERE` are origins."""
    origins = f'const [HERE, OTHER, ELSEWHERE] = ["{site.origin}", "{other.origin}", "{other.elsewhere}"];'

    async def run(code: str, argument: Any = None) -> Any:
        return await page.evaluate(f"async (given) => {{ {origins} {code} }}", argument)

    return run
