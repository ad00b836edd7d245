"""Goals on some forty sites of very different kinds: no call breaks the schema of its tool.

Which calls are right is measured by `python -m tests.goals`, of which these sites are a part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

from webagent.schema import check_schema

_SITES = Path(__file__).parents[3] / "goals" / "sites"


def _cases() -> Iterator[Any]:
    for path in sorted(_SITES.glob("*.json")):
        site = json.loads(path.read_text("utf-8"))
        for case in site["cases"]:
            yield pytest.param(site, case, id=f"{path.stem}: {case['goal'][:60]}")


@pytest.mark.parametrize(("site", "case"), [*_cases()])
async def test_arguments_are_valid(site: dict[str, Any], case: dict[str, Any]) -> None:
    """No call breaks the schema of its tool, whatever the goal."""
    outcome = await _followed(site, case["goal"])
    for name, arguments in outcome.calls:
        schema = _tool(site, name)["inputSchema"]
        assert check_schema(arguments, _without_times(schema)) == []


async def _followed(site: dict[str, Any], goal: str) -> Outcome:
    def call(name: str, arguments: dict[str, Any]) -> Any:
        return _tool(site, name)["result"]

    return await follow(goal, bindings_from(site["tools"]), call, now=site["now"])


def _tool(site: dict[str, Any], name: str) -> dict[str, Any]:
    return next(tool for tool in site["tools"] if tool["name"] == name)


def _without_times(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that takes times without a zone: the person's is not known here."""
    properties = {
        name: {k: v for k, v in inner.items() if (k, v) != ("format", "date-time") and v != "time"}
        for name, inner in schema["properties"].items()
    }
    return {**schema, "properties": properties}
