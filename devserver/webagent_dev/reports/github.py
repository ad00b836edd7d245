"""A report as GitHub's workflow commands, which become annotations of a pull request."""

from __future__ import annotations

from webagent.diagnostics.github import workflow_command
from webagent_dev.reports.content import Report, ReportItem, Verdict, reasons


def github_annotations(report: Report) -> str:
    """Return an error for each item that failed, or else for a report that is not well."""
    lines = [
        workflow_command(
            "error", "\n".join(reasons(item)), **_place(item), title=f"{suite.name}: {item.name}"
        )
        for suite in report.suites
        for item in suite.items
        if item.verdict in (Verdict.FAILED, Verdict.ERROR)
    ]
    if not lines and not report.ok:
        lines = [workflow_command("error", report.answer, title=report.command)]
    return "".join(lines)


def _place(item: ReportItem) -> dict[str, str]:
    if item.place is None:
        return {}
    column = {"col": str(item.place.column)} if item.place.column else {}
    return {"file": item.place.path, "line": str(item.place.line), **column}
