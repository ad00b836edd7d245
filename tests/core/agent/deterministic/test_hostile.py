"""Goals, tools and results that want to hang or break the planner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import at_once, bindings_from, follow
from tests.timing import takes_at_most

_SEARCH: dict[str, Any] = {
    "name": "searchThings",
    "description": "Search things.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
    "annotations": {"readOnlyHint": True},
}
_DEEP: Any = {}
for _ in range(40):
    _DEEP = {"a": [_DEEP]}


@pytest.mark.parametrize(
    "goal",
    [
        "a" * 100_000, "+" * 100_000, "1," * 50_000, '"' * 100_000, "from to by " * 9_000,
        "12:30 tomorrow " * 7_000, "ab-12 " * 17_000, "find x and " * 9_000, "a.b@c." * 17_000,
        "\u202e\ufdfd٣’ \x00" * 9_000, "\ud800 find", "", " \n\t", "?" * 999, "the the the", "0" * 5_000,
        "99999999999999999999 of them", "in 99999 days", "30 February", "2026-13-45", "next", "of",
        "on 9999-12-31 and on the day after", "on 0001-01-01 and the day before", "easter 9999", "on 31 December 9999 and on the 3rd",
    ],
    ids=range(26),
)  # fmt: skip
async def test_goal(goal: str) -> None:
    """Whatever the goal is, the run comes to an end."""
    outcome = await follow(goal, bindings_from([_SEARCH]), lambda *_: [])
    assert outcome.text


@pytest.mark.parametrize(
    "result",
    [None, "x" * 100_000, 7, [], [[[]]], _DEEP, [{"id": None}], {"a": float("inf")}, [1] * 5_000,
     [{"id": i, "name": "n" * 500} for i in range(2_000)], {"": ""}, [{"price": "9" * 400}]],
    ids=range(12),
)  # fmt: skip
async def test_result(result: Any) -> None:
    """Whatever a tool gives back, the next request is still dealt with, and the notes stay small."""
    tools = [*_tools(), _SEARCH]
    outcome = await follow(
        "find mugs and buy the cheapest", bindings_from(tools), lambda *_: result
    )
    assert outcome.text
    assert len(str(outcome.run.notes)) < 400_000


@pytest.mark.parametrize(
    "schema",
    [
        None, {}, {"type": "string"}, {"properties": []}, {"properties": {"a": None, "b": True}},
        {"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]},
        {"properties": {"a": {"enum": []}, "b": {"enum": [None, {}, []]}}, "required": "a"},
        {"properties": {f"p{i}": {"type": "string"} for i in range(2_000)}},
        {"properties": {"": {"type": ["null"]}, "ä🍕": {"anyOf": [{}]}}, "required": [""]},
        {"properties": {"sort": {"enum": [["price", "asc"], {"by": "price"}, "cheapest"]}}},
        {"properties": {"arrival": {"enum": ["08-12", {}, "24-0", "٩-٣"]}, "departure": {"enum": ["08-12", {}, "24-0", "٩-٣"]}}},
    ],
    ids=range(11),
)  # fmt: skip
async def test_schema(schema: Any) -> None:
    """Whatever a tool's schema is, the goal comes to an end."""
    tool = {**_SEARCH, "inputSchema": schema}
    goal = (
        "search red things, cheapest first, for 5 euros between 8 and 99999999999999 every 2 weeks"
    )
    outcome = await follow(goal, bindings_from([tool]), lambda *_: [])
    assert outcome.text


async def test_ten_thousand_tools() -> None:
    """Of ten thousand tools the first thousand are looked at; which of equal ones is meant is asked."""
    (tool,) = bindings_from([_SEARCH])
    tools = [replace(tool, name=f"searchThings{number}") for number in range(10_000)]
    outcome = await follow("search red things", tools, lambda *_: [])
    assert outcome.calls == []
    assert outcome.questions == ["Shall I search things?"]


async def test_strange_names() -> None:
    """Tools whose names are no words hurt nothing."""
    names = ["", "🍕", "x" * 5_000, "__", "a-b.c", "9", "Ω", "then and"]
    tools = bindings_from([{**_SEARCH, "name": name} for name in names])
    assert (await follow("search red things", tools, lambda *_: [])).text


def _tools() -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    return [
        {"name": "buyThing", "description": "Buy a thing.", "inputSchema": schema,
         "annotations": {"consequentialHint": True}},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "goal"),
    [
        ({"mark": {"type": "string", "enum": [""]}}, "search things with a mark"),
        ({"mark": {"type": "string", "pattern": "(([0-9T:-]+)+)+x"}}, "search things"),
        (
            {"start": {"type": "string", "format": "date-time"}, "hours": {"type": "number"}},
            "search things from 2027-03-05T10:00Z to 2027-03-05T12:00",
        ),
        (
            {"from": {"type": "string", "format": "date"}, "to": {"type": "string", "format": "date"}},
            "search things from 5 March 2027 for 99999999999999 years",
        ),
    ],
    ids=["empty choice", "slow pattern", "one time zone", "endless span"],
)  # fmt: skip
async def test_a_span_or_choice_that_cannot_be_read(schema: dict[str, Any], goal: str) -> None:
    """It is left out, and the run comes to an end."""
    tool = {**_SEARCH, "inputSchema": {"type": "object", "properties": schema}}
    outcome = await follow(goal, bindings_from([tool]), lambda *_: [])
    assert outcome.text


@pytest.mark.parametrize(
    "text",
    [
        "short:" + " " * 100_000, "1" * 100_000, "-1 " * 30_000, "short (" * 14_000, "'short' " * 12_000, "or " * 30_000,
        "short < 4 min " * 7_000, "1 =" + " " * 100_000, "or x" + " " * 100_000 + "(", "short:" + "\n" * 100_000 + "<",
    ],
    ids=range(10),
)  # fmt: skip
def test_descriptions_of_parameters_take_linear_time(text: str) -> None:
    """A hundred kilobytes of what may explain a choice, a number or a switch are read at once."""
    properties = {
        "length": {"type": "string", "enum": ["short", "long"], "description": text},
        "stops": {"type": "integer", "description": text},
        "alerts": {"type": "boolean", "description": text},
    }
    tool = {**_SEARCH, "inputSchema": {"type": "object", "properties": properties}}
    tools = bindings_from([tool])
    goal = "search things under 4 minutes, nonstop, with alerts"

    assert takes_at_most(2, lambda: at_once(follow(goal, tools, lambda *_: [])))
