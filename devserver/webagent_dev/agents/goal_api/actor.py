"""The port through which tasks act on a page (`Actor`), and how they read it and wait for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from webagent.errors import Navigated, PageGone, ToolError
from webagent.page.snapshot import Snapshot

StepAction = Literal["browse", "search", "login", "extract", "fill", "wait", "complete"]

SETTLE = {"type": "wait", "seconds": 0}
"""An action that returns once the page no longer changes."""
MOST_WAITS = 6

_WAIT = {"type": "wait", "seconds": 0.5}
_PAGE_TYPES = {
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
"""The goal API's names for the `page_type` of `summary`."""
_UPSTREAM_DOWN = (502, 503, 504)
"""Statuses with which a server reports that its upstream does not answer."""


class TaskError(Exception):
    """A task cannot be done; the message says why, in the words of the goal API."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a task, as clients see it."""

    action: StepAction
    description: str
    detail: str = ""
    """Its object: an address, the words of a search."""
    page_type: str = ""
    """Of the page that it has led to."""

    def to_dict(self) -> dict[str, str]:
        """Return the step with the fields of both versions of the goal API."""
        kind = {"page_type": self.page_type} if self.page_type else {}
        detail = self.detail or self.description
        return {"description": self.description, "action": self.action, "detail": detail, **kind}


ReportStep = Callable[[Step], Awaitable[None]]


class Actor(Protocol):
    """Acts on one page, and on those that it leads to."""

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something; when it leaves the page, return once the next one is there.

        Raises:
            ToolError: The page could not do it, or is gone.
            TaskError: The next page is not one to work on.
        """

    async def snapshot(self) -> Snapshot:
        """Return what the page shows."""


@dataclass(frozen=True, slots=True)
class PageChange:
    """The changes of a page after an action; false without any."""

    has_left: bool = False
    """Whether there is another page now."""
    alerts: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()

    @classmethod
    def read(cls, reply: Any) -> PageChange:
        """Read the reply to an action."""
        fields = reply if isinstance(reply, Mapping) else {}
        changed = fields.get("changed")
        texts = changed if isinstance(changed, Mapping) else {}
        has_left = fields.get("navigates") is True
        return cls(has_left, _texts(texts, "alerts"), _texts(texts, "appeared"))

    def __bool__(self) -> bool:
        return self.has_left or bool(self.alerts or self.appeared)


@dataclass(frozen=True, slots=True)
class PageView:
    """The content of a page, and its kind."""

    snapshot: Snapshot
    summary: Mapping[str, Any]

    @property
    def page_type(self) -> str:
        """Its kind, by the goal API's name."""
        return page_type_of(self.summary.get("page_type"))

    @property
    def title(self) -> str:
        """Its title, or its address without one."""
        return self.snapshot.title or self.snapshot.url

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that every result has about the page that it has led to."""
        actions = self.summary.get("actions")
        return {
            "page_type": self.page_type,
            "title": self.snapshot.title,
            "url": self.snapshot.url,
            "elements": len(self.snapshot.elements),
            "actions": actions if isinstance(actions, list) else [],
        }


async def go_to(actor: Actor, url: str) -> None:
    """Go to an address.

    Raises:
        TaskError: There is no page.
    """
    try:
        await actor.act({"type": "goto_url", "url": url})
    except (PageGone, Navigated) as error:
        raise TaskError(f"Network error: `{url}` did not load - {error.message}") from None


async def view_page(actor: Actor) -> PageView:
    """Return what the page shows now."""
    summary = await actor.act({"type": "summary"})
    return PageView(await actor.snapshot(), summary if isinstance(summary, Mapping) else {})


async def enter_page(actor: Actor, report: ReportStep, action: StepAction = "browse") -> PageView:
    """Look at a page that a task has come to, and report it.

    Raises:
        TaskError: The page blocks access, or there is no page.
    """
    view = await view_page(actor)
    if view.summary.get("status") in _UPSTREAM_DOWN and view.page_type == "Error":
        raise TaskError(f"Network error: the server answered with status {view.summary['status']}")
    count = len(view.snapshot.elements)
    text = f"Page loaded: {view.title} ({count} elements)"
    await report(Step(action, text, view.snapshot.url, view.page_type))
    check_access(view)
    return view


def check_access(view: PageView) -> None:
    """Raise `TaskError` for a page that only a person can get past."""
    if view.page_type == "Captcha":
        raise TaskError(
            "CAPTCHA detected - it has to be solved by a person, in the page - then send it again"
        )
    if view.page_type == "Blocked":
        raise TaskError(
            "Access blocked by the site - it lets this browser no further - look at the page"
        )


async def content_of(actor: Actor) -> str:
    """Return the main text of the page."""
    found = await actor.act({"type": "content"})
    text = found.get("text") if isinstance(found, Mapping) else ""
    return text if isinstance(text, str) else ""


async def submit(actor: Actor, action: Mapping[str, Any]) -> PageChange:
    """Do an action that submits; wait a while if it changes nothing at once.

    Raises:
        ToolError: The page could not do it.
    """
    return await wait_for_change(actor, PageChange.read(await actor.act(action)))


async def wait_for_change(actor: Actor, change: PageChange) -> PageChange:
    """Return a change, or the first one that follows if it is empty."""
    for _ in range(MOST_WAITS):
        if change:
            break
        change = await wait(actor)
    return change


async def wait(actor: Actor) -> PageChange:
    """Return what has changed after a moment."""
    return PageChange.read(await actor.act(_WAIT))


def page_type_of(kind: object) -> str:
    """Return the goal API's name for a `page_type` of `summary`."""
    return _PAGE_TYPES.get(str(kind), "Other")


def error_text(error: ToolError) -> str:
    """Return an error as one sentence with its remedy."""
    return f"{error.message} - {error.help}" if error.help else error.message


def _texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = fields.get(name)
    return tuple(map(str, texts)) if isinstance(texts, list) else ()
