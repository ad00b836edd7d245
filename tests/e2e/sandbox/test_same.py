"""The same program gives the same result in the sandbox, in the page and from outside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page

from tests.browsers import BROWSER
from tests.e2e.sandbox.conftest import Site, run
from webagent.errors import ToolThrew
from webagent.page.playwright.code import PlaywrightCode
from webagent.results import Call, ExecutionResult

pytestmark = pytest.mark.conformance

UNDEFINED = {"$type": "undefined"}

VALUES: list[tuple[str, Any]] = [
    ("1 + 1", 2),
    ("'text'", "text"),
    ("return null", None),
    ("return", UNDEFINED),
    ("", UNDEFINED),
    ("const a = 1", UNDEFINED),
    ("return 1 // done", 1),
    ("// add to cart\nreturn 2", 2),
    ("return 'undefined'", "undefined"),
    ('return \'{"error": "boom"}\'', '{"error": "boom"}'),
    ("return {error: 'boom'}", {"error": "boom"}),
    ("new Date(0)", {"$type": "date", "value": "1970-01-01T00:00:00.000Z"}),
    ("return {at: new Date(NaN)}", {"at": {"$type": "date", "value": None}}),
    ("NaN", {"$type": "number", "value": "NaN"}),
    (
        "[1/0, -0]",
        [{"$type": "number", "value": "Infinity"}, {"$type": "number", "value": "-0"}],
    ),
    ("10n", {"$type": "bigint", "value": "10"}),
    ("new Map([[1, 2]])", {"$type": "map", "value": [[1, 2]]}),
    ("new Set([1])", {"$type": "set", "value": [1]}),
    ("const a = {}; a.a = a; a", {"a": {"$type": "circular", "value": 1}}),
    ("/x/g", {"$type": "regexp", "value": "/x/g"}),
    ("new URL('https://a/b')", "https://a/b"),
    ("new Error('x')", {"$type": "error", "value": {"name": "Error", "message": "x"}}),
    ("[undefined, 1]", [UNDEFINED, 1]),
    ("return () => 1", {"$type": "function", "value": ""}),
    ("Symbol('x')", {"$type": "symbol", "value": "x"}),
    ("new Uint8Array([1, 2])", {"$type": "binary", "value": "AQI="}),
    ("new WeakMap()", {"$type": "opaque", "value": "WeakMap"}),
    ("[Promise.resolve(1)]", [{"$type": "opaque", "value": "Promise"}]),
    (
        "new Proxy({}, { ownKeys() { throw new Error('no') } })",
        {"$type": "opaque", "value": "reading it threw no"},
    ),
    ("({ $type: 'date' })", {"$type": "object", "value": {"$type": "date"}}),
    ("'🧡'", "🧡"),
    ("const q: string = 'x'; return q", "x"),
    ("interface P { id: string }\nreturn 1", 1),
    ("(1 as any) satisfies unknown", 1),
    ("const global = 1; global", 1),
    ("```js\nreturn 1\n```", 1),
    ("async () => 7", 7),
    ("await global.add(1, 2)", 3),
    ("global.add(1, 2)", 3),
    ("Object.keys(global)", ["add", "echo", "fail", "never"]),
    (
        "try { await global.fail() } catch (e) { [e.kind, e.tool, e.message] }",
        ["threw", "fail", "no"],
    ),
    ("await global.echo(new Map([[1, new Date(0)]])) instanceof Map", True),
    ("(await Promise.all([1, 2, 3].map((n) => global.add(n, 1)))).length", 3),
    ("(await listTools()).map((tool) => tool.name)", ["add", "echo", "fail", "never"]),
]

NULL = {
    "chromium": "reading 'x') (line 2, column 8)",
    "firefox": 'can\'t access property "x" of null (line 2, column 3)',
}
ERRORS: list[tuple[str, str, str]] = [
    ("throw new RangeError('far')", "threw", "RangeError: far (line 1, column 7)"),
    ("1;\n  null.x", "threw", NULL[BROWSER]),
    ("const f = () => { throw new Error('in') };\n\nf()", "threw", "in (line 1, column 25)"),
    ("throw 'plain'", "threw", "plain"),
    ("throw {status: 401}", "threw", '{"status":401}'),
    ("throw Object.assign(new TypeError('bad id'), {code: 'E_ID'})", "threw", "TypeError: bad id"),
    ("await global.nope()", "unknown_tool", "there is no tool `nope`"),
    ("await global.fail()", "threw", "no"),
    ("await global.echo(new WeakMap())", "not_cloneable", "a `WeakMap` holds no plain data"),
    ("global.x = 1", "threw", "`global.x` cannot be set"),
    ("return {", "syntax_error", "(line 1, column 9)"),
    ("\nimport x from 'y'; return 1", "syntax_error", "(line 2, column 1)"),
    ("enum A { B }", "syntax_error", "`enum` is not supported"),
    ("return 1 })(), (async () => { return 2", "syntax_error", "(line 1, column 10)"),
    ("await global.never()", "timeout", "did not finish within 400 ms"),
    ("await new Promise(() => {})", "timeout", "did not finish within 400 ms"),
    ("'x'.repeat(2 ** 25)", "too_large", "the value is too large"),
]

LOGS = [
    "console.log('a', 1, { b: [2] }, undefined, null, new Error('x'))",
    "console.info(1); console.warn(2); console.error(3); console.debug(4)",
    "console.table([{ a: 1 }]); console.dir({}); console.group('g'); console.log('in')",
    "console.count(); console.count(); console.assert(false, 'sad'); console.assert(true)",
    "for (let i = 0; i < 1500; i++) console.log(i)",
    "console.log('before'); await global.never()",
]


class Doors:
    """The three ways to run a program."""

    def __init__(self, page: Page, code: PlaywrightCode) -> None:
        """Run in a page, or from outside of it."""
        self._page = page
        self._code = code

    async def results(self, code: str) -> dict[str, dict[str, Any]]:
        """Run it everywhere; what differs by nature is left out of the results."""
        limit_s = 0.4 if "never" in code or "=> {})" in code else 30.0
        tools = dict.fromkeys(("add", "echo", "fail", "never"), "manifest")
        found = {
            isolation: await run(self._page, code, isolation=isolation, timeout_ms=limit_s * 1000)
            for isolation in ("sandbox", "page")
        }
        for isolation in ("sandbox", "page"):
            result = await self._code.run(
                code, tools=tools, call=called, isolation=isolation, timeout_s=limit_s
            )
            found[f"{isolation}, from outside"] = result.to_dict()
        for result in found.values():
            del result["duration_ms"]
            for call in result["calls"]:
                call.pop("id", None)
        return found


async def called(name: str, arguments: list[Any]) -> ExecutionResult:
    calls = (Call(1, name, "manifest", arguments),)
    match name:
        case "add":
            return ExecutionResult(arguments[0] + arguments[1], calls=calls)
        case "echo":
            return ExecutionResult(arguments[0], calls=calls)
        case "fail":
            return ExecutionResult(error=ToolThrew("no", tool="fail"), calls=calls)
        case _:
            await asyncio.Event().wait()
            raise AssertionError


@pytest_asyncio.fixture(name="doors", scope="module", loop_scope="session")
async def _doors(context: BrowserContext, site: Site) -> AsyncIterator[Doors]:
    """A page without a policy, so that programs may run in it."""
    site.policy = "img-src *"
    page = await context.new_page()
    await page.goto(site.url)
    await page.wait_for_function("window.run !== undefined")
    code = PlaywrightCode(page)
    yield Doors(page, code)
    await code.close()
    await page.close()


@pytest.mark.parametrize(("code", "value"), VALUES, ids=[code[:40] for code, _ in VALUES])
async def test_values_are_the_same_at_every_door(doors: Doors, code: str, value: Any) -> None:
    """Every kind of value arrives in its documented form, and never as an error."""
    for door, result in (await doors.results(code)).items():
        assert result["ok"], (door, result)
        assert result["value"] == value, door


@pytest.mark.parametrize(("code", "kind", "words"), ERRORS, ids=[code[:40] for code, *_ in ERRORS])
async def test_errors_are_the_same_at_every_door(
    doors: Doors, code: str, kind: str, words: str
) -> None:
    """Each failure has its kind and its words, with line and column in the program."""
    results = await doors.results(code)
    expected = results["sandbox"]

    assert expected["error"]["kind"] == kind, expected
    assert words in expected["error"]["message"]
    for door, result in results.items():
        assert result == expected, door


@pytest.mark.parametrize("code", LOGS)
async def test_prints_are_the_same_at_every_door(doors: Doors, code: str) -> None:
    """The output of a program is in its result, however it is printed and ended."""
    results = await doors.results(code)

    assert results["sandbox"]["logs"]
    for door, result in results.items():
        assert result == results["sandbox"], door
