import json
from pathlib import Path
from typing import Any

import pytest

from webagent import (
    Behavior,
    Manifest,
    Param,
    Tool,
    check,
    from_json_schema,
    from_model_context,
    normalize,
    parse,
    to_markdown,
    to_model_context,
)

CASES = Path(__file__).parent.parent / "cases" / "model_context.json"
TOOLS = json.loads(CASES.read_text("utf-8"))


@pytest.mark.parametrize("given", TOOLS, ids=lambda tool: tool["name"])
def test_a_tool_survives_markdown(given: dict[str, Any]) -> None:
    """A WebMCP tool, written as Markdown and read again, is the same tool."""
    tool = from_model_context(given)
    (back,) = parse(to_markdown(Manifest(name="Shop", tools=[tool]))).tools

    assert back == tool
    assert to_model_context(back) == given


def test_a_schema_is_kept_only_where_types_say_less() -> None:
    """Parameters and output are enough for a schema that TypeScript can express."""
    tools = [from_model_context(tool) for tool in TOOLS]
    kept = [tool.name for tool in tools if tool.input_schema is not None]

    assert kept == [
        "findTable",
        "closed",
        "emptyRequired",
        "anything",
        "nested.refs",
        "mixed",
        "pick",
    ]
    assert [tool.name for tool in tools if tool.output_schema is not None] == ["mixed"]
    menu = tools[1]
    assert [(param.name, param.type) for param in menu.params] == [
        ("menu", '"lunch" | "dinner" | "chef\'s \\"choice\\""'),
        (
            "filters",
            "{ vegan?: boolean; /** What to leave out (e.g. `nuts`). */ allergens?: string[]; "
            'price?: { /** In EUR, e.g. "12.50". */ max: number } }',
        ),
        ("limit", "number"),
        ("sort", "string"),
    ]
    assert menu.returns == "{ dishes: { id: string; /** In EUR. */ price: number }[] }"


def test_written_tools_pass_the_checks() -> None:
    """The Markdown of WebMCP tools has findings about names and order only."""
    text = to_markdown(Manifest(name="Shop", tools=[from_model_context(tool) for tool in TOOLS]))
    rules = {finding.rule for finding in check(text).findings if finding.severity != "info"}

    assert rules == {"invalid-name", "invalid-param-name", "optional-before-required"}


@pytest.mark.parametrize(
    ("hints", "behavior"),
    [
        ({"readOnlyHint": True}, Behavior(effect="read")),
        ({"readOnlyHint": False}, Behavior(effect="write")),
        ({"destructiveHint": True, "readOnlyHint": False}, Behavior(effect="irreversible")),
        ({"consequentialHint": True}, Behavior(effect="irreversible")),
        ({"untrustedContentHint": True}, Behavior(untrusted_output=True)),
        ({"idempotentHint": True}, Behavior(idempotent=True)),
        ({"readOnlyHint": "yes", "openWorldHint": True}, Behavior()),
        (None, Behavior()),
    ],
)
def test_hints_are_behavior(hints: Any, behavior: Behavior) -> None:
    """Annotations say what a tool does; only true and false count."""
    assert from_model_context({"name": "t", "annotations": hints}).behavior == behavior


def test_a_schema_may_be_text() -> None:
    """`inputSchema` is read as data and as JSON text."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tool = from_model_context({"name": "t", "inputSchema": json.dumps(schema)})

    assert tool.params == [Param(name="q")]
    assert to_model_context(tool)["inputSchema"] == schema


@pytest.mark.parametrize(
    "schema",
    ["{", "[]", '{"a": NaN}', '{"a": 1e999}', '{"a":' * 5000, {"a": float("nan")}, {"a": {1}}],
)
def test_a_value_that_is_not_a_schema_is_refused(schema: Any) -> None:
    """The error says what is wrong."""
    with pytest.raises(ValueError, match=r"\w"):
        from_json_schema("t", schema)


def test_a_tool_built_by_hand_keeps_its_schema() -> None:
    """A schema next to parameters is kept if it says more than they do."""
    same = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    more = {**same, "additionalProperties": False}
    tools = [
        Tool(name="a", params=[Param(name="q")], input_schema=same),
        Tool(name="b", params=[Param(name="q")], input_schema=more),
        Tool(name="c", output_schema={"type": "number"}),
        Tool(name="d", input_schema={"a": {1, 2}}),
    ]
    normal = normalize(Manifest(tools=tools)).tools

    assert [tool.input_schema for tool in normal] == [None, more, None, None]
    assert (normal[2].returns, normal[2].output_schema) == ("number", None)
