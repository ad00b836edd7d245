"""The official suite of MCP, against a server whose tools are those of a real page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import async_playwright

from tests.chromium import ARGS, find_chromium
from tests.mcp_kit import node, suite
from tests.page_client import owner
from tests.server import Server, serving

HERE = Path(__file__).parent / "mcp"
TOOLS = 13

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(name="server")
async def _server() -> AsyncIterator[Server]:
    """A server without a token, which the suite cannot show, and a page that is open in it."""
    with serving(HERE / "site", "--doors", "open") as server:
        async with async_playwright() as playwright, owner(server) as client:
            path = find_chromium()
            browser = await playwright.chromium.launch(executable_path=path, args=ARGS)
            page = await browser.new_page()
            await page.goto(server.url)
            async with asyncio.timeout(60):
                while not await offered(client):
                    await page.evaluate("webagent.ready")
            yield server
            await browser.close()


async def offered(client: httpx.AsyncClient) -> bool:
    """Whether the server knows all tools of the page."""
    state = (await client.get("state")).json()
    return [page["tools"] for page in state["pages"]] == [TOOLS]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_tools_of_a_page_pass_the_suite(
    server: Server, revision: str, tmp_path: Path
) -> None:
    """All that is required, but for what is listed with the reason; nothing of that passes."""
    running = await asyncio.create_subprocess_exec(
        *(node(), suite(), "server", "--url", f"{server.url}/mcp", "--requirements", revision),
        *("--expected-failures", HERE / f"failures-{revision}.yml", "-o", tmp_path),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await running.communicate()

    assert running.returncode == 0, out.decode()[-6000:]
    assert b"Total: " in out
