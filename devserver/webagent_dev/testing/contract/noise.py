"""What a page lets be heard while a tool is called: errors, failed requests, odd things thrown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoiseKind(StrEnum):
    """What was heard."""

    EXCEPTION = "exception"
    """An error that nobody caught, or a promise that nobody asked about."""
    CONSOLE = "console"
    """The page wrote an error to its console."""
    REQUEST = "request"
    """A request to the page's own origin that got no answer, or one with a status from 500 on."""
    FOREIGN_REQUEST = "foreign-request"
    """A failed request elsewhere, or an answer with a status from 400 to 499."""
    THROWN = "thrown"
    """A tool threw something that is no `Error`."""
    CAUSE = "cause"
    """Why a tool of `document.modelContext` threw an error: browsers tell the console alone."""
    NAVIGATION = "navigation"
    """The page was left for another document."""


@dataclass(frozen=True, slots=True)
class Noise:
    """One thing that was heard."""

    kind: NoiseKind
    text: str
