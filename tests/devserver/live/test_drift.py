"""Lines in the terminal about pages that differ from the manifest."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from webagent_dev.live.page_console import DriftReport
from webagent_dev.site.state import Site, SiteState
from webagent_dev.terminal import Console
from webagent_site.pages.wire import PageDrift

MISSING = {
    "rule": "missing-function",
    "severity": "warning",
    "message": "the page at `/cart` has no function `pay`",
    "help": "define it",
    "path": "webagents.md",
    "span": {"start": {"line": 14, "column": 4}, "end": {"line": 14, "column": 7}},
}
LINE = (
    "  page      /cart  webagents.md:14:4: warning[missing-function]: "
    "the page at `/cart` has no function `pay` - define it\n"
)


@pytest.fixture(name="stream")
def _stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Site:
    (tmp_path / "webagents.md").write_text("# Shop", encoding="utf-8")
    return Site(tmp_path)


@pytest.fixture(name="report")
def _report(stream: io.StringIO, site: Site) -> DriftReport:
    return DriftReport(Console(stream), site)


def test_a_reload_repeats_no_finding(report: DriftReport, stream: io.StringIO) -> None:
    """The same findings of the same page are one line."""
    report.show(PageDrift("/cart", [MISSING]))
    report.show(PageDrift("/cart", [MISSING]))

    assert stream.getvalue() == LINE


def test_without_a_manifest_there_is_no_place_in_it(
    report: DriftReport, stream: io.StringIO, site: Site
) -> None:
    """What a page could declare is said all the same."""
    assert site.manifest_file is not None
    site.manifest_file.unlink()
    site.state = SiteState()
    report.show(PageDrift("/cart", [MISSING]))

    assert stream.getvalue() == LINE.replace("webagents.md:14:4: ", "")


def test_a_page_that_agrees_again_is_reported_once(
    report: DriftReport, stream: io.StringIO
) -> None:
    """The end of drift is worth a line; a page without drift is not."""
    report.show(PageDrift("/", []))
    report.show(PageDrift("/cart", [MISSING]))
    report.show(PageDrift("/cart", []))
    report.show(PageDrift("/cart", []))

    assert stream.getvalue() == LINE + "  page      /cart  agrees with the manifest again\n"


@pytest.mark.parametrize(
    "finding",
    [
        None,
        5,
        {},
        {**MISSING, "severity": "fatal"},
        {**MISSING, "help": 3},
        {**MISSING, "span": {}},
    ],
)
def test_malformed_findings_are_ignored(
    report: DriftReport, stream: io.StringIO, finding: Any
) -> None:
    """A page can send anything; the terminal shows only findings."""
    report.show(PageDrift("/", [finding]))

    assert stream.getvalue() == ""


def test_a_page_cannot_steer_the_terminal(report: DriftReport, stream: io.StringIO) -> None:
    """Control characters in any field are shown, not sent."""
    report.show(PageDrift("/\x1b[2J", [{**MISSING, "message": "a\x1b[31mb\nc"}]))

    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().count("\n") == 1
