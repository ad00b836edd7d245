"""`docs/tutorial.md`, followed word by word."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve
from tests.walkthrough import Command, Save, Script, Told, pattern, steps
from webagent import parse_file

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
SITE = "tea-shop"

_ALL_THERE = """async (names) => {
  const tools = await globalThis.webagent?.tools();
  return tools?.filter((tool) => tool.available).map((tool) => tool.name).join() === names;
}"""


@pytest.mark.timeout(300)
async def test_the_tutorial_is_true(page: Page, serve: Serve, tmp_path: Path) -> None:
    """Its files, commands, outputs and program, in an empty folder, with the page open as it says."""
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    folder = tmp_path / "empty"
    folder.mkdir()
    server = None
    for step in steps(TUTORIAL):
        if isinstance(step, Save):
            step.do(folder)
        elif isinstance(step, Told):
            assert server is not None
            await asyncio.to_thread(server.wait_for_output, pattern(step.output), limit_s=30)
        elif isinstance(step, Script):
            await _there(page, folder)
            await page.evaluate(f"(async () => {{\n{step.code}\n}})()")
        elif " serve " in step.line:
            server = serve(Path(SITE), environment=environment, cwd=folder)
            await asyncio.to_thread(server.wait_for_output, "stop .*\n")
            _matches(step, server.output)
            await page.goto(server.url)
        else:
            if " --site " in step.line:
                await _there(page, folder)
            _matches(step, await _typed(step.line, folder, environment))

    assert "addToTin" in (folder / "public" / "webagents.md").read_text("utf-8")


async def _there(page: Page, folder: Path) -> None:
    """Wait until the page has what was saved, as a reader does by looking at it."""
    declared = parse_file(folder / SITE / "webagents.md").tool_names
    await page.wait_for_function(_ALL_THERE, arg=",".join(declared))


async def _typed(line: str, folder: Path, environment: dict[str, str]) -> str:
    """Type a command and return what the terminal shows."""
    program, *arguments = shlex.split(line)
    ours = (sys.executable, "-m", "webagent_dev")
    process = await asyncio.create_subprocess_exec(
        *(ours if program == "webagent-dev" else (program,)),
        *arguments,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, **environment},
    )
    shown, _ = await process.communicate()
    return shown.decode()


def _matches(step: Command, shown: str) -> None:
    """Compare what is shown with the page; ports are whatever was free."""
    shown = re.sub(r"(127\.0\.0\.1):\d+", r"\1:8000", shown)
    assert re.fullmatch(pattern(step.output), shown), f"$ {step.line}\n{shown}"
