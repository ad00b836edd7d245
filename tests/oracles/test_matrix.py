"""The table of what is tested, in `docs/reference/models.md`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.oracles import test_errors, test_requests, test_streams

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "models.md"
MODULES: tuple[ModuleType, ...] = (test_errors, test_requests, test_streams)


def rows() -> Iterator[list[str]]:
    """Yield the cells of the table's lines, the head first."""
    section = PAGE.read_text(encoding="utf-8").partition("### What is tested")[2]
    for line in section.partition("\n## ")[0].splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def kinds_of(test: Any) -> set[str]:
    """Return the clients that a test runs with: its parameters, or those that it names."""
    found = set(re.findall(r"\b[A-Z]\w+Model\b", inspect.getsource(test)))
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    for mark in marks:
        names = [name.strip() for name in str(mark.args[0]).strip("()").split(",")]
        if "kind" in names or "kind" in mark.args[0]:
            found = {kind if isinstance(kind, str) else kind[0] for kind in mark.args[1]}
    return found


HEAD, *ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_each_cell_has_its_test(row: list[str]) -> None:
    """A test that the line names runs with each client that the line says yes for."""
    named = re.findall(r"`(test_\w+)`", row[-1])
    tests = [getattr(module, name) for name in named for module in MODULES if hasattr(module, name)]
    shown = set().union(*map(kinds_of, tests))

    assert len(tests) == len(named) > 0
    for client, cell in zip(HEAD[1:-1], row[1:-1], strict=True):
        assert cell in ("yes", "–")
        assert (client.strip("`") in shown) is (cell == "yes") or cell == "–"


def test_all_clients_are_columns() -> None:
    """The table is about each client of a provider's API."""
    assert {cell.strip("`") for cell in HEAD[1:-1]} == set(test_requests.KINDS)


def test_the_versions_of_the_packages() -> None:
    """The page names the versions that the tests ran with."""
    text = PAGE.read_text(encoding="utf-8")
    for name in ("openai", "anthropic", "google-genai", "ollama"):
        short = ".".join(version(name).split(".")[:2])
        assert f"`{name}` {short}" in text
