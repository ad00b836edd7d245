"""The lines of values in a JSON file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent_dev.evals.case_file import line_of, lines_of_items, path_text

TEXT = """
[
  {"a": [1,
         {"b": "x]}\\"", "c": 2}],
   "d":
     null}
  ,
  3
]
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ([], 2),
        ([0], 3),
        ([0, "a", 0], 3),
        ([0, "a", 1], 4),
        ([0, "a", 1, "c"], 4),
        ([0, "d"], 6),
        ([1], 8),
        ([0, "none"], 3),
        ([0, "a", 7, "x"], 3),
        ([9], 2),
        (["a"], 2),
        ([1, "a"], 8),
    ],
)
def test_lines(path: list[str | int], line: int) -> None:
    """The line is that of the value, or of the nearest above it that is there."""
    assert line_of(TEXT, path) == line


def test_items() -> None:
    """Each item of a list has its line."""
    assert lines_of_items(TEXT) == [3, 8]
    assert lines_of_items("[]") == []


def test_paths_as_people_write_them() -> None:
    """Numbers in brackets, keys behind dots."""
    assert path_text([2, "a", 0, "b"]) == "[2].a[0].b"
    assert path_text(["a"]) == "a"


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    found = [(path, value)]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _paths(inner, (*path, index))
    return found


@given(VALUES)
def test_every_value_is_found(value: Any) -> None:
    """In any JSON with a line for each value, the value at a path is in its line."""
    text = json.dumps(value, indent=1)
    lines = text.splitlines()
    for path, inner in _paths(value):
        first = json.dumps(inner, indent=1).split("\n")[0]

        assert first in lines[line_of(text, path) - 1]
