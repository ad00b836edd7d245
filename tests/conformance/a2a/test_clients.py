"""The official kits for clients use the agent of the template's page, open in Chromium."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright

from tests.a2a_agent import kit_python
from tests.a2a_js import js_kit
from tests.chromium import ARGS, find_chromium
from tests.page_client import owner_token
from tests.server import Server, serving

HERE = Path(__file__).parent
TEMPLATE = HERE.parent.parent.parent / "site_template"
EACH = [(binding, version) for version in ("1.0", "0.3") for binding in ("JSONRPC", "HTTP+JSON")]
COMPLETED = 3
"""Of the schema's states, as the kit for JavaScript has them."""

pytestmark = [pytest.mark.timeout(600), pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(name="opened", scope="module", loop_scope="module")
async def _opened() -> AsyncIterator[tuple[Server, Page]]:
    """A server of the template, and a tab."""
    with serving(TEMPLATE) as server:
        async with async_playwright() as playwright:
            path = find_chromium()
            browser = await playwright.chromium.launch(executable_path=path, args=ARGS)
            page = await browser.new_page()
            yield server, page
            await browser.close()


async def first_page(server: Server, page: Page) -> None:
    """Begin with an empty basket."""
    await page.goto(server.url)
    await page.evaluate("localStorage.clear()")
    await page.goto(server.url)
    await page.evaluate("webagent.ready")


async def seen(*command: str | Path) -> dict[str, Any]:
    """Run a client, and return what it has seen."""
    running = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await asyncio.wait_for(running.communicate(), 200)
    assert running.returncode == 0
    told: dict[str, Any] = json.loads(out)
    return told


@pytest.mark.parametrize(("binding", "version"), EACH)
async def test_the_kit_for_python_uses_the_page(
    opened: tuple[Server, Page], binding: str, version: str
) -> None:
    """It finds the card, calls a tool, reaches a goal with its questions, cancels, lists."""
    server, page = opened
    await first_page(server, page)
    python = await asyncio.to_thread(kit_python)
    program = HERE / "client.py"
    told = await seen(python, program, server.url, owner_token(server), binding, version)
    basket = await page.evaluate("getBasket()")

    assert told["name"] == "Catchword Books"
    assert told["kinds"] == ["task", "status_update", "artifact_update", "status_update"]
    assert told["called"]["data"]["books"]
    assert told["asked"]
    assert (told["state"], told["ended"]) == ("TASK_STATE_COMPLETED", "TASK_STATE_CANCELED")
    assert told["history"] >= 3
    assert told["listed"] in ([], told["ids"])
    assert [item["title"] for item in basket["items"]] == ["The Harbour Towns"]


async def test_the_kit_for_javascript_uses_the_page(opened: tuple[Server, Page]) -> None:
    """The same, over each binding of 1.0."""
    server, page = opened
    await first_page(server, page)
    kit = await asyncio.to_thread(js_kit)
    # Packages are looked for beside the program.
    program = shutil.copy(HERE / "client.mjs", kit)
    node = shutil.which("node")
    assert node
    for binding in ("JSONRPC", "HTTP+JSON"):
        told = await seen(node, program, server.url, owner_token(server), binding)
        assert told["name"] == "Catchword Books"
        assert told["kinds"] == ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]
        assert told["books"] > 0
        assert told["asked"]
        assert (told["state"], told["protocol"]) == (COMPLETED, "1.0")
    basket = await page.evaluate("getBasket()")
    assert [item["title"] for item in basket["items"]] == ["The Harbour Towns"]
