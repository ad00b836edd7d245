"""Commands whose optional part is not installed: they name it, and do nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.server import hosting
from webagent_dev.browser import running_server
from webagent_dev.cli.main import COMMANDS, main
from webagent_dev.config.extras import BROWSER, EXTRAS, MCP

ROOT = Path(__file__).parents[3]
CASES = [{"messages": [{"role": "user", "content": "hi"}], "expectedCall": None}]

LACKING = {
    "bundle": ("browser", "bundle", "--add", "rapidfuzz", "--out", "new"),
    "call": ("browser", "call", "search", "--site", "."),
    "check --audit": ("audit", "check", ".", "--audit"),
    "connect": ("mcp", "connect", "claude-code", "--write", "--yes"),
    "connect --stdio": ("mcp", "connect", "claude-code", "--stdio", "--write", "--yes"),
    "demo": ("browser", "demo"),
    "eval": ("browser", "eval", "cases.json", "."),
    "extract": ("browser", "extract", ".", "-o", "new.md"),
    "login": ("browser", "login", "http://127.0.0.1:9/", "--session", "shop"),
    "lsp": ("lsp", "lsp"),
    "mcp": ("mcp", "mcp"),
    "mcp --serve": ("mcp", "mcp", "--serve"),
    "run": ("browser", "run", "find tea", "--save-program", "new.json"),
    "run --why": ("browser", "run", "find tea", "--why"),
    "serve --headless": ("browser", "serve", "--headless", "--port", "0"),
    "serve --https": ("https", "serve", "--https", "--port", "0"),
    "test": ("testing", "test", "."),
}
"""The extra that each command needs, and its arguments."""


@pytest.fixture(name="project", autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site in the current folder."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Shop</title>")
    (tmp_path / "cases.json").write_text(json.dumps(CASES))
    monkeypatch.chdir(tmp_path)
    return tmp_path


BARE = f"""
import sys
sys.modules |= dict.fromkeys({[package for extra in EXTRAS for package in extra.packages]})
from webagent_dev.__main__ import run
run()
"""
"""The command in an environment without any extra."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.bundle
@pytest.mark.process
@pytest.mark.parametrize("typed", LACKING)
def test_a_command_names_what_installs_its_part(typed: str, project: Path) -> None:
    """In one line, before anything is written, opened or started."""
    extra, *arguments = LACKING[typed]
    before = sorted(project.iterdir())
    result = subprocess.run(
        [sys.executable, "-c", BARE, *arguments],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        text=True,
    )

    assert result.returncode == 2, result
    assert result.stdout == ""
    line = rf'Error: .* is not installed - run `pip install "webagent-dev\[{extra}\]"`.*\n'
    assert re.fullmatch(line, result.stderr)
    assert sorted(project.iterdir()) == before


def test_each_extra_has_its_commands_here() -> None:
    """Those that its entry names; `check URL` goes on without a browser, and pytest has its own tests."""
    named = {
        command
        for extra in EXTRAS
        for command in re.findall(r"`(\w[\w -]*)`", extra.commands)
        if command.split()[0] in COMMANDS
    }

    assert named - {*LACKING} == {"check URL"}
    assert {extra for extra, *_ in LACKING.values()} == {extra.name for extra in EXTRAS}


def test_the_table_of_the_documentation_has_all_extras() -> None:
    """With what needs each."""
    page = (ROOT / "docs/how-to/install.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| (.+?) \| .+ \|$", page.partition("## Extras of webagent-site")[0], re.M
    )

    assert rows == [(extra.name, extra.commands) for extra in EXTRAS]


@pytest.mark.parametrize("folder", ["siteserver", "devserver"])
def test_all_is_every_extra(folder: str) -> None:
    """One that is added is in `all` too."""
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    extras = dict(project["optional-dependencies"])
    (everything,) = extras.pop("all")

    assert everything == f"{project['name']}[{','.join(sorted(extras))}]"


def test_the_running_server_decides(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers the program, whatever this environment lacks; one that cannot is named."""
    with hosting(project):
        monkeypatch.setitem(sys.modules, "mcp", None)
        lacking = run("connect", "claude-code", "--write", "--yes")
        assert lacking.exit_code == 2
        assert "start this server again" in lacking.stderr
        assert not (project / ".mcp.json").exists()

        # The server has it, and this command does not.
        monkeypatch.delitem(sys.modules, "mcp")
        monkeypatch.setattr(running_server, "MCP", _Lacking())
        assert run("connect", "claude-code", "--write", "--yes").exit_code == 0
        assert (project / ".mcp.json").exists()


@pytest.mark.parametrize("command", [("call", "search"), ("run", "find tea", "--planner")])
def test_without_a_browser_the_running_server_is_named(
    command: tuple[str, ...], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any browser can open its page; not so where a fresh page is wanted, or no server runs."""
    monkeypatch.setitem(sys.modules, "playwright", None)
    with hosting(project) as server:
        assert run(*command).stderr.endswith(f", or open {server.url}/ in your browser\n")
        assert run(*command, "--headless").stderr.endswith('"webagent-dev[browser]"`\n')
    assert run(*command).stderr.endswith('"webagent-dev[browser]"`\n')


class _Lacking:
    def require(self) -> None:
        raise AssertionError(MCP.without("mcp"))


def test_a_site_is_checked_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message of the extra is a note there."""
    monkeypatch.setitem(sys.modules, "playwright", None)

    assert 'webagent-dev[browser]"' in BROWSER.problem
