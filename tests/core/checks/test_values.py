import json
from typing import Any

import pytest

from webagent import check
from webagent.schema.tools import disagreement


def messages(text: str, rule: str) -> list[str]:
    return [finding.message for finding in check(text).findings if finding.rule == rule]


@pytest.mark.parametrize(
    ("type_text", "default", "fits"),
    [
        ("number", "20", True),
        ("number", "many", False),
        ("number", '"20"', False),
        ("number", "null", False),
        ("number", "undefined", False),
        ("number", "Date.now()", True),
        ("number", "24 * 60", True),
        ("string", "20", True),
        ("string", "'a'", True),
        ("boolean", "yes", False),
        ("'a' | 'b'", "a", True),
        ("'a' | 'b'", "c", False),
        ("Genre", "crime", True),
        ("Genre", "poem", False),
        ("string[]", "[]", True),
        ("string[]", "[1]", False),
        ("{ a: number }", '{"a": 1}', True),
        ("Date", "2026-01-01", True),
        ("Foo", "anything", True),
    ],
)
def test_default_against_type(type_text: str, default: str, fits: bool) -> None:
    """A default that does not fit its type is reported, unless it cannot be judged."""
    found = messages(
        "# S\n\n## Types\n```ts\ntype Genre = 'crime'\n```\n\n## f\nF.\n\n### Params\n"
        f"- `p` ({type_text}, optional, default={default}): P.",
        "default-type",
    )

    assert found == (
        [] if fits else [f"the default `{default}` of `p` is not of type `{type_text}`"]
    )


@pytest.mark.parametrize(
    ("schema", "difference"),
    [
        ({"q": {"type": "string", "pattern": "^a"}}, ""),
        ({"q": {"type": "integer"}}, "`q` is `number` in the schema and `string` in the types"),
        (
            {"q": {"type": "string"}, "r": {}},
            "`r` is in the schema and not in the types",
        ),
        ({}, "`q` is in the types and not in the schema"),
    ],
)
def test_schema_against_params(schema: dict[str, Any], difference: str) -> None:
    """A schema may say more than the parameters, but nothing else."""
    data = {"type": "object", "properties": schema, "required": ["q"]}
    found = messages(
        "# S\n\n## f\nF.\n\n### Params\n- `q` (string): Q.\n\n### Input Schema\n```json\n"
        f"{json.dumps(data)}\n```",
        "schema-mismatch",
    )
    start = "the input schema of `f` is used, but its types differ: "

    assert found == ([start + difference] if difference else [])


@pytest.mark.parametrize(
    ("schema", "typed", "difference"),
    [
        ({"type": "string", "format": "uri"}, {"type": "string"}, ""),
        ({"type": "null"}, {"type": ["string", "null"]}, ""),
        ({"$ref": "#/$defs/a"}, {"type": "string"}, ""),
        ({"const": True}, {"type": "boolean"}, ""),
        ({"const": True}, {"type": "boolean", "const": True}, ""),
        ({"enum": [True, None]}, {"anyOf": [{"type": "boolean"}, {"type": "null"}]}, ""),
        ({"const": 1}, {"type": "string"},
         "the whole is `number` in the schema and `string` in the types"),
        ({"enum": ["a", "c"]}, {"type": "string", "enum": ["a", "b"]},
         'the whole may be `"c"` in the schema and not in the types'),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, {"type": "array"},
         "the whole is `array` or `string` in the schema and `array` in the types"),
        ({"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "number"}},
         "`[]` is `string` in the schema and `number` in the types"),
        ({"properties": {"a": {"properties": {"b": {}}}}}, {"properties": {"a": {"properties": {}}}},
         "`a.b` is in the schema and not in the types"),
        ({"properties": {"a": {}}}, {"properties": {"a": {}}, "required": ["a"]},
         "`a` is optional in the schema and required in the types"),
        ({"properties": 1, "items": 2, "required": 3, "type": 4}, {"type": "string"}, ""),
    ],
)  # fmt: skip
def test_disagreement(schema: object, typed: object, difference: str) -> None:
    """The first difference is reported, with its place."""
    assert disagreement(schema, typed) == difference
