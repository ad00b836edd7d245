"""A page as a task has come to it: its kind, and what its result says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webagent.page.snapshot import Snapshot
from webagent_dev.agents.goal_api.actor import Actor
from webagent_dev.protocols.browsy.page_types import page_type_of
from webagent_dev.protocols.browsy.steps import Doing, Step, Tell, Unable

_DEAD = (502, 503, 504)
"""What a server says for one behind it that does not answer."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a page shows, and what kind of page it is."""

    snapshot: Snapshot
    summary: Mapping[str, Any]

    @property
    def page_type(self) -> str:
        """Its kind, as the dialect names it."""
        return page_type_of(self.summary.get("page_type"))

    @property
    def title(self) -> str:
        """Its title, or its address without one."""
        return self.snapshot.title or self.snapshot.url

    def to_dict(self) -> dict[str, Any]:
        """Return what every result says of the page it has come to."""
        actions = self.summary.get("actions")
        return {
            "page_type": self.page_type,
            "title": self.snapshot.title,
            "url": self.snapshot.url,
            "elements": len(self.snapshot.elements),
            "actions": actions if isinstance(actions, list) else [],
        }


async def look(actor: Actor) -> Seen:
    """Return what the page shows now."""
    summary = await actor.act({"type": "summary"})
    return Seen(await actor.snapshot(), summary if isinstance(summary, Mapping) else {})


async def arrive(actor: Actor, tell: Tell, doing: Doing = "browse") -> Seen:
    """Look at a page that a task has come to, and tell of it.

    Raises:
        Unable: It lets nobody on, or there is no page.
    """
    seen = await look(actor)
    if seen.summary.get("status") in _DEAD and seen.page_type == "Error":
        raise Unable(f"Network error: the server answered with status {seen.summary['status']}")
    count = len(seen.snapshot.elements)
    told = f"Page loaded: {seen.title} ({count} elements)"
    await tell(Step(doing, told, seen.snapshot.url, seen.page_type))
    refuse_walls(seen)
    return seen


def refuse_walls(seen: Seen) -> None:
    """Raise `Unable` for a page that only a person can get past."""
    if seen.page_type == "Captcha":
        raise Unable(
            "CAPTCHA detected - it has to be solved by a person, in the page - then send it again"
        )
    if seen.page_type == "Blocked":
        raise Unable(
            "Access blocked by the site - it lets this browser no further - look at the page"
        )


async def content_of(actor: Actor) -> str:
    """Return the words of the page, without what is around them."""
    found = await actor.act({"type": "content"})
    text = found.get("text") if isinstance(found, Mapping) else ""
    return text if isinstance(text, str) else ""
