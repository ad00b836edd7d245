"""A real MCP client, with the older or the newer version of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, TextContent

from tests.page_client import owner_token
from tests.server import Server
from tests.wire import Wire

AGES = ("legacy", "auto")
"""Modes of the client: the version with sessions, and the one without."""
OWN = [
    *("list_pages", "page_state", "page_act", "page_log"),
    *("call_page_tool", "execute_js", "run_goal"),
]
"""Tools of the server itself."""
CANCEL = {
    "name": "cancelOrder",
    "source": "form",
    "effect": "irreversible",
    "origin": "http://shop.test",
}
"""A tool whose call cannot be undone."""


@asynccontextmanager
async def connected(
    server: Server | Wire,
    age: str = "auto",
    *,
    token: str | None = None,
    query: str = "",
    **options: Any,
) -> AsyncIterator[Client]:
    """Connect to a server as its owner's program.

    Args:
        server: The server whose tools are used, or a wire to it.
        age: Mode of the client, one of `AGES`, which chooses the version of the protocol.
        token: Sent instead of the owner's; empty for no token.
        query: Of the address, such as `?tools=own`.
        options: Of the client.
    """
    shown = owner_token(server) if token is None else token
    headers = {"authorization": f"Bearer {shown}"} if shown else {}
    if isinstance(server, Wire):
        headers["host"] = server.host
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{server.url}/mcp{query}", http_client=http)
        info = Implementation(name="shop-tester", title="Shop Tester", version="1")
        async with Client(transport, mode=age, client_info=info, **options) as client:
            yield client


def text(result: CallToolResult) -> str:
    """Return the text for the model."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def changed(news: asyncio.Queue[Any]) -> None:
    """Wait until a client was notified of other tools."""
    while getattr(await news.get(), "method", "") != "notifications/tools/list_changed":
        pass
