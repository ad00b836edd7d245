"""Real servers on 127.0.0.1 and a real browser: Chromium, or Firefox by `$WEBAGENT_BROWSER`."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    Route,
    async_playwright,
)

from tests.browsers import launch, leave_out
from tests.e2e.turns import Turns
from tests.server import HostedServer, Server, ServerProcess
from webagent_dev.browser.chromium import FEATURES

HERE = Path(__file__).parent
TEMPLATE = HERE.parent.parent / "site_template"

ONLY_LOCAL = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""No host but our own can be reached. (Routes would do, but they switch the browser's cache off.)"""


LIGHT = (
    "--js-flags=--liftoff-only",
    f"--disable-features={','.join((*FEATURES, 'SpareRendererForSitePerProcess'))}",
)
"""Flags that save processor time; `make conformance`, which also measures, does without them.

Chromium compiles WebAssembly once, without optimizing it while it runs: to optimize Python takes a
fifth of the processor time of a start and two fifths of that of a run, and most tests close their page
before it pays. It has no process in reserve.
"""

RUNTIME = os.environ.get("WEBAGENT_RUNTIME", "page")
"""The place of Python in pages whose script names none: `page`, `worker` or `shared`."""

_ATTRIBUTE = """
new MutationObserver(() => {
  for (const script of document.querySelectorAll("script[src*='webagent.js']:not([data-NAME])"))
    script.dataset.NAME = "VALUE";
}).observe(document, { childList: true, subtree: true });
"""


def _attribute(name: str, value: str) -> str:
    """Return a script that sets an attribute of our script in pages that do not set it."""
    return _ATTRIBUTE.replace("NAME", name).replace("VALUE", value)


def in_place(runtime: str) -> str:
    """Return a script that sets the place of Python in pages whose script names none."""
    return _attribute("runtime", runtime)


ON_USE = _attribute("start", "use")
"""A script for pages that start Python with its first use, not as soon as they are idle.

A start takes longer than most tests, and many of them never use Python.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of this folder in one event loop, the browser's."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.e2e)
            leave_out(item)
            if inspect.iscoroutinefunction(getattr(item, "function", None)):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(name="browser", scope="session", loop_scope="session")
async def _browser(request: pytest.FixtureRequest) -> AsyncIterator[Browser]:
    flags = LIGHT if "not conformance" in request.config.option.markexpr else ()
    async with async_playwright() as playwright:
        browser = await launch(playwright, ONLY_LOCAL, *flags)
        if RUNTIME != "page":
            _run_elsewhere(browser)
        yield browser
        await browser.close()


def _run_elsewhere(browser: Browser) -> None:
    make = browser.new_context

    async def new_context(**options: Any) -> BrowserContext:
        context = await make(**options)
        await context.add_init_script(in_place(RUNTIME))
        return context

    browser.new_context = new_context  # type: ignore[method-assign]


@pytest.fixture(name="shop")
def _shop(tmp_path: Path) -> Path:
    """A copy of the template that a test may change."""
    return shutil.copytree(TEMPLATE, tmp_path / "shop")


Serve = Callable[..., Server]
"""Starts a server; takes what `HostedServer` takes, or with `process=True` what `ServerProcess` does."""


@pytest.fixture(name="serve")
def _serve() -> Iterator[Serve]:
    """Start servers that are stopped after the test's pages are closed."""
    servers: list[Server] = []

    def serve(*arguments: Any, process: bool = False, **options: Any) -> Server:
        servers.append((ServerProcess if process else HostedServer)(*arguments, **options))
        return servers[-1]

    yield serve
    for server in servers:
        server.stop()


@pytest.fixture(name="server")
def _server(serve: Serve, shop: Path) -> Server:
    """A server for one test, in front of a copy that it may change."""
    return serve(shop)


@pytest.fixture(name="template", scope="session")
def _template() -> Iterator[Server]:
    """One server in front of the template itself, for tests that only read it."""
    server = ServerProcess(TEMPLATE)
    yield server
    server.stop()


_BAD = ("error", "assert")
"""Messages of a console that no page should write; a failed `console.assert` is the second."""

_OF_THE_SITE = "The character encoding of the document was not declared"
"""Firefox writes this for a site that declares none, which the server leaves as it is."""


def held_until(event: asyncio.Event) -> Callable[[Route], Awaitable[None]]:
    """Return a handler of requests that lets them pass once the event is set."""

    async def held(route: Route) -> None:
        await event.wait()
        await route.continue_()

    return held


class Watch:
    """A record of the faults of pages: requests to other hosts, and errors."""

    def __init__(self) -> None:
        """Start with an empty record."""
        self.foreign: list[str] = []
        self.errors: list[str] = []

    def attach(self, page: Page) -> None:
        """Listen to a page."""
        page.on("request", self._note)
        page.on("pageerror", lambda error: self._read(str(error)))
        page.on(
            "console", lambda message: self._read(message.text) if message.type in _BAD else None
        )

    def _note(self, request: Request) -> None:
        host = urlsplit(request.url).hostname
        if host is not None and host != "127.0.0.1":
            self.foreign.append(request.url)

    def _read(self, text: str) -> None:
        if not text.startswith(_OF_THE_SITE):
            self.errors.append(text)

    def check(self) -> None:
        """Fail if there were any faults; a test that expects errors clears them first."""
        assert self.foreign == [], "requests left the served origin"
        assert self.errors == [], "the page reported errors"


@pytest.fixture(name="watch")
def _watch() -> Watch:
    return Watch()


@pytest_asyncio.fixture(name="cold_page", loop_scope="session")
async def _cold_page(serve: Serve, browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    """A page in a context of its own, with nothing cached or stored."""
    context = await browser.new_context()
    page = await context.new_page()
    watch.attach(page)
    yield page
    await context.close()
    watch.check()


@pytest_asyncio.fixture(name="context", scope="session", loop_scope="session")
async def _context(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context()
    # Chromium closes its window with the last page in it, and a window takes longer than a tab.
    await context.new_page()
    yield context
    await context.close()


@pytest_asyncio.fixture(name="resting_context", scope="session", loop_scope="session")
async def _resting_context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A context whose pages start Python with its first use; folders have it as `context`."""
    context = await browser.new_context()
    await context.add_init_script(ON_USE)
    await context.new_page()
    yield context
    await context.close()


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def _page(serve: Serve, context: BrowserContext, watch: Watch) -> AsyncIterator[Page]:
    """A page with the downloads of earlier tests in its cache, but nothing stored."""
    page = await context.new_page()
    watch.attach(page)
    yield page
    await page.evaluate("localStorage.clear()")
    await page.close()
    watch.check()


@asynccontextmanager
async def one_python(browser: Browser, url: str) -> AsyncIterator[BrowserContext]:
    """Open a context in which all pages of a site share one Python.

    Starting Python takes longer than most tests. Pages share nothing else (`test_runtimes`), and
    tests take one of them in turn.
    """
    context = await browser.new_context()
    await context.add_init_script(in_place("shared"))
    page = await context.new_page()
    await page.goto(url)
    await page.evaluate("webagent.ready")
    yield context
    await context.close()


@asynccontextmanager
async def page_of(turns: Turns, watch: Watch) -> AsyncIterator[Page]:
    """Take a page with nothing stored; afterwards, check that it had no faults."""
    async with turns.turn() as page:
        watch.attach(page)
        yield page
    watch.check()


@pytest_asyncio.fixture(name="shops", scope="session", loop_scope="session")
async def _shops(browser: Browser, template: Server) -> AsyncIterator[Turns]:
    async with one_python(browser, template.url) as context:
        yield Turns(context)


@pytest_asyncio.fixture(name="started_page", loop_scope="session")
async def _started_page(shops: Turns, watch: Watch) -> AsyncIterator[Page]:
    """A page for the template, in a context in which Python has started."""
    async with page_of(shops, watch) as page:
        yield page
