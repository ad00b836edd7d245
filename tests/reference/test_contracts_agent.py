"""The contracts of the agent: results, errors, runs, actions, and requests to the person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from tests.reference.contracts import column, fields_when, prose, rows
from tests.reference.tables import code, codes
from tests.reference.typescript import declaration, members, source_with
from webagent import Tool
from webagent.agent import (
    EVENTS,
    Answer,
    Budget,
    Decision,
    Driver,
    Intent,
    Ruling,
    Run,
    Scene,
    default_actions,
)
from webagent.agent.grants import GrantKind
from webagent.agent.permissions import approval
from webagent.agent.person import RequestKind
from webagent.errors import InternalError, ToolError
from webagent.page.fakes import FakePage
from webagent.page.offers import Target
from webagent.page.snapshot import Element, Snapshot
from webagent.page.values import decode
from webagent.registry import Binding, ExecutionResult, ToolRegistry
from webagent.replay.program import MARKS, Given, Program, Step
from webagent.types import Behavior


def test_results() -> None:
    """The fields of a result and of an error."""
    always, other = fields_when("Results")
    good = ExecutionResult(value=1).to_dict()
    bad = ExecutionResult(
        error=InternalError("a message", tool="a", path="b", help="c"),
    ).to_dict()

    assert set(good) == always | {"value"}
    assert set(bad) == always | {"error"}
    assert other == {"value", "error"}
    always, other = fields_when("Errors")
    assert set(bad["error"]) == always | other
    assert set(InternalError("a message").to_dict()) == always


def test_kinds_of_errors() -> None:
    """Python has all; the page has those that its column names."""
    kinds = {cls.kind: cls.__name__ for cls in ToolError.__subclasses__()}
    found = {code(row["kind"]): code(row["in Python"]) for row in rows("Kinds of errors")}
    assert found == kinds
    page = declaration("const KINDS = ", beside="export class WebagentError ")
    assert set(re.findall(r'"(\w+)"', page)) == {
        code(row["kind"]) for row in rows("Kinds of errors") if row["in the page"] == "yes"
    }


def test_tagged_values() -> None:
    """Those that the page writes; Python reads each as the table says."""
    source = source_with("export function encode(")
    written = set(re.findall(r'(?:tagged\(|\$type: )"(\w+)"', source))
    assert set(column("Tagged values", "`$type`")) == written
    examples: dict[str, Any] = {
        "number": "NaN",
        "bigint": "9007199254740993",
        "date": "2026-11-23T00:00:00.000Z",
        "binary": "YQ==",
        "file": "YQ==",
        "map": [["a", 1]],
        "set": [1],
        "object": {"$type": "mine"},
    }
    for row in rows("Tagged values"):
        tag = {"$type": code(row["`$type`"]), "value": examples.get(code(row["`$type`"]), "x")}
        read = decode(tag)
        wanted = row["Python reads it as"]
        if wanted == "the tagged object":
            assert read == tag
        else:
            assert code(wanted) in (type(read).__name__, repr(read))


@pytest.mark.parametrize(("goal", "outcome"), [("hello", "value"), ("order a pizza", "error")])
async def test_results_of_runs(goal: str, outcome: str) -> None:
    """The fields of a result besides those of a call, also of a run that reached nothing."""
    page = FakePage({})
    result = (await Driver(page, ToolRegistry(page)).run(goal)).to_dict()

    assert set(result) == fields_when("Results")[0] | {outcome} | set(
        column("Result of a run", "field")
    )
    (spent,) = [row for row in rows("Result of a run") if row["field"] == "`spent`"]
    assert set(result["spent"]) == set(re.findall(r"\w+", codes(spent["what"])[0]))


def test_budgets() -> None:
    """The statements of the text about them."""
    (said,) = re.findall(
        r"A budget is `\{(.+?)\}`, by default (\d+) steps and (\d+) seconds", prose()
    )

    assert said[0].split(", ") == [each.name for each in fields(Budget)]
    assert Budget() == Budget(steps=int(said[1]), seconds=float(said[2]))


def test_events_of_a_run() -> None:
    """The table of the agent."""
    assert {code(row["type"]): codes(row["fields"]) for row in rows("Events of a run")} == {
        name: [*known] for name, known in EVENTS.items()
    }


def test_kept_programs() -> None:
    """The fields of a program, a step and a ground, and the marks in arguments."""
    assert column("Kept programs", "field") == [*Program.model_fields]
    assert column("Kept programs", "field", 1) == [*Step.model_fields]
    marks = [re.findall(r"\$\w+", row["mark"])[0] for row in rows("Kept programs", 2)]
    assert marks == [*MARKS]
    assert column("Kept programs", "field", 3) == [*Given.model_fields]


def test_details_of_approvals() -> None:
    """The fields of a request that has all, and of one that has the least."""
    run, scene = Run("", ""), Scene(Snapshot(), (), datetime.now(UTC))
    element = Element(1, "button", "Save")
    least = approval(Intent("wait"), Decision(Ruling.ASK), run, scene)
    save = Intent(
        "click",
        tool="save",
        label="Save",
        place="/",
        to="https://a.example",
        element=element,
        sends={"plan": "none"},
    )
    asks = Decision(Ruling.ASK, session=True, surprise=True)
    names = ("save", "\u0455ave")
    behavior = Behavior(confirm="Save it?")
    tools = [Binding(Tool(name=n, behavior=behavior), Target("global", n), n) for n in names]
    most = approval(save, asks, run, replace(scene, tools=tools), calls=[{}, {}])
    own = approval(replace(save, to=""), asks, run, replace(scene, tools=tools))
    always, other = fields_when("Requests to the person")

    assert set(least.details) == always
    assert {*most.details, *own.details} == always | other
    assert most.details["similar"] == ["\u0455ave"]
    assert set(most.details["grants"][0]) == {"key", "kind", "text"}
    (said,) = re.findall(r"`kind` of a grant is ([^.]+)\.", prose())
    assert codes(said) == [*get_args(GrantKind)]
    (said,) = re.findall(r"`\{kind, text, details\}`; `kind` is ([^.]+)\.", prose())
    assert codes(said) == [*get_args(RequestKind)]


def test_fields_of_answers() -> None:
    """In Python, and in the page."""
    names = column("Requests to the person", "field of an answer", 1)

    assert names == [*Answer().to_dict()]
    assert set(names) == set(members("export interface Answer ", beside="export type Ask = "))


def test_actions() -> None:
    """Those that every agent has, with their parameters; no action takes others."""
    definitions = [action.definition for action in default_actions()]

    assert [
        (code(row["action"]), codes(row["parameters"])) for row in rows("Actions of the agent")
    ] == [(each.name, [*_parameters(each.parameters)]) for each in definitions]
    assert all(each.parameters["additionalProperties"] is False for each in definitions)


def test_entries_of_a_form() -> None:
    """The keys that an entry of `form_data` may have."""
    (enter,) = [a.definition for a in default_actions() if a.definition.name == "enter_data"]
    entry = enter.parameters["properties"]["form_data"]["items"]["properties"]

    assert {
        code(row["key of an entry"]): code(row["type"]) for row in rows("Actions of the agent", 1)
    } == {name: schema["type"] for name, schema in entry.items()}


def _parameters(schema: dict[str, Any]) -> Iterator[str]:
    for name in schema["properties"]:
        yield name if name in schema["required"] else f"{name}?"
