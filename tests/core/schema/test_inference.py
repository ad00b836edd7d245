"""Types of results that calls have shown."""

from __future__ import annotations

from typing import Any

import pytest

from webagent.schema import check_value
from webagent.schema.inference import inferred_type, observed_type


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], ""),
        (["a", 1], "string | number"),
        ([[]], "unknown[]"),
        ([[1], ["a"]], "(number | string)[]"),
        ([{"a": 1}, {"a": 2, "b c": "x"}], '{ a: number; "b c"?: string }'),
        ([{"a": None}, {"a": {"b": True}}], "{ a: null | { b: boolean } }"),
        ([{"$type": "undefined"}], "undefined"),
        ([{f"k{n}": n for n in range(60)}], "{ [name: string]: number }"),
        ([{"2026-01-01": 1, "2026-01-02": 2, "2026-01-05": 3}], "{ [name: string]: number }"),
        ([dict.fromkeys("abcdefghijklm", "x")], "{ [name: string]: string }"),
        (
            [{"tea": {"stock": 1}, "mug": {"stock": 2}}, {"pot": {"stock": 3}}],
            "{ [name: string]: { stock: number } }",
        ),
        (
            [{"name": "a", "title": "b", "isbn13": "c"}],
            "{ name: string; title: string; isbn13: string }",
        ),
        (
            [{"street": "a", "city": "b"}, {"zip": "c"}],
            "{ street?: string; city?: string; zip?: string }",
        ),
        ([{"next": None, "extra": {}}], "{ next: null; extra: { [name: string]: unknown } }"),
    ],
)
def test_observed_types_fit_what_was_observed(values: list[Any], expected: str) -> None:
    """A key that was not always there is optional; a table of many things has an index."""
    assert observed_type(values) == expected
    assert [check_value(value, expected) for value in values] == [[] for _ in values]


@pytest.mark.parametrize("values", [[None], [{}], [None, {}]])
def test_null_and_nothing_alone_show_no_type(values: list[Any]) -> None:
    """The next call may give anything."""
    assert observed_type(values) == ""


@pytest.mark.parametrize(
    ("declared", "values", "expected"),
    [
        ("Book", [{"a": 1}], "{ a: number }"),
        ("{ a: number }", [{"a": 1}, None], "{ a: number } | null"),
        ("{ a: number }", [{"a": "x"}, None], "{ a: string } | null"),
        ("{ a: number }", [None], ""),
    ],
)
def test_a_declared_type_that_lacks_null_alone_is_kept(
    declared: str, values: list[Any], expected: str
) -> None:
    """With `null` added; what its author wrote says more than what was seen."""
    assert inferred_type(declared, values) == expected
