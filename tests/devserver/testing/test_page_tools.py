"""`tools` of a test, over a client that answers what the test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from webagent import parse
from webagent.diagnostics import Finding, Severity
from webagent.errors import NotLoggedIn, ToolThrew
from webagent.results import Call, ExecutionResult
from webagent.source import Span
from webagent_dev.testing import page_tools
from webagent_dev.testing.asserting import ProgramFailed, ResultMismatch, ToolCallFailed
from webagent_dev.testing.page_tools import PageTools

MANIFEST = parse(
    "# Shop\n\n## find\nFinds.\n\n### Params\n- `word` (string, required): What.\n"
    "- `limit` (number, optional): How many.\n\n### Output\n```ts\n{ total: number }\n```\n\n"
    "## clear\nClears.\n\n### Params\n\n## leave\nLeaves.\n\n### Params\n\n"
    "### Output\n```ts\nvoid\n```\n\n## count\nCounts.\n\n### Params\n\n### Output\n```ts\nnumber\n```\n\n"
    '### Output Schema\n```json\n{"maximum": 9}\n```\n\n## Rules\nNone.\n'
)


class Client:
    """Answers like a `SyncAgentClient`, without a page."""

    def __init__(self) -> None:
        self.manifest = MANIFEST
        self.answers: dict[str, ExecutionResult] = {}
        self.looked = 0
        self.found: list[Finding] = []
        self.program = ExecutionResult(1)

    def tools(self, page: Any) -> list[dict[str, Any]]:
        self.looked += 1
        listed: list[dict[str, Any]] = [
            {"name": name, "available": True} for name in MANIFEST.tool_names
        ]
        schema = {"type": "object", "required": ["id"]}
        return [*listed, {"name": "draft", "available": True, "output_schema": schema}]

    def call(self, page: Any, name: str, /, *arguments: Any, **named: Any) -> ExecutionResult:
        return self.answers[name]

    def run_code(self, page: Any, code: str, **options: Any) -> ExecutionResult:
        return self.program

    def drift(self, page: Any) -> list[Finding]:
        return self.found


class Page:
    """Only waits."""

    url = "https://shop.example/"

    def wait_for_timeout(self, ms: float) -> None:
        """Wait for nothing."""


@pytest.fixture(name="client")
def _client() -> Client:
    return Client()


@pytest.fixture(name="tools")
def _tools(client: Client) -> PageTools:
    return PageTools(Page(), client)  # type: ignore[arg-type]


def test_a_tool_is_called_like_a_function(tools: PageTools, client: Client) -> None:
    """By its name, whatever that is; values are Python's."""
    client.answers["find"] = ExecutionResult({"total": 2, "at": {"$type": "date", "value": ""}})
    client.answers["leave"] = ExecutionResult({"$type": "undefined"})

    assert tools.find("x") == {"total": 2, "at": None}
    assert tools["find"](word="x")["total"] == 2
    assert tools.leave() is None
    assert tools.names == ["find", "clear", "leave", "count", "draft"]
    assert [call.partition(" →")[0] for call in tools.made] == [
        'find("x")',
        'find({ word: "x" })',
        "leave()",
    ]


def test_a_value_of_another_type_fails_the_test(tools: PageTools, client: Client) -> None:
    """The message has the call, the place, the declared type and the line of the manifest."""
    client.answers["find"] = ExecutionResult({"total": "2"})
    with pytest.raises(ResultMismatch) as caught:
        tools.find(word="x", limit=1)

    lines = str(caught.value).splitlines()
    assert lines[0] == '`find({ word: "x", limit: 1 })` gave something else than is declared'
    assert "  at        total: expected number, got string" in lines
    assert "  declared  find(word: string, limit?: number): Promise<{ total: number }>" in lines
    assert "            webagents.md:3" in lines


@pytest.mark.parametrize("value", ["two", 10])
def test_a_type_counts_beside_a_schema(tools: PageTools, client: Client, value: Any) -> None:
    """The manifest says both, and programs are written against the type."""
    client.answers["count"] = ExecutionResult(value)

    with pytest.raises(ResultMismatch):
        tools["count"]()


def test_a_tool_that_registers_itself_is_compared_with_its_schema(
    tools: PageTools, client: Client
) -> None:
    """It is not in the manifest, so what it says of itself counts."""
    client.answers["draft"] = ExecutionResult({})

    with pytest.raises(ResultMismatch, match="id"):
        tools.draft()


def test_a_call_that_fails_fails_the_test(tools: PageTools, client: Client) -> None:
    """Unless it should: `fails` returns how, and `result` everything."""
    client.answers["find"] = ExecutionResult(error=NotLoggedIn("not logged in", tool="find"))
    with pytest.raises(ToolCallFailed, match=r'`find\("x"\)` failed with `not_logged_in`'):
        tools.find("x")

    assert tools.fails("find", "x", kind="not_logged_in").message == "not logged in"
    assert not tools.result("find", "x").ok
    with pytest.raises(ToolCallFailed, match="expected to fail with `threw`"):
        tools.fails("find", "x", kind="threw")
    client.answers["find"] = ExecutionResult({"total": 1})
    with pytest.raises(AssertionError, match=r'should have failed, and gave \{"total": 1\}'):
        tools.fails("find", "x")


def test_a_program_gives_its_value_or_fails_the_test(tools: PageTools, client: Client) -> None:
    """The calls that it made are in the report of a failure."""
    client.program = ExecutionResult({"$type": "bigint", "value": "10"})
    assert tools.run("10n") == 10

    call = Call(1, "find", "manifest", ["x"])
    client.program = ExecutionResult(error=ToolThrew("no"), calls=(call,))
    with pytest.raises(ProgramFailed, match="failed with `threw`: no"):
        tools.run("await global.find('x')")
    assert tools.made == ['find("x") (of a program)']


def test_drift_is_reported_line_by_line(tools: PageTools, client: Client) -> None:
    """Notes do not fail a test."""
    note = Finding("undeclared-function", Severity.INFO, "a note", "", Span(0, 0))
    client.found = [note]
    tools.assert_as_declared()

    start = MANIFEST.content.index("clear")
    client.found.append(
        Finding("missing-function", Severity.WARNING, "no `clear`", "", Span(start, start + 5))
    )
    with pytest.raises(AssertionError, match=r"\n  webagents\.md:\d+: no `clear`$"):
        tools.assert_as_declared()


def test_a_tool_that_comes_late_is_waited_for(
    tools: PageTools, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that never comes is still called, so that the page lists what it has."""
    client.answers["find"] = ExecutionResult({"total": 1})
    listed: Callable[[Any], Any] = client.tools
    monkeypatch.setattr(
        client, "tools", lambda page: listed(page) if client.looked > 3 else _miss(client)
    )
    assert tools.find("x") == {"total": 1}
    looked = client.looked
    tools.find("x")
    assert client.looked == looked

    monkeypatch.setattr(page_tools, "_LATE_S", 0.0)
    client.answers["other"] = ExecutionResult(error=ToolThrew("nobody knows `other`"))
    with pytest.raises(ToolCallFailed, match="nobody knows"):
        tools.other()


def _miss(client: Client) -> list[dict[str, Any]]:
    client.looked += 1
    return []


def test_names_of_python_are_not_tools(tools: PageTools) -> None:
    """Code that looks for `__array__` or `_repr_html_` finds nothing."""
    assert not hasattr(tools, "_repr_html_")
    assert not hasattr(tools, "__wrapped__")
