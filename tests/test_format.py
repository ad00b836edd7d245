"""`docs/reference/format.md` is a specification: each of its examples yields the result after it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from webagent import check, discovery, generate_typescript, normalize, parse, to_markdown
from webagent import json_text as jsondata
from webagent.codegen.types_section import MAX_TYPES as MOST_SHARED_TYPES
from webagent.markdown import scanner
from webagent.parser import param_lists as fields
from webagent.tstypes import reader

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "format.md"


def fences() -> list[Token]:
    """Return the fences of the page, in order."""
    tokens = MarkdownIt("commonmark").parse(PAGE.read_text(encoding="utf-8"))
    return [token for token in tokens if token.type == "fence"]


def examples() -> list[Any]:
    """Return (manifest, language, what it yields) of each pair, named by its line."""
    found = []
    given = None
    for fence in fences():
        if given is not None:
            line = (given.map or [0])[0] + 1
            found.append(
                pytest.param(given.content, fence.info, fence.content, id=f"format.md:{line}")
            )
            given = None
        elif fence.info == "markdown":
            given = fence
    return found


def differences(shown: Any, found: Any, path: str = "") -> list[str]:
    """Return where a value differs from what is shown; keys that are not shown do not count."""
    if isinstance(shown, dict) and isinstance(found, dict):
        return [
            difference
            for key, inner in shown.items()
            for difference in differences(inner, found.get(key, "nothing"), f"{path}.{key}")
        ]
    if isinstance(shown, list) and isinstance(found, list) and len(shown) == len(found):
        return [
            difference
            for index, (one, other) in enumerate(zip(shown, found, strict=True))
            for difference in differences(one, other, f"{path}[{index}]")
        ]
    return [] if shown == found else [f"{path} is {json.dumps(found, ensure_ascii=False)}"]


@pytest.mark.parametrize(("markdown", "language", "shown"), examples())
def test_examples(markdown: str, language: str, shown: str) -> None:
    """The manifest yields the JSON or the TypeScript, or is written as the Markdown shown."""
    report = check(markdown)
    if language == "typescript":
        assert generate_typescript(report.manifest) == shown
    elif language == "markdown written":
        assert to_markdown(report.manifest) == shown
    else:
        assert language == "json"
        wanted = json.loads(shown)
        rules = [finding.rule for finding in report.findings]
        assert [rule for rule in wanted.pop("findings", []) if rule not in rules] == [], rules
        assert differences(wanted, report.manifest.model_dump(mode="json")) == []


@pytest.mark.parametrize(("markdown", "language", "shown"), examples())
def test_examples_survive_writing(markdown: str, language: str, shown: str) -> None:
    """Each manifest of the page reads back from what is written of it."""
    manifest = parse(markdown)
    written = to_markdown(manifest)
    again = parse(written)
    again.content = ""
    assert again == normalize(manifest)
    assert to_markdown(again) == written


def test_every_manifest_is_followed_by_its_result() -> None:
    """No manifest lacks a result, and no result lacks a manifest."""
    kinds = [fence.info for fence in fences() if fence.info != "ebnf"]
    assert kinds[::2] == ["markdown"] * (len(kinds) // 2)
    assert set(kinds[1::2]) <= {"json", "typescript", "markdown written"}


SAME = (
    """
## find
Find.

### Params
- `q` (string, required): What.
- `n` (number, optional, default=1): Most.

### Output
`string[]`
""",
    """
tool: find(q, n=1)
  description: Find.
  params:
    q: string - What.
    n: number - Most.
  output: string[]
""",
    """
## find
Find.

```ts
function find(q: string, n: number = 1): Promise<string[]>
```

### Params
| Name | Description |
|---|---|
| q | What. |
| n | Most. |
""",
)


def test_the_formats_give_equal_tools() -> None:
    """Headings, compact fields and a signature in a fence describe the same tool."""
    one, two, three = (parse(text).tools for text in SAME)

    assert one == two == three


@pytest.mark.parametrize(
    ("row", "limit"),
    [
        ("a manifest fetched over HTTP", discovery.MANIFEST_BYTES // 1_000_000),
        ("containers (quotes, list items) inside one another", scanner.MAX_DEPTH),
        ("brackets inside one another in a type", reader.MAX_DEPTH),
        ("bullets inside bullets of a parameter", fields._MAX_LEVELS),
        ("shared types", MOST_SHARED_TYPES),
        ("levels of a JSON Schema", jsondata.DEEPEST),
    ],
)
def test_limits_are_those_of_the_code(row: str, limit: int) -> None:
    """Each row of the table of limits has the number of the code."""
    assert f"| {row} | {limit} " in PAGE.read_text(encoding="utf-8")
