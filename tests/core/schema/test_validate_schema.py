from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from webagent.page.values import encode
from webagent.schema import check_schema

NAMES = st.sampled_from(["a", "b", "c d"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([0.5, 1.0, 2.5, "", "a", "ab", "b-1", "2026-01-31", "x@y.z"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
KINDS = ["string", "number", "integer", "boolean", "null", "array", "object"]
KIND = st.sampled_from(KINDS)
COUNT = st.integers(0, 3)
BOUND = st.sampled_from([-1, 0, 0.5, 1, 3, 10])


def some(**words: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=words)


def _above(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        some(
            type=st.just("object"),
            properties=st.dictionaries(NAMES, inner, max_size=3),
            required=st.lists(NAMES, max_size=2, unique=True),
            additionalProperties=inner,
            patternProperties=st.dictionaries(st.sampled_from(["^a", "d$"]), inner, max_size=1),
            propertyNames=inner,
            dependentRequired=st.dictionaries(NAMES, st.lists(NAMES, max_size=2), max_size=1),
            dependentSchemas=st.dictionaries(NAMES, inner, max_size=1),
            minProperties=COUNT,
            maxProperties=COUNT,
        ),
        some(
            items=inner,
            prefixItems=several,
            minItems=COUNT,
            maxItems=COUNT,
            uniqueItems=st.booleans(),
            contains=inner,
        ),
        some(anyOf=several, oneOf=several, allOf=several),
        some(**{"not": inner, "if": inner, "then": inner, "else": inner}),
    )


LEAVES = st.one_of(
    st.booleans(),
    some(type=st.one_of(KIND, st.lists(KIND, min_size=1, max_size=3, unique=True))),
    some(enum=st.lists(VALUES, min_size=1, max_size=3)),
    some(const=VALUES),
    some(minimum=BOUND, maximum=BOUND, exclusiveMinimum=BOUND, exclusiveMaximum=BOUND),
    some(type=KIND, multipleOf=st.sampled_from([1, 2, 0.5])),
    some(minLength=COUNT, maxLength=COUNT, pattern=st.sampled_from(["^a", "b$", "^[a-z]+-\\d$"])),
    some(format=st.sampled_from(["date", "email", "ipv4"])),
    st.sampled_from([{"$ref": "#/$defs/x%20y"}, {"$ref": "#/$defs/a~1b"}]),
)
SCHEMAS = st.recursive(LEAVES, _above, max_leaves=10)


@settings(deadline=None)
@given(SCHEMAS, st.dictionaries(st.just("type"), KIND), VALUES)
def test_results_agree_with_jsonschema(schema: Any, named: dict[str, Any], value: Any) -> None:
    """A value fits if and only if the reference validator accepts it."""
    root = {"allOf": [schema], "$defs": {"x y": named, "a/b": {"minimum": 2}}}
    validator = Draft202012Validator(root, format_checker=FormatChecker(["date", "email", "ipv4"]))

    assert (check_schema(value, root) == []) == validator.is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value", "mismatches"),
    [
        ({"type": "string"}, 1, ["expected string, got number"]),
        ({"type": ["string", "null"]}, 1, ["expected string | null, got number"]),
        ({"minimum": 1}, 0, ["expected number >= 1, got 0"]),
        ({"type": "integer", "exclusiveMaximum": 5}, 5, ["expected integer < 5, got 5"]),
        ({"multipleOf": 0.01}, 0.07, []),
        ({"multipleOf": 0.1}, 0.25, ["expected number that is a multiple of 0.1, got 0.25"]),
        ({"minLength": 3}, "ab", ['expected string of at least 3 characters, got "ab"']),
        ({"pattern": "^[A-Z]{2}$"}, "a", ['expected string that matches ^[A-Z]{2}$, got "a"']),
        ({"pattern": "(x)\\1"}, "a", []),
        ({"format": "email"}, "a", ['expected string of the format email, got "a"']),
        ({"format": "colour"}, "a", []),
        ({"enum": ["S", "M"]}, "L", ['expected "S" | "M", got "L"']),
        ({"const": True}, 1, ["expected true, got 1"]),
        (
            {"items": {"properties": {"price": {"minimum": 0}}}},
            [{"price": 1}, {"price": -1}],
            ["[1].price: expected number >= 0, got -1"],
        ),
        (
            {"required": ["a b"], "properties": {"a b": {"enum": ["x"]}}},
            {},
            ['["a b"]: expected "x", got undefined'],
        ),
        (
            {"properties": {"a": {}}, "additionalProperties": False},
            {"b": 1},
            ["b: expected no such property, got number"],
        ),
        ({"maxItems": 1}, [1, 2], ["expected array of at most 1 item, got array of 2"]),
        (
            {"uniqueItems": True},
            [1, 1.0],
            ["expected array of different items, got array with an item twice"],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            1,
            ["expected string | null, got number"],
        ),
        (
            {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"type": "null"}]},
            {"a": 1},
            ["a: expected string, got number"],
        ),
        (
            {"oneOf": [{}, {"type": "string"}]},
            "a",
            ["expected one alternative of 2, got what fits 2"],
        ),
        ({"not": {"type": "null"}}, None, ["expected anything but null, got null"]),
        (False, 1, ["expected nothing, got number"]),
        ({"type": "string", "nullable": True}, None, []),
        ({"$ref": "#"}, {"a": 1}, []),
        ({"$ref": "other.json#/a"}, 1, []),
        ({"$ref": "#/none"}, 1, []),
        ({"type": 1, "enum": 2, "minimum": "3", "properties": [], "allOf": {}}, 1, []),
    ],
)
def test_each_place_is_reported(schema: Any, value: Any, mismatches: list[str]) -> None:
    """A mismatch has the path, the expected and the actual value; unknown keywords are ignored."""
    assert [str(mismatch) for mismatch in check_schema(value, schema)] == mismatches


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (
            {"type": "string", "format": "date-time"},
            {"$type": "date", "value": "2026-01-01T00:00:00Z"},
        ),
        ({"type": "array", "items": {"type": "number"}}, encode({1, 2})),
        ({"type": "integer", "minimum": 2**60}, encode(2**70)),
        ({"required": ["$type"]}, encode({"$type": "x"})),
        ({"properties": {"a": {"type": "string"}}}, {"a": {"$type": "undefined"}}),
        ({"type": "number"}, {"$type": "number", "value": "NaN"}),
    ],
)
def test_values_that_json_cannot_hold_are_converted(schema: Any, value: Any) -> None:
    """Dates count as text, sets as lists, and undefined values as missing."""
    assert check_schema(value, schema) == []


def test_an_undefined_property_is_missing() -> None:
    """A required property has to have a value."""
    (mismatch,) = check_schema({"a": {"$type": "undefined"}}, {"required": ["a"]}, "p")

    assert str(mismatch) == "p.a: expected a value, got undefined"


def test_no_pair_of_schema_and_value_takes_long() -> None:
    """Circular references and nested alternatives end in time."""
    twice = {"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "type": "object"}
    value: dict[str, object] = {}
    for _ in range(50):
        value = {"a": value}

    assert check_schema(value, {**twice, "properties": {"a": {"$ref": "#"}}}) == []
    assert len(check_schema(list(range(1_000)), {"items": {"type": "string"}})) == 20
    assert check_schema([*range(20_000)], {"enum": [*range(1_000)]})


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        ("a", {"minLength": 10**400}, False),
        (10**400, {"multipleOf": 0.5}, True),
        (encode(10**400), {"multipleOf": 0.5}, True),
        (1e300, {"multipleOf": 1e-300}, True),
        ({"$type": "number", "value": "Infinity"}, {"multipleOf": 0.5}, False),
        (1, {"$ref": "#/allOf/" + "1" * 5_000, "allOf": []}, True),
    ],
)
def test_huge_numbers_are_read(value: Any, schema: Any, fits: bool) -> None:
    """JSON has integers of any length, and so have references."""
    assert (check_schema(value, schema) == []) is fits
