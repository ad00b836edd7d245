"""Tasks on pages of other origins, in a browser of the server's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webagent.page.snapshot import Snapshot
from webagent_dev.agents.goal_api.actor import SETTLE
from webagent_dev.protocols.browsy.steps import Unable

if TYPE_CHECKING:
    from webagent_dev.browser.restricted_page import FencedPage

_NOWHERE = "Network error: the page has led to an address that cannot be reached"


class ForeignPage:
    """The `Actor` in a page of another origin, which a browser of the server's own has opened."""

    def __init__(self, page: FencedPage) -> None:
        """Act on a page.

        Args:
            page: It.
        """
        self._page = page

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there."""
        reply = await self._page.act(action)
        if isinstance(reply, dict) and reply.get("navigates") is True:
            if str(reply.get("url", "")).startswith("chrome-error:"):
                raise Unable(_NOWHERE)
            await self._page.act(SETTLE)
        return reply

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""
        return await self._page.snapshot()
