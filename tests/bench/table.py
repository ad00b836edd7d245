"""The tables of the benchmarks: medians, spread, and the ratio to the peer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median


def table(what: str, rows: Mapping[str, Sequence[float]], *, digits: int = 0) -> str:
    """Return a Markdown table; the first row is the peer that the others are held against."""
    peer = median(next(iter(rows.values())))
    lines = [f"| {what} | median | min–max | ratio |", "|---|---:|---:|---:|"]
    for name, values in rows.items():
        middle = median(values)
        spread = f"{min(values):.{digits}f}–{max(values):.{digits}f}"
        lines.append(f"| {name} | {middle:.{digits}f} | {spread} | {middle / peer:.2f} |")
    return "\n".join(lines)


Pair = tuple[Sequence[float], Sequence[float]]
"""The measurements of ours and of the peer; one of them may be empty."""


def comparison(what: str, peer: str, rows: Mapping[str, Pair], *, digits: int = 1) -> str:
    """Return a Markdown table with ours and the peer's side by side; below 1 ours is faster."""
    lines = [
        f"| {what} | webagent-dev | p95 | n | {peer} | p95 | n | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, (ours, theirs) in rows.items():
        peers = median(theirs) if theirs else 0.0
        ratio = f"{median(ours) / peers:.2f}" if ours and peers else ""
        cells = [*_cells(ours, digits), *_cells(theirs, digits), ratio]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def p95(values: Sequence[float]) -> float:
    """Return the value that 95 of 100 stay below."""
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


def _cells(values: Sequence[float], digits: int) -> list[str]:
    if not values:
        return ["–", "", ""]
    return [f"{median(values):.{digits}f}", f"{p95(values):.{digits}f}", str(len(values))]
