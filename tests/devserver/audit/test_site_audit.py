"""The score of an audit, and the report that people read."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from webagent.diagnostics import Finding
from webagent.source import Source, Span
from webagent_dev.audit.audit_rows import ROWS
from webagent_dev.audit.report import audit_dict, audit_report
from webagent_dev.audit.site_audit import Audit, JudgedRow
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.reports.content import Verdict
from webagent_dev.reports.html import html_page
from webagent_dev.reports.text import TerminalReport
from webagent_dev.terminal import Console

SOURCE = Source("<p>\n<form>", "https://shop.example/")


def finding(rule: str) -> Finding:
    return LIVE_RULES[rule].finding(Span(4, 10), f"about {rule} \x1b[2J", help="mend it")


def audit(*verdicts: Verdict) -> Audit:
    """Return one whose first rows have these verdicts, and all others do not apply."""
    rest = len(ROWS) - len(verdicts)
    rows = zip(ROWS, (*verdicts, *[Verdict.NOT_APPLICABLE] * rest), strict=True)
    judged = tuple(JudgedRow(row, verdict, "so it is", "") for row, verdict in rows)
    return Audit("my-site", "https://shop.example/", judged, (), datetime.now(UTC), 2_000.0)


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ((), 0),
        ((Verdict.PASSED,), 100),
        ((Verdict.PASSED, Verdict.FAILED), 60),
        ((Verdict.WARNING, Verdict.FAILED), 30),
        ((Verdict.WARNING, Verdict.PASSED, Verdict.FAILED), 58),
    ],
)
def test_the_score_is_the_share_of_the_weights(verdicts: tuple[Verdict, ...], score: int) -> None:
    """The first rows weigh 3, 2 and 1; a warning is half, and rows that do not apply do not count."""
    assert [row.weight for row in ROWS[:3]] == [3, 2, 1]
    assert audit(*verdicts).score == score


def test_only_a_failure_is_one() -> None:
    """A warning leaves the exit code at 0."""
    assert audit(Verdict.PASSED, Verdict.WARNING).ok
    assert not audit(Verdict.PASSED, Verdict.FAILED).ok


def test_each_rule_is_in_one_row() -> None:
    """Each finding counts, and none counts twice."""
    listed = [rule for row in ROWS for rule in row.rules]

    assert len(listed) == len({*listed})
    assert {*LIVE_RULES} <= {*listed}


def test_the_table_has_reasons_and_remedies() -> None:
    """And at most three findings of a row; nothing of a page steers the terminal."""
    found = tuple((SOURCE, finding("form-without-tool")) for _ in range(5))
    row = next(row for row in ROWS if row.name == "forms")
    judged = JudgedRow(row, Verdict.WARNING, "about \x1b[2J", "mend it", found)
    whole = Audit("my-site", "https://shop.example/", (judged,), (), datetime.now(UTC), 2_000.0)
    stream = io.StringIO()
    terminal = TerminalReport(Console(stream))
    report = audit_report(whole)
    for item in report.items:
        terminal.item(item)
    terminal.end(report)
    text = stream.getvalue()

    assert "\x1b" not in text
    assert text.count("https://shop.example/:2:1: [form-without-tool]") == 3
    assert "and 2 more, with `--format concise`" in text
    assert text.count("help: mend it") == 3
    assert "50 of 100: 1 with a warning" in text
    assert "\x1b" not in html_page(report)
    assert len(audit_dict(whole)["rows"][0]["findings"]) == 5
