"""One tool of an open page: called in the page, over HTTP, and by MCP."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing
from typing import Any

from playwright.async_api import Page

from tests.bench.call import opened
from tests.bench.table import table
from tests.devserver.agents.client import connected
from tests.page_client import owner, owner_token
from tests.server import Server

TITLE = "A call of a tool of the open page, ms: in the page, and from outside"
ROUNDS = 20
CALLS = 20
"""In a row, in each round."""
GIVEN = {"query": "red", "limit": 5}
ABOUT = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {"name": "small", "arguments": GIVEN, "_meta": ABOUT}
MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
"""Of MCP, as the client of the SDK writes it."""
IN_PAGE = """async ([given, calls]) => {
  const took = [];
  for (let number = 0; number < calls; number++) {
    const start = performance.now();
    await webagent.invoke("small", given);
    took.push(performance.now() - start);
  }
  return took;
}"""


async def run() -> str:
    """Return the table: each way takes its turn in every round, over connections that stay open."""
    async with opened() as (server, page):
        await page.evaluate("webagent.ready")
        took = await measured(server, page)
    return table("ms", took, digits=2)


async def measured(server: Server, page: Page) -> dict[str, list[float]]:
    """Return how many milliseconds each call took, each way."""
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(owner(server))
        with_session = await stack.enter_async_context(connected(server, "legacy"))
        without = await stack.enter_async_context(connected(server, "auto"))

        line = stack.enter_context(
            closing(http.client.HTTPConnection(server.url.removeprefix("http://")))
        )
        headers = {
            "authorization": f"Bearer {owner_token(server)}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        of_mcp = {
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "small",
        }

        def asked(path: str, message: dict[str, Any], more: dict[str, str]) -> dict[str, Any]:
            line.request("POST", path, json.dumps(message), {**headers, **more})
            answer: dict[str, Any] = json.loads(line.getresponse().read())
            return answer

        async def bare_http() -> None:
            body = {"name": "small", "arguments": GIVEN}
            assert asked("/__webagent__/api/pages/focused/call", body, {})["ok"]

        async def bare_mcp() -> None:
            assert not asked("/mcp", MESSAGE, of_mcp)["result"]["isError"]

        async def over_http() -> None:
            body = {"name": "small", "arguments": GIVEN}
            assert (await api.post("pages/focused/call", json=body)).json()["ok"]

        async def by_mcp() -> None:
            assert not (await without.call_tool("small", GIVEN)).is_error

        async def by_mcp_with_session() -> None:
            assert not (await with_session.call_tool("small", GIVEN)).is_error

        async def by_mcp_alone() -> None:
            assert not (await without.call_tool("list_pages", {})).is_error

        ways: dict[str, Callable[[], Awaitable[None]]] = {
            "from outside, `POST …/call`, bare HTTP": bare_http,
            "from outside, MCP 2026-07-28, bare HTTP": bare_mcp,
            "from outside, `POST …/call`, httpx": over_http,
            "from outside, MCP 2026-07-28, the SDK's client": by_mcp,
            "from outside, MCP 2025-11-25, the SDK's client": by_mcp_with_session,
            "MCP alone: a tool of the server, no page, the SDK's client": by_mcp_alone,
        }
        for client in (with_session, without):
            await client.list_tools()
        took: dict[str, list[float]] = {name: [] for name in ("in the page", *ways)}
        # The round that comes first is not counted.
        for number in range(ROUNDS + 1):
            inside = await page.evaluate(IN_PAGE, [GIVEN, CALLS])
            found = {"in the page": inside}
            for name, way in ways.items():
                found[name] = [await timed(way) for _ in range(CALLS)]
            if number:
                for name, values in found.items():
                    took[name] += values
    return took


async def timed(way: Callable[[], Awaitable[None]]) -> float:
    """Return the milliseconds of a call."""
    start = time.perf_counter()
    await way()
    return (time.perf_counter() - start) * 1000
