"""The headless browser of the server itself: `serve --headless`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from webagent.errors import NoPage, OriginMismatch
from webagent.urls import origin_of
from webagent_dev.browser.chromium import NoBrowser, failure_reason, find_browser, launch_browser
from webagent_dev.browser.egress_proxy import EgressProxy
from webagent_dev.browser.origin_fence import NO_WAY_AROUND, DocumentFilter, OriginFence
from webagent_dev.browser.restricted_page import RestrictedPage
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import HEADLESS, OpenPages
from webagent_dev.terminal import Console
from webagent_site.errors import ConfigError
from webagent_site.text import printable

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, ProxySettings

LOAD_S = 30.0
"""Limit for a page to load, and then for its agent to connect."""
NEXT_PAGE_S = 5.0
"""How long a tab may take from one page of the site to the next."""
END_S = 5.0
"""How long a browser, or a page, may take to close."""
_SET_PAGE_ID = f"""if (top === window) try {{
  sessionStorage.setItem("webagent-page-id", "{HEADLESS}");
}} catch {{ /* A document without storage. */ }}"""


class Headless:
    """Opens a page of the site when a call finds none, and pages of other origins for tasks.

    The browser starts with the first page, and ends with the server even if that is killed: it is
    connected by a pipe.
    """

    def __init__(self, config: ServeConfig, pages: OpenPages, console: Console) -> None:
        """Check that there is a browser; nothing is opened yet.

        Args:
            config: Where the site is, and which other origins are allowed.
            pages: The open ones.
            console: Where it is written what is opened.

        Raises:
            ConfigError: `$CHROMIUM` does not name a program.
        """
        try:
            find_browser()
        except NoBrowser as error:
            raise ConfigError(str(error)) from None
        self._config = config
        self._pages = pages
        self._console = console
        self._stack = AsyncExitStack()
        self._starting = asyncio.Lock()
        self._browser: Browser | None = None
        self._documents: DocumentFilter | None = None
        self._page: Page | None = None
        self._fence: OriginFence | None = None
        self._opening: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the first page of the site and wait until its agent has connected.

        Concurrent callers wait for the same page. A caller that is cancelled does not affect the
        others.

        Raises:
            NoPage: It cannot be opened.
        """
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self._open())
            # Its error may have no caller left to receive it.
            self._opening.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(self._opening)

    def allows(self, url: str) -> bool:
        """Whether tasks may work on a page at an address."""
        return origin_of(url) in self._config.allow_origin

    @asynccontextmanager
    async def cross_origin_page(self, url: str) -> AsyncIterator[RestrictedPage]:
        """Open a page of an allowed origin, in a profile of its own that ends with the block.

        The page stays on allowed origins.

        Raises:
            OriginMismatch: The origin is not allowed, or the address leads to one that is not.
            NoPage: It cannot be opened; the message says why.
        """
        self._check(url)

        page, fence = await self._in_new_context(self._config.allow_origin, _new_page)
        port = RestrictedPage(page, fence)
        try:
            try:
                await self._goto(page, url, fence)
            except NoPage:
                self._check(fence.blocked_url or url)
                raise
            self._check(fence.blocked_url or page.url)
            try:
                with fence.task():
                    yield port
            finally:
                await port.close()
        finally:
            await _close(page.context.close())

    def fence_of(self, page_id: str) -> OriginFence | None:
        """Return the fence around an open page of the site; None around one of somebody's browser."""
        return self._fence if page_id == HEADLESS else None

    async def close(self) -> None:
        """End the browser, if one was started."""
        if self._opening:
            self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)
        await _close(self._stack.aclose())

    async def _open(self) -> None:
        page = self._page
        if page and not page.is_closed() and page.url.startswith(self._config.url):
            # It may be between two pages of the site.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._pages.any_open.wait(), NEXT_PAGE_S)
                return
        url = self._config.visit_url()
        try:
            await self._running_browser()
            if len(self._pages):
                # The developer has opened one meanwhile.
                return
            if page is None or page.is_closed():
                page = self._page = await self._new_page()
            try:
                await self._goto(page, url, self._fence)
            except NoPage:
                if not page.is_closed():
                    raise
                # Its browser was killed.
                page = self._page = await self._new_page()
                await self._goto(page, url, self._fence)
            await asyncio.wait_for(self._pages.any_open.wait(), LOAD_S)
        except TimeoutError:
            raise self._failed(
                f"`{self._config.url}` was opened, and its agent has not connected within {LOAD_S:g} s",
                "open the page in your own browser, and look at its console",
            ) from None
        except NoPage as error:
            raise self._failed(str(error), error.help) from None
        self._console.labelled("headless", f"{self._config.url} is open, for calls from outside")

    async def _new_page(self) -> Page:
        async def named(context: BrowserContext) -> Page:
            await context.add_init_script(_SET_PAGE_ID)
            return await context.new_page()

        allowed = origin_of(self._config.url), *self._config.allow_origin
        # No browser knows a certificate that the server made itself.
        page, self._fence = await self._in_new_context(
            allowed, named, stays=True, ignore_https_errors=self._config.tls is not None
        )

        async def crashed(_: Page) -> None:
            await _close(page.context.close())

        page.on("crash", crashed)
        return page

    async def _in_new_context(
        self,
        allowed: tuple[str, ...],
        make: Callable[[BrowserContext], Awaitable[Page]],
        *,
        stays: bool = False,
        **options: Any,
    ) -> tuple[Page, OriginFence]:
        """Make a page in a new profile; a browser that was killed is started once more.

        Args:
            allowed: The origins that pages of the profile may show.
            make: Makes the page, which is still blank.
            stays: Whether a page that is kept from an address stays as it is.
            options: Of the profile.

        Raises:
            NoPage: The browser cannot open it.
        """
        from playwright.async_api import Error

        for _ in range(2):
            browser = await self._running_browser()
            egress = EgressProxy(allowed)
            context = None
            try:
                proxy: ProxySettings = {"server": await egress.start()}
                context = await browser.new_context(proxy=proxy, **options)
                page = await make(context)
                fence = OriginFence(allowed, egress, stays=stays)
                assert self._documents
                await self._documents.keep(page, fence)
                return page, fence
            except Error as error:
                failure = error
                await egress.close()
                if context:
                    await _close(context.close())
                if browser.is_connected():
                    break
        raise NoPage(
            f"the browser cannot open a page: {failure_reason(failure)}",
            help="check whether this machine has memory for one more, and call again",
        )

    async def _running_browser(self) -> Browser:
        """Return the browser; start it if it is not running."""
        async with self._starting:
            if self._browser and self._browser.is_connected():
                return self._browser
            await _close(self._stack.aclose())
            self._console.labelled("headless", "a call needs a page, Chromium is started for it")
            try:
                browser = await self._stack.enter_async_context(launch_browser(*NO_WAY_AROUND))
                self._documents = await DocumentFilter.of(browser)
                self._browser = browser
            except NoBrowser as error:
                message, _, remedy = str(error).rpartition(" - ")
                raise NoPage(message, help=remedy) from None
            return self._browser

    async def _goto(self, page: Page, url: str, fence: OriginFence | None) -> None:
        from playwright.async_api import Error

        try:
            await page.goto(url, wait_until="domcontentloaded", timeout=LOAD_S * 1000)
        except Error as error:
            behind = fence.failure(url) if fence else ""
            raise NoPage(
                f"`{url}` cannot be opened: {failure_reason(error, behind)}",
                help="check the address and its server",
            ) from None

    def _check(self, url: str) -> None:
        if not self.allows(url):
            origin = origin_of(url) or url
            allowed = (self._config.url.rstrip("/"), *self._config.allow_origin)
            raise OriginMismatch(
                f"`{origin}` is not an origin that this agent works on: it works on "
                + ", ".join(f"`{one}`" for one in allowed),
                help=f"start the server with `--headless --allow-origin {origin}`",
            )

    def _failed(self, message: str, remedy: str | None) -> NoPage:
        self._console.labelled("headless", printable(f"{message} - {remedy}"), "red")
        return NoPage(
            f"no page of this site is open, and none could be opened: {message}", help=remedy
        )


async def _new_page(context: BrowserContext) -> Page:
    return await context.new_page()


async def _close(closing: Awaitable[None]) -> None:
    """Wait for something to close that may have ended already, with its browser or its driver."""
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        await asyncio.wait_for(closing, END_S)
