"""What acts on a page for tasks: the port through which every program works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from webagent.errors import Navigated, PageGone, ToolError
from webagent.page.snapshot import Snapshot
from webagent_dev.protocols.browsy.steps import Unable

SETTLE = {"type": "wait", "seconds": 0}
"""Returns once the page changes no more."""


class Actor(Protocol):
    """Acts on one page, and on those it leads to."""

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there.

        Raises:
            ToolError: The page could not do it, or is gone.
            Unable: The next page is none to work on.
        """

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""


async def go(actor: Actor, url: str) -> None:
    """Go to an address.

    Raises:
        Unable: No page is there.
    """
    try:
        await actor.act({"type": "goto_url", "url": url})
    except (PageGone, Navigated) as error:
        raise Unable(f"Network error: `{url}` did not load - {error.message}") from None


def in_words(error: ToolError) -> str:
    """Return what went wrong as one sentence with what to do."""
    return f"{error.message} - {error.help}" if error.help else error.message
