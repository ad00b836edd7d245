"""Writes `docs/reference/` from the code: `python -m tests.reference.pages`."""

from __future__ import annotations

from pathlib import Path

from tests.reference import commands, errors, python

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
WRITTEN_BY = "This page is written by `python -m tests.reference.pages`."


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    return {
        f"{module.NAME}.md": f"# {module.TITLE}\n\n{module.FOR}\n\n{WRITTEN_BY}\n\n{module.body()}"
        for module in (commands, errors, python)
    }


def main() -> None:
    """Write all pages, and remove what is none."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.md"):
        if path.name not in pages():
            path.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
