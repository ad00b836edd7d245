"""Manifests that declare the observed types."""

from __future__ import annotations

from tests.devserver.contract.kit import manifest, prove, tool
from webagent.checks import check
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.suggestions import with_observed_types

SAMPLE = "await global.list();"


async def test_an_output_that_is_missing_is_added() -> None:
    """Behind what the tool says already; nothing else changes."""
    text = manifest(tool("list", "", "", SAMPLE), tool("other", "", "number"))
    report = await prove(text, {"list": lambda: ["a"], "other": lambda: 1})
    new = with_observed_types(check(text), report).text

    added = "\n\n### Output\n\n```typescript\nstring[]\n```"
    assert new == text.replace("- effect: read\n\n## other", f"- effect: read{added}\n\n## other")
    assert check(new).manifest.tools[0].returns == "string[]"
    assert (await prove(new, {"list": lambda: ["a"], "other": lambda: 1})).ok


async def test_an_output_that_is_not_kept_is_replaced() -> None:
    """The page is right about what it gives, and the author decides."""
    text = manifest(tool("list", "", "{\n  a: string;\n}", SAMPLE)).replace("\n", "\r\n")
    report = await prove(text, {"list": lambda: {"a": 1, "b": None}})
    new = with_observed_types(check(text), report).text

    assert new == text.replace("{\r\n  a: string;\r\n}", "{ a: number; b: null }")


async def test_a_manifest_that_is_kept_stays_as_it_is() -> None:
    """Also where what was seen is narrower than what is declared."""
    text = manifest(tool("list", "", "Array<string | number>", SAMPLE))

    assert with_observed_types(check(text), await prove(text, {"list": lambda: ["a"]})).text == text


async def test_a_schema_of_the_output_is_left_to_its_author() -> None:
    """It says more than an observed type, and has no place for one."""
    schema = '### Output Schema\n```json\n{"type": "array"}\n```\n\n### Behavior'
    text = manifest(tool("list", "", "", SAMPLE).replace("### Behavior", schema))
    report = await prove(text, {"list": lambda: "a"})
    update = with_observed_types(check(text), report)

    assert [(left.name, left.observed) for left in update.left] == [("list", "string")]
    assert update.text == text


async def test_a_compact_tool_gets_a_field() -> None:
    """A section would end it; the second time there is nothing to add."""
    text = "# Shop\n\ntool: list()\n    behavior: effect: read\n\ntool: other()\n"
    functions = {"list": lambda: ["a"], "other": lambda: 1}
    new = with_observed_types(
        check(text), await prove(text, functions, permission=Permission(True))
    ).text

    assert new == text.replace("read\n", "read\n    output: string[]\n")
    assert with_observed_types(check(new), await prove(new, functions)).text == new


async def test_an_output_in_words_is_left_to_its_author() -> None:
    """A second section of that name would be read beside it."""
    listed = "### Output\n- `names` (string[]): What there is.\n\n### Behavior"
    text = manifest(tool("list", "", "", SAMPLE).replace("### Behavior", listed))
    update = with_observed_types(check(text), await prove(text, {"list": lambda: {"names": []}}))

    assert [left.name for left in update.left] == ["list"]
    assert update.text == text
