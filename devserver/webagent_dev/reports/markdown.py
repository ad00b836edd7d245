"""A report as a summary in Markdown: the numbers, and a table of what did not pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from webagent_dev.reports.content import VERDICT_WORDS, Report, Verdict, reasons
from webagent_dev.reports.text import message_parts
from webagent_site.text import printable

_PUNCTUATION = re.compile(r"([!-/:-@[-`{-~])")
_LONGEST = 300
_MOST_ROWS = 100


def markdown_summary(report: Report) -> str:
    """Return the summary of a report."""
    rows = [
        (
            VERDICT_WORDS[item.verdict],
            f"{suite.name}: {item.name}",
            str(item.place or ""),
            message_parts(item.message)[0] or " ".join(reasons(item)),
        )
        for suite in report.suites
        for item in suite.items
        if item.verdict is not Verdict.PASSED
    ]
    return section(report.command, report.summary, rows, ok=report.ok)


def section(command: str, summary: str, rows: Sequence[Sequence[str]], *, ok: bool) -> str:
    """Return what a command has found, below a heading.

    Args:
        command: The command.
        summary: The numbers, in one line.
        rows: For each thing that is wrong: a word for that, what it is, its place, and why.
        ok: Whether nothing is wrong.
    """
    lines = [f"### {'✓' if ok else '✗'} {_text(command)}", "", _text(summary), ""]
    if rows:
        lines += [_row(["", "what", "where", "why"]), "|---|---|---|---|"]
        lines += [_row(map(_text, row)) for row in rows[:_MOST_ROWS]]
        if len(rows) > _MOST_ROWS:
            lines.append(_row(["", f"and {len(rows) - _MOST_ROWS} more", "", ""]))
        lines.append("")
    return "\n".join([*lines, ""])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """Return a text that Markdown shows as it is: none of it is markup, a link or a mention."""
    return _PUNCTUATION.sub(r"\\\1", printable(text, _LONGEST))
