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
        self, target: Target, arguments: Sequence[Any] | Mapping[str, Any], *, call_id: int
    ) -> Any:
        """Call something in the page and return its encoded value.

        Cancelling the awaiting task tells the page to stop, as far as it can.

        Args:
            target: What to call.
            arguments: Encoded: in order for a function, one object for all else.
            call_id: Number of the call, by which the page may report progress.

        Raises:
            MissingFunction: The page has no such function, or no longer such a tool.
            ToolThrew: It threw, or its promise was rejected.
            NotCloneable: Its result cannot be copied.
            TooLarge: Its result is larger than the limit.
            Denied: The browser does not allow the call.
            PageGone: The frame that had the tool went away.
        """
