"""From a keystroke in an editor to the findings of the new text, for manifests of several sizes."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.table import table
from tests.bench.texts import manifest
from tests.editor import Editor

TITLE = "Typing in an editor: a keystroke until its findings"
SIZES = (10, 100, 1_000)
KEYSTROKES = 60


async def run() -> str:
    """Return the table."""
    rows = {f"{size:,} tools": await keystrokes(manifest(size)) for size in SIZES}
    return table("ms", rows, digits=1)


async def keystrokes(text: str) -> list[float]:
    """Type a word into the description of a tool in the middle; return the ms of each letter."""
    lines = text.split("\n")
    heading = next(
        number
        for number, line in enumerate(lines)
        if number >= len(lines) // 2 and line[:3] == "## "
    )
    line = next(n for n, one in enumerate(lines) if n > heading and one and one[0].isalpha())
    times = []
    with TemporaryDirectory() as folder:
        async with Editor(Path(folder) / "webagents.md") as editor:
            editor.open(text)
            await editor.findings()
            for number in range(KEYSTROKES):
                start = time.perf_counter()
                editor.type(line, number, number, "searching "[number % 10])
                await editor.findings()
                times.append((time.perf_counter() - start) * 1000)
    return times
