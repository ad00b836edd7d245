"""A harness in Chromium: each session is a browser context of its own, so nothing is kept between them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from webagent.page.playwright.page import PlaywrightPage
from webagent.urls import origin_of
from webagent_dev.browser.open_site import open_site_page
from webagent_dev.contract.harness import EmptyFields, PageEvent, PageEventKind, UntaggedForm
from webagent_dev.extract.crawl import open_by_links
from webagent_dev.extract.forms import name_of
from webagent_dev.extract.functions import page_functions
from webagent_dev.extract.page_idle import Settling
from webagent_dev.extract.page_reader import opened_parts
from webagent_dev.extract.page_scripts import (
    ABOUT,
    EMPTY,
    FOLLOW,
    FORMS,
    LINKS,
    PARAMETERS,
)
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Page, Request, Response

_CLOSING_S = 5.0
_LONGEST = 500
_MOST = 200
"""Events that are kept for one call."""
_SETTLE_MS = 250
_TURN_S = 2.0
_ARRIVAL_S = 10.0
"""How long a document is waited for that a page leads to."""
_LEAVING = """
    globalThis.navigation?.addEventListener("navigate", ({ destination, downloadRequest }) => {
        if (!destination.sameDocument && downloadRequest == null) globalThis.__webagentLeaving = true;
    });
"""
"""Runs before every script of a page, and notes when one of them has begun to leave it."""
_TURN = """
    async () => {
        await new Promise((resolve) => setTimeout(resolve));
        const leaving = globalThis.__webagentLeaving === true;
        globalThis.__webagentLeaving = false;
        return leaving;
    }
"""

_MARK = "webagent-thrown: "
"""The start of a console line by which a page reports a value that was thrown."""

_REFUSED = "WebMCP tool execution failed: "
"""The start of a console line by which `document.modelContext` reports why a tool failed."""
_ERROR = re.compile(r"(?:Uncaught )?(?:\w*Error|\w*Exception)\b")

_WATCH = """
    ([names, mark]) => {
        const tell = console.debug.bind(console);
        const report = (name, thrown) => {
            // Those of other frames are errors too.
            if (/Error|DOMException/.test(Object.prototype.toString.call(thrown))) return;
            let what = thrown == null ? String(thrown) : `the ${typeof thrown}`;
            try {
                const text = typeof thrown === "string" ? thrown : JSON.stringify(thrown);
                if (thrown != null) what += ` \\`${String(text).slice(0, 200)}\\``;
            } catch {}
            tell(mark + what);
        };
        for (const name of names) {
            const fn = globalThis[name];
            if (typeof fn !== "function") continue;
            const watched = new Proxy(fn, {
                apply(target, self, given) {
                    try {
                        const answer = Reflect.apply(target, self, given);
                        if (typeof answer?.then !== "function") return answer;
                        return Promise.resolve(answer).catch((thrown) => {
                            report(name, thrown);
                            throw thrown;
                        });
                    } catch (thrown) {
                        report(name, thrown);
                        throw thrown;
                    }
                },
            });
            try { globalThis[name] = watched; } catch {}
        }
    }
"""
"""Puts a proxy around functions that reports what they throw, unless it is an `Error`."""


class BrowserHarnessPage:
    """One page in the browser, and its events."""

    def __init__(
        self,
        page: Page,
        settling: Settling,
        linked_on: dict[str, str],
        start: str,
        hide: Callable[[str], str] | None,
    ) -> None:
        """Listen to a page before it opens anything.

        Args:
            page: The page.
            settling: Its activity while it loads.
            linked_on: By an address, the page that was seen to link there first; it is filled in here.
            start: The address of the first page of the site.
            hide: Returns what the page says without what nobody may see of it.
        """
        self.page = PlaywrightPage(page, hide=hide)
        self._hide = hide
        self._settling = settling
        self._linked_on = linked_on
        self._start = start
        self._own = page
        self._events: list[PageEvent] = []
        self._asked: Request | None = None
        """For the document that the page leads to."""
        self._left = False
        """Whether another document was requested since the last look."""
        self._there = asyncio.Event()
        """Set while no other document is on its way."""
        self._there.set()
        page.on("request", self._requested)
        page.on("domcontentloaded", lambda _: self._arrived())
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._record(PageEventKind.EXCEPTION, str(error)))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)

    def bind(self) -> None:
        """Let nothing be asked of documents of other origins than the one that is open now."""
        self.page = PlaywrightPage(self._own, origin=origin_of(self._own.url), hide=self._hide)

    async def own_functions(self) -> Sequence[str]:
        """Return the names of the functions that are global here and in no empty page."""
        from playwright.async_api import Error

        try:
            found = await page_functions(self._own)
        except Error:
            return ()
        return [one.name for one in found if not one.unfit]

    async def parameter_names(self, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the names of the parameters of functions, as their source text has them."""
        from playwright.async_api import Error

        try:
            found: list[dict[str, Any]] = await self._own.evaluate(PARAMETERS, [*names])
        except Error:
            return {}
        return {one["name"]: [str(param["name"]) for param in one["params"]] for one in found}

    async def watch(self, names: Sequence[str]) -> None:
        """Report it from now on when one of these functions throws anything but an `Error`."""
        from playwright.async_api import Error

        with suppress(Error):
            await self._own.evaluate(_WATCH, [[*names], _MARK])

    async def page_events(self) -> list[PageEvent]:
        """Return the events since the last call of this method; wait for a document on its way."""
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_TURN_S):
                # A browser reports an unhandled rejection only after the page has had its turn.
                if await self._own.evaluate(_TURN) and not self._left:
                    self._there.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_ARRIVAL_S):
                await self._there.wait()
        self._there.set()
        if self._left:
            self._left = False
            self._record(PageEventKind.NAVIGATION, self._own.url)
        found = [*self._events]
        self._events.clear()
        return found

    async def settle(self) -> None:
        """Wait until images and frames that a call has brought could have loaded."""
        from playwright.async_api import Error

        with suppress(Error):
            await self._own.wait_for_timeout(_SETTLE_MS)

    async def waits(self) -> bool:
        """Whether something is on its way that may bring tools."""
        from playwright.async_api import Error

        try:
            return await self._settling.waits()
        except Error:
            # Another document comes instead.
            return True

    async def address(self) -> str:
        """Return its address."""
        return self._own.url

    async def links(self) -> Sequence[str]:
        """Return the addresses that it links to, and remember that it does."""
        from playwright.async_api import Error

        try:
            found: list[str] = await self._own.evaluate(LINKS)
        except Error:
            return ()
        for link in found:
            if link != self._own.url:
                self._linked_on.setdefault(link, self._own.url)
        return found

    async def forms(self) -> Sequence[UntaggedForm]:
        """Return its forms that are not tools."""
        from playwright.async_api import Error

        try:
            about = str((await self._own.evaluate(ABOUT))["heading"])
            found: list[dict[str, Any]] = await self._own.evaluate(FORMS)
        except Error:
            return ()
        return [
            UntaggedForm(
                (str(form["id"]), str(form["name"]), name_of(form, about)), str(form["tag"])
            )
            for form in found
            if not form["toolname"] and form["controls"]
        ]

    async def empty_fields(self, tool: str) -> EmptyFields:
        """Return the fields without a value, of the form that is a tool of this name."""
        from playwright.async_api import Error

        try:
            found: dict[str, list[str]] = await self._own.evaluate(EMPTY, tool)
        except Error:
            return EmptyFields()
        return EmptyFields(frozenset(found["needed"]), frozenset(found["spare"]))

    async def go(self, path: str) -> None:
        """Go to another page of the site: by links, so that an application keeps what it knows.

        Raises:
            UsageError: It cannot be opened.
        """
        url = urljoin(self._own.url, path or self._start or "/")
        if not await self._follow(url):
            for step in way_to(url, self._linked_on, self._own.url)[:-1]:
                if self._own.url != step and not await self._follow(step):
                    break
            await self._follow(url)
        if self._own.url != url:
            await open_site_page(self._own, url)
            await self.page_events()

    async def _follow(self, url: str) -> bool:
        """Click the link to an address; return whether that has led to it."""
        from playwright.async_api import Error

        try:
            if self._own.url != url and await self._own.evaluate(FOLLOW, url):
                await self._own.wait_for_url(url, timeout=_TURN_S * 1000, wait_until="commit")
                await self.page_events()
        except Error:
            return False
        return self._own.url == url

    async def parts(self) -> AsyncIterator[str]:
        """Open menus, dialogs and other parts one by one; yield the words of each opener."""
        from playwright.async_api import Error

        with suppress(Error):
            async for words in opened_parts(self._own):
                yield words

    async def close(self) -> None:
        """Close the page and all that it keeps; one that is stuck is left to the browser's end."""
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await self.page.close()
                await self._own.context.close()

    def _record(self, kind: PageEventKind, text: str) -> None:
        if len(self._events) < _MOST:
            shown = self._hide(text) if self._hide else text
            self._events.append(PageEvent(kind, " ".join(shown.split())[:_LONGEST]))

    def _requested(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame == self._own.main_frame:
            self._asked, self._left = request, True
            self._there.clear()

    def _arrived(self) -> None:
        self._asked, self._left = None, True
        self._there.set()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and message.text.startswith(_REFUSED):
            self._refused(message.text.removeprefix(_REFUSED))
            return
        if message.type == "debug" and message.text.startswith(_MARK):
            self._record(PageEventKind.THROWN, message.text.removeprefix(_MARK))
        # The failed request itself is an event already.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._record(PageEventKind.CONSOLE, message.text)

    def _refused(self, why: str) -> None:
        """Hear why a tool of a script failed."""
        said, stack, _ = why.partition("\n    at ")
        if stack or _ERROR.match(said):
            self._record(PageEventKind.CAUSE, said.removeprefix("Error: "))
        else:
            self._record(PageEventKind.THROWN, f"`{said[:200]}`")

    def _failed(self, request: Request) -> None:
        if request is self._asked:
            # Such as a file to be kept: the page stays.
            self._asked, self._left = None, False
            self._there.set()
        why = request.failure or ""
        # The page itself aborted this request, so it did not fail.
        if "ERR_ABORTED" not in why:
            self._record(self._whose(request.url), f"{request.method} {request.url}: {why}")

    def _answered(self, response: Response) -> None:
        request = response.request
        leads = request.is_navigation_request() and request.frame == self._own.main_frame
        if response.status >= 400 and leads:
            path = urlsplit(response.url).path
            self._record(PageEventKind.DEAD_END, f"`{path}`: {response.status}")
        if response.status >= 400:
            kind = self._whose(response.url)
            if response.status < 500:
                kind = PageEventKind.FOREIGN_REQUEST
            self._record(kind, f"{response.request.method} {response.url}: {response.status}")

    def _whose(self, url: str) -> PageEventKind:
        own = urlsplit(url)[:2] == urlsplit(self._own.url)[:2]
        return PageEventKind.REQUEST if own else PageEventKind.FOREIGN_REQUEST


def _path(url: str) -> str:
    return urlsplit(url)._replace(scheme="", netloc="").geturl()


def way_to(url: str, linked_on: Mapping[str, str], start: str = "") -> list[str]:
    """Return the addresses that lead to one, each linked by the one before.

    Args:
        url: The address that is meant.
        linked_on: By an address, a page that links there.
        start: The address to begin at; empty for the first that is known.
    """
    way = [url]
    while way[0] != start and (before := linked_on.get(way[0])) and before not in way:
        way.insert(0, before)
    return way


class BrowserHarness:
    """Opens pages of a site in a browser."""

    def __init__(
        self,
        fresh: Callable[[bool], Awaitable[Page]],
        first: Callable[[Page, str], Awaitable[None]],
        reset: Callable[[], Awaitable[None]],
        hide: Callable[[str], str] | None = None,
    ) -> None:
        """Open pages of a site.

        Args:
            fresh: Returns an empty page in a new context, which can reach the site. It is passed
                whether the context has the saved state of a visitor who is signed in.
            first: Opens a page of the site at a path, in an empty one.
            reset: Puts the site's own data back.
            hide: Returns what pages say without what nobody may see of it.
        """
        self._fresh = fresh
        self._first = first
        self._reset = reset
        self._hide = hide
        self._open_page: BrowserHarnessPage | None = None
        self._linked_on: dict[str, str] = {}
        self._start = ""

    async def open(self, path: str = "", *, saved: bool = False) -> BrowserHarnessPage:
        """Open a fresh page instead of the last one.

        Raises:
            UsageError: It cannot be opened.
        """
        if self._open_page is not None:
            await self._open_page.close()
            self._open_page = None
        page = await self._fresh(saved)
        settling = await Settling.of(page)
        open_page = BrowserHarnessPage(page, settling, self._linked_on, self._start, self._hide)
        self._open_page = open_page
        await page.add_init_script(_LEAVING)
        try:
            await self._first(page, path)
        except UsageError:
            # Only the links of an application may lead there.
            url = next((url for url in self._linked_on if path and _path(url) == path), path)
            way = way_to(url, self._linked_on)
            if len(way) == 1:
                raise
            await open_by_links(page, way)
        # It may lead on by itself.
        await open_page.page_events()
        open_page.bind()
        if not path:
            self._start = page.url
        return open_page

    async def reset(self) -> None:
        """Put the site's own data back.

        Raises:
            UsageError: That failed.
        """
        await self._reset()
