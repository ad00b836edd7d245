"""The Python of `docs/understand/code-mode.md` runs against the demo shop."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.server import Server
from tests.test_docs import blocks

# The files of these pages are run by tests/conformance/test_frameworks.py and tests/e2e/siteserver.
ELSEWHERE = ("how-to/frameworks.md", "how-to/going-live.md")
BLOCKS = [
    block for block in blocks("py") if not str(block.id).partition("docs/")[2].startswith(ELSEWHERE)
]


@pytest.mark.parametrize(("path", "line", "code"), BLOCKS)
async def test_python_for_an_open_page_runs(
    browser: Browser, template: Server, path: Path, line: int, code: str
) -> None:
    """Each block runs with `page`, a page of Playwright's that shows the shop."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(template.url)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    program = compile("\n" * (line - 1) + code, str(path), "exec", flags=flags, dont_inherit=True)
    await eval(program, {"__name__": "docs", "page": page})
    await context.close()
