"""Everything a page offers is one list, called in one way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.conftest import RUNTIME, Serve, Watch, one_python, page_of
from tests.e2e.offering import (
    FORM,
    FUNCTION,
    HEAD,
    MANIFEST,
    SCRIPT,
    component,
    opened,
    tools,
    until,
    write,
)
from tests.e2e.turns import Turns
from tests.server import hosting
from tests.tsc import compile_errors
from webagent.parser import parse


@pytest.fixture(name="shop_url", scope="module")
def _shop_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    body = f"<script>{FUNCTION}{SCRIPT}</script>{FORM}{component('cart')}"
    root = tmp_path_factory.mktemp("registry") / "site"
    with hosting(write(root, {"index.html": HEAD + body, "webagents.md": MANIFEST})) as server:
        yield server.url


@pytest_asyncio.fixture(name="started", scope="module", loop_scope="session")
async def _started(browser: Browser, shop_url: str) -> AsyncIterator[Turns]:
    async with one_python(browser, shop_url) as context:
        yield Turns(context)


@pytest_asyncio.fixture(name="shop_page", loop_scope="session")
async def _shop_page(started: Turns, shop_url: str, watch: Watch) -> AsyncIterator[Page]:
    """A page of a shop with tools of every kind, whose agent is ready."""
    async with page_of(started, watch) as page:
        yield await opened(page, shop_url)


async def test_four_sources_are_one_list(shop_page: Page) -> None:
    """Functions, scripts, forms and components are listed together, each called as it is declared."""
    await until(shop_page, "tools.length === 4")
    listed = await tools(shop_page)
    called = await shop_page.evaluate("""Promise.all([
        webagent.call("search", "red"),
        webagent.call("book", { day: "monday" }),
        webagent.call("contact", { words: "hello" }),
        webagent.call("cart_add", { id: 7 }),
        webagent.invoke("search", { query: "blue" }),
        webagent.invoke("book", { day: "friday" }),
    ])""")

    assert [(t["name"], t["source"], t["calling"]) for t in listed.values()] == [
        ("search", "manifest", "positional"),
        ("book", "modelContext", "object"),
        ("contact", "form", "object"),
        ("cart_add", "component", "object"),
    ]
    assert listed["book"]["effect"] == "read"
    assert called == [
        ["red", "/"],
        {"booked": "monday"},
        {"sent": {"words": "hello"}},
        {"added": 7, "at": "/"},
        ["blue", "/"],
        {"booked": "friday"},
    ]


@pytest.mark.conformance
async def test_all_sources_are_declared_together(shop_page: Page) -> None:
    """The declarations compile, and a program uses all of them."""
    await until(shop_page, "tools.length === 4")
    text = await shop_page.evaluate("webagent.typescript()")
    result = await shop_page.evaluate("""webagent.execute(`
        const [word] = await global.search("red");
        const { booked } = await global.book({ day: word });
        const { sent } = await global.contact({ words: booked });
        return global.cart_add({ id: sent.words.length });
    `)""")

    assert compile_errors({"shop": text}) == {}
    assert result["ok"], result
    assert result["value"] == {"added": 3, "at": "/"}
    assert [call["source"] for call in result["calls"]] == [
        "manifest",
        "modelContext",
        "form",
        "component",
    ]


@pytest.mark.conformance
async def test_the_site_gets_the_manifest_it_should_publish(shop_page: Page) -> None:
    """Tools that the manifest does not name yet are added, and the page works with the result."""
    await until(shop_page, "tools.length === 4")
    markdown = await shop_page.evaluate("webagent.toMarkdown()")

    assert parse(markdown).tool_names == ["search", "book", "contact", "cart_add"]
    await shop_page.evaluate(
        "(text) => webagent.replaceManifest({ text, path: 'webagents.md' })", markdown
    )
    await until(shop_page, "tools.every((tool) => tool.source === 'manifest')")
    assert await shop_page.evaluate("webagent.call('cart_add', 3)") == {"added": 3, "at": "/"}


async def test_a_page_without_a_manifest_has_tools_too(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """Only what is registered is there, and its manifest is named after the page."""
    site = write(tmp_path / "site", {"index.html": f"{HEAD}<script>{SCRIPT}</script>"})
    await opened(page, serve(site).url)
    await until(page, "tools.length === 1")
    markdown = await page.evaluate("webagent.toMarkdown()")

    assert markdown.startswith("# A shop\n")
    assert parse(markdown).tool_names == ["book"]


async def test_functions_are_on_the_platforms_list_too(shop_page: Page) -> None:
    """The manifest's function is registered once, can be called there, and is not listed twice."""
    result = await shop_page.evaluate("""(async () => {
        const [tool] = (await document.modelContext.getTools()).filter((t) => t.name === "search");
        return [tool.description, tool.inputSchema.required,
          await document.modelContext.executeTool(tool, { query: "red" })];
    })()""")

    assert result == ["Find books.", ["query"], '["red","/"]']
    assert list(await tools(shop_page)) == ["search", "book", "contact", "cart_add"]


async def test_errors_keep_their_meaning(shop_page: Page, watch: Watch) -> None:
    """Arguments are refused before the page runs; what a form or the platform says has its kind."""
    kinds = await shop_page.evaluate("""(async () => {
        document.modelContext.registerTool({ name: "fails", description: "Fails.",
          execute: async () => { throw new Error("no"); } });
        document.modelContext.registerTool({ name: "waits", description: "Waits.",
          execute: () => new Promise(() => {}) });
        await webagent.tools();
        const kindOf = (call) => call.then(() => "ok", (error) => [error.kind, error.path ?? null]);
        const waiting = kindOf(webagent.call("waits"));
        const found = [
          await kindOf(webagent.call("book", { day: 5 })),
          await kindOf(webagent.call("book", "monday")),
          await kindOf(webagent.call("contact", { words: "x", more: 1 })),
          await kindOf(webagent.call("fails")),
        ];
        await webagent.stop();
        return [...found, await waiting];
    })()""")
    watch.errors.clear()

    assert kinds == [
        ["invalid_arguments", "day"],
        ["invalid_arguments", None],
        ["invalid_arguments", "more"],
        ["threw", None],
        ["cancelled", None],
    ]


async def test_a_page_cannot_break_the_registry(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Odd origins, functions that throw when looked at, and controls named like methods cost nothing."""
    text = MANIFEST + "".join(
        f"\n## {name}\nX.\n\n### Params\n" for name in ("gone", "longer", "find")
    )
    body = f"""<meta name="webmcp-origins" content="http://tickets.example localhost:8081">
        <script>{FUNCTION}{SCRIPT}
        const {{ proxy, revoke }} = Proxy.revocable(async () => 1, {{}});
        revoke();
        Object.assign(global, {{ gone: proxy, longer: Object.defineProperty(async () => 2, "length",
          {{ get() {{ throw new Error("no"); }} }}) }});
        document.modelContext.registerTool({{ name: "find", description: "Find.",
          execute: async () => "found" }});
        </script>
        <form toolname="odd" tooldescription="Odd." toolautosubmit>
          <input name="hasAttribute"><input name="getAttribute"></form>"""
    site = write(tmp_path / "site", {"index.html": HEAD + body, "webagents.md": text})
    await opened(page, serve(site).url)
    await until(page, "tools.some((tool) => tool.name === 'odd')")
    listed = await tools(page)
    found = await page.evaluate("""(async () => [
        await webagent.call("search", "red"), await webagent.call("longer"),
        await webagent.call("find"), await webagent.call("gone").catch((error) => error.kind),
    ])()""")
    watch.errors.clear()

    assert found == [["red", "/"], 2, "found", "threw"]
    assert {"book", "odd"} <= listed.keys()
    assert listed["odd"]["source"] == "form"


async def test_an_object_that_only_looks_like_webmcp_is_left_alone(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """A script that puts half of it on the document costs the page its tools there, and nothing else."""
    half = "Object.defineProperty(document, 'modelContext', { value: { registerTool() {} } });"
    body = f"<script>{half}{FUNCTION}</script>"
    root = write(tmp_path / "half", {"index.html": HEAD + body, "webagents.md": MANIFEST})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    await opened(page, serve(root).url)

    assert await page.evaluate("webagent.call('search', 'red')")
    assert any("has no `getTools`, so tools on it are left out" in line for line in said)


async def test_an_exposed_call_keeps_its_values_and_can_be_given_up(
    shop_page: Page, watch: Watch
) -> None:
    """Values that JSON cannot hold arrive tagged, and an abort ends its call."""
    states = await shop_page.evaluate("""(async () => {
        global.search = async (query) => query === "wait" ? new Promise(() => {}) : new Map([[query, NaN]]);
        const [tool] = (await document.modelContext.getTools()).filter((t) => t.name === "search");
        const text = await document.modelContext.executeTool(tool, { query: "red" });
        const end = new AbortController();
        const states = [];
        webagent.addEventListener("call", ({ detail }) => {
          states.push(detail.state);
          if (detail.state === "started") end.abort();
        });
        const given = document.modelContext.executeTool(tool, { query: "wait" }, { signal: end.signal });
        const name = await given.catch((error) => error.name);
        while (states.at(-1) === "started") await new Promise(requestAnimationFrame);
        return [JSON.parse(text), name, states];
    })()""")
    # Where Python runs elsewhere, the browser hears a little later that the call has failed.
    await shop_page.evaluate("webagent.tools()")
    watch.errors.clear()

    assert states == [
        {"$type": "map", "value": [["red", {"$type": "number", "value": "NaN"}]]},
        "AbortError",
        ["started", "cancelled"],
    ]


@pytest.mark.skipif(RUNTIME != "page", reason="the page's policy does not count in a worker")
async def test_a_failed_start_is_an_error_with_a_kind(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Calls are rejected with it, and a program's result says it."""
    policy = """<meta http-equiv="Content-Security-Policy" content="script-src 'self'">"""
    await page.goto(serve(write(tmp_path / "site", {"index.html": HEAD + policy})).url)
    answers = await page.evaluate("""(async () => [
        await webagent.call("x").catch((error) => [error.name, error.kind, error.message]),
        await webagent.execute("1"),
    ])()""")
    # The part of the page that reports it is loaded separately.
    await page.locator("webagent-status").wait_for(state="attached")
    watch.errors.clear()

    assert answers[0][:2] == ["WebagentError", "internal"]
    assert "wasm-unsafe-eval" in answers[0][2]
    assert answers[1]["ok"] is False
    assert answers[1]["error"]["message"] == answers[0][2]


async def test_the_list_follows_the_page(shop_page: Page) -> None:
    """A tool that comes or goes is news, and calls go by the list as it is then."""
    await shop_page.evaluate("""(async () => {
        await webagent.tools();
        window.news = new Promise((resolve) =>
          webagent.addEventListener("toolschange", () => webagent.tools().then(resolve)));
        document.modelContext.registerTool({ name: "late", description: "Late.",
          execute: async () => 1 }, { signal: (window.end = new AbortController()).signal });
    })()""")
    names = [tool["name"] for tool in await shop_page.evaluate("news")]
    value = await shop_page.evaluate("webagent.call('late')")
    kind = await shop_page.evaluate("""(async () => {
        end.abort();
        return webagent.call("late").catch((error) => error.kind);
    })()""")

    assert "late" in names
    assert value == "1"
    assert kind in ("unknown_tool", "missing_function")
