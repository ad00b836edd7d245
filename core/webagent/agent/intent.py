"""What an agent is about to do, as it is judged and shown before it happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webagent.page.snapshot import Element
from webagent.types import Effect


@dataclass(frozen=True, slots=True)
class Intent:
    """One action that is about to be taken."""

    action: str
    effect: Effect = "unknown"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Of a tool's call, the tool's own."""
    tool: str = ""
    """Which tool of the page is called, if one is."""
    place: str = ""
    """Path of the page it is done on; the same words mean other things elsewhere."""
    label: str = ""
    """What it is done to, in words that a person sees: `Add to basket`."""
    to: str = ""
    """The other origin that is sent something, or gone to; empty for the page's own."""
    element: Element | None = None
    """What is clicked, followed or filled in, when that is one thing."""

    @property
    def key(self) -> str:
        """By what it is remembered that the person has allowed it."""
        return self.tool or f"{self.action} {self.label} on {self.place}"
