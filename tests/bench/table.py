"""The table of a benchmark: medians, spread, and the ratio to the first row."""

from __future__ import annotations

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
