"""The port through which the core sees a web page.

Every method is asynchronous and every message is plain data, so that the page may be in the
same thread, in another worker, or behind a browser driver.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from webagent.page.offers import Offers, Target


class Page(Protocol):
    """A web page with tools in it."""

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what the page offers now.

        Args:
            functions: Names of the functions that are of interest.
        """

    async def path(self) -> str:
        """Return the path of the page's address: `/shop/cart`."""

    async def invoke(
        self,
        target: Target,
        arguments: Sequence[Any] | Mapping[str, Any],
        *,
        call_id: int,
        timeout_s: float,
    ) -> Any:
        """Call something in the page and return its encoded value.

        Cancelling the awaiting task gives the call up, as `cancel` does.

        Args:
            target: What to call.
            arguments: Encoded: in order for a function, one object for all else.
            call_id: Number of the call, by which the page may report progress.
            timeout_s: Seconds to wait.

        Raises:
            ToolTimeout: No answer came in time.
            Cancelled: The call was given up.
            MissingFunction: The page has no such function, or no longer such a tool.
            ToolThrew: It threw, or its promise was rejected.
            NotCloneable: Its result cannot be copied.
            TooLarge: Its result is larger than the limit.
            Denied: The browser does not allow the call.
            PageGone: The frame that had the tool went away.
        """

    async def cancel(self, call_id: int) -> None:
        """Give up a running call: it ends at once, and the tool is told to stop, if it listens."""
