"""Writes the pages of `docs/reference` that the code has: `python -m tests.reference.pages`."""

from __future__ import annotations

from pathlib import Path

from tests.reference import audit, commands, errors, modules, npm, python, rules, troubleshooting

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
RULES = REFERENCE / "rules"
WRITTEN_BY = "This page is written by `python -m tests.reference.pages`."


def pages() -> dict[Path, str]:
    """Return the text of each page by its path."""
    told = {
        REFERENCE / f"{module.NAME}.md": (
            f"# {module.TITLE}\n\n{module.FOR}\n\n{WRITTEN_BY}\n\n{module.body()}"
        )
        for module in (audit, commands, errors, modules, npm, python, troubleshooting)
    }
    return told | {RULES / name: text for name, text in rules.pages().items()}


def written() -> dict[Path, str]:
    """Return the pages that are there and claim to be written from the code."""
    texts = {path: path.read_text("utf-8") for path in REFERENCE.rglob("*.md")}
    return {
        path: text for path, text in texts.items() if path.parent == RULES or WRITTEN_BY in text
    }


def main() -> None:
    """Write all pages, and remove those that the code no longer has."""
    texts = pages()
    for path in written().keys() - texts.keys():
        path.unlink()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
