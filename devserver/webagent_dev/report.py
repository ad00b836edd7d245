"""How the state of a manifest is told in a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from webagent.diagnostics import Severity, render_text
from webagent_dev.config import MANIFEST_NAME
from webagent_dev.console import Console
from webagent_dev.site import SiteState

if TYPE_CHECKING:
    from webagent.checks import Report


def show_manifest(console: Console, state: SiteState) -> None:
    """Write one line on the manifest, its findings, and what is served meanwhile."""
    if state.report is None:
        console.labelled("manifest", _without_file(state), "yellow")
        return
    style = "red" if state.broken else "green"
    console.labelled("manifest", f"{MANIFEST_NAME}: {summary(state)}", style)
    if state.report.findings:
        report = state.report
        console.line()
        console.line(render_text(report.findings, report.source, color=console.color).rstrip())
        console.line()
    if state.broken and state.good is not None:
        console.labelled("", "pages keep the last good manifest until it is mended", "yellow")


def summary(state: SiteState) -> str:
    """Return the number of tools and of findings by severity."""
    if state.report is None:
        return _without_file(state)
    return tally(state.report)


def tally(report: Report, *, tools: bool = True) -> str:
    """Return the number of tools, where there can be any, and of findings by severity."""
    found = Counter(finding.severity for finding in report.findings)
    counts = [(len(report.manifest.tools), "tool")] if tools else []
    counts += [(found[s], s.value) for s in (Severity.ERROR, Severity.WARNING) if found[s]]
    counts += [(found[Severity.INFO], "note")] if found[Severity.INFO] else []
    return ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in counts)


def _without_file(state: SiteState) -> str:
    if state.good is not None:
        return f"{MANIFEST_NAME} is gone - pages keep its last good version - save it again"
    return (
        f"no {MANIFEST_NAME} - agents find no tools here - "
        f"create one with `# Your site` and a `## functionName` for each function"
    )
