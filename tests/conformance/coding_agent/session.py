"""A session of a coding agent with a server, and what it costs."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import CallToolResult, TextContent

COUNTER = Path(__file__).parents[2] / "tokens.mjs"


class Session:
    """Calls tools, and keeps what a model would read and write."""

    def __init__(self, client: Client) -> None:
        """Call by a client that is connected."""
        self._client = client
        self.texts: list[str] = []
        """Of the instructions, the list of tools, the calls and their results."""
        self.calls = 0
        self.seconds = 0.0

    async def call(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool; return what a model reads of its result."""
        self.calls += 1
        result = await self._client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        read = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        assert read, result.content
        self.texts += [json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=False), read]
        return read

    async def list_tools(self) -> None:
        """Read the instructions and the list of tools, as a client does first."""
        self.texts.append(self._client.instructions or "")
        cursor = None
        while True:
            listed = await self._client.list_tools(cursor=cursor)
            for tool in listed.tools:
                shown = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
                self.texts.append(json.dumps(shown, ensure_ascii=False))
            cursor = listed.next_cursor
            if cursor is None:
                return


@asynccontextmanager
async def session(connecting: AbstractAsyncContextManager[Client]) -> AsyncIterator[Session]:
    """Begin a session, and read the list of tools."""
    started = time.perf_counter()
    async with connecting as client:
        begun = Session(client)
        await begun.list_tools()
        yield begun
    begun.seconds = time.perf_counter() - started


def count_tokens(texts: list[str]) -> list[int]:
    """Return the tokens of texts in the encoding `o200k_base`."""
    done = subprocess.run(
        ["node", COUNTER], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    counted: list[int] = json.loads(done.stdout)
    return counted
