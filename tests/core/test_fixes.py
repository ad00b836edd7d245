"""Fixes edit their own places, and findings are written for programs as those expect."""

from __future__ import annotations

from webagent.diagnostics import Edit, Finding, Fix, Severity, render_concise
from webagent.diagnostics.fixes import apply_fixes
from webagent.diagnostics.github import github
from webagent.diagnostics.sarif import sarif
from webagent.source import Source, Span


def finding(*edits: tuple[int, int, str]) -> Finding:
    fix = Fix("mend it", tuple(Edit(Span(start, end), text) for start, end, text in edits))
    return Finding("a-rule", Severity.WARNING, "what", "remedy", Span(0, 1), None, fix)


def test_fixes_that_do_not_touch_are_applied_together() -> None:
    """In whatever order they come."""
    fixed = apply_fixes("abcdef", [finding((4, 5, "E")), finding((0, 1, ""), (2, 3, "CC"))])

    assert fixed.text == "bCCdEf"
    assert len(fixed.applied) == 2


def test_of_fixes_that_overlap_the_first_is_applied() -> None:
    """The other waits for the next round, also where both insert at one place."""
    first, second = finding((1, 3, "x")), finding((2, 4, "y"))
    fixed = apply_fixes("abcdef", [second, first])

    assert (fixed.text, fixed.applied) == ("axdef", (first,))
    assert len(apply_fixes("ab", [finding((1, 1, "x")), finding((1, 1, "y"))]).applied) == 1


def test_inserted_lines_end_as_those_of_the_text() -> None:
    """With CRLF where the first line has it, with CR where that is all it has."""
    assert apply_fixes("a\r\nb", [finding((4, 4, "\nc\n"))]).text == "a\r\nb\r\nc\r\n"
    assert apply_fixes("a\rb", [finding((3, 3, "\nc\n"))]).text == "a\rb\rc\r"
    assert apply_fixes("a\nb", [finding((3, 3, "\nc"))]).text == "a\nb\nc"


def test_one_line_cannot_steer_the_terminal() -> None:
    """Control characters of path and message are replaced."""
    odd = Finding("r", Severity.INFO, "a\x1b[2Jb\nc", "d", Span(0, 0))

    assert render_concise([odd], Source("x", "p\x1b.md")) == ("p�.md:1:1: info[r]: a�[2Jb�c - d\n")


def test_workflow_commands_are_escaped() -> None:
    """Nothing in a path or a message starts another command; columns stay within a line."""
    odd = Finding("r", Severity.ERROR, "100%\n::error::x", "d", Span(0, 3))

    assert github([odd], Source("a\nb", "p,q:r.md")) == (
        "::error file=p%2Cq%3Ar.md,line=1,endLine=2,title=webagent r::100%25%0A::error::x - d\n"
    )


def test_sarif_of_a_rule_that_is_not_in_the_table() -> None:
    """It has a result without an index; odd characters of a path are encoded."""
    log = sarif([(Source("ab", "my site\\a.md"), [finding((0, 1, "x"))])], [], "1.0")
    (result,) = log["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]

    assert "ruleIndex" not in result
    assert location["artifactLocation"] == {"uri": "my%20site/a.md"}
    assert location["region"]["endColumn"] == 2
