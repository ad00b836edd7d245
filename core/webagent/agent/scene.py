"""What an agent sees before it decides: the page, its tools, the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webagent.page.snapshot import Snapshot
from webagent.registry.binding import Binding


@dataclass(frozen=True, slots=True)
class Scene:
    """What there is at one moment."""

    snapshot: Snapshot
    tools: Sequence[Binding]
    now: datetime
    """Local time of the person, with its zone."""
    site: str = ""
    """What the manifest calls the site."""
