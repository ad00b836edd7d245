"""The planner explains how it understands a goal."""

from __future__ import annotations

from datetime import datetime

from tests.core.agent.deterministic.harness import ORIGIN, bindings_from

from webagent.agent.deterministic.why import why
from webagent.agent.run import Scene
from webagent.page.snapshot import Element, Snapshot

TOOLS = [
    {
        "name": "findTrains",
        "description": "Find trains between two stations.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "required": ["from", "to"],
            "properties": {
                "from": {"type": "string"},
                "to": {"type": "string"},
                "date": {"type": "string", "format": "date"},
            },
        },
    },
    {
        "name": "cancelBooking",
        "description": "Cancel a booking.",
        "inputSchema": {
            "type": "object",
            "required": ["bookingId"],
            "properties": {"bookingId": {"type": "string"}},
        },
    },
]


def lines_of(goal: str) -> list[str]:
    now = datetime(2026, 11, 24, 9)
    return [*why(goal, Scene(Snapshot(url=ORIGIN), bindings_from(TOOLS), now))]


def test_all_stages_are_shown() -> None:
    """Language, values, parts, candidates, arguments and the decision are listed in this order."""
    lines = lines_of("find trains from Basel to Ulm tomorrow, then cancel booking QW72LM")
    text = "\n".join(lines)
    stages = [
        "language: en",
        "value: “tomorrow” is '2026-11-25' (date)",
        "part: “find trains from Basel to Ulm tomorrow,”",
        "candidate findTrains",
        "from = 'Basel' from “Basel”",
        "to = 'Ulm' from “Ulm”",
        "findTrains is meant with a likelihood of",
        "part: “then cancel booking QW72LM”",
        "candidate cancelBooking",
        "bookingId = 'QW72LM' from “QW72LM”",
        "cancelBooking is meant with a likelihood of",
    ]

    assert [text.find(stage) for stage in stages] == sorted(text.find(stage) for stage in stages)
    assert all(stage in text for stage in stages)


def test_what_is_missing_is_named() -> None:
    """A parameter that the goal says nothing of is missing, and not guessed."""
    assert "    from is missing" in lines_of("find trains to Ulm")


def test_a_goal_without_a_tool_is_said_to_have_none() -> None:
    """No tool has a word of it, and nothing is called."""
    assert "  no tool has a word of it" in lines_of("knit a scarf")


def test_choices_of_the_page_count() -> None:
    """A text that another tool lists takes one of the choices that the page shows."""
    kind = {"type": "string", "description": "A name from listKinds."}
    tools = [
        {"name": "listKinds", "description": "List the kinds.", "annotations": {"readOnlyHint": True}},
        {
            "name": "showKind",
            "description": "Show one kind of cake.",
            "inputSchema": {"type": "object", "properties": {"kind": kind}, "required": ["kind"]},
        },
    ]  # fmt: skip
    shown = [Element(i, "radio", name) for i, name in enumerate(("Fruit", "Cheese", "Nuts"))]
    scene = Scene(Snapshot(ORIGIN, elements=tuple(shown)), bindings_from(tools), datetime(2026, 11, 24))  # fmt: skip
    assert any("kind = 'Cheese' from “cheese”" in line for line in why("show me the cheese", scene))
