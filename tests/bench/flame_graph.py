"""Draws a flame graph, from the outermost frame at the top, as a picture without a script."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TypeAlias

Stacks: TypeAlias = defaultdict[tuple[str, ...], float]
"""Milliseconds by the frames of a stack, the outermost first."""

WIDTH, ROW, TOP = 720, 17, 44
LETTER = 6.05
"""The width of a letter, in a font whose letters are all alike."""
LEAST = 0.005
"""Of the whole: smaller frames are left out."""
OURS = re.compile(r"(?:^|\()webagent")
FILLS = {True: "#f6b26b", False: "#bcd3ea"}
"""By whether a frame is our own."""


@dataclass(slots=True)
class _Frame:
    """A frame and all below it."""

    ms: float = 0.0
    inner: dict[str, _Frame] = field(default_factory=dict)


def svg(title: str, stacks: Stacks) -> str:
    """Return the picture."""
    root = _tree(stacks)
    drawn = list(_drawn(root, root.ms, 0.0, 0))
    height = TOP + ROW * (1 + max((row for row, _ in drawn), default=0)) + 6
    ours, others = FILLS[True], FILLS[False]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            'font-family="monospace" font-size="10">',
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            f'<text x="4" y="15" font-size="13" font-family="sans-serif">{escape(title)}: '
            f"{root.ms:,.0f} ms</text>",
            f'<path d="M4 25h10v10H4z" fill="{ours}"/><text x="18" y="34">webagent</text>'
            f'<path d="M84 25h10v10H84z" fill="{others}"/>'
            '<text x="98" y="34">packages, Python, browser</text>',
            *(line for _, line in drawn),
            "</svg>\n",
        ]
    )


def _tree(stacks: Stacks) -> _Frame:
    """Return the root of all stacks; a frame that calls itself is drawn once."""
    root = _Frame()
    for frames, ms in stacks.items():
        root.ms += ms
        at, last = root, ""
        for name in frames:
            if name != last:
                at = at.inner.setdefault(name, _Frame())
                at.ms += ms
                last = name
    return root


def _drawn(frame: _Frame, whole_ms: float, x: float, row: int) -> Iterator[tuple[int, str]]:
    """Yield the row and the picture of all inside a frame, the longest first."""
    for name, inner in sorted(frame.inner.items(), key=lambda one: -one[1].ms):
        share = inner.ms / whole_ms
        if share < LEAST:
            return
        width = WIDTH * share
        letters = int((width - 4) / LETTER)
        label = name if len(name) <= letters else f"{name[: letters - 1]}…" if letters > 3 else ""
        y = TOP + ROW * row
        text = f'<text x="{x + 2:.1f}" y="{y + 11.5}">{escape(label)}</text>' if label else ""
        yield (
            row,
            f"<g><title>{escape(name)}: {inner.ms:.1f} ms, {share:.1%}</title>"
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" '
            f'fill="{FILLS[bool(OURS.search(name))]}" stroke="#fff" stroke-width=".5"/>{text}</g>',
        )
        yield from _drawn(inner, whole_ms, x, row + 1)
        x += width
