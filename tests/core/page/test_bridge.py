"""Programs over the bridge: what is given up ends on the page's side too."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from webagent.page.bridge import BridgedPage, CallByText
from webagent.results import ExecutionResult


class Bridge:
    """A page's side whose programs call one tool and wait for ever.

    Attributes:
        ended: The numbers of the programs that were to be ended.
        options: Of each program that was started.
    """

    def __init__(self, tool: Tool) -> None:
        self.ended: list[int] = []
        self.options: list[dict[str, Any]] = []
        self.tool = tool

    async def run_code(self, code: str, options: str, call: CallByText) -> str:
        self.options.append(json.loads(options))
        calling = asyncio.ensure_future(call("search", "[]"))
        if code == "leave it":
            await self.tool.begun.wait()
            return '{"ok": true, "value": 1, "logs": [], "calls": [], "duration_ms": 0}'
        return await calling

    async def end_code(self, number: int) -> None:
        self.ended.append(number)


class Tool:
    """Answers calls never.

    Attributes:
        given_up: How many calls were given up.
    """

    def __init__(self) -> None:
        self.given_up = 0
        self.begun = asyncio.Event()
        self.over = asyncio.Event()

    async def call(self, name: str, arguments: list[Any]) -> ExecutionResult:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.given_up += 1
            self.over.set()
            raise
        raise AssertionError("nobody answers this")


def run(bridge: Bridge, code: str) -> asyncio.Task[ExecutionResult]:
    page = BridgedPage(bridge)  # type: ignore[arg-type]
    running = page.run_code(
        code, tools={"search": "manifest"}, call=bridge.tool.call, isolation="sandbox", timeout_s=1
    )
    return asyncio.ensure_future(running)  # type: ignore[arg-type]


async def test_a_program_that_is_given_up_ends_in_the_page() -> None:
    """Its number is sent to the page, and the call it waits for is given up."""
    tool = Tool()
    bridge = Bridge(tool)
    running = run(bridge, "wait")
    await tool.begun.wait()
    running.cancel()
    await asyncio.wait([running])
    await tool.over.wait()

    assert running.cancelled()
    assert bridge.ended == [bridge.options[0]["number"]]
    assert tool.given_up == 1


async def test_calls_that_outlive_their_program_are_given_up() -> None:
    """A program that ends without waiting for its call leaves nothing running."""
    tool = Tool()
    bridge = Bridge(tool)
    result = await run(bridge, "leave it")
    await tool.over.wait()

    assert result.value == 1
    assert bridge.ended == []
    assert tool.given_up == 1
