"""Calls of an agent are recorded by name, and those that it may not make are refused."""

from __future__ import annotations

from typing import Any

import pytest

from webagent.agent import Request
from webagent.errors import Denied
from webagent.page.fakes import FakePage
from webagent.page.offers import PageTool, Target
from webagent.types import Manifest, Param, Tool
from webagent_dev.evals.recording import EvalPerson, RecordingRegistry

FIND = Tool(
    name="find",
    params=[
        Param(name="query"),
        Param(name="limit", type="number", required=False),
        Param(name="shelf", required=False),
    ],
)
PUT = Tool(name="put", params=[Param(name="shelf"), Param(name="...items", type="string[]")])
SCHEMA = {"type": "object", "properties": {"item": {"type": "object"}}}


@pytest.fixture(name="registry")
async def _registry() -> RecordingRegistry:
    page = FakePage(
        {"find": lambda *_: "found", "put": lambda *_: None},
        [(PageTool(Target("modelContext", "add"), input_schema=SCHEMA), lambda given: given)],
    )
    registry = RecordingRegistry(page)
    await registry.bind(Manifest(tools=[FIND, PUT]))
    return registry


@pytest.mark.parametrize(
    ("name", "arguments", "by_name"),
    [
        ("find", ["x", 2], {"query": "x", "limit": 2}),
        ("find", ["x", {"$type": "undefined"}, "a"], {"query": "x", "shelf": "a"}),
        ("put", ["top", "a", "b"], {"shelf": "top", "items": ["a", "b"]}),
        ("nope", ["x"], {}),
        ("add", [{"item": {"id": 1}}], {"item": {"id": 1}}),
        ("add", [], {}),
    ],
)
async def test_calls_in_order_are_written_down_by_name(
    registry: RecordingRegistry, name: str, arguments: list[Any], by_name: dict[str, Any]
) -> None:
    """A program calls with arguments in order, or one object; they are compared by name."""
    await registry.call(name, arguments)

    assert [(made.name, made.arguments) for made in registry.recorded_calls] == [(name, by_name)]


async def test_results_of_calls_are_recorded(registry: RecordingRegistry) -> None:
    """Its value, or why it failed; what did not fit, or does not exist, was refused."""
    await registry.invoke("find", {"query": "x"})
    await registry.invoke("find", {"query": 3})
    await registry.call("nope", [1])

    good, bad, unknown = registry.recorded_calls
    assert (good.value, good.error, good.refused) == ("found", None, False)
    assert bad.refused
    assert bad.error is not None
    assert bad.error["kind"] == "invalid_arguments"
    assert unknown.refused
    assert unknown.arguments == {}


def approval(tool: str, **arguments: Any) -> Request:
    return Request("approval", "May I?", {"tool": tool, "arguments": arguments})


async def test_the_person_allows_what_the_case_expects(registry: RecordingRegistry) -> None:
    """Plans pass, expected tools too; another tool is refused and written down."""
    person = EvalPerson(registry, frozenset({"add"}))

    assert (await person.ask(Request("plan", "I will."))).yes
    assert (await person.ask(approval("add"))).yes
    refused = await person.ask(approval("find", query="x"))
    assert not refused.yes
    assert [(made.name, made.arguments, made.refused) for made in registry.recorded_calls] == [
        ("find", {"query": "x"}, True)
    ]
    assert registry.recorded_calls[0].error == Denied(refused.text, tool="find").to_dict()


async def test_the_person_lets_nothing_else_be_changed(registry: RecordingRegistry) -> None:
    """Pressing a button that changes something is not a call of a tool, and not allowed."""
    person = EvalPerson(registry, frozenset({"add"}))

    assert not (await person.ask(Request("approval", "May I press it?", {"action": "click"}))).yes
    assert registry.recorded_calls == []


async def test_the_person_answers_no_question(registry: RecordingRegistry) -> None:
    """The questions are kept."""
    person = EvalPerson(registry, None)

    assert not (await person.ask(Request("question", "which one?"))).yes
    assert person.asked == ["which one?"]
    assert (await person.ask(approval("anything"))).yes
