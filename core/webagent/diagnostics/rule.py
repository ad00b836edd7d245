"""A rule: what all findings of one name have in common, and the function that looks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from webagent.diagnostics.finding import Finding, Fix, Severity
from webagent.source import Span

_Function = TypeVar("_Function", bound=Callable[[Any], Iterator[Finding]])


@dataclass(slots=True, eq=False)
class Rule:
    """What a rule looks for, and why; its texts are Markdown without headings."""

    name: str
    """Stable kebab-case name."""
    severity: Severity
    what: str
    """One sentence on what the rule finds."""
    why: str
    """What goes wrong if nobody acts on it."""
    bad: str
    """A whole manifest in which the rule finds something."""
    good: str
    """The same manifest, corrected."""
    script: str = ""
    """JavaScript of the page, for a rule that compares the manifest with the page."""
    function: Callable[[Any], Iterator[Finding]] | None = field(
        default=None, init=False, repr=False
    )
    """The check that reports this rule; None if the rule is reported outside of the checks."""

    def check(self, function: _Function) -> _Function:
        """Make a function the check of this rule; a decorator.

        A function that is decorated by several rules is the check of all of them.
        """
        self.function = function
        return function

    def finding(
        self,
        span: Span,
        message: str,
        *,
        help: str,  # noqa: A002
        tool: str | None = None,
        fix: Fix | None = None,
    ) -> Finding:
        """Return a finding of this rule, with its severity.

        Args:
            span: Where it is in the text.
            message: What is wrong and why; the author's words in backticks.
            help: What to write instead.
            tool: Name of the tool that it is about.
            fix: Edits that remove the cause.
        """
        return Finding(self.name, self.severity, message, help, span, tool, fix)

    def __str__(self) -> str:
        return self.name
