"""Tools that pages register themselves, checked by their own schemas and the console."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.contract.kit import World, proof, prove
from webagent.errors import ToolThrew
from webagent.page.offers import PageTool, Target
from webagent_dev.contract.harness import PageEvent, PageEventKind
from webagent_dev.contract.session import has_hidden_cause
from webagent_dev.reports.content import Verdict

SOURCE = Path(__file__).parents[3] / "browser_bundle" / "src" / "tools" / "webmcp_tools.ts"
"""The script that calls tools of `document.modelContext`."""


async def test_tools_of_the_page_are_checked_too() -> None:
    """Only those with the read-only hint; for others the report says what to register."""
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}},
        "required": ["n"],
    }
    reads = PageTool(Target("modelContext", "half"), "Half.", "", schema, {"readOnlyHint": True})
    silent = PageTool(Target("modelContext", "other"), "Other.")
    seen: list[Any] = []

    def half(given: dict[str, Any]) -> float:
        seen.append(given["n"])
        return float(given["n"]) / 2

    world = World(lambda _: {}, tools=[(reads, half), (silent, lambda given: None)])
    report = await prove("", world)

    assert [t.name for t in report.tools] == ["half", "other"]
    assert min(n for n in seen if type(n) is int) == 1
    assert report.tools[0].verdict is Verdict.PASSED
    assert "`annotations: { readOnlyHint: true }` where it is registered" in report.tools[1].allow
    assert "the site has no manifest with tools" in report.remarks[0]


@pytest.mark.parametrize(
    ("page_events", "verdicts", "sentence"),
    [
        (
            [
                PageEvent(
                    PageEventKind.CAUSE, "TypeError: Cannot read properties of null (reading 'a')"
                )
            ],
            {"arguments": Verdict.FAILED, "errors": Verdict.PASSED},
            "crashes on arguments that it declares: TypeError: Cannot read",
        ),
        (
            [PageEvent(PageEventKind.CAUSE, "no such shelf")],
            {"arguments": Verdict.PASSED, "errors": Verdict.PASSED},
            "",
        ),
        (
            [PageEvent(PageEventKind.THROWN, "`no such shelf`")],
            {"arguments": Verdict.PASSED, "errors": Verdict.FAILED},
            "",
        ),
        (
            [],
            {"arguments": Verdict.SKIPPED, "errors": Verdict.SKIPPED},
            "not judged, since `half` failed and the browser does not say why",
        ),
    ],
)
async def test_the_cause_of_a_failed_tool_of_the_page_is_found(
    page_events: list[PageEvent], verdicts: dict[str, Verdict], sentence: str
) -> None:
    """The caller does not get the cause. If the console has none, nothing is judged."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    half = PageTool(Target("modelContext", "half"), "Half.", "", schema, {"readOnlyHint": True})

    def fail(given: dict[str, Any]) -> None:
        world.pending_events.extend(page_events)
        raise ToolThrew("`half` failed, and the browser does not say why")

    world = World(lambda _: {}, tools=[(half, fail)])
    report = await prove("", world)

    assert {name: proof(report, name).verdict for name in verdicts} == verdicts
    assert sentence in proof(report, "arguments").message


def test_a_hidden_cause_is_recognized_by_the_message_of_the_page() -> None:
    """The page's script has the same words, which are all that a failed call returns."""
    (message,) = re.findall(r"message: `(.+ failed, .+)`", SOURCE.read_text(encoding="utf-8"))

    assert has_hidden_cause(ToolThrew(message))
    assert not has_hidden_cause(ToolThrew("no such shelf"))
