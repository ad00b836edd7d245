"""Processes killed in the middle of calls and runs: nobody hangs, and all get the reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp_types import ElicitResult
from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.devserver.agents.a2a.client import A2a, message, words
from tests.devserver.agents.client import connected, text
from tests.devserver.agents.goal_api.client import client_of, events_of
from tests.devserver.api.owner_client import streamed
from tests.e2e.conftest import ONLY_LOCAL, Serve
from tests.e2e.offering import HEAD, write
from tests.e2e.relay.site import listed
from tests.page_client import owner
from tests.server import Server
from tests.wire import Wire

MANIFEST = """# Tea room

## orderTea
Order tea. The kettle never boils.

### Params
"""
SCRIPT = """<script>
  globalThis.ordered = 0;
  global.orderTea = () => { ordered++; return new Promise(() => {}); };
</script>"""
FILES = {"index.html": HEAD + SCRIPT, "webagents.md": MANIFEST}
LONG_MS = 300_000

pytestmark = pytest.mark.conformance
END_S = 30.0
"""Far below what a call may take, far above what it takes to notice."""
Ends = dict[str, tuple[str, str]]
"""How each of those who wait ended: `result` or `error`, and its words."""


@pytest_asyncio.fixture(name="scene", loop_scope="session")
async def _scene(serve: Serve, tmp_path: Path) -> AsyncIterator[tuple[Server, Browser]]:
    server = serve(write(tmp_path / "site", FILES), process=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=[*ARGS, ONLY_LOCAL]
        )
        yield server, browser
        with suppress(Exception):
            await browser.close()


async def test_a_page_that_is_killed(scene: tuple[Server, Browser]) -> None:
    """Both pages are closed; all that wait hear that theirs is gone."""
    server, browser = scene
    async with waiting(server, server, browser) as (pages, ended):
        for page in pages:
            await page.close()
        ends = await ended()

    assert {how for how, _ in ends.values()} == {"result"}
    assert all("went away" in words or "left" in words for _, words in ends.values()), ends


async def test_a_browser_that_is_killed(scene: tuple[Server, Browser]) -> None:
    """Without a word of farewell."""
    server, browser = scene
    async with waiting(server, server, browser) as (_, ended):
        await killed(browser)
        ends = await ended()

    assert {how for how, _ in ends.values()} == {"result"}
    assert all("went away" in words for _, words in ends.values()), ends


async def test_a_server_that_is_killed(scene: tuple[Server, Browser]) -> None:
    """Its clients have an error at once; a page that finds it gone ends what it did for them."""
    server, browser = scene
    async with waiting(server, server, browser) as (_, ended):
        server.kill()
        ends = await ended()

    assert {how for how, _ in ends.values()} == {"error"}, ends


async def test_a_network_that_is_cut(scene: tuple[Server, Browser]) -> None:
    """Clients have an error at once; the pages hear that nobody waits any more."""
    server, browser = scene
    async with Wire(server) as wire, waiting(wire, server, browser) as (pages, ended):
        wire.cut()
        ends = await ended()
        async with asyncio.timeout(END_S):
            told = [await page.evaluate("ended") for page in pages]

    assert {how for how, _ in ends.values()} == {"error"}, ends
    assert told == ["ended", "ended"]


async def test_a_browser_that_is_killed_under_tasks_of_a2a_clients(
    scene: tuple[Server, Browser],
) -> None:
    """A call that waits and a run of the agent fail at once, with that reason."""
    server, browser = scene
    page = await browser.new_page()
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with A2a(server) as client, asyncio.timeout(180):
        run = await client.send("order tea")
        assert "orderTea" in words(run)

        async def followed(sent: dict[str, Any]) -> dict[str, Any]:
            told = [event async for event in client.stream("SendStreamingMessage", **sent)]
            end: dict[str, Any] = told[-1]["statusUpdate"]
            return end

        sent = (message("yes", taskId=run["id"]), message(CALL_TEA))
        streams = [asyncio.ensure_future(followed(each)) for each in sent]
        await page.wait_for_function("globalThis.ordered === 2")
        await killed(browser)
        ends = await asyncio.wait_for(asyncio.gather(*streams), END_S)

    assert [end["status"]["state"] for end in ends] == ["TASK_STATE_FAILED"] * 2
    assert all("the page went away" in words(end) for end in ends), ends


async def test_a_browser_that_is_killed_under_a_simple_task(scene: tuple[Server, Browser]) -> None:
    """In the middle of what it does; the client's stream ends with that reason."""
    server, browser = scene
    page = await browser.new_page()
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    await page.evaluate(ENDLESS_FORM)
    goal = {"goal": "Fill the form with name Ada and submit it", "params": {}}
    async with (
        client_of(server) as client,
        events_of(client, "POST", "/a2a/tasks", json=goal) as events,
        asyncio.timeout(90),
    ):
        await page.wait_for_event("console")
        await killed(browser)
        told = [event async for _, event in events]

    assert told[-1]["status"] == "failed"
    assert "the tab no longer shows a page of this site" in told[-1]["error"], told[-1]


CALL_TEA = {"data": {"tool": "orderTea", "arguments": {}}}
ENDLESS_FORM = """() => {
  document.body.innerHTML = "<form><label>Name <input name=name></label><button>Send</button></form>";
  document.querySelector("input").addEventListener("input", () => {
    console.log("it is typed into");
    for (;;);
  });
}"""


async def killed(browser: Browser) -> None:
    """End a browser without a word of farewell."""
    session = await browser.new_browser_cdp_session()
    with suppress(Exception):
        await session.send("Browser.crash")


NOTE_END = """() => {
  globalThis.ended = new Promise((resolve) => {
    webagent.addEventListener("call", ({ detail }) => {
      if (detail.state === "cancelled") resolve("ended");
    });
    webagent.addEventListener("agent", ({ detail }) => {
      if (detail.type === "finished") resolve("ended");
    });
  });
}"""


@asynccontextmanager
async def waiting(
    through: Server | Wire, server: Server, browser: Browser
) -> AsyncIterator[tuple[list[Page], Callable[[], Awaitable[Ends]]]]:
    """Let clients wait for calls in one page, and for a run in each of two; yield how they end.

    Args:
        through: Where they connect to.
        server: Which it leads to.
        browser: Where the pages are.
    """

    async def agree(_: Any, __: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"yes": True})

    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(owner(server))
        pages = [await browser.new_page() for _ in range(2)]
        ids = []
        for count, page in enumerate(pages, 1):
            await page.goto(server.url)
            await page.evaluate("webagent.ready")
            await page.evaluate(NOTE_END)
            known = await listed(api, count, state="ready")
            ids += [one["page_id"] for one in known if one["page_id"] not in ids]
        first, second = ids
        outside = httpx.AsyncClient(base_url=f"{through.url}/__webagent__/api/", timeout=None)
        outside.headers.update({**api.headers, "host": httpx.URL(server.url).netloc.decode()})
        await stack.enter_async_context(outside)

        async def by_mcp(age: str, tool: str, **given: str) -> str:
            # Each with a client of its own: one that loses its server fails as a whole.
            async with connected(through, age, elicitation_callback=agree) as client:
                return text(await client.call_tool(tool, {"page_id": first, **given}))

        async def by_http() -> str:
            asked = {"name": "orderTea", "arguments": {}, "timeout_ms": LONG_MS}
            answer = await outside.post(f"pages/{first}/call", json=asked)
            return json.dumps(answer.json())

        async def run_by_http() -> str:
            asked = {"goal": "order tea", "approve": True}
            async with streamed(outside, "POST", f"pages/{second}/run", json=asked) as events:
                async for name, data in events:
                    if name == "result":
                        return json.dumps(data)
            raise ConnectionError("the stream ended without a result")

        waits = {
            "MCP with sessions": by_mcp("legacy", "call_page_tool", name="orderTea"),
            "MCP without": by_mcp("auto", "call_page_tool", name="orderTea"),
            "a run by MCP": by_mcp("auto", "run_goal", goal="order tea"),
            "HTTP": by_http(),
            "a run by HTTP": run_by_http(),
        }
        tasks = {name: asyncio.ensure_future(wait) for name, wait in waits.items()}
        for page, count in zip(pages, (4, 1), strict=True):
            await page.wait_for_function(
                "count => globalThis.ordered === count", arg=count, timeout=90_000
            )

        async def ended() -> Ends:
            await asyncio.wait(tasks.values(), timeout=END_S)
            return {name: _end(task) for name, task in tasks.items()}

        try:
            yield pages, ended
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)


def _end(task: asyncio.Future[str]) -> tuple[str, str]:
    if not task.done():
        return "hangs", ""
    error = task.exception()
    return ("error", repr(error)) if error else ("result", task.result())
