"""A page that stays on the allowed origins, with what is typed into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webagent.errors import OriginMismatch
from webagent.page.playwright.page import PlaywrightPage
from webagent.page.snapshot import Snapshot
from webagent.urls import origin_of
from webagent_dev.browser.origin_fence import OriginFence

if TYPE_CHECKING:
    from playwright.async_api import Page

_ERROR_PAGE = "chrome-error:"


class RestrictedPage(PlaywrightPage):
    """The `Page` port over a page of Chromium with an origin fence.

    A request for a document of another origin is blocked before it is sent, whether a script, a link,
    a form or a redirect makes it. Frames, images and the like are loaded as in any page, until
    something is typed.
    """

    def __init__(self, page: Page, fence: OriginFence) -> None:
        """Take a page that is still blank.

        Args:
            page: The page.
            fence: Around the profile of the page.
        """
        super().__init__(page)
        self.fence = fence

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return the reply."""
        self._check()
        with self.fence.around(action, self.page.url):
            reply = await super().act(self.fence.with_allowed(action))
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
            url = self.fence.blocked_url
        if not url or self.fence.allows(url):
            return
        origin = origin_of(url) or url
        raise OriginMismatch(
            f"the page has led to `{origin}`, which is another site",
            help=f"start the server with `--allow-origin {origin}` to go there too",
        )
