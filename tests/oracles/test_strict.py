"""The strict subset of JSON Schema, with the judgement of OpenAI's package."""

from __future__ import annotations

import copy
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from webagent.llm.strict import MOST_PROPERTIES, MOST_VALUES, fits_strict


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an object with these properties, all required, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


STRING = {"type": "string"}


@pytest.mark.parametrize(
    "schema",
    [
        of({}),
        of({"a": STRING}, description="what it does", title="A"),
        of({"a": {"type": ["string", "null"], "enum": ["x", None]}}),
        of({"a": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2}}),
        of({"a": {"type": "array", "items": STRING, "minItems": 1, "maxItems": 3}}),
        of({"a": {"type": "string", "format": "date-time"}, "b": {"type": "boolean", "const": True}}),
        of({"a": {"anyOf": [STRING, {"type": "null"}], "description": "one of them"}}),
        of({"a": {"anyOf": [of({"x": STRING}), of({"y": STRING})]}}),
        of({"a": {"$ref": "#/$defs/Node"}},
           **{"$defs": {"Node": of({"next": {"anyOf": [{"$ref": "#/$defs/Node"},
                                                       {"type": "null"}]}})}}),
    ],
)  # fmt: skip
def test_schemas_that_fit(schema: dict[str, Any]) -> None:
    """They are strict; OpenAI's own package would change nothing in them."""
    assert fits_strict(schema)
    from openai.lib._pydantic import _ensure_strict_json_schema

    changed = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)
    assert changed == schema


@pytest.mark.parametrize(
    "schema",
    [
        {},
        STRING,
        {"type": "object"},
        {"anyOf": [of({})]},
        {**of({"a": STRING}), "required": []},
        {**of({"a": STRING}), "required": ["a", "b"]},
        {**of({"a": STRING}), "required": "a"},
        {**of({"a": STRING}), "additionalProperties": True},
        {**of({"a": STRING}), "additionalProperties": STRING},
        {key: value for key, value in of({}).items() if key != "additionalProperties"},
        {**of({"a": STRING}), "properties": [STRING]},
        of({"a": {}}),
        of({"a": True}),
        of({"a": {"type": "any"}}),
        of({"a": {"type": []}}),
        of({"a": {"type": [["string"]]}}),
        of({"a": {"type": "string", "default": "x"}}),
        of({"a": {"type": "string", "minLength": 1}}),
        of({"a": {"type": "string", "pattern": "(?=x)"}}),
        of({"a": {"type": "string", "format": "uri"}}),
        of({"a": {"type": "string", "format": ["date"]}}),
        of({"a": {"type": "string", "minimum": 1}}),
        of({"a": {"type": "array"}}),
        of({"a": {"type": "array", "items": [STRING]}}),
        of({"a": {"type": "array", "items": STRING, "uniqueItems": True}}),
        of({"a": {"oneOf": [STRING]}}),
        of({"a": {"allOf": [STRING]}}),
        of({"a": {"not": STRING}}),
        of({"a": {"anyOf": []}}),
        of({"a": {"anyOf": [{"anyOf": [STRING]}]}}),
        of({"a": {"anyOf": [of({"x": STRING}), of({"x": {"type": "null"}})]}}),
        of({"a": {"type": "string", "enum": "x"}}),
        of({"a": {"$ref": "#/$defs/None"}}),
        of({"a": {"$ref": "https://example.com/schema"}}),
        of({"a": {"$ref": 7}}),
        of({"a": {"$ref": "#/$defs/A", "description": "x"}}, **{"$defs": {"A": STRING}}),
        of({"a": STRING}, **{"$defs": [STRING]}),
        of({"a": STRING}, **{"$defs": {"A": {}}}),
        of({str(number): STRING for number in range(MOST_PROPERTIES + 1)}),
        of({"a": {"type": "string", "enum": [str(n) for n in range(MOST_VALUES + 1)]}}),
        of({"a" * 20_000: STRING}),
        of({"a": of({"a": of({"a": of({"a": of({"a": STRING})})})})}),
    ],
)
def test_schemas_that_do_not_fit(schema: dict[str, Any]) -> None:
    """Each would be refused, or would have to be changed."""
    assert not fits_strict(schema)


def test_a_schema_that_contains_itself() -> None:
    """It is too deep, and nothing worse."""
    schema = of({"a": STRING})
    schema["properties"]["a"] = schema
    union: dict[str, Any] = {"anyOf": []}
    union["anyOf"].append(union)

    assert not fits_strict(schema)
    assert not fits_strict(of({"a": union}))


class _Item(BaseModel):
    name: str
    count: int | None
    kind: Literal["book", "map"]


class _Order(BaseModel):
    items: list[_Item]
    note: str | None
    first: _Item


def test_a_schema_that_openai_made_strict_is_strict() -> None:
    """A schema that OpenAI's own package has made for strict mode fits."""
    from openai.lib._pydantic import to_strict_json_schema

    assert fits_strict(to_strict_json_schema(_Order))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "properties", "required", "additionalProperties", "items",
                         "anyOf", "enum", "const", "$ref", "$defs", "format", "a"]),
        inner | st.sampled_from(["object", "array", "string", "#/$defs/a"]), max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["type", "properties", "$defs", "required"]), JSON))
def test_nonsense_does_not_fit_or_does(schema: dict[str, Any]) -> None:
    """Any data gets an answer, since schemas come from sites."""
    assert fits_strict(schema | {"type": "object", "additionalProperties": False}) in (True, False)
