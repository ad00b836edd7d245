"""`docs/design/contracts.md` has a row for each name of the code that others rely on, and no more.

Each module `test_contracts_*` compares the tables of its chapters. This one compares the packages, and checks
that no table is left out.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from tests.reference.contracts import ROOT, TABLES, rows
from tests.reference.tables import code, codes


def test_distributions() -> None:
    """Names, the command and the plugin are those of the three `pyproject.toml`."""
    found = []
    for folder in ("core", "siteserver", "devserver"):
        project = _project(folder)
        (package,) = _toml(folder)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
        plugins = list(project.get("entry-points", {}).get("pytest11", {}).values())
        found.append([[project["name"]], [package], [*project.get("scripts", {})], plugins])

    heads = ("distribution", "import", "command", "pytest plugin")
    assert [[codes(row[head]) for head in heads] for row in rows("Packages")] == found


def test_extras() -> None:
    """Each extra, and what it brings."""
    found = []
    for folder in ("core", "siteserver", "devserver"):
        project = _project(folder)
        for extra, wanted in project.get("optional-dependencies", {}).items():
            names = [re.match(r"[\w.-]+", text)[0] for text in wanted]  # type: ignore[index]
            found.append([project["name"], extra, names])

    assert [
        [code(row["distribution"]), code(row["extra"]), codes(row["brings"])]
        for row in rows("Packages", 1)
    ] == found


def test_the_dependencies_of_the_core() -> None:
    """Pydantic and the stemmers, and nothing else."""
    assert [re.split(r"\W", text)[0] for text in _project("core")["dependencies"]] == [
        "pydantic",
        "snowballstemmer",
    ]


def test_every_table_is_compared() -> None:
    """Each table of the page is asked for by a test of these modules."""
    modules = Path(__file__).parent.glob("test_contracts*.py")
    text = "".join(module.read_text("utf-8") for module in modules)
    named = re.findall(r'(?:rows|column|fields_when)\("([^"]+)"(?:, "[^"]+")?(?:, (\d))?\)', text)
    asked = {(heading, int(number or 0)) for heading, number in named}
    asked |= {("Server to page", 0), ("Page to server", 0)}

    assert {(name, n) for name, tables in TABLES.items() for n in range(len(tables))} == asked


def _toml(folder: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))


def _project(folder: str) -> dict[str, Any]:
    project: dict[str, Any] = _toml(folder)["project"]
    return project
