"""The files that `init` writes for coding agents: followed word by word, in a fresh site."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from playwright.async_api import Page

from tests.chromium import find_chromium
from tests.e2e.conftest import Serve
from tests.walkthrough import Command, Prepare, Save, pattern, steps
from webagent import parse
from webagent.checks import check_bytes
from webagent_dev.cli.main import main

PROGRAMS = Path(sys.executable).parent
GUIDE = "AGENTS.md"
SKILL = ".agents/skills/webagents-md/SKILL.md"
SKILLS_REF = "skills-ref==0.1.1"
"""The reference implementation of Agent Skills."""


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    """A site that `init` has made."""
    site = tmp_path / "my-shop"
    assert CliRunner().invoke(main, ["init", str(site)]).exit_code == 0
    return site


async def typed(site: Path, step: Command) -> None:
    """Type a command and compare what the terminal shows."""
    chromium = find_chromium()
    assert chromium
    program, *arguments = step.line.split()
    process = await asyncio.create_subprocess_exec(
        PROGRAMS / program,
        *arguments,
        cwd=site,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "CHROMIUM": chromium},
    )
    shown, _ = await process.communicate()
    assert process.returncode == 0, f"$ {step.line}\n{shown.decode()}"
    assert re.fullmatch(pattern(step.output), shown.decode()), f"$ {step.line}\n{shown.decode()}"


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_the_guide_is_true(site: Path, serve: Serve, page: Page) -> None:
    """Each of its commands does what it says, and each file that it names is there."""
    done = []
    for step in steps(site / GUIDE):
        if isinstance(step, Prepare):
            program, command = step.line.split()
            started = serve(
                Path(), process=True, command=(str(PROGRAMS / program),), cwd=site, environment={}
            )
            assert command == "serve"
            await page.goto(started.url)
            assert await page.title() == "Catchword Books, Wrenmouth"
        else:
            assert isinstance(step, Command)
            await typed(site, step)
            done.append(step.line.split()[1])
    named = re.findall(r"`([\w./-]+\.(?:md|js|json))`", (site / GUIDE).read_text("utf-8"))

    assert done == ["connect", "check", "fmt", "test", "eval", "test"]
    assert [name for name in named if not (site / name).is_file()] == []


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_the_skill_is_true(site: Path) -> None:
    """Its examples are saved where it says, have no finding, and are proven by its commands."""
    done = []
    for step in steps(site / SKILL):
        if isinstance(step, Save):
            step.do(site)
        else:
            assert isinstance(step, Command)
            await typed(site, step)
            done.append(step.line)
    manifest = site / "webagents.md"

    assert [line for line in done if " test " in line] == [
        "webagent-dev test --only getOpeningHours",
        "webagent-dev test --only clearBasket --allow-writes",
    ]
    assert check_bytes(manifest.read_bytes()).findings == ()
    assert parse(manifest.read_text("utf-8")).tool_names[-2:] == ["getOpeningHours", "clearBasket"]


def test_the_skill_has_the_form_of_one(site: Path) -> None:
    """Its name is that of its folder, and its description says when to use it."""
    _, head, body = (site / SKILL).read_text("utf-8").split("---\n", 2)
    described = yaml.safe_load(head)

    assert described.keys() == {"name", "description", "license"}
    assert described["name"] == (site / SKILL).parent.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", described["name"])
    assert len(described["description"]) <= 1024
    assert " Use it " in described["description"]
    assert len(body.splitlines()) < 500


@pytest.mark.conformance
@pytest.mark.timeout(300)
def test_the_reference_implementation_reads_the_skill(site: Path, tmp_path: Path) -> None:
    """Without a mistake; it would find one in another name."""
    tools = tmp_path / "tools"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--ignore-installed"]
    subprocess.run([*install, "--prefix", tools, SKILLS_REF], check=True)
    (library,) = tools.glob("lib/python*/site-packages")
    environment = {**os.environ, "PYTHONPATH": str(library)}
    command = [sys.executable, tools / "bin" / "agentskills", "validate", (site / SKILL).parent]

    good = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert good.returncode == 0, good.stdout + good.stderr
    skill = site / SKILL
    skill.write_text(skill.read_text("utf-8").replace("name: webagents-md", "name: Webagents"))
    assert subprocess.run(command, env=environment, check=False, capture_output=True).returncode


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """A package is installed here, so that all authorities are needed."""
