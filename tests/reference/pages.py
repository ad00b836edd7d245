"""Writes `docs/reference/` and `docs/rules/` from the code: `python -m tests.reference.pages`."""

from __future__ import annotations

from pathlib import Path

from tests.reference import commands, errors, python, rules

DOCS = Path(__file__).parents[2] / "docs"
WRITTEN_BY = "This page is written by `python -m tests.reference.pages`."


def pages() -> dict[Path, dict[str, str]]:
    """Return the text of each page by its folder and the name of its file."""
    reference = {
        f"{module.NAME}.md": f"# {module.TITLE}\n\n{module.FOR}\n\n{WRITTEN_BY}\n\n{module.body()}"
        for module in (commands, errors, python)
    }
    return {DOCS / "reference": reference, DOCS / "rules": rules.pages()}


def main() -> None:
    """Write all pages, and remove every other file."""
    for folder, texts in pages().items():
        folder.mkdir(exist_ok=True)
        for path in folder.glob("*.md"):
            if path.name not in texts:
                path.unlink()
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
