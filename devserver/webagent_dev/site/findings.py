"""Shows the state of a manifest and its findings in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from webagent.diagnostics import Finding, Severity, render_concise, render_text
from webagent.source import Source
from webagent_dev.site.project import unpublished_manifest
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent.checks import Report
    from webagent_dev.site.state import Site, SiteState

_HANGING = 4
"""Columns by which the further lines of a sentence are indented."""


def show_manifest(console: Console, site: Site, before: SiteState | None = None) -> None:
    """Write one line about the manifest, its findings, and what is served meanwhile.

    Args:
        console: Where it is written.
        site: The site, with the present state of the manifest.
        before: The state that was shown last, whose warnings and info are not repeated.
    """
    state, name = site.state, printable(site.manifest_name)
    if state.report is None:
        gone = f"{MANIFEST_NAME} is gone - pages keep its last good version - save it again"
        console.labelled("manifest", gone if state.good is not None else absence(site), "yellow")
        return
    source = Source(state.report.source.text, name)
    known = (
        {_key(finding) for finding in before.report.findings} if before and before.report else set()
    )
    findings = state.report.findings
    shown = [f for f in findings if f.severity is Severity.ERROR or _key(f) not in known]
    style = "red" if state.broken else "green"
    again = f" ({len(findings) - len(shown)} shown before)" if len(shown) < len(findings) else ""
    console.labelled("manifest", f"{name}: {tally(state.report)}{again}", style)
    if shown and console.for_agent:
        console.write(render_concise(shown, source))
    elif shown:
        console.line()
        show_findings(console, shown, source)
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


def absence(site: Site) -> str:
    """Return that a site has no manifest, where it was looked for, and what to do."""
    remedy = unpublished_manifest(site.root) or (
        "create one with `# Your site` and a `## functionName` for each function"
    )
    return (
        f"no {MANIFEST_NAME} - agents find only what pages offer by themselves; looked for "
        f"{' and '.join(site.manifest_places)} - {remedy}"
    )
