"""The record of all runs, a line of JSON each, and the changes between two of them.

python -m tests.bench compare 4e2f966 last   two commits, or numbers of lines, or `last`
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
RECORD = ROOT / ".cache" / "bench" / "runs.jsonl"
LEAST = 1.05
"""A smaller change than by this factor is noise, whatever its spread: some rows have one value."""


class Middle(NamedTuple):
    """The median of some values, and the quarters around it."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of a benchmark."""

    table: str
    row: str
    n: int
    value: Middle
    ratio: Middle | None
    """To the peer of the same run, taken in turns; None without one."""


_kept: list[Row] = []
"""The rows since `take_rows`."""


def keep(table: str, row: str, values: Sequence[float], peer: Sequence[float]) -> str:
    """Keep a row for the record, and return the ratio of the medians, empty without a peer."""
    ratio = None
    if values and peer and median(peer):
        turns = _middle(
            [ours / theirs for ours, theirs in zip(values, peer, strict=False) if theirs]
        )
        ratio = turns._replace(median=median(values) / median(peer))
    if values:
        _kept.append(Row(table, row, len(values), _middle(values), ratio))
    return f"{ratio.median:.2f}" if ratio else ""


def take_rows() -> list[Row]:
    """Return the rows that were kept since the last time."""
    rows = _kept.copy()
    _kept.clear()
    return rows


def _middle(values: Sequence[float]) -> Middle:
    if len(values) < 2:
        return Middle(values[0], values[0], values[0])
    return Middle(*quantiles(values, n=4, method="inclusive"))


def write(benchmark_rows: Sequence[tuple[str, Row]]) -> None:
    """Add a line to the record: the rows of a run, each with the name of its benchmark."""
    line = {
        "commit": _git("rev-parse", "--short=12", "HEAD")
        + "+" * bool(_git("status", "--porcelain")),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": [{"benchmark": name, **asdict(row)} for name, row in benchmark_rows],
    }
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    with RECORD.open("a", encoding="utf-8") as record:
        record.write(json.dumps(line, ensure_ascii=False) + "\n")


def compare(first: str, second: str) -> str:
    """Return a Markdown table of the rows that changed between two runs by more than the noise.

    Ratios are compared where there is a peer, as milliseconds depend on the machine. A row has
    changed if the middle halves of its values do not overlap.
    """
    before, after = rows_of(first), rows_of(second)
    changed, alike = [], 0
    for name in before.keys() & after.keys():
        was, now = before[name], after[name]
        kind = "ratio" if was["ratio"] and now["ratio"] else "value"
        a, b = Middle(*was[kind]), Middle(*now[kind])
        factor = b.median / a.median if a.median else 1.0
        if (a.high < b.low or b.high < a.low) and not 1 / LEAST < factor < LEAST:
            changed.append(
                (factor, f"| {name} | {kind} | {_shown(a)} | {_shown(b)} | {factor:.2f} |")
            )
        else:
            alike += 1
    lines = [f"| row | of | {first} | {second} | factor |", "|---|---|---:|---:|---:|"]
    lines += [line for _, line in sorted(changed)]
    alone = len(before.keys() ^ after.keys())
    return "\n".join([*lines, f"\n{alike} rows are within the noise, {alone} are in one run only."])


def rows_of(name: str) -> dict[str, Any]:
    """Return the rows of a line of the record, or of all lines of a commit, by their name.

    A later line of a commit replaces rows of earlier ones; an empty name takes all lines.
    """
    lines = RECORD.read_text("utf-8").splitlines() if RECORD.exists() else []
    if name == "last":
        lines = lines[-1:]
    elif name.isdigit() and int(name) <= len(lines):
        lines = lines[int(name) - 1 : int(name)]
    else:
        lines = [line for line in lines if json.loads(line)["commit"].startswith(name)]
    if not lines:
        raise SystemExit(f"bench: unknown run `{name}` - look into {RECORD}")
    return {
        f"{row['benchmark']}: {row['table']}: {row['row']}": row
        for line in lines
        for row in json.loads(line)["rows"]
    }


def _shown(middle: Middle) -> str:
    return f"{middle.median:.3g} ({middle.low:.3g}–{middle.high:.3g})"


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", ROOT, *words], capture_output=True, encoding="utf-8", check=True
    ).stdout.strip()
