"""Counting the pages of the documentation."""

from __future__ import annotations

from pathlib import Path

from pages import counts, table


def test_pages_are_counted_by_what_they_are(tmp_path: Path) -> None:
    """Examples are not; what the code writes and what contributors read are apart."""
    for name, text in {
        "README.md": "one",
        "learn/a.md": "one two three",
        "learn/b.md": "one two three four five",
        "reference/rules/c.md": "one two",
        "reference/d.md": "This page is written by `python -m x`.",
        "design/e.md": "one two three four",
        "examples/f/README.md": "one two",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    found = counts(tmp_path)

    assert found == {"entrance": [1], "learn": [3, 5], "generated": [8, 2], "design": [4]}
    assert table(found).splitlines()[2:] == [
        "| design | 1 | 4 | 4 |",
        "| entrance | 1 | 1 | 1 |",
        "| generated | 2 | 10 | 5 |",
        "| learn | 2 | 8 | 4 |",
        "| for readers | 3 | 9 | 3 |",
    ]
