"""Values against what a case expects of them."""

from __future__ import annotations

from typing import Any

import pytest

from webagent_dev.evals.constraints import CONSTRAINTS, differences


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        ("a", "a", True),
        ("a", "A", False),
        (1, 1.0, True),
        (1, True, False),
        (1, "1", False),
        (None, None, True),
        (None, 0, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({}, {"a": 1}, True),
        ({}, [], False),
        ([{"a": 1}], [{"a": 1, "b": 2}], True),
        ({"$pattern": "^2026-\\d{2}$"}, "2026-01", True),
        ({"$pattern": "^foo$"}, "foobar", False),
        ({"$pattern": ".*"}, 123, False),
        ({"$pattern": "(?i)^colou?r$"}, "COLOR", True),
        ({"$pattern": "(?is)foo.bar"}, "FOO\nBAR", True),
        ({"$pattern": "(?i)foo.bar"}, "FOO\nBAR", False),
        ({"$pattern": "(?g)b"}, "abc", True),
        ({"$pattern": "^(?!.*london)"}, "to paris", True),
        ({"$pattern": "^(?!.*london)"}, "to london", False),
        ({"$eq": {"a": 1}}, {"a": 1, "b": 2}, True),
        ({"$eq": "a"}, "b", False),
        ({"$contains": "bar"}, "foobar", True),
        ({"$contains": "bar"}, "BAR", False),
        ({"$contains": "bar"}, ["bar"], False),
        ({"$gt": 10}, 10, False),
        ({"$gte": 10}, 10, True),
        ({"$lt": 10}, 10, False),
        ({"$lte": 10}, 10, True),
        ({"$gt": 10}, "11", False),
        ({"$gt": 0}, True, False),
        ({"$gte": 1, "$lte": 3}, 2, True),
        ({"$gte": 1, "$lte": 3}, 4, False),
        ({"$type": "string"}, "x", True),
        ({"$type": "number"}, 1, True),
        ({"$type": "number"}, True, False),
        ({"$type": "boolean"}, True, True),
        ({"$type": "object"}, {}, True),
        ({"$type": "object"}, [], False),
        ({"$type": "array"}, [], True),
        ({"$type": "null"}, None, True),
        ({"$any": True}, None, True),
        ({"a": {"$any": True}}, {}, False),
        ({"a": {"b": [{"$gt": 1}, {"$type": "string"}]}}, {"a": {"b": [2, "x"]}}, True),
        ({"a": {"b": [{"$gt": 1}, {"$type": "string"}]}}, {"a": {"b": [1, "x"]}}, False),
        # An object of which only some keys begin with `$` is plain data.
        ({"$gt": 1, "x": 2}, {"$gt": 1, "x": 2}, True),
        ({"$gt": 1, "x": 2}, 5, False),
    ],
)
def test_agreement(expected: Any, actual: Any, agrees: bool) -> None:
    """Objects may hold more than is expected, lists not; constraints may be anywhere."""
    assert (differences(expected, actual) == []) is agrees


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "`a.b` is 2, expected 1"),
        ({"a": [1, {"c": "x"}]}, {"a": [1, {"c": "y"}]}, '`a[1].c` is "y", expected "x"'),
        ({"a": {"$lte": 3}}, {}, "`a` is missing, expected at most 3"),
        ({"a": {"$gte": 1, "$lt": 3}}, {"a": 3}, "`a` is 3, expected at least 1 and less than 3"),
        ({"a": {"$pattern": "(?i)^b"}}, {"a": "c"}, '`a` is "c", expected a text like /^b/i'),
        ({"a": {"$contains": "b"}}, {"a": 1}, '`a` is 1, expected a text with "b" in it'),
        ({"a": {"$type": "array"}}, {"a": 1}, "`a` is 1, expected something of type array"),
        ({"a": [1, 2]}, {"a": [1]}, "`a` is [1], expected [1, 2]"),
        ({"$any": True, "$gt": 1}, 1, "it is 1, expected anything and more than 1"),
    ],
)
def test_differences_have_their_path(expected: Any, actual: Any, told: str) -> None:
    """A person reads the place of the value, the value, and what it should be."""
    assert [str(one) for one in differences(expected, actual)] == [told]


def test_every_difference_is_reported() -> None:
    """Two arguments that are wrong are two differences."""
    found = differences({"a": 1, "b": {"$gt": 2}, "c": 3}, {"a": 2, "b": 1, "c": 3})

    assert [one.path for one in found] == ["a", "b"]


def test_long_values_are_cut() -> None:
    """A report stays readable whatever was passed."""
    (found,) = differences("x", "y" * 10_000)

    assert len(str(found)) < 300


@pytest.mark.parametrize(
    ("word", "limit", "problem"),
    [
        ("$pattern", 1, "a pattern is text"),
        ("$pattern", "(?x)a", "`x` is not a flag"),
        ("$pattern", r"(a)\1", r"`\1`"),
        ("$pattern", "(?i)[unclosed", "it is not a pattern"),
        ("$contains", None, "is text"),
        ("$gt", "1", "compared with a number"),
        ("$lte", True, "compared with a number"),
        ("$type", "integer", "the types are `string`"),
    ],
)
def test_invalid_limits(word: str, limit: Any, problem: str) -> None:
    """A constraint that no value could pass is an error when the file is read."""
    assert problem in CONSTRAINTS[word].problem(limit)


@pytest.mark.parametrize("word", CONSTRAINTS)
def test_examples_are_constraints(word: str) -> None:
    """The example in an error is valid."""
    import json

    example = json.loads(CONSTRAINTS[word].example)
    assert CONSTRAINTS[word].problem(example[word]) == ""
