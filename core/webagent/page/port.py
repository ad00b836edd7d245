"""The port through which the core sees a web page.

Every method is asynchronous and every message is plain data, so that the page may be in the
same thread, in another worker, or behind a browser driver.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol


class Page(Protocol):
    """A web page with functions in it."""

    async def functions(self, names: Collection[str]) -> set[str]:
        """Return those of `names` that are functions of the page now."""

    async def invoke(self, name: str, arguments: list[Any]) -> Any:
        """Call the page's function with encoded positional arguments; return its encoded value.

        Raises:
            MissingFunction: The page has no such function.
            ToolThrew: It threw, or its promise was rejected.
            NotCloneable: Its result cannot be copied.
            TooLarge: Its result is larger than the limit.
        """
