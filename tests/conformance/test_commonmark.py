"""The blocks of CommonMark's own examples are those that markdown-it-py finds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.commonmark import Example, examples
from tests.core.markdown.test_scanner import ORACLE, ours, theirs
from webagent.markdown import scan


def with_definitions(text: str) -> list[tuple[Any, ...]]:
    """Return the oracle's blocks, link definitions as the text that they are written as.

    The oracle takes definitions out of the document; to us they are lines of a paragraph, as a
    manifest is read by models, and no text of it may vanish.
    """
    env: dict[str, Any] = {}
    ORACLE.parse(text, env)
    found = [*env.get("references", {}).values(), *env.get("duplicate_refs", [])]
    places = sorted(definition["map"] for definition in found)
    ends = {end for _, end in places}
    rows: list[tuple[Any, ...]] = []
    for row in theirs(text):
        goes_on = row[0] == "paragraph" and row[1] in ends
        if not goes_on or (rows and _line(rows[-1]) == row[1]):
            rows.append(row)
    for start, _ in places:
        if start not in ends:
            at = max((i + 1 for i, row in enumerate(rows) if _line(row) <= start), default=0)
            rows.insert(at, ("paragraph", start))
    return rows


def _line(row: tuple[Any, ...]) -> int:
    line: int = row[2] if row[0] in ("heading", "fence", "code", "html") else row[1]
    return line


@pytest.fixture(scope="module")
def specification() -> list[Example]:
    """Return all examples of the specification."""
    return examples()


def test_blocks_of_the_specification(specification: list[Example]) -> None:
    """Every example has the same blocks, on the same lines, as markdown-it-py finds."""
    assert len(specification) == 652
    differing = {
        number: (text, ours(scan(text)), with_definitions(text))
        for number, text in specification
        if ours(scan(text)) != with_definitions(text)
    }
    assert differing == {}


@pytest.mark.parametrize("around", ["> {}", "- {}", "x\n\n{}", "# t\n{}\n## u\n"])
def test_blocks_of_the_specification_inside_others(
    around: str, specification: list[Example]
) -> None:
    """The same holds for each example in a quote, in a list, and between headings."""
    differing = {}
    for number, markdown in specification:
        mark, _, rest = around.partition("{}")
        indent = {"> ": "> ", "- ": "  "}.get(mark, "")
        lines = markdown.rstrip("\n").split("\n")
        text = f"{mark}{f'{chr(10)}{indent}'.join(lines)}{rest}\n"
        if ours(scan(text)) != with_definitions(text):
            differing[number] = (text, ours(scan(text)), with_definitions(text))
    assert differing == {}
