"""A page that cannot leave the allowed origins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webagent.errors import OriginMismatch
from webagent.page.playwright.page import PlaywrightPage
from webagent.page.snapshot import Snapshot
from webagent.urls import origin_of

if TYPE_CHECKING:
    from playwright.async_api import Page

_ERROR_PAGE = "chrome-error:"


class RestrictedPage(PlaywrightPage):
    """The `Page` port over a page of Chromium that loads no documents from other origins.

    A request for a document of another origin is blocked before it is sent, whether a script, a link,
    a form or a redirect makes it. Frames, images and the like are loaded as in any page.
    """

    def __init__(self, page: Page, allows: Callable[[str], bool]) -> None:
        """Take a page that is still blank.

        Args:
            page: The page.
            allows: Whether the page may show an address.
        """
        super().__init__(page)
        self._allows = allows
        self.blocked_url = ""
        """The last address that was blocked; empty once another was loaded."""

    async def restrict(self) -> None:
        """Check all documents that the page requests from now on.

        Not by Playwright's routes, which see only the first address of a chain of redirects.
        """
        from playwright.async_api import Error

        session = await self.page.context.new_cdp_session(self.page)
        tree = await session.send("Page.getFrameTree")
        outermost = tree["frameTree"]["frame"]["id"]

        async def check(event: dict[str, Any]) -> None:
            url = str(event["request"]["url"])
            request = {"requestId": event["requestId"]}
            # The page may close meanwhile.
            with suppress(Error):
                if event["frameId"] != outermost:
                    await session.send("Fetch.continueRequest", request)
                elif self._allows(url):
                    self.blocked_url = ""
                    await session.send("Fetch.continueRequest", request)
                else:
                    self.blocked_url = url
                    blocked = {**request, "errorReason": "BlockedByClient"}
                    await session.send("Fetch.failRequest", blocked)

        session.on("Fetch.requestPaused", check)
        await session.send("Fetch.enable", {"patterns": [{"resourceType": "Document"}]})

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return the reply."""
        self._check()
        reply = await super().act(action)
        self._check()
        return reply

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""
        self._check()
        snapshot = await super().snapshot()
        self._check()
        return snapshot

    def _check(self) -> None:
        url = self.page.url
        if url.startswith(_ERROR_PAGE):
            # Without a blocked address it was one that could not be reached.
            url = self.blocked_url
        if not url or self._allows(url):
            return
        origin = origin_of(url) or url
        raise OriginMismatch(
            f"the page has led to `{origin}`, which is another site",
            help=f"start the server with `--allow-origin {origin}` to go there too",
        )
