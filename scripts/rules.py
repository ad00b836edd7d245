"""Writes the pages of the rules: `docs/rules/`, from the table in `webagent.checks.rules`."""

from __future__ import annotations

from pathlib import Path

from webagent.checks.rules import RULES, index_page, page

FOLDER = Path(__file__).parent.parent / "docs" / "rules"


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    return {"README.md": index_page()} | {f"{name}.md": page(RULES[name]) for name in RULES}


def main() -> None:
    """Write all pages, and remove those of rules that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.md"):
        if path.name not in pages():
            path.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
