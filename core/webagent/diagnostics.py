"""Findings: what a check says about a manifest, and how people and programs read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webagent.source import Position, Source, Span

_FRAME_WIDTH = 160
"""Columns of a source line that a code frame shows at most."""


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
    """One thing a check has to say, with its place."""

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
    """Return the finding as every door shows it: JSON data with 1-based lines and columns."""
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


_COLORS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}


def render_text(findings: Iterable[Finding], source: Source, *, color: bool = False) -> str:
    """Return findings for a terminal: place, message, the line with a caret under it, help.

    Control characters of the author's text are shown as `�`, so that a file cannot steer the
    terminal it is shown in.
    """
    return "\n".join(_render(finding, source, color) for finding in findings)


def _render(finding: Finding, source: Source, color: bool) -> str:
    def paint(code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if color else text

    start = source.position(finding.span.start)
    end = source.position(finding.span.end)
    line = _printable(source.line(start.line))
    last = end.column - 1 if end.line == start.line else len(line)
    begin = start.column - 1
    skipped = max(0, begin - _FRAME_WIDTH // 2)
    shown = line[skipped : skipped + _FRAME_WIDTH]
    carets = max(1, min(last, skipped + len(shown)) - begin)
    gutter = str(start.line)
    margin = " " * len(gutter)
    severity = paint(f"1;{_COLORS[finding.severity]}", f"{finding.severity.value}[{finding.rule}]")
    pointer = " " * (begin - skipped) + "^" * carets
    rows = [
        f"{source.path}:{start.line}:{start.column}: {severity}: {_printable(finding.message)}",
        paint("2", f" {gutter} | ") + shown.rstrip(),
        paint("2", f" {margin} | ") + paint(_COLORS[finding.severity], pointer),
        paint("2", f" {margin} = ") + f"help: {_printable(finding.help)}",
    ]
    return "\n".join(rows) + "\n"


def _printable(text: str) -> str:
    text = text.replace("\t", " ")
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)
