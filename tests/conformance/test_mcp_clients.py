"""Clients that others made for MCP use the template's open page."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.devserver.agents.client import AGES, OWN
from tests.mcp_kit import inspector, kit, node
from tests.page_client import owner_token
from tests.server import Server, serving

HERE = Path(__file__).parent
TEMPLATE = HERE.parent.parent / "site_template"
WAIT = """() => {
  globalThis.ended = new Promise((resolve) => {
    webagent.addEventListener("call", ({ detail }) => {
      if (detail.state === "cancelled") resolve(detail.caller);
    });
  });
  document.modelContext.registerTool({
    name: "wait",
    description: "Never answers.",
    inputSchema: { type: "object", properties: {} },
    execute: () => { globalThis.waits = true; return new Promise(() => {}); },
  });
}"""

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(name="open_page")
async def _open_page() -> AsyncIterator[tuple[Server, Page]]:
    """The template, and a page of it that is open."""
    with serving(TEMPLATE) as server:
        async with async_playwright() as playwright:
            path = find_chromium()
            browser = await playwright.chromium.launch(executable_path=path, args=ARGS)
            page = await browser.new_page()
            await page.goto(server.url)
            await page.evaluate("webagent.ready")
            yield server, page
            await browser.close()


@pytest.mark.parametrize("age", AGES)
async def test_the_kits_for_typescript_use_the_page(
    open_page: tuple[Server, Page], age: str
) -> None:
    """They list, call, see progress, answer questions, follow a list change and give a call up."""
    server, page = open_page
    script = kit() / "client.mjs"
    # Packages are looked for beside the program.
    shutil.copyfile(HERE / "mcp" / "client.mjs", script)
    running = await asyncio.create_subprocess_exec(
        *(node(), script, f"{server.url}/mcp", owner_token(server), age),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert running.stdin
    assert running.stdout
    async with asyncio.timeout(150):
        assert await running.stdout.readline() == b"a tool\n"
        await page.evaluate(WAIT)
        assert await running.stdout.readline() == b"a word\n"
        await page.wait_for_function("globalThis.waits")
        running.stdin.write(b"enough\n")
        caller = await page.evaluate("ended")
        out, _ = await running.communicate(b"leave\n")
    seen: dict[str, Any] = json.loads(out)
    basket = await page.evaluate("getBasket()")

    assert running.returncode == 0
    assert "searchBooks" in seen["tools"]
    assert seen["tools"][-len(OWN) :] == OWN
    titles = [book["title"] for book in seen["called"]["structuredContent"]["books"]]
    assert "The Harbour Towns" in titles
    assert seen["worked"]["structuredContent"]["ok"] is True
    assert seen["asked"]
    assert any("addToBasket" in step for step in seen["steps"])
    assert "enough" in seen["ended"]
    assert caller == "kit"
    assert [item["title"] for item in basket["items"]] == ["The Harbour Towns"]


async def test_the_inspector_lists_and_calls(open_page: tuple[Server, Page]) -> None:
    """Its command line, as the guide has it; all schemas are such that every client takes them."""
    server, _ = open_page
    listed = await inspected(server, "--method", "tools/list", "--strict")
    called = await inspected(
        *(server, "--method", "tools/call", "--tool-name", "searchBooks"),
        *("--tool-arg", "query=harbour", "limit=2"),
    )
    read = await inspected(server, "--method", "resources/read", "--uri", "webagent://manifest")

    assert "searchBooks" in [tool["name"] for tool in listed["tools"]]
    assert len(called["structuredContent"]["books"]) == 2
    assert "## searchBooks" in read["contents"][0]["text"]


async def inspected(server: Server, *arguments: str) -> Any:
    """Return what the command line of the inspector writes."""
    running = await asyncio.create_subprocess_exec(
        *(node(), inspector(), "--cli", f"{server.url}/mcp", "--transport", "http"),
        *("--header", f"Authorization: Bearer {owner_token(server)}", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, problems = await asyncio.wait_for(running.communicate(), 120)
    assert running.returncode == 0, problems.decode()
    return json.loads(out)
