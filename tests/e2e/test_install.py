"""The two wheels in an empty environment: a server that needs no Node and no network."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import TEMPLATE, Serve

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(name="wheels", scope="module")
def _wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both wheels, built from the source tree."""
    folder = tmp_path_factory.mktemp("wheels")
    for project in ("core", "devserver"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=ROOT / project, check=True, capture_output=True)
    return sorted(folder.glob("*.whl"))


def test_the_wheels_hold_what_they_need(wheels: list[Path]) -> None:
    """Core is pure Python; the server carries the bundle, the template and the licences."""
    core, server = wheels

    assert core.name.startswith("webagent_core-")
    assert core.name.endswith("-py3-none-any.whl")
    names = set(zipfile.ZipFile(server).namelist())
    assert {
        "webagent_dev/bundle/webagent.js",
        "webagent_dev/bundle/THIRD_PARTY_NOTICES.txt",
    } < names
    assert any(name.endswith("/pyodide.asm.wasm") for name in names)
    template = {
        f"webagent_dev/site_template/{path.relative_to(TEMPLATE).as_posix()}"
        for path in TEMPLATE.rglob("*")
        if path.is_file()
    }
    assert template <= names
    for wheel in wheels:
        listed = zipfile.ZipFile(wheel).namelist()
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in listed)
        assert not any("__pycache__" in name for name in listed)


@pytest.fixture(name="command", scope="module")
def _command(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`webagent-dev` of an environment that holds the wheels and what they need."""
    environment = tmp_path_factory.mktemp("empty") / "environment"
    venv.create(environment, with_pip=True)
    python = environment / SCRIPTS / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-compile"]
    subprocess.run([*install, *map(str, wheels)], check=True)
    return environment / SCRIPTS / "webagent-dev"


@pytest.mark.timeout(300)
async def test_an_empty_environment_serves_a_site(serve: Serve, page: Page, command: Path) -> None:
    """After `pip install` of the wheels the command works with nothing else on PATH."""
    alone = {"PATH": str(command.parent), "PYTHONPATH": ""}
    server = serve(TEMPLATE, command=(str(command),), environment=alone)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")

    assert (await page.evaluate("webagent.call('searchBooks', 'harbour')"))["total"] > 0
