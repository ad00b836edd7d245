"""Messages of failing tests: the call, the declared type, the place."""

from __future__ import annotations

from datetime import date

import pytest

from webagent.errors import InvalidArguments, ToolThrew
from webagent.results import Call, ExecutionResult, Log
from webagent_dev.testing.asserting import (
    ProgramFailed,
    ResultMismatch,
    ToolCallFailed,
    assert_matches,
    shown,
    written,
)


def test_a_value_of_another_type_fails_with_its_place() -> None:
    """Each place that differs has its path, and the whole is shown beside the type."""
    with pytest.raises(ResultMismatch) as caught:
        assert_matches(
            {"items": [{"price": "12"}]}, "{ items: { price: number }[]; total: number }"
        )

    text = str(caught.value)
    assert "items[0].price: expected number, got string" in text
    assert "total: expected number, got " in text
    assert "declared  { items: { price: number }[]; total: number }" in text
    assert 'gave      {"items": [{"price": "12"}]}' in text
    assert [one.path for one in caught.value.mismatches] == ["items[0].price", "total"]
    assert_matches({"items": [], "total": 0, "on": date(2030, 5, 1)}, "{ items: {}[]; on: string }")


@pytest.mark.parametrize(
    ("value", "declared"),
    [
        (None, "undefined"),
        (None, "Promise<void>"),
        (None, "string | undefined"),
        (None, "null"),
        ({"a": None, "b": [None, None]}, "{ a?: string; b: (null | undefined)[] }"),
    ],
)
def test_none_is_null_and_undefined(value: object, declared: str) -> None:
    """Python has one word for both."""
    assert_matches(value, declared)


@pytest.mark.parametrize(("value", "declared"), [(None, "string"), (0, "undefined")])
def test_none_is_nothing_else(value: object, declared: str) -> None:
    """A text is not such a result."""
    with pytest.raises(ResultMismatch):
        assert_matches(value, declared)


@pytest.mark.parametrize("declared", ["{ total: ", "numbr", "Basket[]"])
def test_a_type_that_cannot_be_judged_is_a_mistake_of_the_test(declared: str) -> None:
    """Otherwise everything would fit it."""
    with pytest.raises(ValueError, match="is not a type to compare with"):
        assert_matches({}, declared)


def test_a_failed_call_has_kind_place_and_remedy() -> None:
    """The declaration of the manifest is below it."""
    error = InvalidArguments("`f` cannot take this", path="query", help="write `f(query)`")
    text = str(ToolCallFailed("f(5)", error, declared="f(query: string)\nwebagents.md:3"))

    assert text.splitlines() == [
        "`f(5)` failed with `invalid_arguments` at `query`: `f` cannot take this",
        "  declared  f(query: string)",
        "            webagents.md:3",
        "  help      write `f(query)`",
    ]


def test_a_failed_program_has_its_calls_and_output() -> None:
    """So one sees how far it came."""
    result = ExecutionResult(
        error=ToolThrew("no such book", tool="buy"),
        calls=(Call(1, "find", "manifest", ["x"]), Call(2, "buy", "manifest", {"id": 5})),
        logs=(Log("warn", "careful"),),
    )
    text = str(ProgramFailed("await global.buy(5)\n", result))

    assert text.startswith("the program failed with `threw`: no such book")
    assert 'calls     find("x")\n            buy({ id: 5 })' in text
    assert "printed   warn: careful" in text


def test_calls_are_written_as_a_person_would() -> None:
    """Long values are cut."""
    assert written("f", []) == written("f", {}) == "f()"
    assert written("f", ["ü", None, True]) == 'f("ü", null, true)'
    assert len(shown("x" * 1_000)) == 300
