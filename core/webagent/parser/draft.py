"""A tool while it is being read."""

from __future__ import annotations

from dataclasses import dataclass, field

from webagent.diagnostics import Finding, Fix, Severity
from webagent.parser.params import ParamDraft
from webagent.parser.reading import ToolPlace
from webagent.source import Span
from webagent.types import Behavior, Note, Tool


@dataclass(slots=True)
class ToolDraft:
    """What is known of a tool so far, and what there is to say about its text.

    Attributes:
        line: 0-based number of its first line.
        description: Paragraphs, to be joined by empty lines.
        findings: Shared by all tools of a file.
    """

    name: str
    span: Span
    name_span: Span
    line: int
    findings: list[Finding]
    description: list[str] = field(default_factory=list)
    params: list[ParamDraft] = field(default_factory=list)
    returns: str = ""
    returns_span: Span | None = None
    samples: list[str] = field(default_factory=list)
    sample_span: Span | None = None
    behavior: dict[str, object] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def report(
        self,
        rule: str,
        severity: Severity,
        message: str,
        remedy: str,
        span: Span,
        fix: Fix | None = None,
    ) -> None:
        """Add a finding about this tool."""
        self.findings.append(Finding(rule, severity, message, remedy, span, self.name, fix))

    def tool(self) -> Tool:
        """Return the tool, and report what its parameters leave open."""
        for param in self.params:
            if param.unclosed:
                self.report(
                    "unreadable-param",
                    Severity.ERROR,
                    f"the parenthesis after `{param.name}` is never closed",
                    f"close it before the description: - `{param.name}` (string, required): …",
                    param.place.name,
                )
        return Tool(
            name=self.name,
            description="\n\n".join(part for part in self.description if part),
            params=[draft.param() for draft in self.params],
            returns=self.returns,
            sample_code="\n\n".join(self.samples),
            behavior=Behavior.model_validate(self.behavior) if self.behavior else Behavior(),
            notes=self.notes,
        )

    def place(self) -> ToolPlace:
        """Return where it stands."""
        params = tuple(draft.place for draft in self.params)
        return ToolPlace(self.span, self.name_span, params, self.returns_span, self.sample_span)
