from webagent import (
    Manifest,
    Param,
    Tool,
    build_manifest,
    build_tool,
    meta_tag,
    parse,
    to_markdown,
    validate,
    validate_markdown,
)


def test_the_readme_of_the_format() -> None:
    """The format's own example of building a manifest works and validates."""
    search = build_tool(
        name="searchProducts",
        description="Search the product catalog.",
        params=[("query", "string", "Search query text.")],
        sample_code="const results = await global.searchProducts(query);",
    )
    snapshot = build_tool(
        name="getPageSnapshot",
        description="Return a structured snapshot of current page state.",
        params=[],
        sample_code="const snapshot = await global.getPageSnapshot(mode);",
    )
    snapshot.params = [
        Param(
            name="mode", type="string", description="Snapshot mode.", required=False, default="full"
        ),
    ]
    manifest = build_manifest("My Store", tools=[search, snapshot])

    assert validate(manifest) == []
    assert parse(to_markdown(manifest)).tools == manifest.tools


def test_a_tool_in_one_call() -> None:
    """`build_tool` takes optional parameters and the return type too."""
    limit = Param(name="limit", type="number", required=False)
    tool = build_tool("find", params=[("q", "string", "What."), limit], returns="string[]")

    assert tool.params == [Param(name="q", description="What."), limit]
    assert tool.returns == "string[]"


def test_meta_tag() -> None:
    """The tag is the documented one, and its path is escaped."""
    assert meta_tag() == '<meta name="webagents-md" content="/webagents.md">'
    assert meta_tag('/a"><b&') == ('<meta name="webagents-md" content="/a&quot;&gt;&lt;b&amp;">')


def test_validate_uses_the_wording_of_the_sdk() -> None:
    """The messages of its six conditions are the same."""
    tool = Tool(name="t")

    assert validate(Manifest()) == ["Manifest has no name.", "Manifest has no tools."]
    assert validate(Manifest(name="S", tools=[tool, tool])) == [
        "Tool 't' has no description.",
        "Tool 't' has no params and no sample_code.",
        "Duplicate tool name: 't'.",
        "Tool 't' has no description.",
        "Tool 't' has no params and no sample_code.",
    ]
    assert validate(Manifest(name="S", tools=[Tool(name="", description="d", sample_code="x")]))[
        0
    ] == ("A tool has no name.")


def test_validate_checks_names_params_and_types() -> None:
    """The SDK documents these checks but does not make them."""
    tool = Tool(
        name="bad name!",
        description="d",
        params=[
            Param(name="a", required=False),
            Param(name="a"),
            Param(name="class", type="nonsense type"),
        ],
    )
    warnings = "\n".join(validate(Manifest(name="S", tools=[tool])))

    for words in (
        "not the name of a function",
        "`a` is declared a second",
        "reserved",
        "optional, but",
    ):
        assert words in warnings
    assert "cannot be read" in warnings


def test_validate_markdown_reports_text_that_could_not_be_read() -> None:
    """Text that the parser could not place is a warning too."""
    (warning,) = validate_markdown("# S\n\n## t\nd\n\n### Params\n- `q` (string)\n- no name here\n")

    assert "has no name" in warning
