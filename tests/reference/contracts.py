"""The page of the contracts, its tables and its text."""

from __future__ import annotations

from pathlib import Path

from tests.reference.tables import Row, code, read_tables

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "design" / "contracts.md"
TABLES = read_tables(PAGE)


def rows(heading: str, number: int = 0) -> list[Row]:
    """Return the rows of a table below a heading."""
    return TABLES[heading][number]


def column(heading: str, head: str, number: int = 0) -> list[str]:
    """Return the cells of a column, without their backticks; no cell may be there twice."""
    cells = [code(row[head]) for row in rows(heading, number)]
    assert len(cells) == len(set(cells))
    return cells


def fields_when(heading: str) -> tuple[set[str], set[str]]:
    """Return the fields that are always there, and the others."""
    always = {code(row["field"]) for row in rows(heading) if row["when"] == "always"}
    return always, set(column(heading, "field")) - always


def prose() -> str:
    """Return the whole page."""
    return PAGE.read_text("utf-8")
