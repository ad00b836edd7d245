"""Sample code: values for variables that are parameters, and the line of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devserver.contract.kit import World, failed, line, manifest, proof, prove, tool
from webagent.checks import check
from webagent.checks.sample_code.javascript import read_code
from webagent.errors import InvalidArguments, ToolThrew
from webagent.page.offers import Offers
from webagent.page.port import CallTool
from webagent.registry.catalogue import bindings_of
from webagent.results import ExecutionResult
from webagent_dev.contract.generation import example
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.samples import filled, free_names
from webagent_dev.reports.content import Verdict

PARAMS = (
    "- `query` (string, required): Words.\n- `limit` (number, optional, default=5): Most.\n"
    '- `kind` ("new" | "used", optional): Which.\n- `since` (Date, optional): From when.\n'
    "- `email` (string, optional): Where."
)
SCHEMA = (
    "\n\n### Input Schema\n```json\n"
    '{"type": "object", "properties": {"email": {"type": "string", "format": "email"}, '
    '"size": {"type": "integer", "minimum": 40}, "tags": {"type": "array", "minItems": 1, '
    '"items": {"type": "string", "maxLength": 2}}}}\n```'
)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("await global.find(query, limit)", {"query", "limit"}),
        ("const query = 'a'; await global.find(query)", set()),
        ("const { limit } = await global.find(query)", {"query"}),
        ("for (const query of ['a']) await global.find(query)", set()),
        ("[1].map((limit) => limit); [1].map(query => query)", set()),
        ("function f(query) { return query; }", set()),
        ("await global.find({ query: 'a' }).limit", set()),
        ("await global.find({ query: limit })", {"limit"}),
        ("try { f() } catch (query) { query }", set()),
    ],
)
def test_variables_that_a_program_does_not_declare(code: str, names: set[str]) -> None:
    """Members, keys and what it declares itself are left out."""
    assert free_names(read_code(code)) & {"query", "limit"} == names


def test_parameters_that_are_variables_get_values() -> None:
    """Those that the declaration suggests; the lines of the program stay where they are."""
    text = manifest(tool("find", PARAMS))
    binding = bindings_of(check(text).manifest, Offers())["find"]
    code, names = filled("// All:\nawait global.find(query, limit, kind, since);", binding)

    assert names == ("query", "limit", "kind", "since")
    assert code == (
        'const query = "example"; const limit = 5; const kind = "new"; '
        'const since = new Date("2030-05-01T12:00:00Z"); '
        "{ // All:\nawait global.find(query, limit, kind, since);\n}"
    )
    assert filled('await global.find("tea");', binding) == ('await global.find("tea");', ())


def test_generated_values_fit_the_schema() -> None:
    """Its formats and its bounds."""
    text = manifest(
        tool("f", "- `email` (string)\n- `size` (number)\n- `tags` (string[])") + SCHEMA
    )
    binding = bindings_of(check(text).manifest, Offers())["f"]

    values = [example(binding, name) for name in ("email", "size", "tags")]
    assert values[:2] == ['"ada@example.com"', "40"]
    assert values[2] in ('[""]', '["a"]')


def world_of(result: ExecutionResult, calls: int = 1) -> World:
    """Return a site whose programs call `find` and end in the same way."""

    async def program(code: str, call: CallTool) -> ExecutionResult:
        for _ in range(calls):
            made = await call("find", ["tea"])
        return made if result.error is None else result

    return World(lambda _: {"find": lambda query: [query]}, program=program)


async def test_generated_values_that_are_refused_are_no_fault() -> None:
    """Only its author knows ids of the site; the tool may say so."""
    text = manifest(
        tool("find", "- `query` (string, required)", "string[]", "await global.find(query);")
    )
    world = world_of(ExecutionResult(error=ToolThrew("there is no such tea")))
    report = await prove(text, world)
    found = proof(report, "sample")

    assert report.ok
    assert found.verdict is Verdict.SKIPPED
    assert "has variables where values belong: `query`" in found.message
    assert "there is no such tea" in found.message


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ToolThrew("ReferenceError: rows is not defined"), "rows.length"),
        (
            ToolThrew("TypeError: Cannot read properties of undefined (reading 'name')"),
            "first.name",
        ),
        (InvalidArguments("limit: expected number, got string", path="limit"), '"five"'),
    ],
)
async def test_a_sample_that_fails_has_the_line_that_fails(error: Any, words: str) -> None:
    """The name in the message of the engine, or else the call."""
    code = (
        'const first = await global.find("tea");\nfirst.name;\nrows.length;\n'
        'await global.find("five");'
    )
    text = manifest(tool("find", "- `query` (string, required)", "string[]", code))
    report = await prove(text, world_of(ExecutionResult(error=error), calls=2))
    found = proof(report, "sample")

    assert found.verdict is Verdict.FAILED
    assert found.place is not None
    assert found.place.line == line(text, words)


async def test_a_declared_type_that_the_function_does_not_have_is_the_culprit() -> None:
    """The sample code passes what works."""
    text = manifest(
        tool("get", "- `id` (string, required): Its id.", "{ id: number }", "await global.get(7);")
    )

    def get(number: Any) -> dict[str, Any]:
        return {"id": number if type(number) is int else 0}

    report = await prove(text, {"get": get})
    found = proof(report, "sample")

    assert failed(report) == ["sample"]
    assert "`get` takes 7 for `id`, as its sample code passes it" in found.message
    assert found.place is not None
    assert found.place.line == line(text, "- `id` (string")


async def test_a_sequence_counts_what_ran_to_its_end() -> None:
    """And never says that all ran above failures."""

    def fail() -> None:
        raise ValueError("not today")

    names = ("one", "two", "three")
    text = manifest(
        *(tool(name, "", "", f"await global.{name}();", "effect: write") for name in names)
    )
    functions = {"one": lambda: 1, "two": fail, "three": fail}
    report = await prove(text, functions, permission=Permission(writes=True))

    assert report.sequences[0].message == "the sample codes, one after the other: 1 of 3 ran"
    assert len(report.sequences[0].remarks) == 2


async def test_a_mismatch_below_properties_of_one_name_has_its_own_line() -> None:
    """The path is followed through the type, and into the types that the manifest shares."""
    output = "{\n  id: string;\n  author: {\n    id: string;\n  };\n  press: Press;\n}"
    types = "## Types\n\n```typescript\ninterface Press {\n  town: string;\n}\n```"
    text = manifest(tool("get", "", output, "await global.get();"), types)
    value = {"id": "a", "author": {"id": 7}, "press": {"town": "x"}}
    own = proof(await prove(text, {"get": lambda: value}), "result")
    value = {"id": "a", "author": {"id": "b"}, "press": {"town": 7}}
    shared = proof(await prove(text, {"get": lambda: value}), "result")

    assert own.place is not None
    assert own.place.line == line(text, "    id: string;")
    assert shared.place is not None
    assert shared.place.line == line(text, "town: string")
