"""The JavaScript of the documentation runs in the demo shop."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.server import Server
from tests.test_docs import blocks

_OTHERS = ("README.md", "docs/learn/tutorial.md", "docs/examples/")
"""The README has a page of its own for each block; the tutorial and the examples have sites and tests."""

_PAGES = {
    path: [(line, code) for _, line, code in found]
    for path, found in groupby(
        (block.values for block in blocks("js") if not str(block.id).startswith(_OTHERS)),
        key=lambda values: values[0],
    )
}


@pytest.mark.parametrize(
    ("path", "line", "code"),
    [block for block in blocks("js") if str(block.id).startswith("README.md")],
)
async def test_javascript_in_the_readme_runs(
    page: Page, template: Server, path: Path, line: int, code: str
) -> None:
    """In a page that starts Python as every page does."""
    await _open(page, template)
    await _run(page, code)


@pytest.mark.conformance
@pytest.mark.parametrize("path", _PAGES, ids=lambda path: path.stem)
async def test_javascript_in_the_documentation_runs(
    started_page: Page, template: Server, path: Path, subtests: pytest.Subtests
) -> None:
    """The blocks of a page run one after the other, as a reader types them; no assertion fails."""
    await _open(started_page, template)
    for line, code in _PAGES[path]:
        with subtests.test(line=line):
            await _run(started_page, code)


async def _open(page: Page, template: Server) -> None:
    await page.goto(template.url)
    await page.evaluate("webagent.ready")


async def _run(page: Page, code: str) -> None:
    """Run a block as a module's body would."""
    await page.evaluate(f"(async () => {{\n{code}\n}})()")
