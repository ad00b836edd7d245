"""`make bundle` after a change of one module of the core, and after none."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench.table import table

TITLE = "`make bundle`, seconds"
ROUNDS = 3
ROOT = Path(__file__).parents[2]
CORE = ROOT / "core" / "webagent"
CHANGED: Final = {
    # The image of Python's memory has the first of them, and is made and compressed anew.
    "a module of the start changed": CORE / "registry" / "drift.py",
    "a module of the agent changed": CORE / "agent" / "clock.py",
    "nothing changed": None,
}


async def run() -> str:
    """Return the table; the sources are as before afterwards, and so is the bundle."""
    times: dict[str, list[float]] = {name: [] for name in CHANGED}
    build()
    try:
        for _ in range(ROUNDS):
            for name, module in CHANGED.items():
                if module is None:
                    build()
                    times[name].append(build())
                else:
                    with changed(module):
                        times[name].append(build())
    finally:
        build()
    return table("`make bundle`", times, digits=2)


def build() -> float:
    """Make the bundle; return the seconds it took."""
    started_s = time.perf_counter()
    # The make around this one would give it its own flags.
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    subprocess.run(["make", "bundle"], cwd=ROOT, check=True, capture_output=True, env=environment)
    return time.perf_counter() - started_s


@contextmanager
def changed(module: Path) -> Iterator[None]:
    """Give a module another last line while the block runs."""
    before = module.read_bytes()
    try:
        module.write_bytes(before + f"# {time.time_ns()}\n".encode())
        yield
    finally:
        module.write_bytes(before)
