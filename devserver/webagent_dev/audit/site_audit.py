"""Runs an audit: asks the server, opens the page, and judges each row by the findings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from webagent.checks import Report, check
from webagent.diagnostics import Finding, Severity
from webagent.discovery import discover_manifest_url, fetch_text
from webagent.errors import DiscoveryError
from webagent.source import Source, Span
from webagent.types import Manifest
from webagent_dev.audit.announced_files import client_within, fetch_announced
from webagent_dev.audit.announcements import file_findings, trial_end
from webagent_dev.audit.audit_rows import ROWS, Row, Subject
from webagent_dev.audit.page_facts import page_findings, read_page
from webagent_dev.config.extras import AUDIT
from webagent_dev.publish.preflight.browser_checks import (
    browser_findings,
    gateway_and_server_findings,
    reports_of,
    unknown,
)
from webagent_dev.publish.preflight.checks import site_finding
from webagent_dev.publish.preflight.fetch import fetch_site
from webagent_dev.reports.content import Verdict
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    import httpx

PAGES_S = 300.0
"""How long the pages may take in which tools of the manifest are looked for."""

POINTS = {Verdict.PASSED: 1.0, Verdict.WARNING: 0.5, Verdict.FAILED: 0.0}
"""The share of its weight that a row gets. A row without a share does not count."""

VERDICTS = {
    Severity.ERROR: Verdict.FAILED,
    Severity.WARNING: Verdict.WARNING,
    Severity.INFO: Verdict.PASSED,
}


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row with its verdict, and the findings that it comes from, the worst first."""

    row: Row
    verdict: Verdict
    reason: str
    remedy: str
    findings: tuple[tuple[Source, Finding], ...] = ()


@dataclass(frozen=True, slots=True)
class Audit:
    """The rows of an audit, and all its findings."""

    target: str
    """The site as it was named: an address, or a folder."""
    url: str
    rows: tuple[JudgedRow, ...]
    reports: tuple[Report, ...]
    """All findings by the text that they are in, that of the manifest first."""
    started: datetime
    duration_ms: float

    @property
    def score(self) -> int:
        """Return the share of the weights that the rows have got, of 100; 0 where none counts."""
        counted = [
            (one.row.weight, POINTS[one.verdict]) for one in self.rows if one.verdict in POINTS
        ]
        whole = sum(weight for weight, _ in counted)
        return int(100 * sum(weight * share for weight, share in counted) / whole) if whole else 0

    @property
    def ok(self) -> bool:
        """Whether no row has failed."""
        return all(one.verdict is not Verdict.FAILED for one in self.rows)


def audit_site(target: str, url: str, wanted: Collection[str], say: Callable[[str], None]) -> Audit:
    """Return the audit of a site.

    Args:
        target: The site as it was named: an address, or a folder.
        url: Address of the page.
        wanted: The names of the rules to use.
        say: Called with what is looked at next.

    Raises:
        UsageError: The site cannot be reached or opened, or there is no browser.
    """
    AUDIT.require()
    return asyncio.run(_audit(target, url, wanted, say))


async def _audit(
    target: str, url: str, wanted: Collection[str], say: Callable[[str], None]
) -> Audit:
    started, clock = datetime.now(UTC), time.monotonic()
    say("the server")
    async with client_within(url) as client:
        manifest, problem = await _manifest(client, url)
        site = await fetch_site(url, manifest.source.path if manifest else None, client)
        if site.page.status >= 400:
            raise UsageError(
                f"`{site.page.url}` is not a page: it answers with status {site.page.status} - "
                "write the address of one"
            )
        found = await gateway_and_server_findings(site)
        say("files for machines")
        files = await fetch_announced(client, site)
    found += file_findings(site, files)
    if problem:
        remedy = "draft one with `webagent-dev extract`, and publish it at `/webagents.md`"
        found.append(site_finding(site.page.html, "no-manifest", problem, remedy, Span(0, 0)))
    report = manifest or Report(Manifest(), (), Source("", url))
    say("the page")
    facts = await read_page(site, report)
    found += page_findings(site, facts)
    say("the tools of the manifest")
    try:
        async with asyncio.timeout(PAGES_S):
            found += unknown(await browser_findings(site, report), found)
    except TimeoutError:
        raise UsageError(
            f"the pages of `{site.page.url}` take more than {PAGES_S:.0f} s - an audit opens up to "
            "20 of them - open them in a browser, and see which does not come to rest"
        ) from None
    kept = [one for one in found if one.finding.rule in wanted]
    own = replace(report, findings=tuple(one for one in report.findings if one.rule in wanted))
    subject = Subject(site, own, files, facts)
    listed = [(own.source, one) for one in own.findings]
    listed += [(one.source, one.finding) for one in kept]
    rows = tuple(_judged(row, subject, listed, wanted) for row in ROWS)
    reports = ([own] if manifest else []) + reports_of(kept)
    duration_ms = 1000 * (time.monotonic() - clock)
    return Audit(target, site.page.url, rows, tuple(reports), started, duration_ms)


async def _manifest(client: httpx.AsyncClient, url: str) -> tuple[Report | None, str]:
    """Return the manifest of a page with its findings, or why there is none."""
    try:
        address = await discover_manifest_url(url, client=client)
        if address is None:
            return None, "the page announces no manifest, and there is none at a usual place"
        return check(await fetch_text(address, client=client), path=address), ""
    except DiscoveryError as error:
        return None, f"the manifest cannot be had: {error}"


def _judged(
    row: Row,
    subject: Subject,
    listed: Sequence[tuple[Source, Finding]],
    wanted: Collection[str],
) -> JudgedRow:
    own = sorted(
        ((source, finding) for source, finding in listed if finding.rule in row.rules),
        key=lambda one: [*Severity].index(one[1].severity),
    )
    if own:
        _, worst = own[0]
        more = len(own) - 1
        reason = f"{worst.message}{f' (and {more} more)' if more else ''}"
        return JudgedRow(row, VERDICTS[worst.severity], reason, worst.help, tuple(own))
    if not row.rules & {*wanted}:
        return JudgedRow(row, Verdict.NOT_APPLICABLE, "its rules are left out", "")
    if reason := row.inapplicable(subject):
        what, _, remedy = reason.partition(" - ")
        return JudgedRow(row, Verdict.NOT_APPLICABLE, what, remedy)
    return JudgedRow(row, Verdict.PASSED, _measured(row, subject), "")


def _measured(row: Row, subject: Subject) -> str:
    """Return what was seen of a row that passed."""
    facts = subject.facts
    match row.name:
        case "manifest":
            return f"{len(subject.report.manifest.tools)} tools"
        case "tools":
            return f"{len(facts.names)} tools"
        case "schemas":
            return f"{len(facts.registered)} tools of the page"
        case "forms":
            return f"{len(facts.forms)} forms"
        case "layout":
            shifts = (f"{shift['worst']:.3f} at {width}" for width, shift in facts.shifts.items())
            return ", ".join(shifts)
        case "trial":
            end = trial_end(subject.site)
            return f"it ends on {end:%d %B %Y}" if end else ""
    return ""
