"""Findings: the results of checks, each with a place and perhaps a fix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webagent.source import Position, Source, Span


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The file does not say what its author means. The last good version should stay in use."""
    WARNING = "warning"
    """An agent will probably get something wrong."""
    INFO = "info"
    """Nothing is wrong, but the author may want to know."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement for the text of a span. At an empty span it is an insertion."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that remove the cause of a finding and change nothing else."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake or remark, with its place."""

    rule: str
    """The stable, kebab-case name of the rule."""
    severity: Severity
    message: str
    """The mistake and its reason, with the author's words in backticks."""
    help: str
    """The text to write instead."""
    span: Span
    tool: str | None = None
    """The name of the tool that it is about, or None."""
    fix: Fix | None = None


def finding_dict(finding: Finding, source: Source) -> dict[str, Any]:
    """Return a finding as JSON data, with 1-based lines and columns. All endpoints use this form."""
    data: dict[str, Any] = {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "help": finding.help,
        "path": source.path,
        "span": {
            "start": _place(source.position(finding.span.start)),
            "end": _place(source.position(finding.span.end)),
        },
    }
    if finding.tool is not None:
        data["tool"] = finding.tool
    if finding.fix is not None:
        data["fix"] = {
            "title": finding.fix.title,
            "edits": [
                {"start_offset": edit.span.start, "end_offset": edit.span.end, "text": edit.text}
                for edit in finding.fix.edits
            ],
        }
    return data


def _place(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
