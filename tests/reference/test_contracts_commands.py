"""The contracts of the commands: their exit codes, and the keys of `webagent.toml`."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.reference.contracts import column, rows
from tests.reference.tables import code, codes
from webagent_dev.audit.audit_rows import ROWS
from webagent_dev.audit.report import audit_dict
from webagent_dev.audit.site_audit import POINTS, Audit, JudgedRow
from webagent_dev.cli.exit import INTERRUPTED
from webagent_dev.cli.main import main
from webagent_dev.config.toml_file import SECTIONS
from webagent_dev.editor.server import COMMANDS as EDITOR_COMMANDS
from webagent_dev.reports.content import Verdict

RUN = sorted({*main.commands} - {"serve"})
"""The commands that end by themselves."""


def test_commands() -> None:
    """Each command has a row."""
    assert sorted(column("Exit codes", "command")) == sorted(main.commands)


@pytest.mark.parametrize("command", RUN)
def test_exit_codes(command: str) -> None:
    """A command returns 1 if its row says what that means, the numbers that it names, 0 and 130."""
    (row,) = [row for row in rows("Exit codes") if code(row["command"]) == command]
    callback = main.commands[command].callback
    assert callback is not None
    found = set(_exit_codes(inspect.unwrap(callback)))

    named = {int(number) for number in re.findall(r"(\d+) means", row["1 means"])}
    assert found - {0, INTERRUPTED} == ({1, *named} if row["1 means"] != "–" else set())
    assert INTERRUPTED == 130


@pytest.mark.parametrize("command", [*RUN, "serve"])
def test_misuse_of_a_command_exits_with_2(command: str) -> None:
    """The exit code is 2."""
    assert CliRunner().invoke(main, [command, "--no-such-option"]).exit_code == 2


def test_a_server_that_cannot_start(tmp_path: Path) -> None:
    """A folder that does not exist is a usage error; an address that cannot be bound is not."""
    typed = ["serve", str(tmp_path / "nothing")]
    assert CliRunner().invoke(main, typed).exit_code == 2
    (tmp_path / "index.html").write_text("<p>")
    unbound = ["serve", str(tmp_path), "--host", "192.0.2.1"]
    assert CliRunner().invoke(main, unbound).exit_code == 1


def test_the_inputs_of_the_action() -> None:
    """Each reaches the script by the variable of its row."""
    (run,) = [step for step in _yaml("action.yml")["runs"]["steps"] if "run" in step]
    named = {
        code(row["input"]): codes(row["variable"])[0]
        for row in rows("The GitHub Action and the hooks")
    }

    assert named.keys() == _yaml("action.yml")["inputs"].keys()
    for name, variable in named.items():
        assert run["env"][variable].endswith(f"${{{{ inputs.{name} }}}}")


def test_the_hooks() -> None:
    """Each runs the command of its row."""
    listed = rows("The GitHub Action and the hooks", 1)

    assert {code(row["hook of pre-commit"]): code(row["command"]) for row in listed} == {
        hook["id"]: hook["entry"] for hook in _yaml(".pre-commit-hooks.yaml")
    }


def _yaml(name: str) -> Any:
    return yaml.safe_load((Path(__file__).parents[2] / name).read_text("utf-8"))


def test_commands_of_the_language_server() -> None:
    """Those that an editor may ask for."""
    commands = rows("Commands of the language server")
    assert [code(row["command"]) for row in commands] == [*EDITOR_COMMANDS]


def test_keys_of_the_file() -> None:
    """Each section with its keys."""
    assert {code(row["section"]): codes(row["keys"]) for row in rows("webagent.toml")} == {
        name: [*section.model_fields] for name, section in SECTIONS.items()
    }


def _exit_codes(function: Callable[..., int]) -> Iterator[int]:
    """Yield the numbers that a function returns, also by the name of a variable or a constant."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    inside = list(_own_nodes(tree))
    returned = [node.value for node in inside if isinstance(node, ast.Return) and node.value]
    names = {
        each.id for value in returned for each in ast.walk(value) if isinstance(each, ast.Name)
    }
    values = [*returned]
    for node in inside:
        if isinstance(node, ast.Assign):
            targets = {each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)}
            values += [node.value] if targets & names else []
    for value in values:
        for each in ast.walk(value):
            if isinstance(each, ast.Constant) and type(each.value) is int:
                yield each.value
            elif isinstance(each, ast.Name):
                constant = function.__globals__.get(each.id)
                if type(constant) is int:
                    yield constant


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield all nodes of a function, but for those of functions in it."""
    ahead: list[ast.AST] = [*function.body]
    while ahead:
        node = ahead.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            ahead += ast.iter_child_nodes(node)


def test_audit() -> None:
    """The fields of an audit, of its rows, and the verdicts that count."""
    row = JudgedRow(ROWS[0], Verdict.PASSED, "", "")
    data = audit_dict(Audit("", "", (row,), (), datetime.now(UTC), 0.0))

    assert column("Audit", "field") == [*data]
    assert column("Audit", "field of a row", 1) == [*data["rows"][0]]
    (verdicts,) = [
        row["what"] for row in rows("Audit", 1) if code(row["field of a row"]) == "verdict"
    ]
    assert codes(verdicts) == [*POINTS, Verdict.NOT_APPLICABLE]
    assert {one.weight for one in ROWS} == {1, 2, 3}
