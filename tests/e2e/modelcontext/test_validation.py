"""With `validation` on, schemas are restricted to a subset, and inputs must conform to them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.modelcontext.conftest import Run, our_script, runner
from tests.e2e.modelcontext.sites import Site

pytestmark = pytest.mark.conformance


@pytest_asyncio.fixture(name="run_validated", loop_scope="session")
async def _run_validated(
    browsers: dict[str, Browser], site: Site, other: Site
) -> AsyncIterator[Run]:
    context = await browsers["ours"].new_context()
    await context.add_init_script("globalThis.__webagentModelContext = { validation: 'on' };")
    await context.add_init_script(our_script())
    page = await context.new_page()
    await page.goto(site.origin)
    yield runner(page, site, other)
    await context.close()


CALL = """
    let calls = 0;
    await mc.registerTool(tool({name: 'v', inputSchema: given.schema, execute: () => `${++calls}`}));
    const {v} = await toolsBy();
    try { return await mc.executeTool(v, given.input) } catch ({name, message}) { return [name, JSON.parse(message), calls] }"""

NAMED = {
    "type": "object",
    "properties": {"a": {"type": "integer", "minimum": 1}},
    "required": ["a"],
}
MISFITS: dict[str, tuple[dict[str, Any], Any, str, str]] = {
    "missing": (NAMED, {}, "/a", "required"),
    "type": (NAMED, {"a": "x"}, "/a", "type"),
    "fraction": (NAMED, {"a": 1.5}, "/a", "type"),
    "minimum": (NAMED, {"a": 0}, "/a", "minimum"),
    "exclusive": (
        {"properties": {"a": {"exclusiveMaximum": 3}}},
        {"a": 3},
        "/a",
        "exclusiveMaximum",
    ),
    "own": (NAMED | {"required": ["toString"]}, {"a": 1}, "/toString", "required"),
    "list": (NAMED, [], "", "type"),
    "extra": (
        NAMED | {"additionalProperties": False},
        {"a": 1, "b/~": 2},
        "/b~1~0",
        "additionalProperties",
    ),
    "enum": (
        {"properties": {"a": {"enum": [{"x": 1, "y": 2}]}}},
        {"a": {"y": 2, "x": 2}},
        "/a",
        "enum",
    ),
    "pattern": ({"properties": {"a": {"pattern": "^[a-z]+$"}}}, {"a": "A"}, "/a", "pattern"),
    "length": ({"properties": {"a": {"maxLength": 1}}}, {"a": "ab"}, "/a", "maxLength"),
    "inside": (
        {
            "properties": {
                "a": {"prefixItems": [{"type": "string"}], "items": {"type": ["number", "null"]}}
            }
        },
        {"a": ["x", None, "y"]},
        "/a/2",
        "type",
    ),
}


@pytest.mark.parametrize("case", MISFITS)
async def test_misfit(run_validated: Run, case: str) -> None:
    """An input that does not conform is a `DataError` with place and keyword, and nothing runs."""
    schema, given, path, reason = MISFITS[case]
    expected = {"path": path, "reason": reason, "schemaPath": f"/{reason}"}
    assert await run_validated(CALL, {"schema": schema, "input": given}) == [
        "DataError",
        expected,
        0,
    ]


FITS: list[tuple[dict[str, Any], Any]] = [
    (NAMED, {"a": 1, "other": True}),
    ({"properties": {"a": {"enum": [{"x": 1, "y": [2]}]}}}, {"a": {"y": [2], "x": 1}}),
    ({"properties": {"a": {"maxLength": 1, "pattern": "^.$"}}}, {"a": "😀"}),
    ({"properties": {"a": {"minimum": 3}}}, {"a": "text"}),
    ({"title": "T", "description": "D", "default": {}, "examples": [], "$comment": "c"}, {}),
]


@pytest.mark.parametrize("number", range(len(FITS)))
async def test_fit(run_validated: Run, number: int) -> None:
    """An input that conforms reaches the function."""
    schema, given = FITS[number]
    assert await run_validated(CALL, {"schema": schema, "input": given}) == "1"


REFUSED: list[tuple[Any, str]] = [
    ({"properties": {"x": {"$ref": "#/y"}}}, "/properties/x/$ref"),
    ({"properties": {"x": {"format": "email"}}}, "/properties/x/format"),
    ({"items": {"prefixItems": [{}, {"if": {}}]}}, "/items/prefixItems/1/if"),
    ({"additionalProperties": True}, "/additionalProperties"),
    ({"pattern": "["}, "/pattern"),
    ({"type": "text"}, "/type"),
    ({"type": []}, "/type"),
    ({"minimum": "1"}, "/minimum"),
    ({"properties": {"x": 5}}, "/properties/x"),
    ({"toString": {}}, "/toString"),
    ([], "/"),
]


@pytest.mark.parametrize(("schema", "place"), REFUSED, ids=[place for _, place in REFUSED])
async def test_refused_schema(run_validated: Run, schema: Any, place: str) -> None:
    """A schema outside of the subset is a `TypeError` that names the place."""
    code = """
        try { await mc.registerTool(tool({inputSchema: given})) } catch ({name, message}) { return `${name}: ${message}` }"""
    told = await run_validated(code, schema)
    assert told.startswith("TypeError: ")
    assert f"invalid input schema: `{place}` is not supported" in told


async def test_schema_that_is_not_an_object(run_validated: Run) -> None:
    """JSON that is not an object is taken, and hides the tool, as without the option."""
    code = """
        await mc.registerTool(tool({inputSchema: {toJSON: () => 'text'}}));
        return (await mc.getTools()).length"""
    assert await run_validated(code) == 0


async def test_off(run_ours: Run) -> None:
    """Without the option nothing is checked."""
    given = {"schema": NAMED | {"format": "x"}, "input": {"a": "text"}}
    assert await run_ours(CALL, given) == "1"


async def test_script_tag(browsers: dict[str, Browser], site: Site) -> None:
    """`data-validation="on"` on the script tag is the same option."""
    page = await browsers["ours"].new_page()
    body = '<script data-validation="on" src="/ours.js"></script>'
    await page.route("**/page", lambda route: route.fulfill(content_type="text/html", body=body))
    await page.route(
        "**/ours.js", lambda route: route.fulfill(content_type="text/javascript", body=our_script())
    )
    await page.goto(f"{site.origin}/page")
    refused = await page.evaluate(
        "document.modelContext.registerTool({name: 'x', description: 'd', execute() {}, inputSchema: {format: 'x'}})"
        ".catch((error) => error.name)"
    )
    assert refused == "TypeError"
    await page.close()


async def test_across_origins(run_validated: Run) -> None:
    """A caller of another frame gets the same error."""
    code = """
        const child = await frame('');
        await child.contentDocument.modelContext.registerTool(tool({name: 'c', inputSchema: given}));
        const {c} = await toolsBy();
        return mc.executeTool(c, {}).catch(({name, message}) => [name, message])"""
    name, message = await run_validated(code, NAMED)
    assert [name, json.loads(message)["reason"]] == ["DataError", "required"]
