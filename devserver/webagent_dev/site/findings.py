"""Shows the state of a manifest and its findings in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from webagent.diagnostics import Finding, Severity, render_concise, render_text
from webagent.source import Source
from webagent_dev.site.state import SiteState
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME

if TYPE_CHECKING:
    from webagent.checks import Report

_HANGING = 4
"""Columns by which the further lines of a sentence are indented."""


def show_manifest(console: Console, state: SiteState, before: SiteState | None = None) -> None:
    """Write one line about the manifest, its findings, and what is served meanwhile.

    Args:
        console: Where it is written.
        state: The present state of the manifest.
        before: The state that was shown last, whose warnings and info are not repeated.
    """
    if state.report is None:
        console.labelled("manifest", _without_file(state), "yellow")
        return
    known = (
        {_key(finding) for finding in before.report.findings} if before and before.report else set()
    )
    findings = state.report.findings
    shown = [f for f in findings if f.severity is Severity.ERROR or _key(f) not in known]
    style = "red" if state.broken else "green"
    again = f" ({len(findings) - len(shown)} shown before)" if len(shown) < len(findings) else ""
    console.labelled("manifest", f"{MANIFEST_NAME}: {summary(state)}{again}", style)
    if shown and console.for_agent:
        console.write(render_concise(shown, state.report.source))
    elif shown:
        console.line()
        show_findings(console, shown, state.report.source)
        console.line()
    if state.broken and state.good is not None:
        console.labelled("", "pages keep the last good manifest until it is corrected", "yellow")


def show_findings(console: Console, findings: Sequence[Finding], source: Source) -> None:
    """Write findings with their lines, folded to the width of the terminal."""
    text = render_text(findings, source, color=console.color, width=console.width)
    for line in text.rstrip().split("\n"):
        console.line(console.folded(line, _HANGING))


def _key(finding: Finding) -> tuple[str, str]:
    """Return the parts of a finding that stay the same while lines move."""
    return finding.rule, finding.message


def summary(state: SiteState) -> str:
    """Return the number of tools and of findings by severity."""
    if state.report is None:
        return _without_file(state)
    return tally(state.report)


def tally(report: Report, *, tools: bool = True) -> str:
    """Return the number of tools, if there can be any, and of findings by severity."""
    found = Counter(finding.severity for finding in report.findings)
    counts = [(len(report.manifest.tools), "tool")] if tools else []
    counts += [(found[s], s.value) for s in Severity if found[s]]
    return ", ".join(
        # `info` has no plural.
        f"{number} {word}{'' if number == 1 or word == Severity.INFO.value else 's'}"
        for number, word in counts
    )


def _without_file(state: SiteState) -> str:
    if state.good is not None:
        return f"{MANIFEST_NAME} is gone - pages keep its last good version - save it again"
    return (
        f"no {MANIFEST_NAME} - agents find only what pages offer by themselves - "
        f"create one with `# Your site` and a `## functionName` for each function"
    )
