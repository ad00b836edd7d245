"""Tools that pages register themselves: proven by their own schemas and the console."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devserver.contract.kit import World, proof, prove
from webagent.errors import ToolThrew
from webagent.page.offers import PageTool, Target
from webagent_dev.contract.harness import PageEvent, PageEventKind
from webagent_dev.reports.content import Verdict


async def test_tools_of_the_page_are_proven_too() -> None:
    """Those that say that they only read; others say what is missing where they are registered."""
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
            "not judged, since `half` failed and the browser does not tell why",
        ),
    ],
)
async def test_the_cause_of_a_failed_tool_of_the_page_is_found(
    page_events: list[PageEvent], verdicts: dict[str, Verdict], sentence: str
) -> None:
    """Its caller does not get the cause; without one in the console, nothing is judged."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    half = PageTool(Target("modelContext", "half"), "Half.", "", schema, {"readOnlyHint": True})

    def fail(given: dict[str, Any]) -> None:
        world.pending_events.extend(page_events)
        raise ToolThrew("`half` failed, and the browser does not tell why")

    world = World(lambda _: {}, tools=[(half, fail)])
    report = await prove("", world)

    assert {name: proof(report, name).verdict for name in verdicts} == verdicts
    assert sentence in proof(report, "arguments").message
