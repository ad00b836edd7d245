"""Arguments of tools: those that their declaration allows, and those that it does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings

from webagent.checks import check
from webagent.page.offers import Offers, PageTool, Target
from webagent.registry import Binding
from webagent.registry.binding import prepare
from webagent.registry.catalogue import bindings_of
from webagent_dev.contract.generation import arguments, fits, wrong_arguments

QUICK = settings(
    max_examples=25, database=None, deadline=None, suppress_health_check=[*HealthCheck]
)


def binding(params: str, more: str = "") -> Binding:
    """Return a function with these parameters."""
    manifest = check(f"# Shop\n\n## f\nDoes.\n\n### Params\n{params}\n\n{more}\n").manifest
    return bindings_of(manifest, Offers({}))["f"]


@pytest.mark.parametrize(
    "params",
    [
        "- `a` (string, required)\n- `b` (number, optional)",
        "- `a` ({ x: number; y?: string[] }, required)",
        "- `a` (Date, required)\n- `b` (bigint, required)",
        "- `a` (`item-${number}`, required)",
        '- `a` ("x" | "y" | null, required)\n- `...more` (string)',
        "- `a` (unknown, required)\n- `b` (Record<string, number[]>, required)",
        "- `a` ({ $type: string }, required)",
        "- `a` ([string, number?], required)\n- `b` (Partial<{ c: boolean }>, optional)",
    ],
)
def test_declared_arguments_are_taken(params: str) -> None:
    """The registry passes all drawn arguments on to the page."""
    tool = binding(params)

    @QUICK
    @given(arguments(tool, {}))
    def taken(drawn: Any) -> None:
        prepare(tool, drawn)

    taken()


def test_dates_and_large_numbers_are_what_functions_expect() -> None:
    """A function that takes a `Date` is not handed a text."""
    drawn = find(arguments(binding("- `a` (Date)\n- `b` (bigint)"), {}), lambda _: True)

    assert drawn["a"]["$type"] == "date"
    assert drawn["b"] == {"$type": "bigint", "value": "0"}


def test_a_schema_is_heeded_beside_the_types() -> None:
    """Bounds that no type can say."""
    schema = (
        '### Input Schema\n```json\n{"type": "object", "properties": {"n": {"type": "number", '
        '"minimum": 5, "maximum": 6}}, "required": ["n"]}\n```\n'
    )
    tool = binding("- `n` (number, required)", schema)

    @QUICK
    @given(arguments(tool, {}))
    def bounded(drawn: Any) -> None:
        assert 5 <= drawn["n"] <= 6

    bounded()


def test_earlier_arguments_are_drawn_too() -> None:
    """So that a site is asked for what it knows."""
    drawn = arguments(binding("- `id` (string, required)"), {"id": ["the-salt-ledger"]})

    assert find(drawn, lambda given: given["id"] == "the-salt-ledger")
    assert find(drawn, lambda given: given["id"] != "the-salt-ledger") == {"id": ""}


def test_the_declaration_allows_no_wrong_arguments() -> None:
    """One at a time is wrong; a parameter that takes anything has none."""
    tool = binding("- `a` (string, required)\n- `b` (unknown, required)")
    good = {"a": "x", "b": 1}
    wrong = [*wrong_arguments(tool, good)]

    assert fits(tool, good)
    assert all(given["b"] == 1 for given in wrong[:4])
    assert not any(fits(tool, given) for given in wrong)
    assert {str(given["a"]) for given in wrong} >= {"None", "1.5", "True", "[]", "{}"}


def test_a_registered_tool_takes_one_object() -> None:
    """Its schema is its own; without one there is nothing to draw but an empty object."""
    silent = PageTool(Target("modelContext", "t"))
    tool = bindings_of(check("").manifest, Offers(tools=(silent,)))["t"]

    assert find(arguments(tool, {}), lambda _: True) == {}
