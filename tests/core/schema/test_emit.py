import json

import pytest
from jsonschema import Draft202012Validator

from webagent import Manifest, Note, Param, Tool
from webagent.codegen.compiler import resolve
from webagent.codegen.types_section import shared_types
from webagent.schema import input_schema, json_schema, output_schema
from webagent.schema.emit import schema_of

TYPES = shared_types(
    Manifest(
        notes=[
            Note(
                title="Types",
                text="```ts\ninterface Book { id: string; next?: Book }\ntype Genre = 'a' | 'b'\n"
                "type Page<T> = { items: T[] }\ntype Deep<T> = { d: Deep<T[]>, e: Deep<[T]> }\n```",
            )
        ]
    )
)


def of(text: str) -> object:
    schema = schema_of(resolve(text, TYPES).node, TYPES)
    Draft202012Validator.check_schema(schema)
    return schema


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("string", {"type": "string"}),
        ("unknown", {}),
        ("never", {"not": {}}),
        ("bigint", {"type": "integer"}),
        ("Date", {"type": "string", "format": "date-time"}),
        ("'a'", {"type": "string", "const": "a"}),
        ("'a' | 'b' | 'a'", {"type": "string", "enum": ["a", "b"]}),
        ("1 | 'a'", {"type": ["number", "string"], "enum": [1, "a"]}),
        ("'a' | null", {"type": ["string", "null"], "enum": ["a", None]}),
        ("true | false | 1", {"anyOf": [{"type": "number", "const": 1}, {"type": "boolean"}]}),
        ("string | null", {"type": ["string", "null"]}),
        ("string | undefined", {"type": "string"}),
        ("string | unknown", {}),
        ("string | 1[]", {"anyOf": [{"type": "string"}, {"type": "array", "items": {
            "type": "number", "const": 1}}]}),
        ("`a${number}.`", {"type": "string",
            "pattern": r"^a-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\.$"}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("unknown[]", {"type": "array"}),
        ("Set<string>", {"type": "array", "items": {"type": "string"}}),
        ("[string, number?]", {"type": "array", "prefixItems": [{"type": "string"},
            {"type": "number"}], "minItems": 1, "maxItems": 2}),
        ("[...string[]]", {"type": "array", "items": {"type": "string"}}),
        ("{}", {"type": "object", "properties": {}}),
        ("object", {"type": "object"}),
        ("Record<string, number>", {"type": "object", "additionalProperties": {"type": "number"}}),
        ("{ [k: number]: string }", {"type": "object", "patternProperties": {
            r"^-?[0-9]+(?:\.[0-9]+)?$": {"type": "string"}}}),
        ("{ /** A. */ a: string; 'b c'?: number }", {"type": "object", "properties": {
            "a": {"type": "string", "description": "A."}, "b c": {"type": "number"}},
            "required": ["a"]}),
        ("{ a: string | undefined }", {"type": "object", "properties": {"a": {"type": "string"}}}),
        ("{ a: string } & { b: number }", {"type": "object", "properties": {
            "a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]}),
        ("{ a: string } & { a: 'x' }", {"allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": "string", "const": "x"}},
             "required": ["a"]}]}),
        ("() => void", {}),
        ("HTMLElement", {}),
        ("Book", {"$ref": "#/$defs/Book", "$defs": {"Book": {"type": "object", "properties": {
            "id": {"type": "string"}, "next": {"$ref": "#/$defs/Book"}}, "required": ["id"]}}}),
        ("Page<Genre>", {"$ref": "#/$defs/Page_Genre", "$defs": {
            "Page_Genre": {"type": "object", "properties": {
                "items": {"type": "array", "items": {"$ref": "#/$defs/Genre"}}},
                "required": ["items"]},
            "Genre": {"type": "string", "enum": ["a", "b"]}}}),
    ],
)  # fmt: skip
def test_schema_of_a_type(text: str, schema: object) -> None:
    """A type has one schema, which is valid JSON Schema."""
    assert of(text) == schema


def test_endless_types_have_a_finite_schema() -> None:
    """It defines a hundred types, and allows anything below them."""
    schema = of("Deep<string>")

    assert isinstance(schema, dict)
    assert len(schema["$defs"]) == 100


def test_schemas_of_a_tool() -> None:
    """Parameters are properties with description and default; `void` has no schema."""
    tool = Tool(
        name="find",
        params=[
            Param(name="q", description="What."),
            Param(name="limit", type="number", required=False, default="20"),
            Param(name="since", type="Date", required=False, default="Date.now()"),
            Param(name="genre", type="Genre", required=False, default="a"),
            Param(name="...tags", type="string"),
        ],
        returns="Promise<void>",
    )

    assert json_schema(tool, types=TYPES) == {
        "input": {
            "type": "object",
            "properties": {
                "q": {"type": "string", "description": "What."},
                "limit": {"type": "number", "default": 20},
                "since": {"type": "string", "format": "date-time"},
                "genre": {"$ref": "#/$defs/Genre", "default": "a"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["q"],
            "$defs": {"Genre": {"type": "string", "enum": ["a", "b"]}},
        },
        "output": None,
    }


def test_schemas_of_the_author_have_priority() -> None:
    """A tool with a schema of its own keeps that schema."""
    own = {"type": "object", "properties": {"q": {"type": "string", "maxLength": 5}}}
    tool = Tool(
        name="f", params=[Param(name="q")], input_schema=own, output_schema={"type": "null"}
    )

    assert input_schema(tool) == own
    assert output_schema(tool) == {"type": "null"}


@pytest.mark.parametrize(
    ("text", "type_text", "default"),
    [
        ("20", "number", 20),
        ("20", "string", "20"),
        ("red", "string", "red"),
        ("'red'", "string", "red"),
        ('"it\'s"', "string", "it's"),
        ("[1, 2]", "number[]", [1, 2]),
        ("{}", "object", {}),
        ("true", "boolean", True),
        ("red", "'red' | 'blue'", "red"),
        ("null", "string | null", None),
        ("Date.now()", "number", ...),
        ("new Date()", "string", ...),
        ("application/json", "string", "application/json"),
        ("many", "number", ...),
        ("undefined", "number | undefined", ...),
    ],
)
def test_defaults(text: str, type_text: str, default: object) -> None:
    """A default is read as a value of its type, and left out if it does not fit."""
    tool = Tool(name="f", params=[Param(name="p", type=type_text, default=text, required=False)])
    schema = input_schema(tool)["properties"]["p"]

    assert json.dumps(schema.get("default", "no")) == json.dumps(
        "no" if default is ... else default
    )
