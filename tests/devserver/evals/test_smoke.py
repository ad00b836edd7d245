"""Smoke runs: the expected calls themselves, made in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date, timedelta
from typing import Any

import pytest

from webagent.page.fakes import FakePage
from webagent.page.offers import PageTool, Target
from webagent.types import Manifest
from webagent_dev.evals.case import Case
from webagent_dev.evals.case_file import read_cases
from webagent_dev.evals.case_runner import Settings
from webagent_dev.evals.environments import Setup
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.evals.recording import RecordingRegistry
from webagent_dev.evals.smoke import concrete, run_smoke, smoke_cases
from webagent_site.errors import UsageError


def cases(*expected: Any) -> list[Case]:
    message = {"role": "user", "type": "message", "content": "go"}
    entries = [
        {"name": f"case {number}", "messages": [message], "expectedCall": calls}
        for number, calls in enumerate(expected, 1)
    ]
    return read_cases(json.dumps(entries).encode(), "smoke.json")


def call(name: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"functionName": name, "arguments": {} if arguments is None else arguments, **more}


class Site:
    """Pages with tools; remembers the calls."""

    name = "site"
    has_page = True

    def __init__(self, **tools: Callable[[Any], Any]) -> None:
        self.made: list[tuple[str, Any]] = []
        self._tools = tools

    @asynccontextmanager
    async def opened(self, case: Case) -> AsyncIterator[Setup]:
        def tool(name: str) -> tuple[PageTool, Callable[[Any], Any]]:
            def execute(arguments: Any) -> Any:
                self.made.append((name, arguments))
                return self._tools[name](arguments)

            return PageTool(Target("modelContext", name)), execute

        page = FakePage({}, [tool(name) for name in self._tools])
        registry = RecordingRegistry(page)
        await registry.bind(Manifest())
        yield Setup(page, registry, None)


async def smoke(site: Site, *expected: Any, timeout_s: float = 20) -> list[Outcome]:
    found = cases(*expected)
    evaluation = Evaluation("smoke.json", "site", True, None, len(found), smoke=True)
    await run_smoke(found, site, evaluation, Settings(timeout_s=timeout_s))
    return evaluation.outcomes


async def test_calls_are_made_in_their_written_order() -> None:
    """Those of groups too; optional ones are left out, and constraints get values."""
    site = Site(a=lambda _: "fine", b=lambda _: {"success": True}, c=lambda _: None)
    (outcome,) = await smoke(
        site,
        [
            call("b", {"n": {"$gt": 3}}),
            {"unordered": [call("a"), {"ordered": [call("c"), call("b", {"n": 1})]}]},
            call("c", optional=True),
        ],
    )

    assert outcome.passed
    assert site.made == [("b", {"n": 4}), ("a", {}), ("c", {}), ("b", {"n": 1})]


@pytest.mark.parametrize(
    "result",
    [
        "Error: sold out",
        " error sold out",
        {"success": False, "message": "sold out"},
        {"error": "sold out"},
        '{"isError": true, "error": "sold out"}',
        {"isError": True, "content": [{"type": "text", "text": "sold out"}]},
    ],
)
async def test_a_result_that_reports_a_failure_fails_its_step(result: Any) -> None:
    """The report has the case, the step, the tool and its words; later steps are not made."""
    site = Site(a=lambda _: "no errors found", b=lambda _: result)
    first, second = await smoke(site, [call("a"), call("b"), call("a")], [call("a")])

    assert first.verdict == "failed"
    assert first.problem.startswith("step 2 of 3, `b`: the tool reports a failure: ")
    assert "sold out" in first.problem
    assert [row.verdict for row in first.rows] == ["agrees", "differs", "missing"]
    assert [name for name, _ in site.made] == ["a", "b", "a"]
    assert second.passed


@pytest.mark.conformance
async def test_a_tool_that_throws_is_missing_or_hangs() -> None:
    """Each ends its own case alone, the last one at its limit."""

    async def hangs(_: Any) -> None:
        await asyncio.Event().wait()

    def throws(_: Any) -> None:
        raise RuntimeError("broken")

    site = Site(a=lambda _: 1, throws=throws, hangs=hangs)
    outcomes = await smoke(
        site, [call("throws")], [call("gone")], [call("a"), call("hangs")], [call("a")],
        timeout_s=6,
    )  # fmt: skip

    assert [outcome.verdict for outcome in outcomes] == ["failed", "failed", "error", "passed"]
    problems = [outcome.problem for outcome in outcomes]
    assert problems[0].startswith("step 1 of 1, `throws`: threw: ")
    assert problems[1].startswith("step 1 of 1, `gone`: there is no tool `gone`")
    assert problems[2].startswith("step 2 of 2, `hangs`: it took longer than 6 s")


def test_what_cannot_be_called_is_reported_before_anything_is() -> None:
    """A call without arguments; a file that expects no call at all."""
    any_arguments = cases([call("a"), {"functionName": "b"}])
    with pytest.raises(UsageError, match=r"smoke\.json:1: step 2 of 'case 1' calls `b` with any"):
        smoke_cases(any_arguments, "smoke.json")
    with pytest.raises(UsageError, match="no case that expects a call"):
        smoke_cases(cases(None, [call("a", optional=True)]), "smoke.json")

    assert [case.name for case in smoke_cases(cases(None, [call("a")]), "f")] == ["case 2"]


@pytest.mark.parametrize(
    ("expected", "schema", "value"),
    [
        ({"$pattern": "Bob.*Smith"}, {}, "Bob Smith"),
        ({"$pattern": "^555.*123.*4567$"}, {}, "555 123 4567"),
        ({"$pattern": "^(?=.*\\d)[a-z]+\\d$"}, {}, "a1"),
        ({"$pattern": "(?i)^(red|blue)$", "$contains": "blue"}, {}, "blue"),
        ({"$contains": "York"}, {}, "York"),
        ({"$eq": [1]}, {}, [1]),
        ({"$gte": 5, "$lt": 6}, {}, 5),
        ({"$gt": 1, "$lt": 2}, {}, 1.5),
        ({"$lt": 3}, {}, 2),
        ({"$type": "string"}, {"type": "string", "enum": ["x", "y"]}, "x"),
        ({"$type": "number"}, {}, 1),
        ({"$type": "null"}, {}, None),
        ({"$any": True}, {}, "sample"),
        ({"a": [{"$type": "boolean"}, 1]}, {}, {"a": [True, 1]}),
    ],
)
def test_a_constraint_gets_a_value_that_it_lets_pass(
    expected: Any, schema: Any, value: Any
) -> None:
    """From its own words first, then from the schema of the tool."""
    assert concrete(expected, schema) == value


@pytest.mark.parametrize(
    ("schema", "name"), [({"type": "string", "format": "date"}, "value"), ({}, "startDate")]
)
def test_a_date_is_tomorrows(schema: Any, name: str) -> None:
    """By its format or its name; also in a run over midnight."""
    before = date.today()
    value = concrete({name: {"$type": "string"}}, {"properties": {name: schema}})[name]
    days = {before + timedelta(days=1), date.today() + timedelta(days=1)}

    assert value in {day.isoformat() for day in days}
