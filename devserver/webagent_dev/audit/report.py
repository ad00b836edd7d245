"""The report of an audit: an item for each row, with its findings as parts."""

from __future__ import annotations

from typing import Any

from webagent.diagnostics import Finding, finding_dict
from webagent.rules import RULES
from webagent.source import Source
from webagent_dev.audit.site_audit import VERDICTS, Audit, JudgedRow
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.reports.content import VERDICT_WORDS, Block, Line, Report, ReportItem, Verdict
from webagent_dev.reports.markdown import section
from webagent_dev.reports.text import duration, style_of

_MOST = 3
"""Findings of a row that a terminal shows."""


def audit_report(audit: Audit) -> Report:
    """Return what an audit reports."""
    items = tuple(map(_item, audit.rows))
    applicable = [item for item in items if item.verdict is not Verdict.NOT_APPLICABLE]
    failed = sum(item.verdict is Verdict.FAILED for item in items)
    return Report(
        title=f"Audit of {audit.target}",
        subject=f"How agents find, read and use {audit.url}",
        command=f"webagent-dev check {audit.target} --audit",
        ok=audit.ok,
        answer=f"{audit.score} of 100"
        + (f", and {failed} of {len(applicable)} rows failed." if failed else "."),
        summary=f"{audit.score} of 100: {_numbers(items)}",
        aside=f"({duration(audit.duration_ms)})",
        items_title="All rows",
        items=items,
        started=audit.started,
        footer=(duration(audit.duration_ms),),
    )


def audit_dict(audit: Audit) -> dict[str, Any]:
    """Return an audit as JSON data."""
    return {
        "target": audit.target,
        "url": audit.url,
        "score": audit.score,
        "started": audit.started.isoformat(timespec="seconds"),
        "duration_ms": round(audit.duration_ms),
        "rows": [
            {
                "name": one.row.name,
                "title": one.row.title,
                "verdict": one.verdict.value,
                "weight": one.row.weight,
                "reason": one.reason,
                "remedy": one.remedy,
                "lighthouse": [*one.row.lighthouse],
                "findings": [finding_dict(finding, source) for source, finding in one.findings],
            }
            for one in audit.rows
        ],
    }


def audit_markdown(audit: Audit) -> str:
    """Return an audit as a summary in Markdown: the score, and the rows that did not pass."""
    report = audit_report(audit)
    rows = [
        (VERDICT_WORDS[one.verdict], one.row.name, one.findings[0][0].path, one.reason)
        for one in audit.rows
        if one.findings and one.verdict is not Verdict.PASSED
    ]
    return section(report.command, report.summary, rows, ok=report.ok)


def _numbers(items: tuple[ReportItem, ...]) -> str:
    counts = ((verdict, sum(item.verdict is verdict for item in items)) for verdict in Verdict)
    return ", ".join(f"{count} {VERDICT_WORDS[verdict]}" for verdict, count in counts if count)


def _item(one: JudgedRow) -> ReportItem:
    message = " - ".join(part for part in (one.reason, one.remedy) if part)
    return ReportItem(
        name=one.row.name,
        verdict=one.verdict,
        message=message,
        before=() if one.findings or not message else (Block("text", message),),
        note=one.row.title,
        measure=f"weight {one.row.weight}",
        parts=tuple(_part(finding, source) for source, finding in one.findings),
        lines=_lines(one),
    )


def _part(finding: Finding, source: Source) -> ReportItem:
    return ReportItem(
        name=finding.rule,
        verdict=VERDICTS[finding.severity],
        title=(RULES | LIVE_RULES)[finding.rule].what,
        message=f"{finding.message} - {finding.help}",
        note=source.path,
    )


def _lines(one: JudgedRow) -> tuple[Line, ...]:
    if not one.findings:
        shown = [Line(one.reason, "dim")] if one.reason else []
        return (*shown, *([Line(f"help: {one.remedy}", "dim")] if one.remedy else []))
    lines = []
    for source, finding in one.findings[:_MOST]:
        place = source.position(finding.span.start)
        where = f"{source.path}:{place.line}:{place.column}: [{finding.rule}]"
        lines += [Line(finding.message, style_of(one.verdict), where)]
        lines += [Line(f"help: {finding.help}", indent=2)]
    if more := len(one.findings) - _MOST:
        lines += [Line(f"and {more} more, with `--format concise`", "dim")] if more > 0 else []
    return tuple(lines)
