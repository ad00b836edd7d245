"""The record of the runs: the rows of a table are kept, and changes are found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bench import record
from tests.bench.table import comparison, table


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the record of a test in its folder."""
    path = tmp_path / "runs.jsonl"
    monkeypatch.setattr(record, "RECORD", path)
    record.take_rows()
    return path


def measured(ours: Sequence[float], theirs: Sequence[float]) -> None:
    """Write a run with one row."""
    comparison("ms", "Vite", {"css": (ours, theirs)})
    record.write([("save", row) for row in record.take_rows()])


def test_a_run_is_a_line_with_all_rows(kept: Path) -> None:
    """Each row has its benchmark, its table, the quarters of its values and of its ratio."""
    table("ms", {"bare": [2, 2, 2], "ours": [3, 4, 5]})
    record.write([("call", row) for row in record.take_rows()])

    line = json.loads(kept.read_text("utf-8"))
    assert line["commit"]
    assert [row["ratio"][1] for row in line["rows"]] == [1.0, 2.0]
    assert line["rows"][1] == {
        "benchmark": "call",
        "table": "ms",
        "row": "ours",
        "n": 3,
        "value": [3.5, 4, 4.5],
        "ratio": [1.75, 2.0, 2.25],
    }


def test_a_slower_machine_does_not_count() -> None:
    """Both sides take twice the time, so the ratio is the same."""
    measured([4, 5, 6], [2, 2.5, 3])
    measured([8, 10, 12], [4, 5, 6])

    assert "| save: ms: css |" not in record.compare("1", "2")
    assert "1 rows are within the noise" in record.compare("1", "2")


def test_a_change_beyond_the_noise_is_listed() -> None:
    """The middle halves of the ratios do not overlap."""
    measured([4, 5, 6], [5, 5, 5])
    measured([7, 8, 9], [5, 5, 5])

    assert "| save: ms: css | ratio | 1 (0.9–1.1) | 1.6 (1.5–1.7) | 1.60 |" in record.compare(
        "1", "last"
    )


def test_a_run_that_is_not_there() -> None:
    """The message names where runs are kept."""
    with pytest.raises(SystemExit, match="unknown run `abc`"):
        record.compare("abc", "last")
