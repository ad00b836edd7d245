"""The examples of docs/understand/planner.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_PAGE = (Path(__file__).parents[4] / "docs" / "understand" / "planner.md").read_text("utf-8")
_TOOLS = json.loads(_PAGE.split("```json\n")[1].split("```")[0])
_ROWS = [
    [cell.strip() for cell in line.strip("|\n").split(" | ")]
    for line in _PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| goal")
]
_TENTS = [
    {"id": "t1", "name": "Alp", "price": 320, "rating": 4.8, "stock": 0},
    {"id": "t2", "name": "Fjord", "price": 190, "rating": 4.1, "stock": 4},
    {"id": "t3", "name": "Dune", "price": 250, "rating": 4.6, "stock": 1},
]


@pytest.mark.parametrize(("goal", "told"), [(row[0], row[1].rstrip("| ")) for row in _ROWS])
async def test_example(goal: str, told: str) -> None:
    """A goal of the page calls and asks what the page says."""

    def call(name: str, arguments: dict[str, Any]) -> Any:
        return {"tents": _TENTS} if name == "searchTents" else {"items": []}

    outcome = await follow(goal, bindings_from(_TOOLS), call)
    calls = [(name, json.loads(given)) for name, given in re.findall(r"`(\w+) (\{.*?\})`", told)]
    asked = re.findall(r"asks for `(\w+)`", told)
    assert (outcome.calls, outcome.asked) == (calls, asked)


def test_there_are_examples() -> None:
    """The page has examples, so that the test above tests something."""
    assert len(_ROWS) > 10
