"""A page that stays on the origins that are allowed, wherever it wants to go by itself."""

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
    """The `Page` port over a page of Chromium's that asks no other origin for documents.

    It is not only judged by its address: what a script, a link, a form or a redirect asks for is
    not sent. Frames, pictures and the like are fetched as in any page.
    """

    def __init__(self, page: Page, allows: Callable[[str], bool]) -> None:
        """Take a page that is blank yet.

        Args:
            page: It.
            allows: Whether the page may show what is at an address.
        """
        super().__init__(page)
        self._allows = allows
        self.refused = ""
        """The address to which it was not let go last, until it has gone to another."""

    async def fence(self) -> None:
        """Judge from now on what the page asks for.

        Playwright's own routes see the first address of a chain of redirects only.
        """
        from playwright.async_api import Error

        session = await self.page.context.new_cdp_session(self.page)
        tree = await session.send("Page.getFrameTree")
        outermost = tree["frameTree"]["frame"]["id"]

        async def judge(event: dict[str, Any]) -> None:
            url = str(event["request"]["url"])
            request = {"requestId": event["requestId"]}
            # A page that ends meanwhile asks for nothing any more.
            with suppress(Error):
                if event["frameId"] != outermost:
                    await session.send("Fetch.continueRequest", request)
                elif self._allows(url):
                    self.refused = ""
                    await session.send("Fetch.continueRequest", request)
                else:
                    self.refused = url
                    blocked = {**request, "errorReason": "BlockedByClient"}
                    await session.send("Fetch.failRequest", blocked)

        session.on("Fetch.requestPaused", judge)
        await session.send("Fetch.enable", {"patterns": [{"resourceType": "Document"}]})

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return what came of it."""
        self._judge()
        reply = await super().act(action)
        self._judge()
        return reply

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""
        self._judge()
        snapshot = await super().snapshot()
        self._judge()
        return snapshot

    def _judge(self) -> None:
        url = self.page.url
        if url.startswith(_ERROR_PAGE):
            # Without a refusal it is an address that could not be reached.
            url = self.refused
        if not url or self._allows(url):
            return
        origin = origin_of(url) or url
        raise OriginMismatch(
            f"the page has led to `{origin}`, which is another site",
            help=f"start the server with `--allow-origin {origin}` to go there too",
        )
