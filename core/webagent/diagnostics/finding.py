"""Findings: what a check reports about a manifest, with its place and perhaps a fix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webagent.source import Position, Source, Span


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The file does not say what its author means; the last good one should stay in use."""
    WARNING = "warning"
    """An agent will probably get something wrong."""
    INFO = "info"
    """Worth knowing; nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the text of a span; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that remove the cause of a finding and change nothing else."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake or remark, with its place."""

    rule: str
    """Stable kebab-case name."""
    severity: Severity
    message: str
    """What is wrong and why; the author's words in backticks."""
    help: str
    """What to write instead."""
    span: Span
    tool: str | None = None
    """Name of the tool it is about, if it is about one."""
    fix: Fix | None = None


def finding_dict(finding: Finding, source: Source) -> dict[str, Any]:
    """Return the finding as every endpoint shows it: JSON data with 1-based lines and columns."""
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
