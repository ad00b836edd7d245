"""The harness of contract tests: the port through which the prover opens fresh pages of a site."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from webagent.page.fakes import FakePage
from webagent.page.port import Page


class PageEventKind(StrEnum):
    """Kinds of events that a page reports."""

    EXCEPTION = "exception"
    """An uncaught error, or an unhandled rejection."""
    CONSOLE = "console"
    """The page wrote an error to its console."""
    REQUEST = "request"
    """A request to the page's own origin that got no answer, or one with a status from 500 on."""
    FOREIGN_REQUEST = "foreign-request"
    """A failed request elsewhere, or an answer with a status from 400 to 499."""
    THROWN = "thrown"
    """A tool threw a value that is not an `Error`."""
    CAUSE = "cause"
    """Why a tool of `document.modelContext` threw an error: browsers report it only in the console."""
    NAVIGATION = "navigation"
    """The page was left for another document."""
    DEAD_END = "dead-end"
    """The document that the page was left for was answered with an error."""


@dataclass(frozen=True, slots=True)
class PageEvent:
    """Something that happened in a page besides the result of a call."""

    kind: PageEventKind
    text: str


@dataclass(frozen=True, slots=True)
class UntaggedForm:
    """A form that is not a tool."""

    names: tuple[str, ...]
    """The names that it could have as a tool: its id, its name, and one made of its words."""
    tag: str
    """Its start tag."""


@dataclass(frozen=True, slots=True)
class EmptyFields:
    """The fields of a form that have no value yet."""

    needed: frozenset[str] = frozenset()
    """Without one of these the browser does not send the form."""
    spare: frozenset[str] = frozenset()
    """The form is sent without them, and marks none of them as required."""


class HarnessPage(Protocol):
    """One open page of the site."""

    @property
    def page(self) -> Page:
        """The page, as core sees it."""

    async def own_functions(self) -> Sequence[str]:
        """Return the names of the functions that the site's author seems to have written."""

    async def parameter_names(self, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the names of the parameters of functions, where their source text can be read."""

    async def watch(self, names: Sequence[str]) -> None:
        """Report it from now on when one of these functions throws anything but an `Error`."""

    async def page_events(self) -> list[PageEvent]:
        """Return the events since the last call of this method."""

    async def settle(self) -> None:
        """Wait until markup that the last call put into the page has loaded."""

    async def waits(self) -> bool:
        """Whether something is on its way that may bring tools."""

    async def address(self) -> str:
        """Return its address."""

    async def links(self) -> Sequence[str]:
        """Return the addresses that it links to."""

    async def forms(self) -> Sequence[UntaggedForm]:
        """Return its forms that are not tools."""

    async def empty_fields(self, tool: str) -> EmptyFields:
        """Return the fields without a value, of the form that is a tool of this name."""

    async def go(self, path: str) -> None:
        """Go to another page of the site as the same visitor: by a link if the page has one.

        Raises:
            UsageError: It cannot be opened.
        """

    def parts(self) -> AsyncIterator[str]:
        """Open menus, dialogs and other parts one by one; yield the words of each opener."""


class Harness(Protocol):
    """Opens pages of a site; what visitors keep in their browser is empty in each."""

    async def open(self, path: str = "", *, saved: bool = False) -> HarnessPage:
        """Open a fresh page instead of the last one.

        Args:
            path: Path of the page; empty for the first page of the site.
            saved: Whether the visitor has the saved state of one who is signed in.

        Raises:
            UsageError: It cannot be opened.
        """

    async def reset(self) -> None:
        """Restore the site's data as they were before a writing tool was called.

        Raises:
            UsageError: What is configured for that failed.
        """


FAKE_ORIGIN = "https://shop.example"
"""The origin of pages that are Python functions."""


class FakeHarnessPage:
    """An open page made of a `FakePage`."""

    def __init__(self, page: FakePage, pending_events: list[PageEvent]) -> None:
        """Take a page, and a list into which its functions write events."""
        self.page = page
        self.pending_events = pending_events
        self.watched: list[str] = []
        self.linked: Sequence[str] = ()
        self.untagged: Sequence[UntaggedForm] = ()
        self.empty = EmptyFields()
        self.closed: Mapping[str, Callable[[], None]] = {}
        self.waiting = False
        self.left = False
        """Whether another page was opened instead; it has nothing more then."""

    async def own_functions(self) -> Sequence[str]:
        """Return the names of all its functions, and of those that it says nobody declared."""
        if self.left:
            return ()
        return [*self.page.functions, *self.page.undeclared]

    async def parameter_names(self, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the names that the Python functions have for their parameters."""
        functions = {
            name: self.page.functions[name] for name in names if name in self.page.functions
        }
        return {name: [*inspect.signature(fn).parameters] for name, fn in functions.items()}

    async def watch(self, names: Sequence[str]) -> None:
        """Remember which functions are watched."""
        self.watched = [*names]

    async def page_events(self) -> list[PageEvent]:
        """Return the events since the last call."""
        found = [*self.pending_events]
        self.pending_events.clear()
        return found

    async def settle(self) -> None:
        """Return at once: Python functions do all they do while they are called."""

    async def waits(self) -> bool:
        """Whether the harness has been given more to come."""
        return self.waiting

    async def address(self) -> str:
        """Return the address of the page."""
        return FAKE_ORIGIN + self.page.address

    async def links(self) -> Sequence[str]:
        """Return the links that the harness has been given."""
        return [FAKE_ORIGIN + path for path in self.linked]

    async def forms(self) -> Sequence[UntaggedForm]:
        """Return the forms that the harness has been given."""
        return () if self.left else self.untagged

    async def empty_fields(self, tool: str) -> EmptyFields:
        """Return the fields that the harness has been given."""
        return self.empty

    async def go(self, path: str) -> None:
        """Change the path of the page."""
        self.page.address = path or "/"

    async def parts(self) -> AsyncIterator[str]:
        """Open each part that the harness has been given."""
        for words, opened in self.closed.items():
            opened()
            yield words


class FakeHarness:
    """Opens pages that a function makes, one for each session.

    Attributes:
        opened: The paths that were opened.
        open_page: The page that was opened last.
        resets: How often the site was put back.
        linked: The paths that each page links to.
        untagged: The forms of each page that are not tools.
        empty: The fields without a value, of each form that is a tool.
        closed: What opens the parts of each page, by the words of its opener.
        sign_in: Changes a page that is opened with a saved state.
        waiting: Whether more is on its way in its pages.
    """

    def __init__(self, make: Callable[[list[PageEvent]], FakePage]) -> None:
        """Open pages that `make` gives; it gets the list that events are written into."""
        self._make = make
        self.opened: list[str] = []
        self.open_page: FakeHarnessPage
        self.resets = 0
        self.linked: Sequence[str] = ()
        self.untagged: Sequence[UntaggedForm] = ()
        self.empty = EmptyFields()
        self.closed: Mapping[str, Callable[[], None]] = {}
        self.sign_in: Callable[[FakePage], None] = lambda page: None
        self.waiting = False

    async def open(self, path: str = "", *, saved: bool = False) -> FakeHarnessPage:
        """Open a new page; with a saved state, one that `sign_in` has changed."""
        pending_events: list[PageEvent] = []
        page = self._make(pending_events)
        if path:
            page.address = path
        if saved:
            self.sign_in(page)
        if self.opened:
            self.open_page.left = True
        self.opened.append(path)
        self.open_page = FakeHarnessPage(page, pending_events)
        self.open_page.linked, self.open_page.untagged = self.linked, self.untagged
        self.open_page.closed, self.open_page.waiting = self.closed, self.waiting
        self.open_page.empty = self.empty
        return self.open_page

    async def reset(self) -> None:
        """Count that the site was put back."""
        self.resets += 1
