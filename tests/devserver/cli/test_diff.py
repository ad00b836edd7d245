"""What `fmt --check` shows is a unified diff, also of files with many changes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from webagent_dev.cli.diff import difference

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d\n", "e\n", "f\r\n", "\n"]), max_size=12).map(
    "".join
)


def applied(before: str, diff: str) -> str:
    """Return a text after a diff, each line of which is looked up in the text."""
    old = [
        line if line.endswith("\n") else f"{line}\n" for line in before.splitlines(keepends=True)
    ]
    new: list[str] = []
    position = 0
    for row in diff.splitlines(keepends=True)[2:]:
        if match := re.match(r"@@ -([0-9]+)(,0)?", row):
            start = int(match[1]) - (match[2] is None)
            new += old[position:start]
            position = start
            continue
        if row[0] != "+":
            assert old[position] == row[1:]
            position += 1
        if row[0] != "-":
            new.append(row[1:])
    return "".join([*new, *old[position:]])


@given(TEXTS, TEXTS)
def test_a_difference_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    """Whatever the texts are; nothing is shown of two that are the same."""
    diff = difference(before, after, "x")

    assert applied(before, diff) == (after if after.endswith("\n") or not after else f"{after}\n")
    assert difference(after, after, "x") == ""


def test_a_difference_is_shown_with_what_stands_around_it() -> None:
    """Three lines of it, and the numbers of the lines."""
    before = "".join(f"{n}\n" for n in range(1, 21))

    assert difference(before, before.replace("10\n", "ten\n"), "w.md") == (
        "--- w.md\n+++ w.md (formatted)\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"
    )


def test_changes_between_many_lines_that_are_alike_are_told_apart() -> None:
    """Lines that stand once show which of the others belong together."""
    before = "".join(f"## tool{n}\n* `q`\n\n" for n in range(300))
    after = before.replace("* ", "- ")
    diff = difference(before, after, "x")

    assert applied(before, diff) == after
    assert (diff.count("\n-* `q`\n"), diff.count("\n ## tool")) == (300, 300)


def test_a_long_stretch_without_such_lines_changes_as_a_whole() -> None:
    """Its lines are not compared, as each might be any of the others."""
    before, after = "## a\n" + "x\ny\n" * 100 + "## b\n", "## a\n" + "y\nz\n" * 100 + "## b\n"
    diff = difference(before, after, "x")

    assert applied(before, diff) == after
    assert (diff.count("\n ## "), diff.count("\n-"), diff.count("\n+y")) == (2, 200, 100)
