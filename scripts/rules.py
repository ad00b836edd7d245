"""Writes the pages of the rules: `docs/rules/`, from the table in `webagent.checks.rules`."""

from __future__ import annotations

from pathlib import Path

from webagent.checks.rules import RULES, index_page, page

FOLDER = Path(__file__).parent.parent / "docs" / "rules"

FOR = "For those who were told the name of a rule, and want to know what it is about."


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    return {"README.md": _index()} | {f"{name}.md": page(RULES[name]) for name in RULES}


def _index() -> str:
    title, rest = index_page().split("\n\n", 1)
    return f"{title}\n\n{FOR}\n\n{rest}"


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
