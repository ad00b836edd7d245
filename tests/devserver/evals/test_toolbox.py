"""Tools without a page, and the values that are made up for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webagent.schema import check_schema
from webagent_dev.evals.mock_page import sample_value
from webagent_dev.evals.toolbox import read_toolbox
from webagent_site.errors import UsageError

TOOL = {
    "name": "addTopping",
    "description": "Add a topping.",
    "inputSchema": {"type": "object", "properties": {"topping": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {"total": {"type": "number"}}},
    "annotations": {"readOnlyHint": True},
}


def file(folder: Path, data: Any) -> str:
    path = folder / "tools.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return str(path)


@pytest.mark.parametrize("data", [{"tools": [TOOL]}, [TOOL]])
def test_definitions_of_webmcp(tmp_path: Path, data: Any) -> None:
    """A file of definitions is read, as an object with `tools` or as a bare list."""
    box = read_toolbox(file(tmp_path, data))

    assert box.tools == ["addTopping"]
    assert box.registered[0].annotations == {"readOnlyHint": True}
    assert box.outputs == {"addTopping": TOOL["outputSchema"]}


def test_schemas_may_be_missing_or_text(tmp_path: Path) -> None:
    """A schema is an object, its JSON text, or null."""
    text = TOOL | {"name": "b", "inputSchema": json.dumps(TOOL["inputSchema"])}
    box = read_toolbox(file(tmp_path, [{"name": "a", "inputSchema": None}, text]))

    assert [tool.input_schema for tool in box.registered] == [None, TOOL["inputSchema"]]


def test_a_manifest(tmp_path: Path) -> None:
    """The tools of a folder's manifest may be called anywhere, as often as wanted."""
    (tmp_path / "webagents.md").write_text(
        "# Shop\n\n## find\n\nFind.\n\n### Params\n\n### Output\n\n`string`\n\n"
        "### Behavior\n\n- effect: read\n- paths: /a\n- rate: 1/hour\n- requires login\n",
        encoding="utf-8",
    )
    box = read_toolbox(str(tmp_path))
    behavior = box.manifest.tools[0].behavior

    assert box.tools == ["find"]
    assert (behavior.effect, behavior.paths, behavior.rate) == ("read", (), "")
    assert not behavior.requires_login
    assert box.outputs == {"find": {"type": "string"}}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"{", "cannot be read as JSON"),
        (b"\xff\xfe", "is not text"),
        (b"[" * 5_000, "nested too deeply"),
        ({"tools": {}}, "holds no list of tools"),
        ([], "has no tools"),
        ([{}], "`tools[0]` is not a tool"),
        ([TOOL, TOOL], "`tools[1].name` is `addTopping` again"),
        ([TOOL | {"inputSchema": [1]}], "`tools[0]` has a schema that cannot be read"),
        ([{"name": str(n)} for n in range(1_001)], "1,001 tools"),
    ],
)
def test_invalid_files(tmp_path: Path, data: Any, told: str) -> None:
    """An invalid file of tools is reported in one sentence."""
    with pytest.raises(UsageError) as caught:
        read_toolbox(file(tmp_path, data))
    assert told in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A path that does not exist is reported."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_toolbox(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "value"),
        ({"type": "string", "format": "date"}, "2027-01-04"),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "number"}, 1),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": ["null", "string"]}, "value"),
        ({"enum": ["a", "b"]}, "a"),
        ({"const": 7}, 7),
        ({"type": "string", "examples": ["x"]}, "x"),
        ({"type": "string", "default": "y"}, "y"),
        ({"anyOf": [{"type": "number"}, {"type": "string"}]}, 1),
        (
            {
                "type": "object",
                "properties": {"books": {"type": "array", "items": {"type": "string"}}},
            },
            {"books": ["book"]},
        ),
        ({"type": "array", "items": {"type": "number"}, "minItems": 3}, [1, 1, 1]),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, "value"),
        ({}, {}),
        (None, {}),
        (True, {}),
    ],
)
def test_values_made_up(schema: Any, value: Any) -> None:
    """A value is as its schema describes it."""
    assert sample_value(schema) == value
    if isinstance(schema, dict):
        assert check_schema(value, schema) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/none"},
        {"$ref": 3},
        {"type": "object", "properties": []},
        {"type": "array", "minItems": 10**9},
        {"anyOf": []},
        {"type": {"a": 1}},
        {"properties": {"a": {"$ref": "#"}}},
    ],
)
def test_schemas_that_make_no_sense(schema: Any) -> None:
    """Any schema has some value, and soon."""
    sample_value(schema)
