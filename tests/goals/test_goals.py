"""The goals are what their README says, and the scorer tells right from wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.goals.goals import PARTS, Goal, ToolSet, tool_sets
from tests.goals.score import same_value, score
from webagent.schema import check_schema

TRAINING = list(tool_sets("training"))
SETS = {part: list(tool_sets(part)) for part in PARTS}


def test_there_are_enough() -> None:
    """At least 400 goals to train with over 30 tool sets and four languages, 100 that call nothing."""
    goals = [goal for one in TRAINING for goal in one.goals]

    assert len(TRAINING) >= 30
    assert len(goals) >= 400
    assert sum(goal.calls_nothing for goal in goals) >= 100
    assert {goal.lang for goal in goals} == {"en", "de", "fr", "es"}
    assert min(len(SETS["held_back"]), len(SETS["ordinary"])) >= 10


@pytest.mark.parametrize("part", SETS)
def test_no_set_is_in_two_parts(part: str) -> None:
    """The planner is fitted to no set that is held back."""
    others = {one.name for name, sets in SETS.items() if name != part for one in sets}

    assert not others & {one.name for one in SETS[part]}


@pytest.mark.parametrize(
    "tool_set", [s for sets in SETS.values() for s in sets], ids=lambda s: s.name
)
def test_accepted_calls_obey_the_schemas(tool_set: ToolSet) -> None:
    """Each accepted call names a tool of its set, with arguments that the tool takes."""
    tools = {tool["name"]: tool["inputSchema"] for tool in tool_set.tools}
    left = list(tool_set.goals)
    while left:
        goal = left.pop()
        left += goal.then
        for name, arguments in (call for calls in goal.accepted for call in calls):
            if "$" not in str(arguments):
                assert check_schema(dict(arguments), _without_formats(tools[name])) == [], goal.text
        assert goal.reads <= tools.keys()


def _without_formats(schema: Any) -> Any:
    """Return a schema that takes times without seconds and zone, as the goals have them."""
    if isinstance(schema, Mapping):
        return {
            key: _without_formats(inner)
            for key, inner in schema.items()
            if not (key == "format" and inner in ("time", "date-time"))
        }
    return [_without_formats(inner) for inner in schema] if isinstance(schema, list) else schema


GOAL = Goal.from_dict(
    {
        "goal": "lock the gate",
        "lang": "en",
        "tags": [],
        "calls": [{"tool": "lock", "arguments": {"what": "Gate"}}],
        "reads": ["status"],
        "says": ["locked"],
    }
)
SET = ToolSet("home", "2026-11-24T10:00", [{"name": "lock"}, {"name": "status", "annotations": {"readOnlyHint": True}}], [], [GOAL])  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "asked", "text", "verdict", "wrong_write"),
    [
        ([("lock", {"what": "gate"})], [], "Locked.", "right", False),
        ([("status", {}), ("lock", {"what": "gate"})], [], "It is locked", "right", False),
        ([("lock", {"what": "door"})], [], "Locked.", "wrong", True),
        ([("lock", {"what": "gate"})], [], "Done.", "short", False),
        ([], ["what"], "", "asked", False),
        ([], [], "", "short", False),
    ],
)
def test_verdicts(
    calls: list[tuple[str, dict[str, str]]],
    asked: list[str],
    text: str,
    verdict: str,
    wrong_write: bool,
) -> None:
    """A call that nobody wants is wrong; a question or an answer that lacks something is not."""
    found = score(SET, GOAL, calls, asked, text)

    assert (found.verdict, found.wrong_write) == (verdict, wrong_write)


@pytest.mark.parametrize(
    ("got", "same"),
    [
        ([{"id": 1}, {"id": 2, "gift": False}], True),
        ([{"id": 1}, {"id": 2}], True),
        ([{"id": 1}], False),
        ([{"id": 1}, {"id": 2, "gift": True}], False),
        (1, False),
    ],
)
def test_patterns_in_lists(got: Any, same: bool) -> None:
    """An item of a list may leave out what is optional there."""
    want = [{"id": {"$any": [1, 5]}}, {"id": 2, "gift": {"$optional": False}}]
    assert same_value(want, got) is same
