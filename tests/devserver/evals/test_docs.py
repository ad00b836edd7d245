"""The examples of the pages on evaluations work as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from webagent_dev.cli.main import main
from webagent_dev.evals.constraints import CONSTRAINTS

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "how-to" / "evaluate.md").read_text("utf-8")
FORMAT = (DOCS / "reference" / "evaluations.md").read_text("utf-8")
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r"\d+\.\d s$", re.MULTILINE)


def blocks(language: str) -> list[str]:
    return [match[2] for match in _FENCE.finditer(PAGE) if match[1] == language]


def test_the_example_gives_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools and the cases of the page give the lines of the page."""
    monkeypatch.chdir(tmp_path)
    tools, cases = blocks("json")
    (tmp_path / "tools.json").write_text(tools, encoding="utf-8")
    (tmp_path / "evals.json").write_text(cases, encoding="utf-8")
    command, _, shown = next(b for b in blocks("console") if "tools.json" in b).partition("\n")

    result = CliRunner().invoke(main, command.removeprefix("$ webagent-dev ").split())

    assert _SECONDS.sub("0.0 s", result.stdout) == shown


def test_every_constraint_is_documented() -> None:
    """The table of constraints has all of them."""
    assert all(f"`{word}`" in FORMAT or f'"{word}"' in FORMAT for word in CONSTRAINTS)
