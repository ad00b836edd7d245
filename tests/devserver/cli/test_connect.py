"""`webagent-dev connect`: what agent programs need, and where it goes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.server import hosting
from webagent_dev.api.clients import PROGRAMS
from webagent_dev.cli.connect import command, merged
from webagent_dev.cli.main import main
from webagent_dev.config.owner import Owner
from webagent_site.errors import UsageError

URL = "http://127.0.0.1:8000/mcp"


@pytest.fixture(name="project", autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def connect(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["connect", *map(str, arguments)])


def written(result: Result) -> Any:
    """Return what a program's file has to hold."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_each_program_gets_its_own_form() -> None:
    """With the address of the door, and a token that the file only refers to."""
    claude = written(connect("claude-code"))
    vscode = written(connect("vscode"))
    cursor = written(connect("cursor"))
    gemini = written(connect("gemini"))

    assert claude == {
        "mcpServers": {
            "webagent": {
                "type": "http",
                "url": URL,
                "headers": {"Authorization": "Bearer ${WEBAGENT_TOKEN}"},
            }
        }
    }
    assert vscode["servers"]["webagent"] == {
        "type": "http",
        "url": URL,
        "headers": {"Authorization": "Bearer ${input:webagent-token}"},
    }
    assert vscode["inputs"][0]["id"] == "webagent-token"
    assert vscode["inputs"][0]["password"] is True
    assert cursor["mcpServers"]["webagent"] == {
        "url": URL,
        "headers": {"Authorization": "Bearer ${env:WEBAGENT_TOKEN}"},
    }
    assert gemini["mcpServers"]["webagent"] == {
        "httpUrl": URL,
        "headers": {"Authorization": "Bearer ${WEBAGENT_TOKEN}"},
    }


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("how", [(), ("--stdio",), ("--write", "--yes")])
def test_no_file_holds_the_token(program: str, how: tuple[str, ...], project: Path) -> None:
    """It is said how the program gets it."""
    token = Owner(project.resolve()).token
    result = connect(program, *how)

    assert result.exit_code == 0
    assert token not in result.output
    assert "no token is in it" in result.stderr
    assert all(token not in path.read_text() for path in project.rglob("*.json"))


def test_other_agents_are_led_to_their_card() -> None:
    """Beside what the program needs, where a program reads it."""
    said = connect("cursor").stderr
    assert (
        "agents that speak A2A begin at http://127.0.0.1:8000/.well-known/agent-card.json" in said
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_may_start_a_bridge_instead(
    program: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which needs neither address nor token; it is found from where the program starts it."""
    (project / "shop").mkdir()
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/webagent-dev")
    (entry,) = written(connect(program, "shop", "--stdio"))[PROGRAMS[program].servers].values()
    (here,) = written(connect(program, "--stdio"))[PROGRAMS[program].servers].values()
    place = PROGRAMS[program].folder

    assert entry["command"] == "webagent-dev"
    assert entry["args"] == ["mcp", f"{place}shop"]
    assert here["args"] == ["mcp", place.rstrip("/") or "."]
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (entry,) = written(connect(program, "shop", "--stdio"))[PROGRAMS[program].servers].values()
    assert entry["args"][:3] == ["-m", "webagent_dev", "mcp"]


def test_the_address_is_that_of_the_running_server_or_of_the_file(project: Path) -> None:
    """By its folder, or by the address itself."""
    (project / "webagent.toml").write_text("[server]\nport = 9000\n")
    (entry,) = written(connect("cursor"))["mcpServers"].values()
    assert entry["url"] == "http://127.0.0.1:9000/mcp"
    owner = Owner(project.resolve())
    owner.announce("https://127.0.0.1:9001/")
    for site in (".", project, "https://127.0.0.1:9001"):
        result = connect("cursor", site)
        (entry,) = written(result)["mcpServers"].values()
        assert entry["url"] == "https://127.0.0.1:9001/mcp"
        assert "`--stdio` does not need one" in result.stderr
    owner.withdraw()
    result = connect("cursor", "https://127.0.0.1:9001")
    assert result.exit_code == 2
    assert "no server on this machine runs" in result.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_is_made_once(program: str, project: Path) -> None:
    """The second time there is nothing to do."""
    first = connect(program, "--write", "--yes")
    path = project / PROGRAMS[program].file
    text = path.read_text()

    assert first.exit_code == 0
    assert f"+++ {PROGRAMS[program].file} (connected)" in first.stdout
    assert json.loads(text) == written(connect(program))
    again = connect(program, "--write")
    assert again.exit_code == 0
    assert "has it already" in again.stdout
    assert path.read_text() == text


def test_nothing_is_written_without_a_yes(project: Path) -> None:
    """The change is shown."""
    result = connect("claude-code", "--write")

    assert result.exit_code == 1
    assert f'+      "url": "{URL}"' in result.stdout
    assert "nothing was written" in result.stdout
    assert not (project / ".mcp.json").exists()


def test_other_entries_stay(project: Path) -> None:
    """Other servers, other keys, the indentation; only an entry of our name is another one."""
    path = project / ".vscode" / "mcp.json"
    path.parent.mkdir()
    before = {
        "inputs": [{"id": "other", "type": "promptString"}],
        "servers": {"files": {"command": "ls"}, "webagent": {"url": "http://old"}},
        "züge": 1,
    }
    path.write_text(json.dumps(before, indent="\t", ensure_ascii=False), "utf-8")
    result = connect("vscode", "--write", "--yes")
    text = path.read_text("utf-8")
    after = json.loads(text)

    assert result.exit_code == 0
    assert list(after) == list(before)
    assert after["servers"]["files"] == {"command": "ls"}
    assert after["servers"]["webagent"]["url"] == URL
    assert [one["id"] for one in after["inputs"]] == ["other", "webagent-token"]
    assert '\n\t"züge": 1' in text
    assert "http://old" in result.stdout


@pytest.mark.parametrize(
    "text", ["// mine\n{}", "[]", '{"mcpServers": []}', '{"mcpServers": null}', '"x"', "{"]
)
def test_an_unreadable_file_is_left_alone(project: Path, text: str) -> None:
    """It is said what to do instead."""
    (project / ".mcp.json").write_text(text)
    result = connect("claude-code", "--write", "--yes")

    assert result.exit_code == 2
    assert "`.mcp.json`" in result.stderr
    assert (project / ".mcp.json").read_text() == text


def test_an_empty_file_counts_as_a_new_one() -> None:
    """It gets what it lacks; a list keeps what has the same id."""
    assert json.loads(merged(" \n", {"a": {"b": 1}}, "x")) == {"a": {"b": 1}}
    assert json.loads(merged('{"a": [{"id": 1, "own": 2}]}', {"a": [{"id": 1}]}, "x")) == {
        "a": [{"id": 1, "own": 2}]
    }
    with pytest.raises(UsageError):
        merged('{"a": {}}', {"a": [{"id": 1}]}, "x")


def test_the_command_knows_all_programs() -> None:
    """Its choices are the keys of the table, which is not loaded for its help."""
    (choice,) = [param.type for param in command.params if param.name == "program"]
    assert list(choice.choices) == list(PROGRAMS)  # type: ignore[attr-defined]


def test_obstacles_for_programs_are_reported(project: Path) -> None:
    """A server that does not run, or has its doors off; of one that lets them in, nothing."""
    (project / "index.html").write_text("<!doctype html>")
    none = connect("cursor", "--stdio").stderr
    with hosting(project, "--doors", "off"):
        off = connect("cursor").stderr
    with hosting(project):
        on = connect("cursor").stderr

    assert "no server of this site is running" in none
    assert "start it without `--doors off`" in off
    assert "server" not in on.replace("webagent-dev", "")
