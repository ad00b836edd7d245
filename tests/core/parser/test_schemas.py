import pytest

from webagent import Param, check, parse

HEAD = "# S\n\n## find\nFind.\n\n"


def test_schemas_are_read_in_both_formats() -> None:
    """A schema in a fence below its heading, or after its field, belongs to the tool."""
    heading = (
        f"{HEAD}### Params\n- `q` (string): Q.\n\n### Input Schema\n```json\n"
        '{"properties": {"q": {"maxLength": 9}}}\n```\n\n### Output Schema\n\n    {"type": "null"}\n\n'
        "### Behavior\n- title: Find things\n- effect: read"
    )
    compact = (
        "# S\n\ntool: find(q: string)\n  description: Find.\n  title: Find things\n"
        "  params:\n    q: string  # Q.\n  input schema:\n    ```json\n"
        '    {"properties": {"q": {"maxLength": 9}}}\n    ```\n'
        '  output schema: {"type": "null"}\n  behavior:\n    effect: read\n'
    )

    assert parse(heading).tools == parse(compact).tools
    (tool,) = parse(heading).tools
    assert tool.title == "Find things"
    assert tool.input_schema == {"properties": {"q": {"maxLength": 9}}}
    assert (tool.returns, tool.output_schema) == ("null", {"type": "null"})


def test_parameters_come_from_the_schema_if_there_are_none() -> None:
    """A tool that has only a schema gets a parameter for each property."""
    (tool,) = parse(
        f"{HEAD}### Params\n\n### Input Schema\n```json\n"
        '{"properties": {"q": {"type": "string", "description": "What."}, '
        '"n": {"type": "integer", "default": 5}, "s": {"default": "a b"}, "t": {"default": "5"}, '
        '"o": {"properties": {"a b": {"description": "Of it."}}}}, "required": ["q"]}\n```'
    ).tools

    assert tool.params == [
        Param(name="q", description="What."),
        Param(name="n", type="number", required=False, default="5"),
        Param(name="s", type="unknown", required=False, default="a b"),
        Param(name="t", type="unknown", required=False, default='"5"'),
        Param(name="o", type='{ /** Of it. */ "a b"?: unknown }', required=False),
    ]


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ('{"type": "object",}', "in line 1"),
        ("[]", "it is not a JSON object"),
        ('{"a": NaN}', "`NaN` is not JSON"),
        ('{"a": 1e999}', "`1e999` is too large a number"),
        ('{"a":' * 100 + "1" + "}" * 100, "it is nested too deeply"),
        ('{"a":' * 5000, "it is nested too deeply"),
    ],
)
def test_text_that_is_not_a_schema(schema: str, why: str) -> None:
    """A schema that cannot be read is reported, and its text stays with the description."""
    report = check(f"{HEAD}### Params\n\n### Input Schema\n```json\n{schema}\n```")
    (finding,) = [f for f in report.findings if f.rule == "invalid-schema"]
    (tool,) = report.manifest.tools

    assert finding.message.startswith("the input schema cannot be read: ")
    assert finding.message.endswith(why)
    assert tool.input_schema is None
    assert schema[:60] in tool.description


def test_text_next_to_a_schema_is_kept() -> None:
    """Other text and a second schema become part of the description."""
    report = check(
        f"{HEAD}### Params\n\n### Input Schema\nAs follows.\n```json\n"
        '{"type": "object"}\n```\n```json\n{"type": "array"}\n```'
    )

    assert [f.rule for f in report.findings if f.rule == "misplaced-text"] == ["misplaced-text"] * 2
    assert report.manifest.tools[0].description == (
        'Find.\n\nAs follows.\n\n```json\n{"type": "array"}\n```'
    )
    assert report.manifest.tools[0].input_schema == {"type": "object"}


@pytest.mark.parametrize(
    ("text", "type_text", "description"),
    [
        (
            "`f` (object, required): F.\n  - `a` (number): A.\n  - `b` (string, optional, default=x): B.",
            "{ /** A. */ a: number; /** B. (default: x) */ b?: string }",
            "F.",
        ),
        (
            "`f` (object[])\n  * **a**: string\n  * b? (int) - B\n\n  More.",
            "{ a: string; /** B */ b?: int }[]",
            "More.",
        ),
        (
            "`f` (array of objects): F\n  1. `a-b` (object)\n     - `c` (array)\n       - `d` (boolean)",
            '{ "a-b": { c: { d: boolean }[] } }[]',
            "F",
        ),
        ("`f`: F\n  - `a` (number)\n  - `b` (string)", "{ a: number; b: string }", "F"),
        ("`f` (string): F\n  - `a` (number)", "string", "F\n- `a` (number)"),
        ("`f`: One of\n  - red\n  - blue", "string", "One of\n- red\n- blue"),
        ("`f` (object): F\n  - `a`\n  - `a`", "object", "F\n- `a`\n- `a`"),
        ("`f` (object): F\n  - *", "object", "F\n- *"),
        (
            "`f` (object)\n  - `a` (keyof)\n  - `b` (array of strings)",
            "{ a: unknown; b: string[] }",
            "",
        ),
    ],
)
def test_bullets_below_a_parameter_are_fields(text: str, type_text: str, description: str) -> None:
    """Bullets in an object are its members; other bullets are part of the description."""
    (tool,) = parse(f"{HEAD}### Params\n- {text}").tools
    (param,) = tool.params

    assert (param.type, param.description) == (type_text, description)


def test_deeply_nested_fields_are_text() -> None:
    """The depth of fields is limited, and so is the time to read them."""
    lines = "\n".join(f"{'  ' * level}- `a{level}` (object)" for level in range(300))
    (tool,) = parse(f"{HEAD}### Params\n{lines}").tools

    assert tool.params[0].type.startswith("{ a1: { a2: { a3: { a4: { a5: { /** - `a7` (object) ")
