"""Calls from outside, through the server, into real pages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.devserver.endpoints.test_api import streamed, until
from tests.e2e.conftest import ONLY_LOCAL, Serve, Watch
from tests.e2e.offering import HEAD, write
from tests.model_server import ModelServer, asks
from tests.page_client import ClientPage, good, owner, owner_token, silent
from tests.server import Server, serving

MANIFEST = """# Shop

## search
Find books.

### Params
- `query` (string, required): Words.

### Behavior
- effect: read

## fail
### Params

## wait
### Params

## long
### Params
- `text` (string, required): What is said.
- `times` (number, required): How often.
"""
SCRIPT = """
<script>
  global.search = async (query) => [query, location.pathname];
  global.fail = () => { throw new Error("no such book"); };
  global.wait = () => { window.waiting = true; return new Promise(() => {}); };
  global.long = (text, times) => text.repeat(times);
</script>
<main><h1>Shop</h1><a href="/two.html">two</a></main>
"""
FILES = {
    "index.html": HEAD + SCRIPT,
    "two.html": HEAD.replace("A shop", "Two") + SCRIPT,
    "webagents.md": MANIFEST,
}


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    return write(tmp_path / "site", FILES)


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests that change nothing of the site."""
    with serving(write(tmp_path_factory.mktemp("relay") / "site", FILES)) as server:
        yield server


@pytest_asyncio.fixture(name="still", scope="module", loop_scope="session")
async def _still(
    context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Page, httpx.AsyncClient]]:
    """One page that stays open, and whoever calls it."""
    root = write(tmp_path_factory.mktemp("relay") / "site", FILES)
    with serving(root) as server:
        async with owner(server) as client:
            page = await context.new_page()
            await opened(page, server, client)
            yield page, client
            await page.close()


@pytest_asyncio.fixture(name="client", loop_scope="session")
async def _client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with owner(server) as client:
        yield client


async def listed(client: httpx.AsyncClient, count: int = 1, **wanted: Any) -> list[dict[str, Any]]:
    """Wait until so many pages are open, and one of them is as wanted; return all."""
    async with asyncio.timeout(60), streamed(client, "GET", "events") as events:
        while True:
            pages: list[dict[str, Any]] = await until(events, "pages")
            if len(pages) == count and any(wanted.items() <= page.items() for page in pages):
                return pages
    raise AssertionError


async def opened(page: Page, server: Server, client: httpx.AsyncClient, count: int = 1) -> None:
    """Open the page, and wait until the server knows its tools."""
    await page.goto(server.url)
    await listed(client, count, state="ready")


async def ask(client: httpx.AsyncClient, path: str, **given: Any) -> dict[str, Any]:
    """Ask the focused page for something."""
    answer = await client.post(f"pages/focused/{path}", json=given)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


async def call(client: httpx.AsyncClient, name: str, **arguments: Any) -> dict[str, Any]:
    return await ask(client, "call", name=name, arguments=arguments)


async def test_a_tool_is_called_in_the_open_page(still: tuple[Page, httpx.AsyncClient]) -> None:
    """Its value comes back, its failures too, and what came of it is in the timeline."""
    _, client = still
    found = await call(client, "search", query="harbour")
    failed = await call(client, "fail")
    unknown = await call(client, "nothing")
    wrong = await call(client, "search", query=3)
    tools = (await client.get("pages/focused/tools")).json()
    timeline = (await client.get("timeline")).json()["entries"]

    assert (found["ok"], found["value"]) == (True, ["harbour", "/"])
    assert (failed["error"]["kind"], failed["error"]["tool"]) == ("threw", "fail")
    assert "no such book" in failed["error"]["message"]
    assert unknown["error"]["kind"] == "unknown_tool"
    assert wrong["error"]["kind"] == "invalid_arguments"
    assert [tool["name"] for tool in tools["tools"]] == ["search", "fail", "wait", "long"]
    calls = [entry for entry in timeline if entry["kind"] == "call"]
    states = [(entry["detail"]["name"], entry["detail"]["state"]) for entry in calls]
    assert states[:4] == [
        ("search", "started"),
        ("search", "finished"),
        ("fail", "started"),
        ("fail", "failed"),
    ]


async def test_a_program_runs_in_the_open_page(still: tuple[Page, httpx.AsyncClient]) -> None:
    """With its calls; one that does not parse says where."""
    _, client = still
    done = await ask(client, "execute", code="const [q] = await global.search('x'); return q + 1")
    broken = await ask(client, "execute", code="const = 1")

    assert (done["ok"], done["value"]) == (True, "x1")
    assert [made["name"] for made in done["calls"]] == ["search"]
    assert broken["error"]["kind"] == "syntax_error"


async def test_what_a_model_would_be_given_is_shown(still: tuple[Page, httpx.AsyncClient]) -> None:
    """With the tokens of each part; no model is asked."""
    _, client = still
    prompt = (await ask(client, "prompt", goal="find books about harbours"))["value"]

    assert prompt["messages"][0]["role"] == "system"
    assert "find books about harbours" in json.dumps(prompt["messages"])
    assert "search(" in prompt["typescript"]
    assert {tool["name"] for tool in prompt["tools"]} >= {"call_tool", "finish"}
    tokens = prompt["tokens"]
    assert set(tokens) == {"system", "goal", "page", "tools", "total"}
    assert tokens["total"] == sum(tokens[part] for part in ("system", "goal", "page", "tools"))
    assert min(tokens.values()) > 0


@pytest.mark.parametrize(("text", "times"), [("a", 4 << 20), ("本", 3 << 19), ("\\u0001", 1 << 20)])
async def test_a_result_that_is_too_long_is_a_failure_like_others(
    still: tuple[Page, httpx.AsyncClient], text: str, times: int
) -> None:
    """Counted as it is sent; the page is there for the next call."""
    _, client = still
    text = json.loads(f'"{text}"')
    result = await call(client, "long", text=text, times=times)
    after = await call(client, "long", text=text, times=10)

    assert result["error"]["kind"] == "too_large"
    assert after["value"] == text * 10


async def test_who_closes_the_request_gives_the_call_up(
    still: tuple[Page, httpx.AsyncClient],
) -> None:
    """The page's own event says so; it works on."""
    page, client = still
    asking = asyncio.ensure_future(call(client, "wait"))
    await page.wait_for_function("window.waiting")
    asking.cancel()
    async with streamed(client, "GET", "events?after=0") as events:
        while (await until(events, "entry"))["detail"].get("state") != "cancelled":
            pass

    assert (await call(client, "search", query="x"))["ok"]


async def test_a_page_that_is_left_in_mid_call_says_so(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """At once, for a reload and for another address; the page after it takes calls."""
    await opened(page, server, client)
    for leave in ("location.reload()", "location.href = '/two.html'"):
        asking = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("window.waiting")
        await page.evaluate(leave)
        error = (await asyncio.wait_for(asking, 20))["error"]
        assert error["kind"] == "navigated"
        assert error["help"] == "what was started may have happened; look before you call it again"
        await page.wait_for_function("!window.waiting && window.webagent?.state === 'ready'")
        await listed(client, state="ready")
    await listed(client, title="Two")

    assert (await call(client, "search", query="x"))["value"] == ["x", "/two.html"]


async def test_a_page_that_is_closed_in_mid_call_is_gone(
    browser: Browser, server: Server, client: httpx.AsyncClient
) -> None:
    """At once; without any page a call says what to do."""
    context = await browser.new_context()
    closed = await context.new_page()
    await opened(closed, server, client)
    asking = asyncio.ensure_future(call(client, "wait"))
    await closed.wait_for_function("window.waiting")
    await context.close()

    assert (await asyncio.wait_for(asking, 20))["error"]["kind"] in ("page_gone", "navigated")
    none = (await call(client, "search", query="x"))["error"]
    assert (none["kind"], none["help"]) == ("no_page", "open one in a browser, and call again")


async def test_a_page_that_was_left_and_is_shown_again_takes_calls(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """Under the id that its tab had before."""
    await opened(page, server, client)
    (before,) = await listed(client)
    await page.goto(f"{server.url}/two.html")
    await listed(client, title="Two", state="ready")
    await page.go_back()
    (after,) = await listed(client, title="A shop", state="ready")

    assert after["page_id"] == before["page_id"]
    assert (await call(client, "search", query="x"))["value"] == ["x", "/"]


async def test_a_copy_of_a_tab_is_another_page(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """Each is called by its own id, and says its own title."""
    await opened(page, server, client)
    async with page.expect_popup() as opening:
        await page.evaluate("window.open('/two.html', '_blank')")
    copy = await opening.value
    pages = await listed(client, 2, title="Two", state="ready")
    await copy.evaluate("document.title = 'The copy'")
    pages = await listed(client, 2, title="The copy")
    values = {}
    for found in pages:
        given = {"name": "search", "arguments": {"query": "x"}}
        answer = await client.post(f"pages/{found['page_id']}/call", json=given)
        values[found["title"]] = answer.json()["value"][1]
    await copy.close()

    assert values == {"A shop": "/", "The copy": "/two.html"}
    first, second = (found["page_id"] for found in pages)
    assert second == f"{first}-2"


async def test_the_page_that_got_the_focus_last_is_meant(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """While none has it; `focused` follows the developer."""
    await page.add_init_script(
        "window.focusNow = (has) => { document.hasFocus = () => has;"
        " dispatchEvent(new Event(has ? 'focus' : 'blur')); }; focusNow(false)"
    )
    await opened(page, server, client)
    await page.evaluate("focusNow(false)")
    async with page.expect_popup() as opening:
        await page.evaluate("window.open('/two.html', '_blank')")
    other = await opening.value
    await other.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")
    await listed(client, 2, title="Two", state="ready", focused=False)
    for one, path in ((page, "/"), (other, "/two.html"), (page, "/")):
        await one.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")
        await listed(client, 2, focused=True)
        found = (await call(client, "search", query="x"))["value"][1]
        await one.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")
        await until_unfocused(client)
        assert found == path
        assert (await call(client, "search", query="x"))["value"][1] == path
    await other.close()


async def until_unfocused(client: httpx.AsyncClient) -> None:
    async with streamed(client, "GET", "events") as events:
        while any(page["focused"] for page in await until(events, "pages")):
            pass


async def test_a_page_whose_agent_has_not_started_starts_on_the_first_call(
    page: Page, serve: Serve, root: Path
) -> None:
    """Before it, no Python is there."""
    (root / "webagent.toml").write_text('[page]\nstart = "use"\n')
    server = serve(root)
    async with owner(server) as client:
        await page.goto(server.url)
        (before,) = await listed(client, state="idle")
        assert before["tools"] == 0
        found = await call(client, "search", query="x")
        (after,) = await listed(client, state="ready")

    assert found["value"] == ["x", "/"]
    assert after["tools"] == 4


async def test_a_thousand_tools_are_told_and_called(page: Page, serve: Serve, root: Path) -> None:
    """The last like the first."""
    names = [f"tool{number}" for number in range(1_000)]
    sections = "".join(f"\n## {name}\nDoes {name}.\n\n### Params\n" for name in names)
    script = "<script>for (let i = 0; i < 1000; i++) global[`tool${i}`] = () => i;</script>"
    write(root, {"index.html": HEAD + script, "webagents.md": f"# Many\n{sections}"})
    server = serve(root)
    async with owner(server) as client:
        await opened(page, server, client)
        tools = (await client.get("pages/focused/tools")).json()["tools"]
        last = await call(client, "tool999")

    assert [tool["name"] for tool in tools] == names
    assert last["value"] == 999


async def test_a_run_goes_on_over_a_navigation_with_its_questions(
    page: Page, serve: Serve, root: Path
) -> None:
    """Whoever started it outside answers on both pages, and hears the end."""
    question = {"summary": "I am on the second page.", "question": "Which colour?"}
    script = (
        asks(("make_plan", {"plan": "I will go to the second page and ask."})),
        asks(("goto_url", {"url": "/two.html"})),
        asks(("communicate", question)),
        asks(("finish", {"text": "Red it is.", "success": True})),
    )
    with ModelServer(*script) as model:
        llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1")
        server = serve(root, *llm)
        async with owner(server) as client:
            await opened(page, server, client)
            given = {"goal": "find a colour", "caller": "terminal"}
            kinds = []
            async with (
                streamed(client, "POST", "pages/focused/run", json=given) as events,
                asyncio.timeout(90),
            ):
                run = (await until(events, "run"))["run"]
                async for name, data in events:
                    if name == "question":
                        kinds.append(data["request"]["kind"])
                        said = {"question": data["question"], "yes": True, "text": "red"}
                        answer = await client.post(f"runs/{run}/answer", json=said)
                        assert answer.status_code == 204
                    if name == "result":
                        result = data
                        break
            callers = {
                entry.get("caller")
                for entry in (await client.get("timeline")).json()["entries"]
                if entry["kind"] == "agent"
            }
            state = (await client.get("state")).json()

    assert kinds[0] == "plan"
    assert kinds[-1] == "question"
    assert result["ok"], result
    assert (result["value"]["ok"], result["value"]["text"]) == (True, "Red it is.")
    assert page.url.endswith("/two.html")
    assert callers == {"terminal"}
    assert len(state["pages"]) == 1


async def test_closing_the_request_stops_the_run_also_on_its_second_page(
    page: Page, serve: Serve, root: Path
) -> None:
    """The agent is free for the next goal."""
    script = (
        asks(("make_plan", {"plan": "I will go to the second page and ask."})),
        asks(("goto_url", {"url": "/two.html"})),
        asks(("communicate", {"summary": "Here.", "question": "Which colour?"})),
    )
    with ModelServer(*script) as model:
        server = serve(root, "--llm-base-url", model.url, "--llm-model", "scripted-1")
        async with owner(server) as client:
            await opened(page, server, client)
            given = {"goal": "find a colour"}
            async with streamed(client, "POST", "pages/focused/run", json=given) as events:
                run = (await until(events, "run"))["run"]
                while (asked := await until(events, "question"))["request"]["kind"] != "question":
                    said = {"question": asked["question"], "yes": True}
                    await client.post(f"runs/{run}/answer", json=said)
            async with streamed(client, "GET", "events?after=0") as events:
                while (await until(events, "entry"))["detail"].get("type") != "finished":
                    pass

    assert page.url.endswith("/two.html")


async def test_a_server_that_is_killed_in_mid_call_is_found_again_by_its_page(
    page: Page, serve: Serve, root: Path, watch: Watch
) -> None:
    """The page loads anew and takes the next call; the token is the same as before."""
    server = serve(root)
    token = owner_token(server)
    async with owner(server) as client:
        await opened(page, server, client)
        asking = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("window.waiting")
        server.kill()
        with pytest.raises(httpx.TransportError):
            await asking
    again = serve(root, "--port", server.url.rpartition(":")[2])
    async with owner(again) as client:
        await listed(client, state="ready")
        assert (await call(client, "search", query="x"))["ok"]
    # The browser says that nobody was there.
    watch.errors.clear()

    assert again.url == server.url
    assert owner_token(again) == token


@pytest.mark.conformance
@pytest.mark.timeout(400)
async def test_fifty_pages_five_of_them_real_work_on_two_hundred_calls_at_a_time(
    context: BrowserContext, server: Server, client: httpx.AsyncClient
) -> None:
    """None is answered before all are there; each gets its own answer."""
    async with AsyncExitStack() as stack:
        pages = []
        for _ in range(5):
            page = await context.new_page()
            stack.push_async_callback(page.close)
            await page.goto(server.url)
            await page.evaluate("webagent.ready")
            await page.evaluate(
                "window.answers = [];"
                "global.search = (query) => new Promise((go) => answers.push(() => go([query]))); 0"
            )
            pages.append(page)
        others = [
            ClientPage(server, f"client{number}", answer=silent, greets=False)
            for number in range(45)
        ]
        for other in others:
            await stack.enter_async_context(other)
            await other.introduce()
        listed_pages = await listed(client, 50, state="ready")
        ids = [found["page_id"] for found in listed_pages]

        async def asked(number: int) -> Any:
            given = {"name": "search", "arguments": {"query": str(number)}, "timeout_ms": 120_000}
            answer = await client.post(f"pages/{ids[number % 50]}/call", json=given)
            return answer.json()["value"]

        asking = [asyncio.ensure_future(asked(number)) for number in range(200)]
        for page in pages:
            await page.wait_for_function("answers.length === 4")
        for other in others:
            await other.told("call", 4)
        assert not any(task.done() for task in asking)
        for page in pages:
            await page.evaluate("answers.forEach((go) => go())")
        for other in others:
            for message in [m for m in other.heard if m["type"] == "call"]:
                value = [message["arguments"]["query"]]
                await other.say("result", id=message["id"], result=good(value))

        assert await asyncio.gather(*asking) == [[str(number)] for number in range(200)]


@pytest.mark.conformance
async def test_a_page_out_of_the_back_forward_cache_takes_calls(
    server: Server, client: httpx.AsyncClient
) -> None:
    """It is the same document; what ran in it when it was left has had its answer."""
    # Playwright switches this cache off.
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[*ARGS, ONLY_LOCAL],
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await browser.new_page()
        await opened(page, server, client)
        await page.evaluate("window.mark = 'the same'")
        (before,) = await listed(client, state="ready")
        asking = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("window.waiting")
        await page.goto(f"{server.url}/two.html")
        left = await asyncio.wait_for(asking, 30)
        await listed(client, title="Two", state="ready")
        await page.evaluate("history.back()")
        await page.wait_for_function("window.mark === 'the same'")
        (after,) = await listed(client, title="A shop", state="ready")
        found = await call(client, "search", query="x")
        await browser.close()

    assert left["error"]["kind"] == "navigated"
    assert found["value"] == ["x", "/"]
    for word in ("page_id", "document_id"):
        assert after[word] == before[word]
