"""An open page: what it says of itself, and the connection to it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from webagent_site.pages.connection import Link
from webagent_site.pages.wire import PageHello


@dataclass(slots=True, eq=False)
class OpenPage:
    """One page that has introduced itself."""

    page_id: str
    """Id of the tab, the same over its navigations; a second page of one tab has a number, too."""
    hello: PageHello
    connection: Link
    connected: str = field(
        default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds")
    )
    since: float = field(default_factory=time.perf_counter)
    """When it connected, in the seconds of `time.perf_counter`."""
    state: str = "idle"
    tools: list[dict[str, Any]] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """Return the page as other programs see it, with the number of its tools."""
        return {
            "page_id": self.page_id,
            "document_id": self.hello.document_id,
            "url": self.hello.url,
            "title": self.hello.title,
            "focused": self.hello.focused,
            "version": self.hello.version,
            "state": self.state,
            "connected": self.connected,
            "tools": len(self.tools),
        }
