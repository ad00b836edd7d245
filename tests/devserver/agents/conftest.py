"""A server whose pages other programs use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.devserver.conftest import INDEX, MANIFEST
from tests.page_client import brief_absence, owner
from tests.server import Server, hosting


@pytest.fixture(autouse=True, scope="module")
def _brief_absence() -> Iterator[None]:
    with brief_absence():
        yield


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("mcp")
    (root / "index.html").write_bytes(INDEX)
    (root / "webagents.md").write_text(f"{MANIFEST}\n## Rules\nBe kind.\n", encoding="utf-8")
    with hosting(root) as server:
        # From here on nothing is news that was there at the start.
        server.wait_for_output("webagents.md: 1 tool")
        yield server


@pytest.fixture(name="nothing_left")
async def _nothing_left(server: Server) -> AsyncIterator[None]:
    """Wait until the server has forgotten the pages of the test."""
    yield
    async with owner(server) as client, asyncio.timeout(20):
        while (await client.get("state")).json()["pages"]:
            pass
