"""Where a run is kept while the page is left: one text."""

from __future__ import annotations

from typing import Protocol

from webagent.errors import WebagentError


class StoreFull(WebagentError):
    """The text is too long for the store; a shorter one may fit."""


class Store(Protocol):
    """Keeps one text for the next page of the same tab."""

    async def load(self) -> str | None:
        """Return the text, or None if there is none."""

    async def save(self, text: str) -> None:
        """Keep a text instead of the last one.

        Raises:
            StoreFull: It is too long; the last one is still there.
        """

    async def clear(self) -> None:
        """Forget the text."""


class MemoryStore:
    """Keeps a text as long as the program lives.

    Attributes:
        text: What is kept.
    """

    def __init__(self, text: str | None = None, *, most: int | None = None) -> None:
        """Start with a text.

        Args:
            text: What is kept already.
            most: Characters that fit in; None for any number.
        """
        self.text = text
        self._most = most

    async def load(self) -> str | None:
        """Return the text."""
        return self.text

    async def save(self, text: str) -> None:
        """Keep a text instead of the last one."""
        if self._most is not None and len(text) > self._most:
            raise StoreFull(f"{len(text)} characters do not fit into a store of {self._most}")
        self.text = text

    async def clear(self) -> None:
        """Forget the text."""
        self.text = None
