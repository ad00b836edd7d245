"""`docs/learn/tutorial.md`, followed word by word."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.chromium import find_chromium
from tests.e2e.conftest import Serve
from tests.lock import constraints_file
from tests.state import new_state
from tests.walkthrough import Command, Prepare, Save, Script, ServerOutput, pattern, steps
from webagent import parse_file

ROOT = Path(__file__).parents[2]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
TUTORIAL = ROOT / "docs" / "learn" / "tutorial.md"
SITE = "tea-shop"

_ALL_THERE = """async (names) => {
  const tools = await globalThis.webagent?.tools();
  return tools?.filter((tool) => tool.available).map((tool) => tool.name).join() === names;
}"""


_QUIET = "-p no:asyncio -p no:cacheprovider"
"""For pytest: this environment has plugins that a reader has not, and says so."""


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Packages are installed here, so that all authorities are needed."""


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_the_tutorial_is_true(page: Page, serve: Serve, tmp_path: Path) -> None:
    """Its files, commands, outputs and program, in an empty folder, with the page open as it says."""
    ours = Path(sys.executable).parent
    await Reader(page, serve, tmp_path, ours, {"PYTEST_ADDOPTS": _QUIET}).follow()


@pytest.mark.conformance
@pytest.mark.timeout(900)
async def test_the_tutorial_is_true_for_a_new_user(
    page: Page, serve: Serve, tmp_path: Path, wheels: list[Path]
) -> None:
    """In an empty environment, with nothing but what the page has installed, as it has it typed."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    limits = tmp_path / "constraints.txt"
    listed = constraints_file().read_text("utf-8")
    limits.write_text(f"{listed}{''.join(map(_pinned, wheels))}", encoding="utf-8")
    pip = {
        "PIP_FIND_LINKS": str(wheels[0].parent),
        "PIP_CONSTRAINT": str(limits),
        "PIP_QUIET": "1",
        "PYTEST_ADDOPTS": "",
        "PYTHONPATH": "",
    }
    reader = Reader(page, serve, tmp_path, environment / SCRIPTS, pip, prepares=True)
    await reader.follow()

    assert reader.prepared == [
        "pip install webagent-dev",
        'pip install "webagent-dev[testing]"',
    ]


def _pinned(wheel: Path) -> str:
    """Return the line that lets pip take a wheel, and no package of its name from elsewhere."""
    name, version, *_ = wheel.name.split("-")
    return f"{name}=={version}\n"


class Reader:
    """Follows the page, with a browser open as it says.

    Attributes:
        prepared: The commands for the machine that were typed, too.
    """

    def __init__(
        self,
        page: Page,
        serve: Serve,
        tmp_path: Path,
        programs: Path,
        environment: Mapping[str, str],
        *,
        prepares: bool = False,
    ) -> None:
        """Begin in an empty folder.

        Args:
            page: A page of the browser.
            serve: Starts a server that goes on.
            tmp_path: Where the folder is made.
            programs: Where the commands are.
            environment: Variables beside those of this process.
            prepares: Whether what readies the machine is typed too.
        """
        chromium = find_chromium()
        assert chromium
        self.prepared: list[str] = []
        self._page, self._serve, self._programs = page, serve, programs
        self._prepares = prepares
        self._environment = {
            "XDG_STATE_HOME": str(new_state(tmp_path)),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "CHROMIUM": chromium,
            **environment,
        }
        self._folder = tmp_path / "empty"
        self._folder.mkdir()

    async def follow(self) -> None:
        """Do the steps of the tutorial in their order, and compare what is shown."""
        server = None
        for step in steps(TUTORIAL):
            if isinstance(step, Save):
                step.do(self._folder)
            elif isinstance(step, Prepare):
                await self._prepare(step.line)
            elif isinstance(step, ServerOutput):
                assert server is not None
                await asyncio.to_thread(server.wait_for_output, pattern(step.output), limit_s=60)
            elif isinstance(step, Script):
                await self._there()
                await self._page.evaluate(f"(async () => {{\n{step.code}\n}})()")
            elif " serve " in step.line:
                server = self._serve(
                    Path(SITE),
                    process=True,
                    command=(str(self._programs / "webagent-dev"),),
                    environment=self._environment,
                    cwd=self._folder,
                )
                await asyncio.to_thread(server.wait_for_output, "stop .*\n")
                _matches(step, server.output)
                await self._page.goto(server.url)
            else:
                if " --site " in step.line:
                    await self._there()
                _matches(step, (await self._typed(step.line))[1])

        assert "addToTin" in (self._folder / "public" / "webagents.md").read_text("utf-8")
        assert not (self._folder / "public" / "tests").exists()

    async def _prepare(self, line: str) -> None:
        """Ready the machine, but for the browser: there is one."""
        if self._prepares and not line.startswith("playwright "):
            self.prepared.append(line)
            code, shown = await self._typed(line)
            assert code == 0, shown

    async def _there(self) -> None:
        """Wait until the page has what was saved, as a reader does by looking at it."""
        declared = parse_file(self._folder / SITE / "webagents.md").tool_names
        await self._page.wait_for_function(_ALL_THERE, arg=",".join(declared))

    async def _typed(self, line: str) -> tuple[int | None, str]:
        """Type a command and return its exit code and what the terminal shows."""
        process = await asyncio.create_subprocess_exec(
            *shlex.split(line),
            cwd=self._folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, **self._environment},
        )
        shown, _ = await process.communicate()
        return process.returncode, shown.decode()


def _matches(step: Command, shown: str) -> None:
    """Compare what is shown with the page; ports are whatever was free."""
    shown = re.sub(r"(127\.0\.0\.1):\d+", r"\1:8000", shown)
    assert re.fullmatch(pattern(step.output), shown), f"$ {step.line}\n{shown}"
