"""From the command to the first answer, and from Ctrl-C to the end: Vite, Python's `http.server`.

The libraries that ours is made of are measured alone, too: less than they take is out of reach.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench.running import Command, Running, libraries, ours, ours_before, plain, vite
from tests.bench.sites import small_site, start_on_use
from tests.bench.table import comparison

TITLE = "From the command to the first answer, and from Ctrl-C to the end, ms"
ROUNDS = 7


async def run() -> str:
    """Return the tables."""
    with tempfile.TemporaryDirectory() as folder:
        root = small_site(Path(folder) / "site")
        configured = start_on_use(small_site(Path(folder) / "configured"))
        behind = Running(plain, root)
        try:
            starts: dict[str, tuple[Command, Path]] = {
                "http.server": (plain, root),
                "libraries": (libraries, root),
                "vite": (vite, root),
                "folder": (ours, root),
                "proxy": (ours_before(behind.url), root),
                "configured": (ours, configured),
            }
            first, gone = in_turns(starts)
        finally:
            behind.kill()
    against_vite = {
        "first answer, a folder": (first["folder"], first["vite"]),
        "first answer, a folder with `webagent.toml`": (first["configured"], first["vite"]),
        "first answer, `--proxy`": (first["proxy"], first["vite"]),
        "first answer, one line of text of the same libraries": (
            first["libraries"],
            first["vite"],
        ),
        "Ctrl-C, a folder": (gone["folder"], gone["vite"]),
        "Ctrl-C, `--proxy`": (gone["proxy"], gone["vite"]),
    }
    against_python = {"first answer, a folder": (first["folder"], first["http.server"])}
    return "\n\n".join(
        [
            comparison("ms", "Vite", against_vite, digits=0),
            comparison("ms", "python -m http.server", against_python, digits=0),
        ]
    )


def in_turns(
    starts: Mapping[str, tuple[Command, Path]],
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Start and stop each server in turn; return milliseconds to the first answer, and to the end."""
    first: dict[str, list[float]] = {name: [] for name in starts}
    gone: dict[str, list[float]] = {name: [] for name in starts}
    # The first round only brings programs and files into the memory of the system.
    for number in range(ROUNDS + 1):
        for name, (command, root) in starts.items():
            server = Running(command, root)
            # Ctrl-C is for servers that run, not for those that are still busy with their start.
            server.wait_until_quiet()
            ended_ms = server.stop_ms()
            if number:
                first[name].append(server.first_answer_ms)
                gone[name].append(ended_ms)
    return first, gone
