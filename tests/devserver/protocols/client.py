"""A real client of the protocol, in either of its ages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from tests.page_client import owner_token
from tests.server import Server

AGES = ("legacy", "auto")
"""With sessions, and without."""


@asynccontextmanager
async def connected(
    server: Server, age: str = "auto", *, token: str | None = None, **options: Any
) -> AsyncIterator[Client]:
    """Connect to a server as its owner's program.

    Args:
        server: Whose tools are used.
        age: Of the protocol.
        token: Instead of the owner's; empty for none.
        options: Of the client.
    """
    shown = owner_token(server) if token is None else token
    headers = {"authorization": f"Bearer {shown}"} if shown else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
        info = Implementation(name="shop-tester", title="Shop Tester", version="1")
        async with Client(transport, mode=age, client_info=info, **options) as client:
            yield client
