"""Values, errors, aborts and timeouts keep their meaning across frames."""

from __future__ import annotations

import pytest
from playwright.async_api import Frame

from tests.e2e.components.conftest import Shop, Site, frames, tool

pytestmark = pytest.mark.conformance

WAIT = """await new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              top.seen.push(signal.reason.name); reject(signal.reason);
            });
            top.waiting = true;
          })"""


async def open_pair(top: Shop, shop: Site, partner: Site, code: str, *names: str) -> Frame:
    """Open a page with a frame of another origin that runs this code; return the frame."""
    url = partner.page("/frame", code, origins=shop.origin)
    await top.open(shop.page("/", origins=partner.origin, body=frames(url)), *names)
    return top.frame(url)


async def test_structured_values_cross(top: Shop, shop: Site, partner: Site) -> None:
    """Maps, dates, sets, big integers, bytes, cycles and `undefined` arrive as what they are, both ways."""
    await open_pair(top, shop, partner, tool("echo", "p.value"), "echo")
    assert (
        await top.page.evaluate(
            """async () => {
          const echo = async (value) => webmcp.executeTool("echo", {value});
          const map = await echo(new Map([[1, new Date(5)]]));
          const cycle = {}; cycle.self = cycle;
          const back = await echo(cycle);
          return [map.get(1).getTime() === 5, (await echo(new Set([1]))).has(1),
                  await echo(10n) === 10n, Object.is(await echo(NaN), NaN),
                  (await echo(new Uint8Array([7])))[0] === 7, back.self === back,
                  await echo(undefined) === undefined, await echo(null) === null];
        }"""
        )
        == [True] * 8
    )


async def test_values_that_cannot_be_copied_fail(top: Shop, shop: Site, partner: Site) -> None:
    """A result or a parameter that cannot be copied fails with `not_cloneable`, and the link lives on."""
    code = tool("window", "window") + tool("getter", "({get x() { throw 1 }})") + tool("fine")
    await open_pair(top, shop, partner, code, "fine", "getter", "window")
    for name in ("window", "getter"):
        failed = await top.call(name)
        assert failed["error"]["kind"] == "not_cloneable"
        assert failed["error"]["message"].startswith(f"the result of `{name}` cannot cross frames")
    failed = await top.page.evaluate(
        "webmcp.executeTool('fine', {f() {}}).catch(({kind, message}) => [kind, message])"
    )
    assert failed[0] == "not_cloneable"
    assert failed[1].startswith("a parameter of `fine`")
    assert await top.call("fine") == "fine"


@pytest.mark.parametrize("own", [True, False], ids=["own frame", "other frame"])
@pytest.mark.parametrize(
    ("thrown", "expected"),
    [
        ("new RangeError('far')", ("RangeError", "far", "threw")),
        (
            "Object.assign(new Error('Not logged in'), {kind: 'not_logged_in'})",
            ("Error", "Not logged in", "not_logged_in"),
        ),
        ("Object.assign(new Error('no'), {kind: {}})", ("Error", "no", "threw")),
        ("'only text'", ("Error", "only text", "threw")),
        ("undefined", ("Error", "undefined", "threw")),
        ("new DOMException('gone', 'NotFoundError')", ("NotFoundError", "gone", "threw")),
        ("{toString() { throw 1 }}", ("Error", "a value that cannot be shown", "threw")),
    ],
)
async def test_errors_keep_name_message_and_kind(
    top: Shop, shop: Site, partner: Site, thrown: str, expected: tuple[str, str, str], own: bool
) -> None:
    """An error thrown by a tool arrives with its name, message and kind, from every frame alike."""
    code = tool("fail", f"(() => {{ throw {thrown} }})()", component="part")
    frame = await open_pair(top, shop, partner, code, "part_fail")
    failed = await top.call("fail", frame=frame if own else None)
    name, message, kind = expected
    assert failed["error"]["name"] == name
    assert failed["error"]["message"] == message
    assert failed["error"]["kind"] == kind
    assert failed["error"]["tool"] == "part_fail"


async def test_errors_are_of_one_class(top: Shop, shop: Site) -> None:
    """Every failure is a `WebMcpError`; the error of an own tool is its cause."""
    await top.open(shop.page("/", tool("fail", "(() => { throw window.thrown })()")), "fail")
    assert await top.page.evaluate(
        """async () => {
          const {WebMcpError} = await import("/components.js");
          window.thrown = new RangeError("far");
          const of = (call) => call.catch((error) => error);
          const errors = [await of(webmcp.executeTool("fail")), await of(webmcp.executeTool("none")),
                          await of(webmcp.executeTool("fail", 5)), await of(webmcp.executeTool("fail", null))];
          return [errors[0].cause === window.thrown, ...errors.map((error) =>
            error instanceof WebMcpError && error instanceof Error && error.kind)];
        }"""
    ) == [True, "threw", "unknown_tool", "invalid_arguments", "invalid_arguments"]


@pytest.mark.parametrize("own", [True, False], ids=["own frame", "other frame"])
async def test_an_abort_reaches_the_tool(top: Shop, shop: Site, own: bool) -> None:
    """An aborted call rejects with `cancelled` at once, and the tool's signal says `AbortError`."""
    url = shop.page("/frame", tool("wait", WAIT))
    await top.open(shop.page("/", "window.seen = []", body=frames(url)), "wait")
    frame = top.frame(url) if own else top.page.main_frame
    assert await frame.evaluate(
        """async () => {
          const controller = new AbortController();
          const call = webmcp.executeTool("wait", {}, {signal: controller.signal});
          const observe = new Promise((done) => {
            const look = () => top.waiting ? done() : setTimeout(look);
            look();
          });
          await observe;
          controller.abort("enough");
          return call.catch(({name, kind}) => [name, kind]);
        }"""
    ) == ["AbortError", "cancelled"]
    await top.page.wait_for_function("seen.length")
    assert await top.page.evaluate("seen") == ["AbortError"]


async def test_a_signal_that_is_aborted_before_starts_nothing(
    top: Shop, shop: Site, partner: Site
) -> None:
    """A call with an aborted signal rejects without running the tool, wherever that is."""
    url = shop.page("/frame", tool("count", "++top.runs"))
    code = "window.runs = 0;" + tool("own", "++top.runs")
    await top.open(shop.page("/", code, body=frames(url)), "count", "own")
    for name in ("count", "own"):
        failed = await top.call(name, options="{signal: AbortSignal.abort()}")
        assert failed["error"]["kind"] == "cancelled"
    assert await top.call("count") == 1


@pytest.mark.parametrize("own", [True, False], ids=["own frame", "other frame"])
async def test_a_timeout_reaches_the_tool(top: Shop, shop: Site, own: bool) -> None:
    """A call over its limit rejects with `timeout`, and the tool's signal says `TimeoutError`."""
    url = shop.page("/frame", tool("wait", WAIT))
    await top.open(shop.page("/", "window.seen = []", body=frames(url)), "wait")
    frame = top.frame(url) if own else None
    failed = await top.call("wait", frame=frame, options="{timeout_ms: 50}")
    assert failed["error"] == {
        "name": "TimeoutError",
        "kind": "timeout",
        "message": "`wait` gave no answer in time",
        "tool": "wait",
    }
    await top.page.wait_for_function("seen.length")
    assert await top.page.evaluate("seen") == ["TimeoutError"]


async def test_bad_definitions_throw_at_once(top: Shop, shop: Site) -> None:
    """`registerTool` throws a `TypeError` that says what to write, and registers nothing."""
    await top.open(shop.page("/"))
    for definition, part in {
        "5": "a tool is an object",
        "{name: 'a b', description: 'x', execute() {}}": "`a b` is not a name of a tool",
        "{name: '', description: 'x', execute() {}}": "`` is not a name of a tool",
        "{name: 'a', component: '', description: 'x', execute() {}}": "`` is not a component",
        "{name: 'a', description: ' ', execute() {}}": "`a` has no description",
        "{name: 'a', description: 'x'.repeat(1e5), execute() {}}": "over 100000 characters",
        "{name: 'a', description: 'x'}": "`a` has no execute",
        "{name: 'a', description: 'x', inputSchema: [], execute() {}}": "is not an object",
        "{name: 'a', description: 'x', inputSchema: {type: 'array'}, execute() {}}": "does not describe an object",
        "{name: 'a', description: 'x', inputSchema: {x: 1n}, execute() {}}": "as JSON",
        "{name: 'a', description: 'x', inputSchema: {x: 'x'.repeat(1e5)}, execute() {}}": "over 100000",
    }.items():
        thrown = await top.page.evaluate(
            f"""() => {{ try {{ webmcp.registerTool({definition}) }}
                  catch (error) {{ return [error.name, error.message] }} }}"""
        )
        assert thrown[0] == "TypeError", definition
        assert part in thrown[1], definition
    assert await top.page.evaluate("webmcp.getTools()") == []
    with pytest.raises(Exception, match="is not an event of webmcp"):
        await top.page.evaluate("webmcp.on('change', () => {})")


async def test_lists_cannot_be_changed_from_outside(top: Shop, shop: Site) -> None:
    """A list is the caller's own, and what it holds is frozen; the definition was copied."""
    await top.open(shop.page("/"))
    assert await top.page.evaluate(
        """async () => {
          const definition = {name: "a", description: "x", inputSchema: {type: "object"}, execute() {}};
          webmcp.registerTool(definition);
          definition.inputSchema.type = "changed";
          (await webmcp.getTools()).pop();
          const [tool] = await webmcp.getTools();
          return [tool, Object.isFrozen(tool), Object.isFrozen(tool.inputSchema), "execute" in tool];
        }"""
    ) == [
        {"name": "a", "description": "x", "inputSchema": {"type": "object"}},
        True,
        True,
        False,
    ]
