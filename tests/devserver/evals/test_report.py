"""Reports of evaluations: in a terminal, as a page, as JUnit XML, as JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from html.parser import HTMLParser
from io import StringIO
from xml.etree import ElementTree

from webagent.llm.chat import Usage
from webagent_dev.evals.case import ActualCall, Case, ExpectedCall, PastCall, PastResult, Utterance
from webagent_dev.evals.comparison import Row
from webagent_dev.evals.constraints import Difference
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.evals.report import costs, eval_report, headline, outcome_item
from webagent_dev.reports.html import html_page
from webagent_dev.reports.junit import junit_xml
from webagent_dev.reports.text import TerminalReport
from webagent_dev.terminal import Console

AT = datetime(2027, 1, 4, 9, 0, tzinfo=UTC)
EVIL = (
    "</style><script>alert(1)</script><img src=x onerror=alert(1)> & \" ' \x1b[31m \u202e ]]>\x00"
)
CASE = Case("Find ships", (Utterance(True, "anything about ships?"),), (ExpectedCall("find"),), 7)
FAILED = Outcome(
    CASE,
    1,
    "failed",
    (
        Row(ExpectedCall("find"), ActualCall("find", {"q": "sea"}), "agrees"),
        Row(
            ExpectedCall("open", {"n": {"$gt": 1}}),
            ActualCall("open", {"n": 1}),
            "differs",
            (Difference("n", "more than 1", "1"),),
        ),
        Row(ExpectedCall("add", {"id": {"$type": "string"}}), None, "missing"),
        Row(
            None,
            ActualCall("drop", {}, error={"message": "not allowed"}, refused=True),
            "not expected",
        ),
    ),
    "I found it.",
    ("which one?",),
    seconds=1.25,
)


def evaluation(*outcomes: Outcome, planned: int = 0, model: str | None = None) -> Evaluation:
    return Evaluation("evals.json", "shop", True, model, planned or len(outcomes), [*outcomes])


def passed(case: Case = CASE, run: int = 1) -> Outcome:
    return Outcome(case, run, "passed", (Row(ExpectedCall("find"), ActualCall("find"), "agrees"),))


def terminal_of(given: Evaluation) -> str:
    """Return what a terminal shows."""
    stream = StringIO()
    terminal = TerminalReport(Console(stream))
    for outcome in given.outcomes:
        terminal.item(outcome_item(outcome, given))
    terminal.end(eval_report(given, AT))
    return stream.getvalue()


def test_a_case_that_passed_is_one_line() -> None:
    """A case that passed needs no more."""
    assert terminal_of(evaluation(passed())).splitlines() == [
        "  passed    Find ships  0.0 s",
        "",
        "1 of 1 passed",
        "the planner without a model, with a page of shop, in 0.0 s",
    ]


def test_a_case_that_failed_shows_each_call() -> None:
    """Calls that agree, differ, or are missing, the place of differences, questions and words."""
    assert terminal_of(evaluation(FAILED)).splitlines()[:12] == [
        "  failed    Find ships  1.2 s",
        "            evals.json:7",
        "            “anything about ships?”",
        '              find(q="sea")',
        "            ≠ open(n=1)",
        "                `n` is 1, expected more than 1",
        "            - add(id=something of type string) - was not called",
        "            + drop() - not expected",
        "                not allowed",
        "            it asked: which one?",
        "            it said: I found it.",
        "",
    ]


def test_costs_of_a_model_are_shown() -> None:
    """Tokens and money; an unknown price is not 0."""
    known = evaluation(
        Outcome(CASE, 1, "passed", usage=Usage(12_000, 300), usd=Decimal("0.0125")), model="small"
    )
    unknown = evaluation(Outcome(CASE, 1, "passed", usage=Usage(1, 1), usd=None), model="small")

    assert costs(known).endswith(
        "in 0.0 s, 12,000 + 300 tokens, 0.0125 USD at list prices of 2025-11"
    )
    assert costs(unknown).endswith("of unknown price")


def test_several_runs_show_unsteady_cases() -> None:
    """A case that passes in some runs only is named with how many."""
    given = evaluation(passed(), Outcome(CASE, 2, "failed"), passed(run=3))
    lines = terminal_of(replace(given, runs=3)).splitlines()

    assert lines[0] == "  passed    Find ships (1 of 3)  0.0 s"
    assert "  2 of 3    Find ships" in lines
    assert "2 of 3 passed, 1 failed" in lines


def test_missing_runs_are_shown() -> None:
    """An evaluation that was stopped says so, and has not passed."""
    given = evaluation(passed(), planned=3)
    given.stopped = "it was interrupted"

    assert headline(given) == "1 of 3 passed, 2 not run"
    assert terminal_of(given).splitlines()[-1] == "not all were run - it was interrupted"
    assert not given.passed


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    """Names, arguments and words of strangers are printed without control characters."""
    evil = Outcome(
        Case(EVIL, (Utterance(True, EVIL),)),
        1,
        "failed",
        (Row(None, ActualCall(EVIL, {EVIL: EVIL}), "not expected"),),
        EVIL,
        (EVIL,),
        EVIL,
    )
    text = terminal_of(evaluation(evil))

    assert "\x1b" not in text
    assert "\u202e" not in text


class _Page(HTMLParser):
    """Reads a page and checks that each element is closed.

    Attributes:
        tags: Every tag.
        text: What is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(given: Evaluation) -> _Page:
    page = _Page()
    page.feed(html_page(eval_report(given, AT)))
    page.close()
    assert page.open == []
    return page


def test_the_page_shows_all() -> None:
    """Every case with its words, its calls and what is wrong with them; failures are open."""
    page = page_of(evaluation(passed(), FAILED))
    opened = [attributes for tag, attributes in page.tags if tag == "details"]

    assert ["open" in attributes for attributes in opened] == [False, True]
    for text in (
        "1 of 2 passed, 1 failed",
        "anything about ships?",
        'find(q="sea")',
        "n is 1, expected more than 1",
        "add(id=something of type string) — was not called",
        "not allowed",
        "It asked: which one?",
        "04 January 2027, 09:00",
    ):
        assert text in re.sub(r"\n", "", page.text)


def test_the_page_shows_code_as_code() -> None:
    """Text in backticks is marked up, and a single backtick stays."""
    found = Outcome(CASE, 1, "failed", (), "say `<b>` now", ("a ` b",))
    text = html_page(eval_report(evaluation(found), AT))

    assert "It said: say <code>&lt;b&gt;</code> now" in text
    assert "It asked: a ` b" in text


def test_the_page_shows_conversations() -> None:
    """It has the conversation and the calls so far."""
    messages = (
        Utterance(True, "a"),
        PastCall("x", {"n": 1}),
        PastResult("x", "y"),
        Utterance(False, "b"),
    )
    page = page_of(evaluation(passed(Case("c", (*messages, Utterance(True, "d"))))))

    assert 'x {"n": 1}' in page.text
    assert '→ "y"' in page.text
    assert "Agent: b" in page.text


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    """There is no script, no address, and a policy that forbids both; all text is escaped."""
    evil = Outcome(
        Case(EVIL, (Utterance(True, EVIL), PastCall(EVIL, EVIL), PastResult(EVIL, EVIL))),
        1,
        "failed",
        (
            Row(
                ExpectedCall(EVIL, {EVIL: EVIL}),
                ActualCall(EVIL, {EVIL: EVIL}, error={"message": EVIL}),
                "differs",
                (Difference(EVIL, EVIL, EVIL),),
            ),
            Row(ExpectedCall(EVIL, {EVIL: {"$contains": EVIL}}), None, "missing"),
        ),
        EVIL,
        (EVIL,),
        EVIL,
    )
    given = evaluation(evil, model=EVIL)
    given.file, given.site, given.stopped = EVIL, EVIL, EVIL
    page = page_of(given)
    text = html_page(eval_report(given, AT))

    assert {tag for tag, _ in page.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer"),
        *("h1", "h2", "p", "code", "pre", "time", "div", "span", "i", "b", "ul", "li"),
        *("details", "summary", "blockquote"),
    }
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|url\(|@import|\x00|\x1b|\u202e", text)
    assert "light-dark(" in text


def test_junit() -> None:
    """Each run is a test case; what failed says why, and is well-formed whatever is in it."""
    evil = Outcome(Case(EVIL, (Utterance(True, EVIL),)), 1, "error", problem=EVIL)
    root = ElementTree.fromstring(junit_xml(eval_report(evaluation(passed(), FAILED, evil), AT)))
    suite = root[0]

    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["3", "1", "1"]
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]
    assert [suite[1].get(key) for key in ("name", "line", "time")] == ["Find ships", "7", "1.250"]
    assert suite[1][0].get("message") == "≠ open(n=1)"
    assert "`n` is 1, expected more than 1" in (suite[1][0].text or "")


def test_plain_data() -> None:
    """Programs get every call with its verdict, what was spent, and the line of the case."""
    data = evaluation(FAILED, model="small").to_dict()
    (run,) = data["runs"]

    assert (data["planned"], data["passed"], data["failed"], data["errors"]) == (1, 0, 1, 0)
    assert (run["line"], run["verdict"], run["goal"]) == (7, "failed", "anything about ships?")
    assert [call["verdict"] for call in run["calls"]] == [
        "agrees",
        "differs",
        "missing",
        "not expected",
    ]
    assert run["calls"][1]["differences"] == [{"path": "n", "expected": "more than 1", "got": "1"}]
    assert run["calls"][3]["made"]["error"] == {"message": "not allowed"}
