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
TOOLS = 17

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


TASK_SCENARIOS = (
    *("tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields"),
    *("tasks-request-state-removal", "tasks-mrtr-input", "tasks-request-headers"),
    "tasks-dispatch-and-envelope",
)


async def run_suite(server: Server, folder: Path, *options: str | Path) -> None:
    """Run a part of the suite; what is listed as expected to fail has to fail."""
    running = await asyncio.create_subprocess_exec(
        *(node(), suite(), "server", "--url", f"{server.url}/mcp", "-o", folder, *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await running.communicate()

    assert running.returncode == 0, out.decode()[-6000:]
    assert b"Total: " in out or b"Passed: " in out, out.decode()[-2000:]


@pytest.mark.parametrize("scenario", TASK_SCENARIOS)
async def test_long_calls_of_a_page_are_tasks(
    server: Server, scenario: str, tmp_path: Path
) -> None:
    """As the extension wants them, but for what is listed with the reason."""
    listed = HERE / "failures-tasks.yml"
    options = ("--scenario", scenario, "--expected-failures", listed)
    await run_suite(server, tmp_path, *options)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_tools_of_a_page_pass_the_suite(
    server: Server, revision: str, tmp_path: Path
) -> None:
    """All that is required, but for what is listed with the reason; nothing of that passes."""
    listed = HERE / f"failures-{revision}.yml"
    options = ("--requirements", revision, "--expected-failures", listed)
    await run_suite(server, tmp_path, *options)
