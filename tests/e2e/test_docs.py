"""The JavaScript of the documentation runs in the demo shop."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.server import Server
from tests.test_docs import blocks


def _examples() -> list[pytest.ParameterSet]:
    """Return all blocks; each starts Python anew, so that `make test` has those of the README.

    The tutorial has a site and a test of its own.
    """
    return [
        block
        if str(block.id).startswith("README.md")
        else pytest.param(*block.values, id=block.id, marks=pytest.mark.conformance)
        for block in blocks("js")
        if not str(block.id).startswith("docs/tutorial.md")
    ]


@pytest.mark.parametrize(("path", "line", "code"), _examples())
async def test_javascript_in_the_documentation_runs(
    page: Page, template: Server, path: Path, line: int, code: str
) -> None:
    """Each block runs as a module's body would, and none of its assertions fails."""
    await page.goto(template.url)
    await page.evaluate("webagent.ready")
    await page.evaluate(f"(async () => {{\n{code}\n}})()")
