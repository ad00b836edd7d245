"""The tables of the benchmarks: medians, spread, and the ratio to the peer; each row is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from tests.bench.record import keep


def table(what: str, rows: Mapping[str, Sequence[float]], *, digits: int = 0) -> str:
    """Return a Markdown table; the first row is the peer that the others are held against."""
    lines = [f"| {what} | median | min–max | p95 | n | ratio |", "|---|---:|---:|---:|---:|---:|"]
    peer = next(iter(rows.values()))
    for name, values in rows.items():
        ratio = keep(what, name, values, peer)
        middle, *rest = _cells(values, digits)
        spread = f"{min(values):.{digits}f}–{max(values):.{digits}f}"
        lines.append(f"| {name} | {middle} | {spread} | {' | '.join(rest)} | {ratio} |")
    return "\n".join(lines)


Pair = tuple[Sequence[float], Sequence[float]]
"""The measurements of ours and of the peer; one of them may be empty."""


def comparison(
    what: str,
    peer: str,
    rows: Mapping[str, Pair],
    *,
    ours: str = "webagent-dev",
    digits: int = 1,
) -> str:
    """Return a Markdown table with ours and the peer's side by side; below 1 ours is faster."""
    lines = [
        f"| {what} | {ours} | p95 | n | {peer} | p95 | n | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, (mine, theirs) in rows.items():
        ratio = keep(what, name, mine, theirs)
        cells = [*_cells(mine, digits), *_cells(theirs, digits), ratio]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def p95(values: Sequence[float]) -> float:
    """Return the value that 95 of 100 stay below."""
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


def _cells(values: Sequence[float], digits: int) -> list[str]:
    if not values:
        return ["–", "", ""]
    return [f"{median(values):.{digits}f}", f"{p95(values):.{digits}f}", str(len(values))]
