"""Changes to files are shown as a unified diff, also where they are many."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent_dev.cli import changes
from webagent_dev.cli.changes import unified_diff

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


def difference(before: str, after: str) -> str:
    return unified_diff(before, after, "x.md", label="formatted")


@given(TEXTS, TEXTS)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    """For all texts; the diff of equal texts is empty."""
    diff = difference(before, after)

    assert applied(before, diff) == (after if after.endswith("\n") or not after else f"{after}\n")
    assert difference(after, after) == ""


@given(TEXTS, TEXTS)
def test_the_diff_of_long_texts_leads_from_one_to_the_other(before: str, after: str) -> None:
    """Although it does not compare each line with all others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "COMPARED_LINES", 0)
        test_a_diff_leads_from_one_text_to_the_other.hypothesis.inner_test(before, after)


def test_a_change_is_shown_with_the_lines_around_it() -> None:
    """Three on either side, with the numbers of the lines."""
    before = "".join(f"{n}\n" for n in range(1, 21))

    assert difference(before, before.replace("10\n", "ten\n")) == (
        "--- x.md\n+++ x.md (formatted)\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"
    )


def test_many_changes_between_repeated_lines_are_shown_apart() -> None:
    """The unchanged headings between them stay."""
    before = "".join(f"## tool{n}\n* `q`\n\n" for n in range(300))
    after = before.replace("* ", "- ")
    diff = difference(before, after)

    assert applied(before, diff) == after
    assert (diff.count("\n-* `q`\n"), diff.count("\n ## tool")) == (300, 300)


def test_a_long_text_changes_in_one_hunk() -> None:
    """From its first change to its last, without the equal lines around."""
    before = "".join(f"## tool{n}\n* `q`\n\n" for n in range(3_000))
    after = before.replace("tool7\n*", "tool7\n-").replace("tool9\n*", "tool9\n-")
    diff = difference(before, after)

    assert applied(before, diff) == after
    assert diff.splitlines()[2] == "@@ -23,7 +23,7 @@"
    assert (diff.count("\n-* `q`\n"), diff.count("\n+- `q`\n")) == (3, 2)
