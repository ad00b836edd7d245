"""A report in a terminal: a line for each item as soon as it is known, and a summary."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from webagent_dev.reports.content import Line, Report, ReportItem, Verdict
from webagent_dev.terminal import Console
from webagent_site.text import printable

_LABELS = {
    Verdict.PASSED: ("passed", "green"),
    Verdict.WARNING: ("warning", "yellow"),
    Verdict.FAILED: ("failed", "red"),
    Verdict.ERROR: ("error", "yellow"),
    Verdict.NEEDS_LOGIN: ("login", "yellow"),
    Verdict.SKIPPED: ("skipped", "yellow"),
    Verdict.NOT_APPLICABLE: ("n/a", "dim"),
}

_INDENT = 12
"""Columns before what belongs to an item: the margin and the label of its line."""

_LONGEST_NAME = 60

_LONGEST_TEXT = 1_000

_DASH = re.compile(r" - (?=(?:[^`]*`[^`]*`)*[^`]*$)")


def style_of(verdict: Verdict) -> str:
    """Return the colour of a verdict."""
    return _LABELS[verdict][1]


def message_parts(message: str) -> tuple[str, str, str]:
    """Return what happened, why that matters, and what to do; each may be empty."""
    found = [part for part in _DASH.split(message) if part]
    if len(found) < 3:
        return (found[0] if found else "", "", found[1] if len(found) > 1 else "")
    return found[0], " - ".join(found[1:-1]), found[-1]


def duration(duration_ms: float) -> str:
    """Return a duration in the unit that fits: `340 ms`, `2.1 s`, `1 min 12 s`."""
    if duration_ms < 950:
        return f"{duration_ms:.0f} ms"
    if duration_ms < 59_500:
        return f"{duration_ms / 1000:.1f} s"
    minutes, seconds = divmod(round(duration_ms / 1000), 60)
    return f"{minutes} min {seconds} s"


class TerminalReport:
    """Writes items as they come, then the rest of the report."""

    def __init__(self, console: Console, notes: Console | None = None) -> None:
        """Prepare to write.

        Args:
            console: Where the report goes.
            notes: Where progress goes, if a person looks at it.
        """
        self._console = console
        self._notes = notes if notes is not None and notes.color else None
        self._width = 0
        self._done = self._all = 0
        self._waiting: set[str] = set()

    def start(self, names: Collection[str]) -> None:
        """Learn the number of items, and how wide their names are."""
        self._all = len(names)
        self._width = min(32, max(map(len, names), default=0))

    def begin(self, name: str) -> None:
        """Write which item is under way; the line is overwritten."""
        self._done += 1
        if self._notes:
            name = printable(name, _LONGEST_NAME)
            self._notes.write(f"\r\x1b[K  {self._done}/{self._all} {name} …")

    def item(self, item: ReportItem) -> None:
        """Write the line of an item, and what has to be known of it."""
        self._clear()
        if item.verdict is Verdict.NEEDS_LOGIN:
            self._waiting.add(item.name)
        text = self._name(item)
        if item.note:
            text += f"  {item.note.ljust(_INDENT)}"
        if item.measure:
            text += self._console.paint("dim", f"  {item.measure}")
        self._console.labelled(*self._label(item, text.rstrip()))
        self._lines(item.lines)

    def end(self, report: Report) -> None:
        """Write what is only known at the end, and the summary."""
        self._clear()
        console = self._console
        for item in report.sequences:
            console.labelled(*self._label(item, printable(item.message)))
            self._lines(item.lines)
        for item in report.items:
            if item.name in self._waiting and item.verdict is Verdict.PASSED:
                console.labelled(*self._label(item, f"{printable(item.name)}, behind a login"))
        for name, count in report.unsteady:
            console.labelled(count, printable(name), "yellow")
        for remark in report.remarks:
            console.labelled("note", printable(remark))
        self._left([item for item in report.items if item.remedy])
        console.line()
        summary = console.paint("green" if report.ok else "red", report.summary)
        aside = f" {console.paint('dim', report.aside)}" if report.aside else ""
        console.line(summary + aside)
        for line in report.closing:
            console.line(console.paint(line.style, line.text) if line.style else line.text)

    def _left(self, items: Collection[ReportItem]) -> None:
        if not items:
            return
        self._console.line()
        self._console.line("not proven, and what would have them proven:")
        for item in items:
            where = f" ({printable(str(item.place))})" if item.place else ""
            self._console.line(f"  {self._name(item)}  {printable(item.remedy)}{where}")

    def _name(self, item: ReportItem) -> str:
        return printable(item.name, _LONGEST_NAME if self._width else 2_000).ljust(self._width)

    def _label(self, item: ReportItem, text: str) -> tuple[str, str, str]:
        label, style = _LABELS[item.verdict]
        return label, text, style

    def _lines(self, lines: Iterable[Line]) -> None:
        for line in lines:
            text = printable(line.text, _LONGEST_TEXT)
            head = printable(line.label or text, _LONGEST_TEXT)
            painted = self._console.paint(line.style, head) if line.style else head
            indent = _INDENT + line.indent
            whole = f"{painted} {text}" if line.label else painted
            self._console.line(self._console.folded(f"{' ' * indent}{whole}", indent + 2))

    def _clear(self) -> None:
        """Remove the line of what is under way."""
        if self._notes:
            self._notes.write("\r\x1b[K")
