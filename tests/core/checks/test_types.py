"""What is said about types, and what becomes of them when it is mended."""

import pytest

from webagent.checks import check


def mended(written: str) -> str:
    """Return the type of a parameter after the edits of all fixes."""
    text = f"# S\n\n## t\nd\n### Params\n- `a` ({written}): x\n"
    edits = [edit for found in check(text).findings if found.fix for edit in found.fix.edits]
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text.split("`a` (")[1].split("): x")[0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("List<string>", "Array<string>"),
        ("List<List<str>>", "Array<Array<string>>"),
        ("Dict<str, int>", "Record<string, number>"),
    ],
)
def test_a_generic_name_is_mended_and_its_arguments_stay(written: str, expected: str) -> None:
    """Of a generic type, the fix replaces the name alone."""
    assert mended(written) == expected
