"""Environments of cases: tools alone, or pages of a site, a fresh one for each run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self

from webagent.page.playwright.page import PlaywrightPage
from webagent.page.port import Page
from webagent.urls import origin_of
from webagent_dev.browser.chromium import launch_browser
from webagent_dev.browser.native import NATIVE, differences, prefer_ours
from webagent_dev.browser.open_site import declared_manifest, open_site_page, route_to_site
from webagent_dev.config.saved_sessions import SavedSession
from webagent_dev.evals.case import Case
from webagent_dev.evals.mock_page import Results, mock_page
from webagent_dev.evals.recording import RecordingRegistry
from webagent_dev.evals.toolbox import Toolbox

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext
    from playwright.async_api import Page as BrowserPage


@dataclass(frozen=True, slots=True)
class Setup:
    """The page and the tools of one run."""

    page: Page
    registry: RecordingRegistry
    allowed: frozenset[str] | None
    """The tools that may change something; None for all."""


class Environment(Protocol):
    """A place where cases are run."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def has_page(self) -> bool:
        """Whether tools are really called there."""

    def opened(self, case: Case) -> AbstractAsyncContextManager[Setup]:
        """Open it anew for one run of a case.

        Raises:
            UsageError: It cannot be opened.
        """


class ToolsEnvironment:
    """No page: calls are written down and answered with mocks."""

    has_page = False

    def __init__(self, box: Toolbox) -> None:
        """Offer the tools of a box."""
        self.name = box.name
        self._box = box

    @asynccontextmanager
    async def opened(self, case: Case) -> AsyncIterator[Setup]:
        """Offer the tools, with the results that the case has for them."""
        page = mock_page(self._box, Results(case, self._box))
        registry = RecordingRegistry(page, mocked=True)
        await registry.bind(self._box.manifest)
        yield Setup(page, registry, None)


class SiteEnvironment:
    """Pages of a site; each run has a browser profile of its own."""

    has_page = True

    def __init__(
        self,
        target: str,
        page: str = "",
        *,
        spa: bool | None = None,
        headed: bool = False,
        native: bool = False,
        session: SavedSession | None = None,
        now: datetime | None = None,
    ) -> None:
        """Open pages of a site.

        Args:
            target: An address, or the path of a folder.
            page: Where each run begins, from the first page on.
            spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
                configuration says.
            headed: Whether the browser is seen.
            native: Whether the browser has its own WebMCP, which is compared with ours once.
            session: The visitor of the pages; None for one who is new.
            now: The time at which the clocks of the pages start; that of this machine if left out.
        """
        self.name = target
        self._page = page
        self._spa = spa
        self._headed = headed
        self._native = native
        self._session = session
        self._now = now
        self.differences: list[str] | None = None
        self._stack = AsyncExitStack()
        self._browser: Browser

    async def __aenter__(self) -> Self:
        """Start the browser.

        Raises:
            NoBrowser: There is none.
        """
        switches = [NATIVE] if self._native else []
        self._browser = await self._stack.enter_async_context(
            launch_browser(*switches, headed=self._headed)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the browser."""
        await self._stack.aclose()

    @asynccontextmanager
    async def opened(self, case: Case) -> AsyncIterator[Setup]:
        """Open a fresh page with the tools that it offers; what no case expects writes nothing."""
        async with AsyncExitStack() as stack:
            profile = await self._profile()
            stack.push_async_callback(profile.close)
            opened = await profile.new_page()
            await self._open(opened)
            if self._native and self.differences is None:
                await self._compare(opened)
            port = PlaywrightPage(
                opened,
                origin=origin_of(opened.url),
                person=self._headed,
                hide=self._session.hide if self._session else None,
            )
            stack.push_async_callback(port.close)
            registry = RecordingRegistry(port)
            await registry.bind(await declared_manifest(opened))
            yield Setup(port, registry, case.tools)

    async def _profile(self) -> BrowserContext:
        session = self._session
        profile = await self._browser.new_context(
            storage_state=session.storage_state if session else None
        )
        if self._now is not None:
            await profile.clock.install(time=self._now)
        return profile

    async def _open(self, page: BrowserPage) -> None:
        start = await route_to_site(page, self.name, spa=self._spa)
        await open_site_page(page, start, self._page, session=self._session)

    async def _compare(self, page: BrowserPage) -> None:
        """Note where the tools of the page differ from those with our WebMCP."""
        async with await self._profile() as profile:
            twin = await profile.new_page()
            await prefer_ours(twin)
            await self._open(twin)
            self.differences = [one.text for one in await differences(page, twin)]
