"""A server that is stopped while calls run: each is answered first, at every endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.devserver.agents.a2a.client import A2a, message, words
from tests.devserver.agents.client import AGES, CANCEL, connected, text
from tests.devserver.agents.goal_api.client import client_of, events_of
from tests.devserver.api.owner_client import streamed
from tests.devserver.conftest import INDEX
from tests.page_client import ClientPage, owner, silent
from tests.server import Server, ServerProcess

pytestmark = pytest.mark.process

STOPPED = "server_stopped"
TOOLS = ("wait", CANCEL)


@pytest.fixture(name="root")
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "site"
    root.mkdir()
    (root / "index.html").write_bytes(INDEX)
    return root


@asynccontextmanager
async def running(root: Path) -> AsyncIterator[tuple[Server, ClientPage]]:
    """Start a server with a page that answers nothing."""
    server = ServerProcess(root)
    try:
        async with ClientPage(server, tools=TOOLS, answer=silent, focused=True) as page:
            yield server, page
    finally:
        server.kill()


async def stop(server: Server, *calls: asyncio.Task[Any]) -> list[Any]:
    """Stop a server, and return what its calls have returned."""
    await asyncio.to_thread(server.stop)
    return await asyncio.wait_for(asyncio.gather(*calls), 20)


async def test_the_owners_calls_are_answered(root: Path) -> None:
    """Tools, programs and runs; the page is asked to end them."""
    async with running(root) as (server, page), owner(server) as api, AsyncExitStack() as stack:
        posts = {"call": {"name": "wait", "arguments": {}}, "execute": {"code": "1"}}
        calls = [
            asyncio.ensure_future(api.post(f"pages/tab/{path}", json=given))
            for path, given in posts.items()
        ]
        stream = streamed(api, "POST", "pages/tab/run", json={"goal": "buy"})
        events = await stack.enter_async_context(stream)
        await page.told("call", 3)

        async def last() -> Any:
            return [event async for event in events][-1]

        *answers, (name, result) = await stop(server, *calls, asyncio.ensure_future(last()))
        ended = await page.told("cancel", 3)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert name == "result"
    for given in (*(answer.json() for answer in answers), result):
        assert given["error"]["kind"] == STOPPED
        assert given["error"]["help"].startswith("what it started may have happened")
    assert ended


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("bridge", [False, True])
async def test_calls_of_mcp_are_answered(root: Path, age: str, bridge: bool) -> None:
    """A tool and a run, over HTTP and over the bridge."""
    async with running(root) as (server, page), AsyncExitStack() as stack:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "webagent_dev", "mcp", str(root)],
            env=dict(os.environ),
        )
        connecting = Client(stdio_client(command), mode=age) if bridge else connected(server, age)
        client = await stack.enter_async_context(connecting)
        calls = [
            asyncio.ensure_future(client.call_tool(name, arguments))
            for name, arguments in (("wait", {}), ("run_goal", {"goal": "buy"}))
        ]
        await page.told("call", 2)
        results = await stop(server, *calls)

    for result in results:
        assert result.is_error
        assert text(result).startswith(STOPPED)


@pytest.mark.parametrize("binding", ["rpc", "rest"])
async def test_tasks_of_a2a_are_answered(root: Path, binding: str) -> None:
    """A goal, a stream, a tool, and a question that nobody has answered."""
    async with running(root) as (server, page), A2a(server, binding) as client:
        asked = await client.send({"data": {"tool": "cancelOrder", "arguments": {}}})

        async def follow() -> list[dict[str, Any]]:
            sending = client.stream("SendStreamingMessage", **message("buy another"))
            return [event async for event in sending]

        following = asyncio.ensure_future(follow())
        tool = asyncio.ensure_future(client.send({"data": {"tool": "wait", "arguments": {}}}))
        await page.told("call", 2)
        events, task = await stop(server, following, tool)

    assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    for status in (task["status"], events[-1]["statusUpdate"]["status"]):
        assert status["state"] == "TASK_STATE_FAILED"
        assert status["message"]["parts"][1]["data"]["error"]["kind"] == STOPPED
    assert "the server was stopped" in words(task)


async def test_tasks_of_version_0_3_are_answered(root: Path) -> None:
    """In their own words."""
    async with running(root) as (server, page), client_of(server) as client:
        sent = {
            "message": {
                "kind": "message",
                "messageId": "m",
                "role": "user",
                "parts": [{"kind": "text", "text": "buy"}],
            }
        }
        call = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": sent}
        sending = asyncio.ensure_future(client.post("/a2a/jsonrpc", json=call))
        await page.told("call")
        (answer,) = await stop(server, sending)

    task = answer.json()["result"]
    assert task["status"]["state"] == "failed"
    assert task["status"]["message"]["parts"][1]["data"]["error"]["kind"] == STOPPED


async def test_tasks_of_the_goal_api_are_answered(root: Path) -> None:
    """The last event of the stream says why."""
    async with running(root) as (server, page), client_of(server) as client:
        task = {"goal": "go", "params": {"url": "/x"}}
        async with events_of(client, "POST", "/a2a/tasks", json=task) as events:
            await page.told("call")

            async def rest() -> list[Any]:
                return [event async for _, event in events]

            (received,) = await stop(server, asyncio.ensure_future(rest()))

    assert received[-1]["status"] == "failed"
    assert "the server was stopped" in received[-1]["error"]
    assert json.dumps(received).count('"failed"') == 1
