"""The agent in the page: it becomes ready, lists tools, calls them, runs code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Page

from tests.server import HostedServer, Server


async def start(page: Page, server: Server) -> None:
    await page.goto(server.url)
    await page.evaluate("webagent.ready")


async def shown_titles(page: Page) -> list[str]:
    return await page.locator("[data-book-id] h2, [data-book-id] h3").all_inner_texts()


async def test_the_agent_becomes_ready(cold_page: Page, template: Server) -> None:
    """The page's agent starts by itself, reports its progress, and ends up ready."""
    await cold_page.add_init_script("""
        window.seen = [];
        addEventListener("DOMContentLoaded", () => {
          for (const type of ["progress", "ready", "manifestchange", "toolschange"])
            webagent.addEventListener(type, (event) => seen.push([type, event.detail]));
        });
    """)
    await cold_page.goto(template.url)
    await cold_page.wait_for_function("window.webagent?.state === 'ready'")
    seen = await cold_page.evaluate("seen")

    phases = [detail["phase"] for kind, detail in seen if kind == "progress"]
    assert sorted(set(phases), key=phases.index) == ["download", "python", "manifest"]
    last = [d for kind, d in seen if kind == "progress" and d["phase"] == "download"][-1]
    assert last["loaded"] == last["total"] > 10_000_000
    assert [kind for kind, _ in seen if kind != "progress"] == [
        "manifestchange",
        "toolschange",
        "ready",
    ]


async def test_every_tool_of_the_template_can_be_called(page: Page, template: Server) -> None:
    """The list of tools is the manifest's, and the page has a function for each."""
    await start(page, template)
    tools = await page.evaluate("webagent.tools()")
    manifest = await page.evaluate("webagent.manifest()")

    assert [tool["name"] for tool in tools] == [tool["name"] for tool in manifest["tools"]]
    assert len(tools) >= 10
    # Those of a frame are on the contact page.
    missing = [tool["name"] for tool in tools if not tool["available"]]
    assert missing == ["visit_arrange", "visit_cancel"]


@pytest.mark.parametrize(
    "library",
    [
        "Array.prototype.toJSON = function () { return `[${this.map(String).join()}]` }",
        "Array.from = (list) => list ? [].slice.call(list) : []",
    ],
    ids=["lists have a toJSON", "Array.from takes lists alone"],
)
async def test_old_libraries_of_the_page_break_nothing(
    page: Page, template: Server, library: str
) -> None:
    """They give all lists members, and replace what browsers bring."""
    await page.add_init_script(library)
    await start(page, template)

    assert len(await page.evaluate("webagent.tools()")) >= 10
    found = await page.evaluate("webagent.call('searchBooks', 'harbour')")
    assert found["books"]
    assert found == await page.evaluate("webagent.invoke('searchBooks', { query: 'harbour' })")
    ran = await page.evaluate(
        "webagent.execute('console.log([1]); return await global.searchBooks(\"harbour\")')"
    )
    assert ran["ok"], ran
    assert ran["value"] == found
    assert [log["text"] for log in ran["logs"]] == ["[1]"]


async def test_a_call_changes_the_page(started_page: Page, template: Server) -> None:
    """`searchBooks` returns the very books that the page shows then."""
    await start(started_page, template)
    found = await started_page.evaluate("webagent.call('searchBooks', 'harbour')")
    titles = [book["title"] for book in found["books"]]

    assert titles
    await started_page.wait_for_function(
        "n => document.querySelectorAll('[data-book-id]').length === n", arg=len(titles)
    )
    assert await shown_titles(started_page) == titles


async def test_code_chains_three_calls(started_page: Page, template: Server) -> None:
    """A program searches, puts the first hit in the basket and reads the basket."""
    await start(started_page, template)
    result = await started_page.evaluate(
        """webagent.execute(`
            const { books } = await global.searchBooks("harbour");
            await global.addToBasket(books[0].id, 2);
            const basket = await global.getBasket();
            console.log("in the basket:", basket.items.length);
            return { title: books[0].title, basket };
        `)"""
    )

    assert result["ok"], result
    assert [call["name"] for call in result["calls"]] == ["searchBooks", "addToBasket", "getBasket"]
    assert result["value"]["basket"]["items"][0]["quantity"] == 2
    assert result["logs"] == [{"level": "log", "text": "in the basket: 1"}]


async def test_named_arguments_reach_their_positions(started_page: Page, template: Server) -> None:
    """`invoke` calls with names what `call` calls with positions."""
    await start(started_page, template)
    named = await started_page.evaluate(
        "webagent.invoke('searchBooks', {query: 'harbour', limit: 1})"
    )
    placed = await started_page.evaluate("webagent.call('searchBooks', 'harbour', 1)")

    assert named == placed
    assert len(named["books"]) == 1


@pytest.mark.conformance
async def test_declarations_are_typescript(page: Page, template: Server) -> None:
    """`typescript()` declares `global` with the template's tools."""
    await start(page, template)
    declarations = await page.evaluate("webagent.typescript()")

    assert declarations.startswith("declare const global: {")
    assert "searchBooks(query: string" in declarations


@pytest.mark.conformance
async def test_python_in_the_page_calls_the_tools(page: Page, template: Server) -> None:
    """Python has the page's tools, and its names stay from call to call."""
    await start(page, template)
    await page.evaluate('webagent.python(\'found = await page.call("searchBooks", "harbour")\')')
    result = await page.evaluate("webagent.python('len(found[\"books\"]) > 0')")
    broken = await page.evaluate("webagent.python('1 +')")
    raised = await page.evaluate("webagent.python('{}[1]')")
    left = await page.evaluate("webagent.python('print(1); raise SystemExit(3)')")

    assert result["ok"]
    assert result["value"] is True
    assert broken["error"]["kind"] == "syntax_error"
    assert raised["error"]["kind"] == "threw"
    assert raised["error"]["message"].endswith("KeyError: 1")
    assert left["error"]["message"].endswith("SystemExit: 3")
    assert left["logs"] == [{"level": "log", "text": "1"}]


FAULTS = """
    global.throws = () => { throw new TypeError("bad input") };
    global.rejects = async () => { throw new Error("Not logged in") };
    global.uncopyable = () => ({ items: [{ view: window }] });
    global.huge = () => "x".repeat(20 * 1024 * 1024);
    global.slow = () => new Promise(() => {});
    global.values = () => ({
      big: 12345678901234567890n, when: new Date(0), nan: NaN,
      map: new Map([[1, "a"]]), bytes: new Uint8Array([1, 2]),
    });
"""


@pytest.fixture(name="faulty", scope="module")
def _faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site whose tools fail in every way."""
    root = tmp_path_factory.mktemp("faulty")
    names = ("throws", "rejects", "uncopyable", "huge", "slow", "values", "missing")
    tools = "".join(f"\n## {name}\nText.\n\n### Params\n" for name in names)
    (root / "webagents.md").write_text(f"# Faults\n\nAll of them.\n{tools}")
    (root / "index.html").write_text(
        f"<!doctype html><title>Faults</title><link rel=icon href=data:,><script>{FAULTS}</script>"
    )
    server = HostedServer(root)
    yield server
    server.stop()


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("webagent.call('throws')", "threw", "TypeError: bad input"),
        ("webagent.call('rejects')", "not_logged_in", "Not logged in"),
        ("webagent.call('missing')", "missing_function", "the page has no function `missing`"),
        ("webagent.call('nobody')", "unknown_tool", "there is no tool `nobody`"),
        ("webagent.call('throws', 1)", "invalid_arguments", "`throws` takes no arguments, not 1"),
        (
            "webagent.call('uncopyable')",
            "not_cloneable",
            "the value at `items[0].view` cannot be copied: a `Window` holds no plain data",
        ),
        ("webagent.call('huge')", "too_large", None),
    ],
)
async def test_each_failure_is_a_named_error(
    page: Page, faulty: Server, code: str, kind: str, message: str | None
) -> None:
    """Different failures have different kinds, and the tool is named."""
    await start(page, faulty)
    error: dict[str, Any] = await page.evaluate(
        f"{code}.then(() => ({{}}), (e) => ({{name: e.name, ...e.toJSON()}}))"
    )

    assert error["name"] == "WebagentError"
    assert error["kind"] == kind
    assert message is None or error["message"] == message
    assert error["tool"] == code.split("'")[1]


async def test_a_tool_that_never_answers_times_out(page: Page, faulty: Server) -> None:
    """A call waits for a bounded time, in Python and in a program."""
    await start(page, faulty)
    python = await page.evaluate(
        "webagent.python('await page.invoke(\"slow\", {}, timeout_s=0.05)')"
    )
    program = await page.evaluate("webagent.execute('await global.slow()', {timeout_ms: 50})")

    assert python["error"]["kind"] == "timeout"
    assert python["error"]["tool"] == "slow"
    assert program["error"]["kind"] == "timeout"


async def test_values_that_json_cannot_hold_arrive(page: Page, faulty: Server) -> None:
    """Dates, maps, bytes, big integers and NaN survive the way through Python."""
    await start(page, faulty)
    same = await page.evaluate(
        """webagent.call('values').then((v) => [
            v.big === 12345678901234567890n, v.when.getTime() === 0, Number.isNaN(v.nan),
            v.map.get(1) === "a", v.bytes instanceof Uint8Array && v.bytes[1] === 2,
        ])"""
    )

    assert same == [True] * 5


async def test_a_run_that_leaves_the_page_is_rejected_there(page: Page, template: Server) -> None:
    """Who waits for it in the first page learns of it; the run goes on in the next page."""
    await page.goto(f"{template.url}/index.html")
    await page.evaluate("webagent.ready")
    await page.evaluate(
        """() => {
          const run = webagent.run("open the basket page", {approve: true, model: null});
          run.then(() => "done", (error) => error.kind)
            .then((how) => sessionStorage.setItem("settled", how));
        }"""
    )
    await page.wait_for_url("**/basket.html")

    assert await page.evaluate("sessionStorage.getItem('settled')") == "navigated"
