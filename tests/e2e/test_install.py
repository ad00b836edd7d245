"""The three wheels in an empty environment: a server that needs no Node and no network."""

from __future__ import annotations

import os
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.chromium import find_chromium
from tests.e2e.conftest import TEMPLATE, Serve
from tests.lock import constraints_file
from webagent_dev.docs_pages import PATHS

pytestmark = pytest.mark.conformance

SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def test_the_wheels_hold_what_they_need(wheels: list[Path]) -> None:
    """Core is pure Python; the site's server carries the bundle, the development server the template."""
    core, server, site = wheels

    assert core.name.startswith("webagent_core-")
    assert core.name.endswith("-py3-none-any.whl")
    names = set(zipfile.ZipFile(site).namelist())
    assert {
        "webagent_site/bundle/webagent.js.zst",
        "webagent_site/tools/functions.js",
        "webagent_site/bundle/THIRD_PARTY_NOTICES.txt",
    } < names
    assert any(name.endswith("/pyodide.asm.wasm.zst") for name in names)
    names = set(zipfile.ZipFile(server).namelist())
    assert not any("/bundle/" in name for name in names)
    template = {
        f"webagent_dev/site_template/{path.relative_to(TEMPLATE).as_posix()}"
        for path in TEMPLATE.rglob("*")
        if path.is_file()
    }
    assert template <= names
    assert {f"webagent_dev/docs/{path}" for path in PATHS} <= names
    for wheel in wheels:
        listed = zipfile.ZipFile(wheel).namelist()
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in listed)
        assert not any("__pycache__" in name for name in listed)


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Packages are installed here, so that all authorities are needed."""


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
    server = serve(TEMPLATE, process=True, command=(str(command),), environment=alone)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")

    assert (await page.evaluate("webagent.call('searchBooks', 'harbour')"))["total"] > 0


FIVE_LINES = """
def test_a_search_finds_the_book(tools):
    found = tools.searchBooks("harbour")

    assert found["total"] > 0
"""

BESIDE = """
import os
import pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    named = {"executable_path": os.environ["CHROMIUM"], "args": ["--no-sandbox"]}
    return browser_type_launch_args | named

def test_theirs_first(page, webagent_server):
    page.goto(webagent_server.url)
    assert page.title()

def test_both(page, agent_page, tools):
    page.goto(agent_page.url)
    assert page.title() == agent_page.title()
    assert page.context.browser is not agent_page.context.browser
    assert tools.searchBooks("harbour")["total"] > 0
"""


@pytest.mark.timeout(600)
def test_five_lines_test_a_site(wheels: list[Path], tmp_path: Path) -> None:
    """In an empty environment with the wheels and the extra `testing`; pytest-playwright may be beside."""
    chromium = find_chromium()
    assert chromium
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = str(environment / SCRIPTS / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
    install += ["--constraint", str(constraints_file())]
    core, server, site = map(str, wheels)
    subprocess.run([*install, core, site, f"{server}[testing]"], check=True)
    shop = tmp_path / "shop"
    subprocess.run([python, "-m", "webagent_dev", "init", str(shop)], check=True, cwd=tmp_path)
    alone = {**os.environ, "CHROMIUM": chromium, "PYTHONPATH": "", "PYTEST_ADDOPTS": ""}

    def passed(code: str, *options: str) -> str:
        (shop / "tests" / "test_site.py").write_text(code, encoding="utf-8")
        command = [python, "-m", "pytest", "-q", *options, "tests"]
        done = subprocess.run(
            command, cwd=shop, env=alone, check=False, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "1 passed" in passed(FIVE_LINES, "-W", "error")
    subprocess.run([*install, "pytest-playwright==0.10.0"], check=True)
    assert "3 passed" in passed(FIVE_LINES + BESIDE)
