"""The content of a report: items with verdicts, their parts, and a summary.

Evals, contract tests and audits each fill a `Report` in a module of their own (`evals/report.py`,
`contract/report.py`, `audit/report.py`). The writers of this package know nothing else: a page, JUnit XML, and the
lines of a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal


class Verdict(StrEnum):
    """How an item came out."""

    PASSED = "passed"
    WARNING = "warning"
    """It is not as it should be, and works."""
    FAILED = "failed"
    ERROR = "error"
    """It could not be run, so nothing is known."""
    NEEDS_LOGIN = "needs_login"
    """It asks for a visitor who is signed in, and nobody was."""
    SKIPPED = "skipped"
    """It was not tried; the message says why, and how to have it tried."""
    NOT_APPLICABLE = "not_applicable"
    """There is nothing of the kind."""


VERDICT_WORDS: Mapping[Verdict, str] = {
    Verdict.PASSED: "passed",
    Verdict.WARNING: "with a warning",
    Verdict.FAILED: "failed",
    Verdict.ERROR: "could not be run",
    Verdict.NEEDS_LOGIN: "needs a login",
    Verdict.SKIPPED: "not called",
    Verdict.NOT_APPLICABLE: "not applicable",
}
"""How each verdict reads in a sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    path: str
    line: int
    column: int | None = None

    def __str__(self) -> str:
        line = f"{self.path}:{self.line}"
        return f"{line}:{self.column}" if self.column else line


@dataclass(frozen=True, slots=True)
class Line:
    """A line of plain text below an item: a terminal indents it, JUnit XML joins them."""

    text: str
    style: str = ""
    label: str = ""
    """Comes first. If there is one, it alone has the style."""
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph of the page: code, words that somebody said, or text with code in backticks."""

    kind: Literal["code", "quote", "text"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportItem:
    """Something that was tried: a tool with its proofs, a run of a case with its calls."""

    name: str
    verdict: Verdict
    title: str = ""
    """A sentence. Where it is empty, the name is shown as code."""
    message: str = ""
    """It has up to three parts: what happened - why that matters - what to do."""
    note: str = ""
    """A word about it, such as its effect."""
    measure: str = ""
    """How much it took, as in `7 calls, 2.0 s`."""
    duration_ms: float = 0.0
    place: Place | None = None
    details: tuple[tuple[str, str], ...] = ()
    """Code that shows what happened, by what it is: `call`, `path`, `declared`."""
    remarks: tuple[str, ...] = ()
    """Notes, though nothing is broken."""
    remedy: str = ""
    """What to write so that it is called, where it was not."""
    before: tuple[Block, ...] = ()
    parts: tuple[ReportItem, ...] = ()
    after: tuple[Block, ...] = ()
    lines: tuple[Line, ...] = ()
    """The item in plain text, for a terminal and JUnit XML."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite of JUnit XML, with an item for each test case."""

    name: str
    class_name: str
    items: tuple[ReportItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All items, and the result as a whole."""

    title: str
    subject: str
    """The site or the file, and more about the test as a whole."""
    command: str
    """The command that makes such a report, for a reader of JUnit XML."""
    ok: bool
    answer: str
    """The result in a sentence."""
    summary: str
    """The numbers, in one line: `13 tools: 7 passed, 1 failed`."""
    aside: str = ""
    """An addition to the summary in a terminal."""
    closing: tuple[Line, ...] = ()
    """Lines below the summary in a terminal."""
    items_title: str = ""
    items: tuple[ReportItem, ...] = ()
    sequences: tuple[ReportItem, ...] = ()
    """Items that belong to no other, and are first reported at the end."""
    unsteady: tuple[tuple[str, str], ...] = ()
    """Items that passed in some runs only: the name, and how many."""
    remarks: tuple[str, ...] = ()
    """Notes on the whole."""
    not_run: int = 0
    """How many items there would be beyond those that there are."""
    started: datetime
    footer: tuple[str, ...] = ()
    suites: tuple[Suite, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    """Properties of each suite."""

    @property
    def tally(self) -> Mapping[Verdict, int]:
        """How many items have each verdict, without those that no item has."""
        counted = Counter(item.verdict for item in self.items)
        return {verdict: counted[verdict] for verdict in Verdict if counted[verdict]}


def reasons(item: ReportItem) -> list[str]:
    """Return why an item has not passed, as lines."""
    if item.message:
        details = [f"{what}: {code}" for what, code in item.details]
        return [item.title, item.message, *details]
    return [line.text.strip() for line in item.lines if line.style != "dim"]
