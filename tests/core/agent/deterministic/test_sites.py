"""Goals on some forty sites of very different kinds: which tools are called, and with what.

A case is `{goal, expected, ask?, none?}`; of an expected argument `{"$any": […]}` lists what else is
right, `{"$contains": "…"}` wants a part, and `{"$optional": …}` may be left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

from webagent.schema import check_schema

_SITES = Path(__file__).parent / "sites"


def _cases() -> Iterator[Any]:
    for path in sorted(_SITES.glob("*.json")):
        site = json.loads(path.read_text("utf-8"))
        for case in site["cases"]:
            yield pytest.param(site, case, id=f"{path.stem}: {case['goal'][:60]}")


@pytest.mark.parametrize(("site", "case"), [*_cases()])
async def test_goal(site: dict[str, Any], case: dict[str, Any]) -> None:
    """A goal calls the tools that it means, asks for what is missing, or says that nothing fits."""
    outcome = await _followed(site, case["goal"])
    if case.get("none"):
        assert (outcome.calls, outcome.asked, outcome.success) == ([], [], False)
        return
    if case.get("ask"):
        assert set(outcome.asked) & set(case["ask"])
        assert all(_reads(site, name) for name, _ in outcome.calls)
        return
    assert outcome.asked == []
    assert [name for name, _ in outcome.calls] == [call["name"] for call in case["expected"]]
    for (_, got), call in zip(outcome.calls, case["expected"], strict=True):
        assert _differences(call["arguments"], got) == []


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


def _reads(site: dict[str, Any], name: str) -> bool:
    return bool(_tool(site, name).get("annotations", {}).get("readOnlyHint"))


def _without_times(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that takes times without a zone: the person's is not known here."""
    properties = {
        name: {k: v for k, v in inner.items() if (k, v) != ("format", "date-time") and v != "time"}
        for name, inner in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _differences(want: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = [f"`{name}` was not asked for" for name in got if name not in want]
    for name, value in want.items():
        optional = isinstance(value, dict) and "$optional" in value
        if name not in got:
            wrong += [] if optional else [f"`{name}` is missing"]
        elif not _same(value, got[name]):
            wrong.append(f"`{name}` is {got[name]!r}, not {value!r}")
    return wrong


def _same(want: Any, got: Any) -> bool:
    if isinstance(want, dict):
        if "$optional" in want:
            return _same(want["$optional"], got)
        if "$any" in want:
            return any(_same(one, got) for one in want["$any"])
        if "$contains" in want:
            return str(want["$contains"]).lower() in str(got).lower()
        return isinstance(got, dict) and not _differences(want, got)
    if isinstance(want, str) and isinstance(got, str):
        return want.lower() == got.lower()
    return bool(want == got)
