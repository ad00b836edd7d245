"""Choice between tools: one that the goal gives all it needs comes first, and a change needs something to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

from webagent.types import Behavior


def _tool(name: str, description: str, needed: Mapping[str, Any], **free: Any) -> dict[str, Any]:
    schema = {"type": "object", "required": [*needed], "properties": {**needed, **free}}
    return {"name": name, "description": description, "inputSchema": schema}


_TEXT = {"type": "string"}
_BED = {"bed_id": {"type": "string", "pattern": "^B[0-9]{3}$"}}
_TOOLS = bindings_from(
    [
        _tool("edit_bed", "Change the data of a garden bed.", _BED, label=_TEXT, sunny={"type": "boolean"}),
        _tool("water_now", "Water a garden bed at once.", _BED),
        _tool(
            "book_help", "Book a helper on a day.",
            {**_BED, "work": {"type": "string", "enum": ["digging", "pruning", "weeding"]}, "day": {"type": "string", "format": "date"}},
        ),
        _tool(
            "order_seeds", "Order the seeds of a week.",
            {"week": {"type": "string", "pattern": "^[0-9]{4}-W[0-9]{2}$", "description": "ISO week, such as 2027-W09"}},
        ),
        _tool("close_month", "Close the accounts of a month.", {"month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}}),
        _tool("bed-add-tags", "Put tags on a garden bed.", {**_BED, "tag": {"type": "string", "enum": ["shade", "dry"]}}),
        _tool("bed-remove-tags", "Take tags off a garden bed.", {**_BED, "tag": {"type": "string", "enum": ["shade", "dry"]}}),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ("water B204 right now", ("water_now", {"bed_id": "B204"})),
        ("some pruning for bed B204 on 20 July 2027 please", ("book_help", {"bed_id": "B204", "work": "pruning", "day": "2027-07-20"})),
        ("order the seeds for the week of 15 February 2027", ("order_seeds", {"week": "2027-W07"})),
        ("close the accounts of the month of May 2027", ("close_month", {"month": "2027-05"})),
        ("take the tag shade off bed B204", ("bed-remove-tags", {"bed_id": "B204", "tag": "shade"})),
        ("Beet B204 bitte gießen", ("water_now", {"bed_id": "B204"})),
    ],
)  # fmt: skip
async def test_the_tool_that_gets_all_it_needs_is_called(
    goal: str, call: tuple[str, dict[str, Any]]
) -> None:
    outcome = await follow(goal, _TOOLS, lambda *_: {"ok": True})
    assert outcome.calls == [call]


async def test_a_thing_alone_says_nothing_of_what_is_changed() -> None:
    """`edit_bed` of an id alone would change nothing."""
    outcome = await follow("B204 bed", _TOOLS, lambda *_: {"ok": True})
    assert "edit_bed" not in {name for name, _ in outcome.calls}


async def test_a_denied_value_denies_no_call() -> None:
    tool = _tool(
        "log_visit", "Write down a visit to a hive.", {"hive": {"type": "integer"}},
        queen_seen={"type": "boolean"}, frames={"type": "integer", "description": "Frames of brood"},
    )  # fmt: skip
    outcome = await follow(
        "log my visit to hive 4: 3 frames of brood, didn't see the queen",
        bindings_from([tool]),
        lambda *_: {"ok": True},
    )
    assert outcome.calls == [("log_visit", {"hive": 4, "frames": 3, "queen_seen": False})]


async def test_a_deprecated_tool_is_called_only_alone() -> None:
    """Another one that fits is called in its place, wherever both are in the list."""
    tools = bindings_from(
        [
            _tool("find_beds", "Find garden beds by a word.", {"word": _TEXT}),
            _tool("search_beds", "Search garden beds by a word.", {"word": _TEXT}),
        ]
    )
    for old, other in (tools, reversed(tools)):
        old.tool.behavior = Behavior(deprecated="use the other one")
        for given, name in ((tools, other.name), ([old], old.name)):
            outcome = await follow("find garden beds with roses", given, lambda *_: {"ok": True})
            assert [called for called, _ in outcome.calls] == [name]
        old.tool.behavior = Behavior()
