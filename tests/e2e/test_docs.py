"""The JavaScript of the documentation runs in the demo shop."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.server import Server
from tests.test_docs import blocks

_OTHERS = ("README.md", "docs/tutorial.md")
"""The README has a page of its own for each block, the tutorial a site and a test of its own."""


@pytest.mark.parametrize(
    ("path", "line", "code"),
    [block for block in blocks("js") if str(block.id).startswith("README.md")],
)
async def test_javascript_in_the_readme_runs(
    page: Page, template: Server, path: Path, line: int, code: str
) -> None:
    """In a page that starts Python as every page does."""
    await _run(page, template, code)


@pytest.mark.parametrize(
    ("path", "line", "code"),
    [block for block in blocks("js") if not str(block.id).startswith(_OTHERS)],
)
async def test_javascript_in_the_documentation_runs(
    started_page: Page, template: Server, path: Path, line: int, code: str
) -> None:
    """Each block runs in a new page, and none of its assertions fails."""
    await _run(started_page, template, code)


async def _run(page: Page, template: Server, code: str) -> None:
    """Run a block as a module's body would."""
    await page.goto(template.url)
    await page.evaluate("webagent.ready")
    await page.evaluate(f"(async () => {{\n{code}\n}})()")
