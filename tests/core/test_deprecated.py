"""A deprecated tool is written, declared, found where it is used, and taken last."""

from __future__ import annotations

import pytest

from webagent import generate_typescript, parse, to_markdown
from webagent.agent.toolset import toolset_of
from webagent.checks import check
from webagent.page.fakes import FakePage
from webagent.registry.registry import ToolRegistry
from webagent.registry.tool_search import search_tools
from webagent.schema.tools import tool_schemas

TEXT = """\
# Shop

## findBooks

Find books by words.

### Params

- `query` (string, required): Words.

### Behavior

- effect: read
- deprecated: use searchBooks

## searchBooks

Find books by words.

### Params

- `query` (string, required): Words.

### Sample Code

```js
await global.findBooks("sea"); await global.searchBooks("sea");
```

### Behavior

- effect: read
- inverse: findBooks
"""
SHOP = parse(TEXT)


def test_it_is_read_and_written() -> None:
    """The formatter keeps the line."""
    assert SHOP.tools[0].behavior.deprecated == "use searchBooks"
    assert to_markdown(SHOP) == TEXT
    assert check(TEXT).manifest == SHOP


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "deprecated: use `searchBooks`, which sorts {better}",
            "use `searchBooks`, which sorts {better}",
        ),
        ("Deprecated: gone in May.", "gone in May."),
        ("`deprecated: use searchBooks`", "use searchBooks"),
        ("deprecated", ""),
        ("deprecated:", ""),
    ],
)
def test_ways_to_write_it(line: str, text: str) -> None:
    """It needs a reason; a line without one is the finding that others get."""
    report = check(TEXT.replace("deprecated: use searchBooks", line))

    assert report.manifest.tools[0].behavior.deprecated == text
    assert ("unknown-behavior" in {found.rule for found in report.findings}) == (text == "")


def test_it_is_declared() -> None:
    """Editors strike it through, and a model reads why."""
    declared = generate_typescript(SHOP)

    assert "   * Find books by words.\n   * @deprecated use searchBooks\n" in declared
    assert declared.count("@deprecated") == 1
    assert [tool["inputSchema"].get("deprecated") for tool in tool_schemas(SHOP)] == [True, None]
    sentences = SHOP.tools[0].behavior.sentences()
    assert sentences == "It is deprecated: use searchBooks. It only reads."


def test_it_is_found_where_it_is_used() -> None:
    """In the sample and as the inverse of another tool, not in its own sample."""
    found = [one for one in check(TEXT).findings if one.rule == "deprecated-tool"]

    assert [one.tool for one in found] == ["searchBooks", "searchBooks"]
    lines = [one.message for one in found]
    assert lines[0] == "`searchBooks` uses `findBooks`, which is deprecated: use searchBooks"
    own = TEXT.replace("global.findBooks", "global.searchBooks").replace(
        "- inverse: findBooks\n", ""
    )
    assert not [one for one in check(own).findings if one.rule == "deprecated-tool"]


async def test_it_comes_last() -> None:
    """In a search, and in the tools that a model gets."""
    registry = ToolRegistry(FakePage({"findBooks": str, "searchBooks": str}))
    await registry.bind(SHOP)
    tools = registry.list()

    assert [one.name for one in search_tools(tools, "find books", 2)] == [
        "searchBooks",
        "findBooks",
    ]
    offered = toolset_of(SHOP, tools, "find books", offer="native", most=2_000)
    assert [one.name for one in offered.native] == ["searchBooks", "findBooks"]
