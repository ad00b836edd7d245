"""The growth of each cost with its work, as a picture of the documentation.

python -m tests.bench growth   draws it from the last rows of the record
"""

from __future__ import annotations

import math
import re

from tests.bench.record import ROOT, rows_of

PICTURE = ROOT / "docs" / "images" / "growth.svg"
CURVES = {
    "parse and generate, by tools": r"language: ms of processor time: ([0-9,]+) tools",
    "a keystroke in an editor, by tools": r"editing: ms: ([0-9,]+) tools",
    "first look at a page, by elements": r"look: ([0-9,]+) elements: first look, ms: webagent",
    "memory of the server, by pages": r"day: MB, PSS of the server by pages: ([0-9,]+)",
    "memory of the server, by saves": r"day: MB, PSS of the server: ([0-9,]+) saves",
}
"""The names of the rows of each curve, with the amount of work."""
COLORS = ("#0a6ebd", "#c2410c", "#15803d", "#7e22ce", "#b91c1c")
SIDE, EDGE, DECADES = 420, 40, 3


def draw() -> str:
    """Write the picture, and return its path and its curves."""
    rows = rows_of("")
    lines = []
    for label, pattern in CURVES.items():
        points = sorted(
            (float(match[1].replace(",", "")), row["value"][1])
            for name, row in rows.items()
            if (match := re.fullmatch(pattern, name))
        )
        if len(points) > 1:
            lines.append((label, [(x / points[0][0], y / points[0][1]) for x, y in points]))
    PICTURE.write_text(_svg(lines), encoding="utf-8")
    return f"{PICTURE.relative_to(ROOT)}: {', '.join(label for label, _ in lines)}"


def _svg(lines: list[tuple[str, list[tuple[float, float]]]]) -> str:
    """Return both axes from 1 to 1,000 in powers of ten, the line of equal growth, and the curves."""
    size = SIDE + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 {size + 10} {size}" font-size="13" '
        'font-family="sans-serif"><rect x="-10" width="100%" height="100%" fill="#fff"/>'
        '<text x="-4" y="20">times the cost</text>'
        f'<text x="{SIDE + EDGE}" y="{size - 6}" text-anchor="end">times the work</text>'
    ]
    for decade in range(DECADES + 1):
        x, y = _place(10**decade, 10**decade)
        parts.append(
            f'<path d="M{x} {EDGE}V{SIDE + EDGE}M{EDGE} {y}H{SIDE + EDGE}" stroke="#ddd"/>'
            f'<text x="{x}" y="{SIDE + EDGE + 18}" text-anchor="middle">{10**decade:,}</text>'
            f'<text x="{EDGE - 6}" y="{y + 4}" text-anchor="end">{10**decade:,}</text>'
        )
    end = SIDE + EDGE
    parts.append(f'<path d="M{EDGE} {end}L{end} {EDGE}" stroke="#999" stroke-dasharray="4"/>')
    for number, (label, points) in enumerate(lines):
        color, y = COLORS[number], EDGE + 20 + 18 * number
        path = " ".join("{},{}".format(*_place(*point)) for point in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
            f'<text x="{EDGE + 10}" y="{y}" fill="{color}">{label}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _place(work: float, cost: float) -> tuple[int, int]:
    """Return where a growth of work and of cost is."""
    step = SIDE / DECADES
    return (
        round(EDGE + step * math.log10(work)),
        round(EDGE + SIDE - step * max(0.0, math.log10(cost))),
    )
