"""Calls, values, differences and types in the words of a report."""

from __future__ import annotations

from typing import Any

import pytest

from webagent.checks import check
from webagent.page.offers import Offers, Target
from webagent.page.values import encode
from webagent.registry import Binding
from webagent.registry.catalogue import bindings_of
from webagent_dev.contract.javascript import js_call, js_value
from webagent_dev.contract.repeat import difference

TEXT = (
    "# Shop\n\n## log in\nIn.\n\n### Params\n- `name` (string)\n- `password` (string)\n\n"
    "## find\nFind.\n\n### Params\n- `by` (unknown)\n"
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (1.0, "1"),
        (0.5, "0.5"),
        (True, "true"),
        ("a\n", '"a\\n"'),
        ("é", '"é"'),
        ("\u202e", '"\\u202e"'),
        ([1, {"a": 2, "b c": 3}], '[1, { a: 2, "b c": 3 }]'),
        ({"$type": "undefined"}, "undefined"),
        ({"$type": "bigint", "value": "9"}, "9n"),
        ({"$type": "number", "value": "NaN"}, "NaN"),
        ({"$type": "date", "value": "2026-01-01T00:00:00Z"}, 'new Date("2026-01-01T00:00:00Z")'),
        ({"token": "abcdefg"}, '{ token: "•••" }'),
        ("a" * 200, '"aaaaaaaaaaaaaaaaaaaa…" /* 200 characters */'),
        ({}, "{}"),
    ],
)
def test_values_are_shown_in_javascript(value: Any, text: str) -> None:
    """Long texts are cut, secrets left out, and what cannot be seen is spelled out."""
    assert js_value(value) == text


def test_calls_are_shown_as_programs_write_them() -> None:
    """A name that is not an identifier is in brackets; secrets are left out by their names."""
    bindings = bindings_of(check(TEXT).manifest, Offers())

    assert js_call(bindings["log in"], ["ada", "secret"]) == 'await global["log in"]("ada", "•••")'
    assert js_call(bindings["find"], {"by": 1}) == "await global.find({ by: 1 })"
    assert len(js_call(bindings["find"], [["word"] * 900])) == 600


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        (1, 1.0, None),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "`a[1].b` is 2 and then 3"),
        ([1], [1, 2], "a list of 1 and then one of 2"),
        ({"a": 1}, {}, "`a` is 1 and then missing"),
        (1, True, "1 and then true"),
        ("a", None, '"a" and then null'),
        ({"a": [1]}, {"a": {"b": 1}}, "`a` is [1] and then { b: 1 }"),
    ],
)
def test_the_first_difference_has_its_path(one: Any, other: Any, text: str | None) -> None:
    """Numbers are the same by their value, `1` and `true` are not."""
    found = difference(one, other)

    assert (None if found is None else str(found)) == text


def test_named_arguments_of_a_call_are_its_parameters() -> None:
    """As the smallest call is shown, however the tool takes them."""
    from webagent.results import ExecutionResult
    from webagent_dev.contract.session import Outcome

    text = "# S\n\n## add\nAdd.\n\n### Params\n- `to` (string)\n- `...ids` (string)\n"
    binding: Binding = bindings_of(check(text).manifest, Offers())["add"]

    assert binding.target == Target("function", "add")
    named = Outcome(binding, ["a", "b", "c"], ExecutionResult()).named
    assert named == {"to": "a", "ids": ["b", "c"]}
    assert Outcome(binding, encode({"to": "a"}), ExecutionResult()).named == {"to": "a"}
