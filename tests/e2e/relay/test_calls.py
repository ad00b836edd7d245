"""Calls from outside, through the server, into real pages."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import BrowserContext, Page, Route

from tests.devserver.api.owner_client import streamed, until
from tests.e2e.conftest import Serve
from tests.e2e.offering import HEAD, write
from tests.e2e.relay.site import ask, call, listed, opened
from tests.page_client import ClientPage, good, owner, silent
from tests.server import Server


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


async def test_the_prompt_for_a_goal_is_shown(still: tuple[Page, httpx.AsyncClient]) -> None:
    """With the tokens of each part; no model is asked."""
    _, client = still
    prompt = (await ask(client, "prompt", goal="find books about harbours"))["value"]

    assert prompt["messages"][0]["role"] == "system"
    assert "find books about harbours" in json.dumps(prompt["messages"])
    assert "search(" in prompt["typescript"]
    assert {tool["name"] for tool in prompt["tools"]} >= {"search", "execute_js", "finish"}
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


async def test_a_closed_request_cancels_its_call(
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
    """Before it, no Python is there; a call that is given up meanwhile is never made."""
    (root / "webagent.toml").write_text('[page]\nstart = "use"\n')
    server = serve(root)
    told, held = asyncio.Event(), asyncio.Event()

    def hear(text: str | bytes) -> None:
        if json.loads(text)["type"] == "cancel":
            told.set()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    async with owner(server) as client:
        await page.goto(server.url)
        (before,) = await listed(client, state="idle")
        assert before["tools"] == 0
        await page.route("**/__webagent__/assets/**", hold)
        given_up = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("webagent.state === 'starting'")
        given_up.cancel()
        await asyncio.wait_for(told.wait(), 20)
        held.set()
        found = await call(client, "search", query="x")
        (after,) = await listed(client, state="ready")

    assert not await page.evaluate("window.waiting")
    assert found["value"] == ["x", "/"]
    assert after["tools"] == 4


@pytest.mark.conformance
async def test_a_thousand_tools_are_listed_and_called(page: Page, serve: Serve, root: Path) -> None:
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
