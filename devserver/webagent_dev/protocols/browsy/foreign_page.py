"""Tasks on pages of other origins, in a browser of the server's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from webagent.agent.places import origin_of
from webagent.errors import OriginMismatch
from webagent.page.snapshot import Snapshot
from webagent_dev.protocols.browsy.actor import SETTLE
from webagent_dev.protocols.browsy.steps import Unable

if TYPE_CHECKING:
    from webagent.page.playwright import PlaywrightPage

_NOWHERE = "Network error: the page has led to an address that cannot be reached"


class ForeignPage:
    """The `Actor` in a page of another origin, which a browser of the server's own has opened."""

    def __init__(self, page: PlaywrightPage, allows: Callable[[str], bool]) -> None:
        """Act on a page.

        Args:
            page: It.
            allows: Whether tasks may work at an address.
        """
        self._page = page
        self._allows = allows

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there."""
        reply = await self._page.act(action)
        if isinstance(reply, dict) and reply.get("navigates") is True:
            url = str(reply.get("url", ""))
            if url.startswith("chrome-error:"):
                raise Unable(_NOWHERE)
            if not self._allows(url):
                raise OriginMismatch(
                    f"the page has led to `{origin_of(url)}`, which is another site",
                    help=f"start the server with `--allow-origin {origin_of(url)}` to go there too",
                )
            await self._page.act(SETTLE)
        return reply

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""
        return await self._page.snapshot()
