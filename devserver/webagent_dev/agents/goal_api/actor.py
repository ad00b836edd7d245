"""What acts on a page for tasks: the port through which every program works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from webagent.errors import Navigated, PageGone, ToolError
from webagent.page.snapshot import Snapshot

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


MOST_WAITS = 6

_WAIT = {"type": "wait", "seconds": 0.5}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is different on a page."""

    went_on: bool = False
    """Whether another page has come."""
    alerts: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()

    @classmethod
    def read(cls, reply: Any) -> Answer:
        """Read the reply to an act."""
        given = reply if isinstance(reply, Mapping) else {}
        changed = given.get("changed")
        said = changed if isinstance(changed, Mapping) else {}
        return cls(given.get("navigates") is True, _texts(said, "alerts"), _texts(said, "appeared"))

    def __bool__(self) -> bool:
        return self.went_on or bool(self.alerts or self.appeared)


async def send(actor: Actor, action: Mapping[str, Any]) -> Answer:
    """Do something that sends; if nothing comes of it at once, wait a while.

    Raises:
        ToolError: The page could not do it.
    """
    return await patiently(actor, Answer.read(await actor.act(action)))


async def patiently(actor: Actor, answer: Answer) -> Answer:
    """Return an answer, or the one that comes a while later when it is empty."""
    for _ in range(MOST_WAITS):
        if answer:
            break
        answer = await wait(actor)
    return answer


async def wait(actor: Actor) -> Answer:
    """Return what is different after a moment."""
    return Answer.read(await actor.act(_WAIT))


def _texts(said: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = said.get(name)
    return tuple(map(str, texts)) if isinstance(texts, list) else ()


_NAMES = {
    "login": "Login",
    "two_factor": "TwoFactorAuth",
    "consent": "OAuthConsent",
    "captcha": "Captcha",
    "blocked": "Blocked",
    "search": "Search",
    "search_results": "SearchResults",
    "inbox": "Inbox",
    "email": "EmailBody",
    "dashboard": "Dashboard",
    "form": "Form",
    "signup": "Form",
    "checkout": "Form",
    "article": "Article",
    "listing": "List",
    "cart": "List",
    "error": "Error",
}


def page_type_of(kind: object) -> str:
    """Return the dialect's name for a `page_type` of `summary`."""
    return _NAMES.get(str(kind), "Other")


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
