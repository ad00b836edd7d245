"""Findings as text for people: with the line and carets below it, or on one line each."""

from __future__ import annotations

from collections.abc import Iterable

from webagent.diagnostics.finding import Finding, Severity
from webagent.source import Source

_FRAME_WIDTH = 160
"""Most columns of a source line that are shown."""

_LEAST_FRAME = 20
"""Fewest columns that are shown, even in a narrower terminal."""

_COLORS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}


def render_text(
    findings: Iterable[Finding], source: Source, *, color: bool = False, width: int | None = None
) -> str:
    """Return findings for a terminal: place, message, the line with carets below it, help.

    Control characters of the author's text are shown as `�`, so that a file cannot steer the
    terminal it is shown in.

    Args:
        findings: The findings.
        source: The text that they are about.
        color: Whether to write ANSI colours.
        width: Columns of the terminal, if known. The shown part of a line fits into them.
    """
    return "\n".join(_render(finding, source, color, width) for finding in findings)


def render_concise(findings: Iterable[Finding], source: Source) -> str:
    """Return each finding on one line, with its help after the message, for editors and `grep`."""
    return "".join(
        f"{_headline(finding, source)} - {_printable(finding.help)}\n" for finding in findings
    )


def _headline(finding: Finding, source: Source) -> str:
    start = source.position(finding.span.start)
    severity = f"{finding.severity.value}[{finding.rule}]"
    place = f"{_printable(source.path)}:{start.line}:{start.column}"
    return f"{place}: {severity}: {_printable(finding.message)}"


def _render(finding: Finding, source: Source, color: bool, width: int | None) -> str:
    def paint(code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if color else text

    start = source.position(finding.span.start)
    end = source.position(finding.span.end)
    line = _printable(source.line(start.line))
    last = end.column - 1 if end.line == start.line else len(line)
    begin = start.column - 1
    gutter = str(start.line)
    frame = _FRAME_WIDTH
    if width is not None:
        frame = max(_LEAST_FRAME, min(frame, width - len(gutter) - len("  | ")))
    # A long line is cut so that the finding is in the middle.
    skipped = max(0, begin - frame // 2) if len(line) > frame else 0
    shown = line[skipped : skipped + frame]
    carets = max(1, min(last, skipped + len(shown)) - begin)
    margin = " " * len(gutter)
    severity = paint(f"1;{_COLORS[finding.severity]}", f"{finding.severity.value}[{finding.rule}]")
    pointer = " " * (begin - skipped) + "^" * carets
    rows = [
        f"{_printable(source.path)}:{start.line}:{start.column}: {severity}: {_printable(finding.message)}",
        paint("2", f" {gutter} | ") + shown.rstrip(),
        paint("2", f" {margin} | ") + paint(_COLORS[finding.severity], pointer),
        paint("2", f" {margin} = ") + f"help: {_printable(finding.help)}",
    ]
    return "\n".join(rows) + "\n"


def _printable(text: str) -> str:
    # One space for a tab keeps the carets below their characters.
    text = text.replace("\t", " ")
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)
