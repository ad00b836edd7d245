"""What a tool has during its call: progress, a signal, and a way to ask whoever called."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitResult
from playwright.async_api import Page

from tests.devserver.agents.a2a.client import A2a
from tests.devserver.agents.client import connected, text
from tests.e2e.conftest import Serve

TAILOR = Path(__file__).parents[1] / "sites" / "tailor"


@pytest.mark.parametrize("age", ["legacy", "auto"])
@pytest.mark.parametrize(("tool", "garment"), [("sewCoat", "coat L"), ("sewHat", "hat L")])
async def test_a_question_reaches_an_mcp_client(
    serve: Serve, page: Page, age: str, tool: str, garment: str
) -> None:
    """With the name of the tool; words and an approval come back, and progress arrives."""
    asked: list[str] = []
    heard: list[str | None] = []

    async def ask(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        content = {"text": "red"} if "colour" in params.message else {"yes": True}
        return ElicitResult(action="accept", content=content)

    async def hear(_: float, __: float | None, message: str | None) -> None:
        heard.append(message)

    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with connected(server, age, elicitation_callback=ask) as client:
        sewn = await client.call_tool(tool, {"size": "L"}, progress_callback=hear)

    assert asked == [
        f"`{tool}` asks: Which colour?",
        f'`{tool}` asks: Cut the cloth?\n{{\n "tool": "{tool}"\n}}',
    ]
    assert json.loads(text(sewn)) == {
        "garment": garment, "colour": "red", "sure": True, "aborted": False,
    }  # fmt: skip
    assert f"measures the {garment}" in heard


async def test_nobody_can_be_asked(serve: Serve, page: Page) -> None:
    """A client without forms, a page's own call, and a function that its page calls itself."""
    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with connected(server) as client:
        sewn = await client.call_tool("sewCoat", {"size": "L"})
    own = await page.evaluate("webagent.call('sewCoat', 'M')")
    direct = await page.evaluate("sewCoat('S')")

    nothing = {"colour": None, "sure": False, "aborted": False}
    assert json.loads(text(sewn)) == {"garment": "coat L", **nothing}
    assert own == {"garment": "coat M", **nothing}
    assert direct == {"garment": "coat S", **nothing}


async def test_a_question_reaches_an_a2a_client(serve: Serve, page: Page) -> None:
    """The task needs input, and goes on with it."""
    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with A2a(server) as client:
        task = await client.send({"data": {"tool": "sewHat", "arguments": {"size": "L"}}})
        assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        assert task["status"]["message"]["parts"][0]["text"] == "`sewHat` asks: Which colour?"
        task = await client.send("red", taskId=task["id"])
        assert task["status"]["message"]["parts"][0]["text"] == "`sewHat` asks: Cut the cloth?"
        task = await client.send("no", taskId=task["id"])

    (artifact,) = task["artifacts"]
    assert artifact["parts"][0]["data"]["colour"] == "red"
    assert artifact["parts"][0]["data"]["sure"] is False


async def test_a_cancel_reaches_the_function(serve: Serve, page: Page) -> None:
    """An MCP client that gives up aborts the signal."""
    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with connected(server) as client:
        calling = asyncio.create_task(client.call_tool("waitForCloth", {}))
        await page.wait_for_function("globalThis.waiting")
        calling.cancel()
        await page.wait_for_function("globalThis.cancelled")
