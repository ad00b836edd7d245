"""The harness of contract tests: the port through which the prover opens fresh pages of a site."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class PageEvent:
    """Something that happened in a page besides the result of a call."""

    kind: PageEventKind
    text: str


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


class Harness(Protocol):
    """Opens pages of a site; what visitors keep in their browser is empty in each."""

    async def open(self, path: str = "") -> HarnessPage:
        """Open a fresh page instead of the last one.

        Args:
            path: Path of the page; empty for the first page of the site.

        Raises:
            UsageError: It cannot be opened.
        """

    async def reset(self) -> None:
        """Restore the site's data as they were before a writing tool was called.

        Raises:
            UsageError: What is configured for that failed.
        """


class FakeHarnessPage:
    """An open page made of a `FakePage`."""

    def __init__(self, page: FakePage, pending_events: list[PageEvent]) -> None:
        """Take a page, and a list into which its functions write events."""
        self.page = page
        self.pending_events = pending_events
        self.watched: list[str] = []

    async def own_functions(self) -> Sequence[str]:
        """Return the names of all its functions, and of those that it says nobody declared."""
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


class FakeHarness:
    """Opens pages that a function makes, one for each session.

    Attributes:
        opened: The paths that were opened.
        open_page: The page that was opened last.
        resets: How often the site was put back.
    """

    def __init__(self, make: Callable[[list[PageEvent]], FakePage]) -> None:
        """Open pages that `make` gives; it gets the list that events are written into."""
        self._make = make
        self.opened: list[str] = []
        self.open_page: FakeHarnessPage
        self.resets = 0

    async def open(self, path: str = "") -> FakeHarnessPage:
        """Open a new page."""
        pending_events: list[PageEvent] = []
        page = self._make(pending_events)
        if path:
            page.address = path
        self.opened.append(path)
        self.open_page = FakeHarnessPage(page, pending_events)
        return self.open_page

    async def reset(self) -> None:
        """Count that the site was put back."""
        self.resets += 1
