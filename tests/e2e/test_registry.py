"""Everything a page offers is one list, called in one way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.tsc import compile_errors
from webagent.checks.rules import RULES, Rule
from webagent.parser import parse

HEAD = '<!doctype html><link rel="icon" href="data:,"><title>A shop</title>'
MANIFEST = """# Shop

## search
Find books.

### Params
- `query` (string, required): Words.

### Output
```typescript
string[]
```
"""
FUNCTION = "global.search = async (query) => [query, location.pathname];"
SCRIPT = """
document.modelContext.registerTool({
  name: "book",
  description: "Book a table.",
  inputSchema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
  annotations: { readOnlyHint: true },
  execute: async ({ day }) => ({ booked: day }),
});
"""
COMPONENT = """
import webmcp from "/__webagent__/components.js";
webmcp.registerTool({
  name: "add", component: COMPONENT, description: "Add to the cart.",
  inputSchema: { type: "object", properties: { id: { type: "number" } } },
  execute: async ({ id }) => ({ added: id, at: location.pathname }),
});
"""
FORM = """
<form toolname="contact" tooldescription="Write to us." toolautosubmit>
  <label>Words <input name="words" required></label><button>Send</button>
</form>
<script>
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const sent = Object.fromEntries(new FormData(event.target));
    event.respondWith?.(Promise.resolve({ sent }));
  });
</script>
"""


def component(name: str) -> str:
    """Return a module that registers a tool `add` of a component."""
    return f'<script type="module">{COMPONENT.replace("COMPONENT", json.dumps(name))}</script>'


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


async def opened(page: Page, url: str) -> Page:
    """Open a page and wait for its agent."""
    await page.goto(url)
    await page.evaluate("webagent.ready")
    return page


async def tools(page: Page) -> dict[str, dict[str, Any]]:
    """Return the registry's tools by name."""
    listed = await page.evaluate("webagent.tools()")
    return {tool["name"]: tool for tool in listed}


async def until(page: Page, condition: str) -> None:
    """Wait until something holds for `tools`, the registry's list."""
    await page.evaluate(f"""(async () => {{
        const holds = (tools) => {condition};
        while (!holds(await webagent.tools())) await new Promise(requestAnimationFrame);
    }})()""")


@pytest_asyncio.fixture(name="shop_page", loop_scope="session")
async def _shop_page(page: Page, tmp_path: Path, serve: Serve) -> Page:
    body = f"<script>{FUNCTION}{SCRIPT}</script>{FORM}{component('cart')}"
    root = write(tmp_path / "site", {"index.html": HEAD + body, "webagents.md": MANIFEST})
    return await opened(page, serve(root).url)


async def test_four_sources_are_one_list(shop_page: Page) -> None:
    """Functions, scripts, forms and components stand side by side, each called as it is declared."""
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


async def test_the_site_gets_the_manifest_it_should_publish(shop_page: Page) -> None:
    """What the manifest does not name yet is added, and the page works with the result."""
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


async def test_an_exposed_call_keeps_its_values_and_can_be_given_up(
    shop_page: Page, watch: Watch
) -> None:
    """What JSON cannot hold arrives tagged, and an abort ends the call behind it."""
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
    watch.errors.clear()

    assert states == [
        {"$type": "map", "value": [["red", {"$type": "number", "value": "NaN"}]]},
        "AbortError",
        ["started", "cancelled"],
    ]


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


async def test_drift_is_told_in_the_page_and_in_the_terminal(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """A function that never comes is missing; one that comes later ends the finding."""
    text = MANIFEST + "\n## pay\nPay.\n\n### Params\n"
    files = {"index.html": f"{HEAD}<script>{FUNCTION}</script>", "webagents.md": text}
    server = serve(write(tmp_path / "site", files))
    await opened(page, server.url)

    server.wait_for_output(r"warning\[missing-function\].*`pay`")
    rules = await page.evaluate("webagent.findings().then((all) => all.map((f) => f.rule))")
    await page.evaluate("global.pay = async () => 1")
    server.wait_for_output("agrees with the manifest again")

    assert "missing-function" in rules


async def test_drift_follows_navigation_without_a_load(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """A tool of other pages is missed only where it should be."""
    text = MANIFEST + "\n## pay\nPay.\n\n### Params\n\n### Behavior\n- paths: /cart\n"
    files = {"index.html": f"{HEAD}<script>{FUNCTION}</script>", "webagents.md": text}
    server = serve(write(tmp_path / "site", files))
    await opened(page, server.url)
    kind = await page.evaluate("webagent.call('pay').catch((error) => error.kind)")
    assert "missing-function" not in server.output

    await page.evaluate("history.pushState(null, '', '/cart')")

    server.wait_for_output(r"page +/cart  .*`pay`")
    assert kind == "denied"


@pytest.mark.parametrize("rule", [r for r in RULES.values() if r.script], ids=str)
async def test_each_rule_about_pages_finds_what_its_page_says(
    page: Page, tmp_path: Path, serve: Serve, rule: Rule
) -> None:
    """In the example's page the rule finds something, with the mended manifest nothing."""
    page_of = f"{HEAD}<script>{rule.script}</script>"
    site = write(tmp_path / "site", {"index.html": page_of, "webagents.md": rule.example})
    server = serve(site)
    await opened(page, server.url)
    if rule.name == "result-mismatch":
        await page.evaluate("webagent.call('searchProducts', 'mug')")
    server.wait_for_output(rf"{rule.severity.value}\[{rule.name}\]")

    (site / "webagents.md").write_text(rule.instead, encoding="utf-8")
    server.wait_for_output("agrees with the manifest again")


async def test_frames_show_what_they_may(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Two frames of the own origin, one allowed, one not: the list has what it may, and calls it."""
    own = serve(write(tmp_path / "own", {}))
    option = ("--component-origin", own.url)
    allowed = serve(write(tmp_path / "allowed", {}), *option)
    refused = serve(write(tmp_path / "refused", {}), *option)
    inner = f"<script>{SCRIPT.replace('book', 'book_NAME')}</script>"
    shown = inner.replace("});", "}, { exposedTo: [ORIGIN] });")
    origins = f'<meta name="webmcp-origins" content="{allowed.url}">'
    frames = f"""<iframe src="/a.html"></iframe><iframe src="/b.html"></iframe>
        <iframe src="{allowed.url}/c.html" allow="tools"></iframe>
        <iframe src="{refused.url}/d.html" allow="tools"></iframe>"""
    write(
        own.root,
        {
            "index.html": HEAD + origins + component("top") + frames,
            "a.html": HEAD + component("a") + inner.replace("NAME", "a"),
            "b.html": HEAD + component("b") + inner.replace("NAME", "b"),
        },
    )
    write(
        allowed.root,
        {
            "c.html": HEAD
            + component("c")
            + shown.replace("NAME", "c").replace("ORIGIN", json.dumps(own.url)),
        },
    )
    write(
        refused.root,
        {
            "d.html": HEAD
            + component("d")
            + shown.replace("NAME", "d").replace("ORIGIN", json.dumps(own.url)),
        },
    )
    await opened(page, own.url)
    await until(page, "tools.length === 7")
    listed = await tools(page)
    results = await page.evaluate(
        """(names) => Promise.all(names.map((name) =>
        webagent.call(name, name.includes("book") ? { day: "x" } : { id: 1 })))""",
        list(listed),
    )
    watch.errors.clear()

    assert sorted(listed) == [
        "a_add",
        "b_add",
        "book_a",
        "book_b",
        "book_c",
        "c_add",
        "top_add",
    ]
    assert {name: listed[name]["origin"] for name in ("book_c", "c_add", "a_add")} == {
        "book_c": allowed.url,
        "c_add": allowed.url,
        "a_add": own.url,
    }
    assert all(result for result in results)
