"""Values from a schema fit it, as `jsonschema` confirms, which was written by others."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from webagent.checks import check
from webagent.schema import input_schema
from webagent_dev.contract.generation import merged, values

TREE = {
    "$ref": "#/$defs/Tree",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "parts": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
            "required": ["name", "parts"],
        }
    },
}

SCHEMAS: list[Any] = [
    True,
    {},
    {"type": "null"},
    {"type": "boolean"},
    {"const": "a"},
    {"enum": ["a", 1, None, {"b": []}]},
    {"type": "integer", "minimum": 3, "maximum": 9},
    {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
    {"type": "integer", "multipleOf": 7, "minimum": -20},
    {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    {"type": "number", "multipleOf": 0.25, "minimum": 0.1, "maximum": 10},
    {"type": ["string", "null"], "minLength": 3, "maxLength": 5},
    {"type": "string", "pattern": r"^[A-Z]{2}-\d+$"},
    {"type": "string", "pattern": "b{2}", "maxLength": 6},
    *({"type": "string", "format": name} for name in ("date", "date-time", "time", "email")),
    *({"type": "string", "format": name} for name in ("hostname", "ipv4", "ipv6", "uri", "uuid")),
    {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3},
    {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 2},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 1},
    {"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 3},
    {"type": "array", "contains": {"const": 5}, "items": {"enum": [4, 5]}},
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
    {"type": "object", "additionalProperties": {"type": "number"}, "minProperties": 2},
    {"type": "object", "patternProperties": {"^x-": {"type": "boolean"}}},
    {"type": "object", "additionalProperties": {}, "propertyNames": {"maxLength": 2}},
    {"type": "object", "required": ["unnamed"]},
    {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "number", "minimum": 5}]},
    {"oneOf": [{"type": "integer", "multipleOf": 3}, {"type": "integer", "multipleOf": 5}]},
    {"allOf": [{"minimum": 3}, {"type": "number"}, {"type": "integer", "maximum": 8}]},
    {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}},
        "required": ["kind"],
        "anyOf": [
            {"properties": {"n": {"type": "number"}}, "required": ["n"]},
            {"required": ["m"]},
        ],
    },
    {"not": {"type": "string"}},
    {"type": "number", "not": {"type": "integer"}},
    {"if": {"type": "string"}, "then": {"maxLength": 1}, "else": {"type": "number"}},
    {"minLength": 4},
    TREE,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_values_fit_their_schema(schema: Any) -> None:
    """Each keyword that core judges is heeded, formats included."""
    judge = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )

    @settings(max_examples=20, database=None, deadline=None, suppress_health_check=[*HealthCheck])
    @given(values(schema))
    def fits(value: Any) -> None:
        judge.validate(json.loads(json.dumps(value)))

    fits()


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"enum": []},
        {"type": "string", "minLength": 5, "maxLength": 2},
        {"type": "integer", "minimum": 1.2, "maximum": 1.8},
        {"type": "array", "minItems": 3, "maxItems": 1},
        {
            "$ref": "#/$defs/a",
            "$defs": {"a": {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}}},
        },
        {"allOf": [{"type": "string"}, {"type": "number"}]},
    ],
    ids=json.dumps,
)
def test_a_schema_that_nothing_fits_has_no_values(schema: Any) -> None:
    """Nor does a type that would have to hold itself without end."""
    assert values(schema).is_empty


def test_the_simplest_value_comes_first() -> None:
    """A report shows the smallest value."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    assert find(values(schema), lambda _: True) == {"n": 0}
    assert find(values(schema), lambda value: value["n"] > 40) == {"n": 41}


def test_types_of_a_manifest_have_values() -> None:
    """TypeScript comes to a schema first: literals, tuples, records, shared types in themselves."""
    text = (
        "# Shop\n\n## Types\n```typescript\ninterface Part { name: string; parts?: Part[] }\n```\n\n"
        "## build\nBuild.\n\n### Params\n"
        "- `part` (Part, required)\n"
        '- `size` ("s" | "m" | 3, required)\n'
        "- `at` ([number, string?], required)\n"
        "- `by` (Record<string, boolean>, required)\n"
    )
    checked = check(text)
    from webagent.codegen.types_section import shared_types

    built = checked.manifest.get_tool("build")
    assert built is not None
    schema = input_schema(built, types=shared_types(checked.manifest))
    judge = jsonschema.Draft202012Validator(schema)
    judge.validate(find(values(schema), lambda _: True))
    # Alone, since to make the whole simple takes seconds.
    part = {**schema["properties"]["part"], "$defs": schema["$defs"]}
    deep = find(values(part), lambda value: bool(value.get("parts")), random=Random(1))

    assert deep == {"name": "", "parts": [{"name": ""}]}
    judge.validate({"part": deep, "size": 3, "at": [1, "a"], "by": {"a": True}})


@given(st.integers(0, 5), st.integers(0, 5))
def test_merged_bounds_are_the_tighter_ones(one: int, other: int) -> None:
    """Values that fit both fit the merged schema, and here no others do."""
    schema = merged(
        [{"minimum": one, "type": ["number", "string"]}, {"minimum": other, "type": "number"}]
    )

    assert schema == {"minimum": max(one, other), "type": "number"}
