"""The browser of the tests of one site: started for the first of them, with a fresh page for each.

All pages are of one profile, so that the agent's files are in its cache and its start is short;
what a test has stored is removed before the next one begins.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from webagent_dev.server.site_server import SiteServer
from webagent_dev.testing.settings import Settings

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        CDPSession,
        ConsoleMessage,
        Frame,
        Page,
        Playwright,
    )

_STORED = "local_storage,indexeddb,cache_storage,service_workers,file_systems"
_MOST_LINES = 20
_LONGEST_NAME = 120
"""Bytes of the name of a file, before its ending; file systems end at about 255."""
_READY_S = 60
_READY = """() => globalThis.webagent?.ready?.then(
    () => "",
    (error) => String(error?.message ?? error),
) ?? null"""
"""The reason why the agent does not start, empty if it does; null for a page without one."""
_OWN_TIME = "String(setTimeout).includes('[native code]')"
"""Whether nobody has put a clock of a test in place of the browser's."""


class SiteBrowser:
    """Opens pages of a site, one at a time.

    Attributes:
        page: That of the test under way, None between tests.
        errors: What that page has written to its console as errors, and did not catch.
    """

    def __init__(self, server: SiteServer, settings: Settings) -> None:
        """Start nothing yet."""
        self.page: Page | None = None
        self.errors: list[str] = []
        self._server = server
        self._settings = settings
        self._ready_page: Page | None = None
        self._own: Playwright | None = None
        self._context: BrowserContext | None = None
        self._origins: set[str] = set()
        self._tracing = False
        self._differences: dict[str, list[str]] = {}
        """Where the browser's own WebMCP has other tools than ours, by the path of the page."""

    def open(self, path: str, shared: Playwright | None) -> Page:
        """Open a page of the site that nothing is left in of earlier ones.

        Args:
            path: Which, from the site's first page on.
            shared: The Playwright of another plugin, if it runs already.

        Raises:
            UsageError: There is no browser, or no such page.
        """
        from webagent.page.playwright.sync import run_on_page
        from webagent_dev.browser.open_site import open_site_page

        context = self._started(shared)
        page = context.new_page()
        # The first `evaluate` of a page would take ten times as long as this session.
        session = context.new_cdp_session(page)
        time = session.send("Runtime.evaluate", {"expression": _OWN_TIME})
        if not time["result"]["value"]:
            # `page.clock` is that of all pages of a profile, also of those to come.
            assert context.browser
            context.close()
            context = self._profile(context.browser)
            page = context.new_page()
            session = context.new_cdp_session(page)
        self.page = page
        self._forget(context, session)
        session.detach()
        self.errors = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._note(f"uncaught: {error}"))
        server = self._server
        if server.entrance.partition("?")[2]:
            page.goto(server.entrance)
        run_on_page(page, lambda seen: open_site_page(seen, f"{server.url}/", path.lstrip("/")))
        if self._settings.native:
            self._compare(page, path)
        return page

    def _compare(self, page: Page, path: str) -> None:
        """Raise `UsageError` where the tools of a page differ from those with our WebMCP."""
        from webagent.page.playwright.sync import run_on_page
        from webagent_dev.browser.native import Difference, differences, prefer_ours
        from webagent_dev.browser.open_site import open_site_page
        from webagent_site.errors import UsageError

        async def compare(seen: AsyncPage) -> list[Difference]:
            twin = await seen.context.new_page()
            await prefer_ours(twin)
            await open_site_page(twin, f"{self._server.url}/", path.lstrip("/"))
            found = await differences(seen, twin)
            await twin.close()
            return found

        if path not in self._differences:
            self._differences[path] = [one.text for one in run_on_page(page, compare)]
        if texts := self._differences[path]:
            raise UsageError("\n".join(texts))

    def await_agent(self) -> None:
        """Wait until the agent in the page can be used; at once where that was waited for before.

        Raises:
            UsageError: It does not start.
        """
        from webagent.page.playwright.sync import run_on_page
        from webagent_site.errors import UsageError

        async def ready(seen: AsyncPage) -> str | None:
            try:
                # The time of the page may be one that a test has made.
                async with asyncio.timeout(_READY_S):
                    return cast("str | None", await seen.evaluate(_READY))
            except TimeoutError:
                return f"it was not there after {_READY_S} s"

        assert self.page
        if self._ready_page is self.page:
            return
        reason = run_on_page(self.page, ready)
        if reason is None:
            raise UsageError(
                f"`{self.page.url}` has no agent - the server puts it into each page with a "
                f"`<head>` - look what it says:\n{self._server.output}"
            )
        if reason:
            logged = "".join(f"\n  {line}" for line in self.errors)
            raise UsageError(
                f"the agent in `{self.page.url}` does not start - {reason} - open the page in a "
                f"browser of yours, and look at its console{logged}"
            )
        self._ready_page = self.page

    def record(self) -> None:
        """Begin the trace, unless there shall be none.

        It takes in what pages download: begun before the agent starts, it would double that time.
        """
        if self._settings.trace and self._context:
            self._context.tracing.start(snapshots=True)
            self._tracing = True

    def keep(self, folder: Path, test: str) -> list[tuple[str, str]]:
        """Write a picture of the page, and the trace, and return what each file is.

        Args:
            folder: Where to; it is made.
            test: The test, of whose name the end says most.
        """
        from playwright.sync_api import Error

        if self.page is None or self._context is None:
            return []
        name = re.sub(r"[^\w.-]+", "-", test).encode()[-_LONGEST_NAME:]
        base = name.decode(errors="ignore").strip("-")
        kept = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(Error):
                # A page that is gone has no picture, but a trace.
                picture = folder / f"{base}.png"
                self.page.screenshot(path=picture, timeout=5_000)
                kept.append(("screenshot", str(picture)))
            if self._tracing:
                self._tracing = False
                with suppress(Error):
                    trace = folder / f"{base}.zip"
                    self._context.tracing.stop(path=trace)
                    kept.append(("trace", f"{trace} (playwright show-trace opens it)"))
        except OSError as error:
            kept.append(("artifacts", f"cannot be written - {error}"))
        return kept

    def leave(self) -> None:
        """Close the pages of a test."""
        from playwright.sync_api import Error

        if self._context is None:
            return
        with suppress(Error):
            if self._tracing:
                self._context.tracing.stop()
        with suppress(Error):
            self._context.unroute_all(behavior="ignoreErrors")
        for page in self._context.pages:
            with suppress(Error):
                page.close()
        self._tracing, self.page = False, None

    @property
    def can_step_aside(self) -> bool:
        """Whether it runs, and nobody else's Playwright would end with it."""
        return self._own is not None

    def stop(self) -> None:
        """End the browser; the next page starts it again."""
        from playwright.sync_api import Error

        context, self._context = self._context, None
        if context is not None and context.browser is not None:
            with suppress(Error):
                context.browser.close()
        own, self._own = self._own, None
        if own is not None:
            own.stop()

    def _started(self, shared: Playwright | None) -> BrowserContext:
        if self._context and self._context.browser and self._context.browser.is_connected():
            return self._context
        self.stop()
        from webagent_dev.browser.chromium import NoBrowser, arguments, find_browser
        from webagent_dev.browser.native import NATIVE
        from webagent_dev.config.extras import TESTING

        TESTING.require()
        from playwright.sync_api import Error, sync_playwright

        path = find_browser()
        playwright = shared
        if playwright is None:
            _refuse_running_loop()
            playwright = self._own = sync_playwright().start()
        try:
            switches = [NATIVE] if self._settings.native else []
            browser = playwright.chromium.launch(
                executable_path=path,
                headless=not self._settings.headed,
                args=[*arguments(), *switches],
            )
        except Error as error:
            self.stop()
            reason = str(error).strip().splitlines()[0]
            raise NoBrowser(
                f"no Chromium can be started - {reason} - run `playwright install chromium`, "
                "or name one in the variable `CHROMIUM`"
            ) from None
        return self._profile(browser)

    def _profile(self, browser: Browser) -> BrowserContext:
        url = self._server.url
        # A certificate that the server made itself is known to no browser.
        context = browser.new_context(base_url=url, ignore_https_errors=url.startswith("https:"))
        context.on("page", lambda page: page.on("framenavigated", self._visit))
        self._context = context
        return context

    def _forget(self, context: BrowserContext, session: CDPSession) -> None:
        """Remove what earlier pages have stored, but not what the browser has in its cache."""
        context.clear_cookies()
        context.clear_permissions()
        for origin in sorted(self._origins):
            stored = {"origin": origin, "storageTypes": _STORED}
            session.send("Storage.clearDataForOrigin", stored)
        self._origins.clear()

    def _visit(self, frame: Frame) -> None:
        from webagent.urls import origin_of

        if origin := origin_of(frame.url):
            self._origins.add(origin)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note(message.text)

    def _note(self, text: str) -> None:
        if len(self.errors) < _MOST_LINES:
            self.errors.append(text)


def _refuse_running_loop() -> None:
    from webagent_site.errors import UsageError

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(
        "an event loop runs in this thread already - the fixtures have pages of Playwright's "
        "synchronous interface, which has a loop of its own - use `webagent_server` alone with "
        "`playwright.async_api`, or end the other Playwright first"
    )
