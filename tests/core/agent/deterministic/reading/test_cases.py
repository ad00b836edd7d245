"""Ordinary texts and their values, in a table for each language."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.agent.deterministic.reading.reader import read, shown

FOLDER = Path(__file__).parent / "cases"
CASES = [
    (path.stem, *line.split(" => "))
    for path in sorted(FOLDER.glob("*.txt"))
    for line in path.read_text("utf-8").splitlines()
    if " => " in line
]


@pytest.mark.parametrize(("code", "text", "expected"), CASES)
def test_values(code: str, text: str, expected: str) -> None:
    """A text has these values and no others."""
    assert shown(read(text, code)) == expected
