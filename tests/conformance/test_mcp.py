"""The official suite of MCP, against a server whose tools are those of a real page."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import async_playwright

from tests.chromium import ARGS, find_chromium
from tests.mcp_kit import kit, node, suite
from tests.page_client import owner
from tests.server import Server, serving

HERE = Path(__file__).parent / "mcp"
TOOLS = 12

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
async def test_what_a_page_offers_passes_the_suite(
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


async def test_the_kit_for_typescript_uses_a_page(server: Server) -> None:
    """It lists, calls, hears progress, gives up, answers a question and hears of other tools."""
    script = kit() / "client.mjs"
    # Packages are looked for beside the program.
    shutil.copyfile(HERE / "client.mjs", script)
    running = await asyncio.create_subprocess_exec(
        *(node(), script, f"{server.url}/mcp"), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(running.communicate(), 120)
    seen = json.loads(out)

    assert running.returncode == 0
    assert {"test_simple_text", "test_elicitation", "execute_js"} <= {*seen["tools"]}
    assert seen["called"]["content"][0]["text"].startswith("This is a simple text response")
    assert "`test_elicitation`" in seen["asked"]
    assert seen["agreed"]["content"][0]["text"] == "done"
    assert seen["ran"]["structuredContent"]["value"]["content"][0]["type"] == "text"
    assert seen["steps"]
    assert "enough" in seen["ended"]
    assert seen["changed"] is True
    assert seen["more"] == ["more_1"]
