"""What a task has done so far, in the words of the dialect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

Doing = Literal["browse", "search", "login", "extract", "fill", "wait", "complete"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done."""

    action: Doing
    description: str
    detail: str = ""
    """More about it: an address, the words of a search."""
    page_type: str = ""
    """Of the page that it has come to."""

    def to_dict(self) -> dict[str, str]:
        """Return it as both spellings of the dialect have it."""
        kind = {"page_type": self.page_type} if self.page_type else {}
        detail = self.detail or self.description
        return {"description": self.description, "action": self.action, "detail": detail, **kind}


Tell = Callable[[Step], Awaitable[None]]
"""Hears of each step."""


class Unable(Exception):
    """A task cannot be done; the message says why, as the dialect does."""
