"""A report as it is shown: in a terminal, as a page, as JUnit XML, as JSON."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from webagent_dev.contract.proof import PROOFS, Proof, SiteReport, ToolReport
from webagent_dev.contract.report import TerminalProgress, contract_report
from webagent_dev.reports.content import Place, Verdict
from webagent_dev.reports.github import github_annotations
from webagent_dev.reports.html import html_page
from webagent_dev.reports.junit import junit_xml
from webagent_dev.reports.markdown import markdown_summary, section
from webagent_dev.reports.text import TerminalReport, duration, message_parts
from webagent_dev.terminal import Console

EVIL = "</style><script>alert(1)</script>\x1b[31m\u202e"

REPORT = SiteReport(
    "my-shop",
    f"Shop {EVIL}",
    (
        ToolReport(
            "find",
            "read",
            "manifest",
            "find(query: string): Promise<string[]>;",
            (
                Proof("exists", Verdict.PASSED),
                Proof(
                    "result",
                    Verdict.FAILED,
                    "`find` gives something else: [0]: expected string, got number - programs break - "
                    "correct `a - b` or the function",
                    Place("webagents.md", 12, 3),
                    'await global.find("<b>")',
                    "string[]",
                    "[0]",
                    calls=7,
                    duration_ms=1234.5,
                ),
                Proof("quiet", Verdict.PASSED, remarks=(f"its console reported: {EVIL}",)),
            ),
            Place("webagents.md", 3, 4),
            duration_ms=2000,
            observed="number[]",
        ),
        ToolReport(
            "orders",
            "read",
            "manifest",
            "",
            (Proof("sample", Verdict.NEEDS_LOGIN, "`orders` is for visitors - sign in"),),
        ),
        ToolReport(
            "pay",
            "irreversible",
            "manifest",
            "pay(): Promise<void>;",
            (Proof("sample", Verdict.SKIPPED, "`pay` was not called - write `--allow-writes`"),),
            Place("webagents.md", 40, 4),
            "`--allow-writes --only pay`",
        ),
        ToolReport("list", "read", "form", "", (Proof("exists", Verdict.PASSED, calls=1),)),
    ),
    42,
    "2026-01-02T03:04:05+00:00",
    (Proof("sequence", Verdict.PASSED, "the sample codes: 2 of 2 ran", remarks=("one was left",)),),
    ("the page has a function `extra`",),
    duration_ms=65_000,
)


def terminal_of(report: SiteReport, *, color: bool = False) -> str:
    """Return what a terminal shows."""
    out = io.StringIO()
    terminal = TerminalReport(Console(out, color=color), Console(io.StringIO()))
    progress = TerminalProgress(terminal)
    progress.started([tool.name for tool in report.tools])
    for tool in report.tools:
        progress.begun(tool.name)
        progress.proven(tool)
    terminal.end(contract_report(report))
    return out.getvalue()


def test_the_terminal_has_a_line_for_each_tool_and_says_what_to_do() -> None:
    """A broken promise is below its tool, with its place; tools that were not called come last."""
    text = terminal_of(REPORT)

    assert "  failed    find    read          7 calls, 2.0 s\n" in text
    assert (
        "            webagents.md:12:3: [result] `find` gives something else: [0]: expected" in text
    )
    assert "              why: programs break\n" in text
    assert "              help: correct `a - b` or the function\n" in text
    assert '              call: await global.find("<b>")\n' in text
    assert "              declared: string[]\n" in text
    assert "  login     orders  read\n" in text
    assert "  skipped   pay     irreversible\n" in text
    assert "  pay     `--allow-writes --only pay` (webagents.md:40:4)\n" in text
    assert text.endswith(
        "2 of 4 tools not proven (1 not called, 1 needs a login), 1 passed, 1 failed "
        "(1 min 5 s, --seed 42)\n"
    )


def test_a_test_without_calls_is_no_success() -> None:
    """The report has the line that lets calls through."""
    silent = replace(REPORT.tools[2], name="save", allow="`- effect: read`, or `--allow-unknown`")
    report = replace(REPORT, tools=(REPORT.tools[2], silent), sequences=())
    writing = replace(report, tools=(REPORT.tools[2],))
    called = replace(report, tools=(silent, REPORT.tools[3]))

    assert (report.ok, report.is_empty, called.is_empty) == (True, True, False)
    assert terminal_of(report).endswith(
        "2 of 2 tools not proven (2 not called) (1 min 5 s, --seed 42)\n"
        "nothing was called, so nothing is proven (exit code 5): "
        "`webagent-dev test my-shop --allow-unknown`\n"
    )
    assert "--allow-writes --only pay`" in terminal_of(writing)
    assert not contract_report(report).ok


def test_text_of_a_page_cannot_steer_the_terminal() -> None:
    """Control characters are replaced."""
    assert "\x1b" not in terminal_of(REPORT)
    assert "\u202e" not in terminal_of(REPORT)
    assert "\x1b[31mfailed" in terminal_of(REPORT, color=True)


def test_tools_proven_behind_a_login_are_listed_at_the_end() -> None:
    """Its own line was written before that was known."""
    signed_in = replace(REPORT.tools[1], proofs=(Proof("sample", Verdict.PASSED),))
    out = io.StringIO()
    terminal = TerminalReport(Console(out), Console(io.StringIO()))
    TerminalProgress(terminal).proven(REPORT.tools[1])
    terminal.end(contract_report(replace(REPORT, tools=(signed_in,))))

    assert "  login     orders  read" in out.getvalue()
    assert "  passed    orders, behind a login\n" in out.getvalue()


def test_a_test_that_was_ended_says_so() -> None:
    """The sum is then that of what was proven."""
    ended = SiteReport("s", "", (), 1, "2026-01-02T03:04:05+00:00", interrupted=True)

    assert terminal_of(ended).strip() == "no tools - ended before all were proven (0 ms, --seed 1)"


class Page(HTMLParser):
    """Reads a page: its tags with their attributes, and its text."""

    VOID = ("meta", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def test_the_page_is_whole_and_loads_nothing() -> None:
    """No script, no link, no image; every tag is closed; a policy forbids the rest."""
    text = html_page(contract_report(REPORT))
    read = Page(text)
    names = {name for name, _ in read.tags}
    attributes = {key for _, found in read.tags for key in found}

    assert read.open == []
    assert not names & {"script", "link", "img", "iframe", "object"}
    assert not attributes & {"src", "href", "onclick", "onload"}
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text
    assert '<meta name="viewport"' in text
    assert "light-dark(" in text


def test_the_page_shows_everything() -> None:
    """Broken promises first, then all tools with their proofs, then those that were not called."""
    read = Page(html_page(contract_report(REPORT)))
    order = [
        "breaks 1 promise of its manifest",
        "To mend",
        "All tools",
        "Not called",
        "Also",
    ]
    places = [read.text.index(words) for words in order]

    assert places == sorted(places)
    for words in (
        "find gives something else: [0]: expected string, got number",
        "programs break",
        "correct a - b or the function",
        'await global.find("<b>")',
        "webagents.md:12:3",
        "number[]",
        "--allow-writes --only pay",
        "webagent-dev test --seed 42",
        "the page has a function extra",
        "one was left",
    ):
        assert words in read.text, words


def test_text_of_a_site_is_text_on_the_page() -> None:
    """Its name cannot end the style, nor start a script, nor turn lines around."""
    text = html_page(contract_report(REPORT))

    assert "<script" not in text
    assert text.count("</style>") == 1
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_a_page_of_nothing_is_a_page() -> None:
    """A site may have no tools."""
    empty = SiteReport("s", "", (), 1, "2026-01-02T03:04:05+00:00")

    assert (
        "Nothing was called, so nothing is proven." in Page(html_page(contract_report(empty))).text
    )


def test_junit_is_read_back() -> None:
    """Sums agree with the test cases; characters that XML cannot hold are replaced."""
    root = ET.fromstring(junit_xml(contract_report(REPORT)))
    suites = root.findall("testsuite")
    cases = root.findall("testsuite/testcase")

    assert (root.tag, root.get("tests"), root.get("failures"), root.get("skipped")) == (
        "testsuites",
        "7",
        "1",
        "2",
    )
    for suite in suites:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("skipped", "")) == len(suite.findall("testcase/skipped"))
        assert suite.find("properties/property[@name='seed']").get("value") == "42"  # type: ignore[union-attr]
    assert [suite.get("name") for suite in suites] == ["find", "orders", "pay", "list", "sequences"]
    result = next(case for case in cases if case.get("name") == "result")
    assert (
        result.get("classname"),
        result.get("file"),
        result.get("line"),
        result.get("time"),
    ) == (
        "webagents.find",
        "webagents.md",
        "12",
        "1.234",
    )
    failure = result.find("failure")
    assert failure is not None
    assert "expected string, got number" in failure.get("message", "")
    assert 'call: await global.find("<b>")' in (failure.text or "")


def test_annotations_name_file_and_line() -> None:
    """One for each broken promise; none of its text is another command."""
    evil = replace(REPORT.tools[0].proofs[1], message="a\n::add-mask::x - b", place=None)
    find = replace(REPORT.tools[0], proofs=(*REPORT.tools[0].proofs, evil))
    first, second = github_annotations(
        contract_report(replace(REPORT, tools=(find, *REPORT.tools[1:])))
    ).splitlines()

    assert first.startswith("::error file=webagents.md,line=12,col=3,title=find%3A result::")
    assert "%0A`find` gives something else" in first
    assert '%0Acall: await global.find("<b>")' in first
    assert second.startswith("::error title=find%3A result::")
    assert "%0A::add-mask::x" in second


def test_a_report_without_a_failure_is_annotated_if_it_is_not_well() -> None:
    """Nothing called is one error without a place."""
    empty = SiteReport("s", "", (), 1, "2026-01-02T03:04:05+00:00")

    assert github_annotations(contract_report(empty)) == (
        "::error title=webagent-dev test s::Nothing was called, so nothing is proven.\n"
    )


def test_the_summary_is_a_table_without_markup() -> None:
    """Each failure has its place; passed proofs are in the numbers alone."""
    text = markdown_summary(contract_report(replace(REPORT, site=f"[s](x) {EVIL}")))
    head, *rows = [line for line in text.splitlines() if line.startswith(("#", "|"))]

    assert head.startswith(r"### ✗ webagent\-dev test \[s\]\(x\) \<\/style\>")
    assert rows[2].startswith(r"| failed | find\: result | webagents\.md\:12\:3 | \`find\` gives")
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert "exists" not in text
    assert "\x1b" not in text


def test_a_long_summary_ends_with_the_number_of_the_rest() -> None:
    """A host shows no more than a million characters."""
    rows = [("error", "x", "a.md:1", "y")] * 150

    assert section("c", "s", rows, ok=False).splitlines()[-2:] == ["|  | and 50 more |  |  |", ""]


def test_json_says_all_of_it() -> None:
    """Empty fields are left out, verdicts are words."""
    data = json.loads(json.dumps(REPORT.to_dict()))
    find, orders = data["tools"][:2]

    assert data["ok"] is False
    assert data["tally"] == {"passed": 1, "failed": 1, "needs_login": 1, "skipped": 1}
    assert (find["verdict"], find["calls"], orders["verdict"]) == ("failed", 7, "needs_login")
    assert find["proofs"][0] == {
        "name": "exists",
        "verdict": "passed",
        "calls": 0,
        "duration_ms": 0.0,
    }
    assert find["proofs"][1]["place"] == {"path": "webagents.md", "line": 12, "column": 3}
    assert "interrupted" not in data


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("", ("", "", "")),
        ("what", ("what", "", "")),
        ("what - do", ("what", "", "do")),
        ("what - why - more - do `a - b`", ("what", "why - more", "do `a - b`")),
    ],
)
def test_messages_have_three_parts(message: str, expected: tuple[str, str, str]) -> None:
    """A dash inside code does not split a message."""
    assert message_parts(message) == expected


@pytest.mark.parametrize(
    ("duration_ms", "text"),
    [(3.4, "3 ms"), (1500, "1.5 s"), (59_600, "1 min 0 s"), (125_000, "2 min 5 s")],
)
def test_durations_have_a_fitting_unit(duration_ms: float, text: str) -> None:
    """Milliseconds, seconds or minutes."""
    assert duration(duration_ms) == text


def test_every_proof_says_what_it_shows() -> None:
    """One sentence each; the documentation has the same table."""
    from pathlib import Path

    docs = (Path(__file__).parents[3] / "docs" / "how-to" / "test.md").read_text("utf-8")

    for name, what in PROOFS.items():
        assert f"| `{name}` | {what} |" in docs
