"""Reads the tables of a page of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

Row = dict[str, str]
_CELL = re.compile(r"(?<!\\)\|")


def read_tables(path: Path) -> dict[str, list[list[Row]]]:
    """Return the tables below each heading; a row has its cells by the heads of its table."""
    found: dict[str, list[list[Row]]] = {}
    heading, heads = "", None
    for line in path.read_text("utf-8").splitlines():
        if match := re.match(r"#+ +(.+)", line):
            heading = match[1].replace("`", "")
        if not line.startswith("|"):
            heads = None
        elif heads is None:
            heads = _cells(line)
            found.setdefault(heading, []).append([])
        elif not set(line) <= set("|-: "):
            found[heading][-1].append(dict(zip(heads, _cells(line), strict=True)))
    return found


def code(cell: str) -> str:
    """Return the text in the one pair of backticks that a cell is."""
    match = re.fullmatch(r"`([^`]+)`", cell)
    assert match, cell
    return match[1]


def codes(cell: str) -> list[str]:
    """Return the texts in backticks of a cell, in order; a dash stands for none."""
    assert cell == "–" or "`" in cell, cell
    return re.findall(r"`([^`]+)`", cell)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip()[1:-1])]
