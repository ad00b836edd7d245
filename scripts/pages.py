"""Count the pages of the documentation and their words: `python scripts/pages.py`.

The pages of contributors (`docs/design`), those that the code writes and those of single rules are
counted apart: nobody reads them from beginning to end. Examples are not counted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

DOCS = Path(__file__).parent.parent / "docs"
GENERATED = "This page is written by `python -m "


def kind(path: Path, text: str) -> str:
    """Return the row that a page counts in."""
    if "design" in path.parts:
        return "design"
    if "rules" in path.parts or GENERATED in text:
        return "generated"
    return path.parent.name or "entrance"


def counts(docs: Path) -> dict[str, list[int]]:
    """Return the words of each page, by its row."""
    found: dict[str, list[int]] = {}
    for path in sorted(docs.rglob("*.md")):
        place = path.relative_to(docs)
        if "examples" not in place.parts:
            text = path.read_text("utf-8")
            found.setdefault(kind(place, text), []).append(len(text.split()))
    return found


def table(found: dict[str, list[int]]) -> str:
    """Return the rows, and the sum of the pages for readers."""
    rows = dict(sorted(found.items()))
    rows["for readers"] = [
        words
        for name, pages in found.items()
        if name not in ("design", "generated")
        for words in pages
    ]
    lines = ["| pages | number | words | median words |", "|---|--:|--:|--:|"]
    lines += [
        f"| {name} | {len(pages)} | {sum(pages):,} | {median(pages):,.0f} |"
        for name, pages in rows.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(counts(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)))
