"""A reader with the text of an error finds it on the page about troubleshooting."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.reference.troubleshooting import Message, calls, commands, findings, pattern
from webagent import parse
from webagent.checks import check_bytes
from webagent.errors import ToolError
from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry
from webagent.rules import RULES, Rule
from webagent_dev.cli.main import main


def rows_for(message: str, rows: list[Message], label: str = "") -> list[Message]:
    """Return the rows that a printed message fits, but for those of gaps alone."""
    return [
        row
        for row in rows
        if label in row.label
        and sum(map(str.isalpha, row.text)) > 5
        and pattern(row.text).match(message)
    ]


# The text about a type that is not known is made of what is wrong with the type.
TOLD = [each for each in RULES.values() if not each.script and each.name != "unknown-type"]


@pytest.mark.parametrize("rule", TOLD, ids=str)
def test_the_finding_of_a_rule_is_found_by_its_text(rule: Rule) -> None:
    """In the manifest that the rule shows as its example."""
    report = check_bytes(rule.bad.encode("utf-8", "surrogateescape"))
    found = [each.message for each in report.findings if each.rule == rule.name]

    assert found
    assert all(rows_for(message, findings(), f"[{rule.name}]") for message in found), found


@pytest.mark.parametrize(
    "line",
    [
        "check no-such-folder",
        "explain no-such-rule",
        "call searchBooks --site no-such-folder",
        "test no-such-folder",
        "eval no-such-file.json",
        "build no-such-folder --out site",
    ],
)
def test_the_error_of_a_command_is_found_by_its_text(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part before the first dash is the message; what follows is in the same row."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, line.split())
    (message,) = [
        each.removeprefix("Error: ") for each in result.stderr.splitlines() if "Error: " in each
    ]
    what, *rest = message.split(" - ")

    assert result.exit_code == 2
    assert [
        row
        for row in rows_for(what, commands())
        if not row.help or pattern(row.help).fullmatch(rest[-1])
    ], message


@pytest.mark.parametrize(("name", "arguments"), [("noSuchTool", {}), ("find", {"word": 5})])
async def test_the_error_of_a_call_is_found_by_its_text(
    name: str, arguments: dict[str, object]
) -> None:
    """With its kind."""
    registry = ToolRegistry(FakePage({"find": lambda word: word}))
    await registry.bind(parse("# Site\n\n## find\nFind.\n\n### Params\n- `word` (string)\n"))

    with pytest.raises(ToolError) as caught:
        registry.prepare(name, arguments)

    assert rows_for(caught.value.message, calls(), f"`{caught.value.kind}`"), caught.value.message
