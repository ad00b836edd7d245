"""The pages of the documentation that come with this package, for programs that write a site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent

PATHS = (
    "reference/format.md",
    "reference/page.md",
    "reference/config.md",
    "reference/commands.md",
    "reference/errors.md",
    "how-to/javascript.md",
    "how-to/forms.md",
    "how-to/check.md",
    "how-to/test.md",
    "how-to/evaluate.md",
    "how-to/see-errors.md",
    "how-to/mcp.md",
)
"""Paths in `docs`, from where links between them lead. `pyproject.toml` packages the same."""


@dataclass(frozen=True, slots=True)
class DocsPage:
    """One page."""

    path: str
    title: str
    readers: str
    """For whom it is, in a sentence."""


@cache
def pages() -> tuple[DocsPage, ...]:
    """Return all pages."""
    return tuple(_page(path) for path in PATHS)


def text(path: str) -> str:
    """Return the Markdown of a page, by one of `PATHS`."""
    packaged = _PACKAGE / "docs"
    folder = packaged if packaged.is_dir() else _PACKAGE.parents[1] / "docs"
    return (folder / path).read_text(encoding="utf-8")


def _page(path: str) -> DocsPage:
    title, readers = text(path).split("\n\n", 2)[:2]
    first = readers.split(". ")[0].rstrip(".")
    return DocsPage(path, title.removeprefix("# ").replace("`", ""), f"{first}.")
