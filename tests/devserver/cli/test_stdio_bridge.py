"""`webagent-dev mcp`: the protocol on standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import ElicitResult

from tests.devserver.agents.client import AGES, CANCEL, OWN, text
from tests.devserver.agents.task_client import TaskExtension, begin, until
from tests.devserver.conftest import INDEX, MANIFEST
from tests.page_client import ClientPage, echo, good, silent
from tests.server import Server, ServerProcess, serving
from webagent_dev.config.owner import read_note


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    return tmp_path


@pytest.fixture(name="server")
def _server(root: Path) -> Iterator[Server]:
    with serving(root) as server:
        yield server


@asynccontextmanager
async def bridged(
    root: Path, age: str, *options: str, **client_options: Any
) -> AsyncIterator[Client]:
    """Start the command as a program does, and connect to it."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "webagent_dev", "mcp", str(root), *options],
        env=dict(os.environ),
    )
    async with Client(stdio_client(command), mode=age, **client_options) as client:
        yield client


@pytest.mark.parametrize("age", AGES)
async def test_everything_passes_over_the_bridge(server: Server, root: Path, age: str) -> None:
    """Lists, calls, progress, questions and errors, as without it."""

    def answer(call: dict[str, Any]) -> dict[str, Any] | None:
        return silent(call) if call["name"] == "wait" else echo(call)  # type: ignore[func-returns-value]

    async def ask(_: Any, __: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"yes": True})

    heard: list[str | None] = []

    async def hear(_: float, __: float | None, message: str | None) -> None:
        heard.append(message)

    page = ClientPage(server, tools=(CANCEL, "wait"), answer=answer)
    async with page, bridged(root, age, elicitation_callback=ask) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        agreed = await client.call_tool("cancelOrder", {"id": "Käse"})
        calling = asyncio.ensure_future(client.call_tool("wait", {}, progress_callback=hear))
        call = await page.told("call", 2)
        await page.say("progress", id=call["id"], message="half")
        await page.say("result", id=call["id"], result=good("done"))
        waited = await calling
        manifest = await client.read_resource("webagent://manifest")
        with pytest.raises(MCPError, match="there is no tool `nichts – ü`"):
            await client.call_tool("nichts – ü", {})

    assert names == ["cancelOrder", "wait", *OWN]
    assert json.loads(text(agreed)) == {"id": "Käse"}
    assert (text(waited), heard) == ("done", ["half"])
    assert "## searchBooks" in manifest.contents[0].text


async def test_a_task_passes_over_the_bridge(server: Server, root: Path) -> None:
    """Its handle, and the requests about it, which HTTP names in a header."""
    page = ClientPage(server, answer=silent)
    async with page, bridged(root, "auto", extensions=[TaskExtension()]) as client:
        name = (await begin(client, "search", {}))["taskId"]
        call = await page.told("call")
        await page.say("result", id=call["id"], result=good("late"))
        task = await until(client, name, "completed")

    assert task["result"]["content"][0]["text"] == "late"


@pytest.mark.conformance
@pytest.mark.parametrize("age", AGES)
async def test_a_call_is_cancelled_over_the_bridge(server: Server, root: Path, age: str) -> None:
    """The page hears of it."""
    page = ClientPage(server, tools=("wait",), answer=silent)
    async with page, bridged(root, age) as client:
        calling = asyncio.ensure_future(client.call_tool("wait", {}))
        call = await page.told("call")
        calling.cancel()
        assert (await page.told("cancel"))["id"] == call["id"]


async def test_arguments_that_http_repeats_in_headers_pass_over_the_bridge(
    server: Server, root: Path
) -> None:
    """Of a tool that was listed, of one that nobody has listed, and after its schema changed."""
    with_region = send_to("region", "x-mcp-header", "Region")
    with_place = send_to("place", "x-mcp-header", "Place")
    page = ClientPage(server, tools=(with_region,))
    async with page, bridged(root, "auto") as client:
        first = await client.call_tool("send", {"to": {"region": "Käse 1"}, "fast": True})
        await client.list_tools()
        second = await client.call_tool("send", {"to": {"region": "north"}, "fast": False})
        await page.offer(with_place, "more")
        async with asyncio.timeout(20):
            while "more" not in text(await client.call_tool("list_pages", {})):
                pass
        third = await client.call_tool("send", {"to": {"place": "here"}})

    assert json.loads(text(first)) == {"to": {"region": "Käse 1"}, "fast": True}
    assert json.loads(text(second)) == {"to": {"region": "north"}, "fast": False}
    assert json.loads(text(third)) == {"to": {"place": "here"}}


async def test_a_tool_of_a_later_page_of_the_list_is_called_over_the_bridge(
    server: Server, root: Path
) -> None:
    """The headers of its arguments are in its schema, for which the bridge reads the whole list."""
    others = [{"name": f"tool{n}", "description": "Do nothing. " * 100} for n in range(100)]
    page = ClientPage(server, tools=(*others, send_to("region", "x-mcp-header", "Region")))
    async with page, bridged(root, "auto") as client:
        listed = await client.list_tools()
        answer = await client.call_tool("send", {"to": {"region": "north"}, "fast": True})

    assert listed.next_cursor
    assert "send" not in [tool.name for tool in listed.tools]
    assert json.loads(text(answer)) == {"to": {"region": "north"}, "fast": True}


def send_to(name: str, key: str, header: str) -> dict[str, Any]:
    """Return a tool of which HTTP repeats two arguments, one of them inside another."""
    to = {"type": "object", "properties": {name: {"type": "string", key: header}}}
    properties = {"to": to, "fast": {"type": "boolean", key: "Fast"}}
    return {"name": "send", "input_schema": {"type": "object", "properties": properties}}


@pytest.mark.conformance
async def test_a_restarted_server_is_found_again(root: Path) -> None:
    """At its new URL, with a new session, and a notification that the tools may have changed."""
    news: asyncio.Queue[Any] = asyncio.Queue()

    async def hear(message: Any) -> None:
        news.put_nowait(getattr(message, "method", ""))

    first = ServerProcess(root)
    async with bridged(root, "legacy", message_handler=hear) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == OWN
        first.kill()
        with serving(root) as second:
            async with asyncio.timeout(30), ClientPage(second, tools=("two",)):
                while await news.get() != "notifications/tools/list_changed":
                    pass
                assert (await client.list_tools()).tools[0].name == "two"


@pytest.mark.conformance
@pytest.mark.process
async def test_serve_starts_a_server(root: Path) -> None:
    """And stopped in the end."""
    async with bridged(root, "auto", "--serve") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == OWN
        assert is_served(root)
    assert not is_served(root)


def is_served(root: Path) -> bool:
    note = read_note(root.resolve())
    return bool(note and note.url)


async def said(root: Path, lines: bytes) -> list[Any]:
    """Return what the command answers to lines, until its input ends."""
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", "mcp", str(root)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert running.stdin
    assert running.stdout
    running.stdin.write(lines)
    answers = [json.loads(await asyncio.wait_for(running.stdout.readline(), 60)) for _ in range(2)]
    running.stdin.close()
    assert await running.stdout.read() == b""
    assert await running.wait() == 0
    return answers


@pytest.mark.process
async def test_without_a_server_the_error_names_the_command(root: Path) -> None:
    """As the error of every request; a notification has no response."""
    request = b'{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{}}\n'
    note = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    answers = await said(root, request % 1 + note + request % 2)

    assert [answer["id"] for answer in answers] == [1, 2]
    for answer in answers:
        assert "no server of this site is running" in answer["error"]["message"]
        assert "start `webagent-dev serve`" in answer["error"]["message"]


async def test_an_endpoint_that_is_off_is_reported(root: Path) -> None:
    """And what to start instead."""
    request = b'{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{}}\n'
    with serving(root, "--doors", "off"):
        answers = await said(root, request % 1 + request % 2)

    assert [answer["id"] for answer in answers] == [1, 2]
    assert "start it without `--doors off`" in answers[0]["error"]["message"]


@pytest.mark.process
async def test_malformed_lines_get_an_error(root: Path) -> None:
    """And nothing else is the worse for it."""
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n'
    answers = await said(root, b'{"jsonrpc"\n\n' + cancelled + b"[1]\n")

    assert [answer["error"]["code"] for answer in answers] == [-32700, -32600]


@pytest.mark.process
async def test_bytes_that_are_not_utf_8_are_reported(root: Path) -> None:
    """They are not passed on as other characters than the client has sent."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\xff"}}\n'
    answers = await said(root, line + b"[1]\n")

    assert [answer["error"]["code"] for answer in answers] == [-32700, -32600]
    assert "is not UTF-8" in answers[0]["error"]["message"]
