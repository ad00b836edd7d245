"""Rules: the name, severity and documentation of a kind of finding, and the function that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from webagent.diagnostics.finding import Finding, Fix, Severity
from webagent.source import Span

_Function = TypeVar("_Function", bound=Callable[[Any], Iterator[Finding]])


@dataclass(slots=True, eq=False)
class Rule:
    """A rule with its documentation. The texts are Markdown without headings."""

    name: str
    """The stable, kebab-case name."""
    severity: Severity
    what: str
    """One sentence on what the rule finds."""
    why: str
    """The consequences of ignoring it."""
    bad: str
    """A whole manifest in which the rule finds something."""
    good: str
    """The same manifest, corrected."""
    script: str = ""
    """JavaScript of the page, for rules that compare the manifest with the page."""
    good_script: str = ""
    """The same JavaScript, corrected, if the page is to be changed instead of the manifest."""
    function: Callable[[Any], Iterator[Finding]] | None = field(
        default=None, init=False, repr=False
    )
    """The check that reports this rule, or None if something else reports it, such as the parser."""

    def check(self, function: _Function) -> _Function:
        """Make a function the check of this rule. This is a decorator.

        A function with several such decorators is the check of all these rules.
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
            message: The mistake and its reason, with the author's words in backticks.
            help: The text to write instead.
            tool: Name of the tool that it is about.
            fix: Edits that remove the cause.
        """
        return Finding(self.name, self.severity, message, help, span, tool, fix)

    def __str__(self) -> str:
        return self.name
