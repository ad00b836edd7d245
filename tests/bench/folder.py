"""A folder of 50,000 files: until a save in it is seen, saves, and what they cost; against Vite."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench.listening import Listener, seen_ms
from tests.bench.memory import rows_of as rows_of_memory
from tests.bench.memory import weigh
from tests.bench.running import Running
from tests.bench.saving import Times, missed, rows_of, save_in_turns
from tests.bench.side_by_side import COMMANDS, Side, running, shown, sites
from tests.bench.sites import DEPTH, FILES, FOLDERS, large_site, save, small_site, start_on_use
from tests.bench.table import Pair, comparison

TITLE = (
    f"A folder of {FILES:,} files in {FOLDERS} folders, up to {DEPTH} deep, "
    "half of them in `node_modules`"
)
STARTS = 3
SAVES = {"css": 20, "html": 10}
CPU_SAVES = 100
PAUSE_S = 0.06
"""Between two saves: Vite takes faster ones of one file for one."""
HEARD_S = 0.3
IDLE_S = 2.0


async def run() -> str:
    """Return the tables."""
    times: dict[str, dict[str, Times]] = {}
    with tempfile.TemporaryDirectory() as folder:
        few = sites(Path(folder) / "few", small_site)
        many = sites(Path(folder) / "many", large_site)
        start = starts(many)
        costs: dict[str, Pair] = {}
        with running(few) as both:
            costs |= cost(both, "5")
        for root in many.values():
            start_on_use(root)
        with running(many) as both:
            costs |= cost(both, f"{FILES:,}")
            memory = rows_of_memory({"at rest": weigh(both)})
            async with shown(both) as places:
                for kind, saves in SAVES.items():
                    times[kind] = await save_in_turns(places, kind, saves)
    parts = [
        comparison("ms from the command", "Vite", start, digits=0),
        comparison("ms after the save", "Vite", rows_of(times)),
        missed(times),
        comparison("CPU, ms", "Vite", costs, digits=0),
        comparison("MB of 10⁶ bytes", "Vite", memory),
    ]
    return "\n\n".join(part for part in parts if part)


def starts(roots: Mapping[str, Path]) -> dict[str, Pair]:
    """Start each server in turn; return the times to the first answer and until a save is seen."""
    first: dict[str, list[float]] = {name: [] for name in COMMANDS}
    seen: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(STARTS):
        for name, command in COMMANDS.items():
            server = Running(command, roots[name])
            try:
                first[name].append(server.first_answer_ms)
                seen[name].append(seen_ms(server, roots[name]))
            finally:
                server.kill()
    return {
        "first answer": (first["webagent-dev"], first["Vite"]),
        "first save that is seen": (seen["webagent-dev"], seen["Vite"]),
    }


def cost(both: Mapping[str, Side], files: str) -> dict[str, Pair]:
    """Return the CPU that each server uses for saves, and while nothing happens."""
    saves = {name: [cpu_of_saves_ms(side)] for name, side in both.items()}
    idle = {name: [cpu_idle_ms(side)] for name, side in both.items()}
    return {
        f"{CPU_SAVES} saves, {files} files": (saves["webagent-dev"], saves["Vite"]),
        f"a second without a save, {files} files": (idle["webagent-dev"], idle["Vite"]),
    }


def cpu_of_saves_ms(side: Side) -> float:
    """Save a stylesheet again and again, each time as soon as the last one was sent and loaded."""
    with Listener(side.server) as listener:
        side.server.wait_until_quiet()
        before_s = side.server.cpu_s()
        for number in range(CPU_SAVES):
            save(side.root, "css", f"c{number}")
            listener.hears(HEARD_S)
            time.sleep(PAUSE_S)
        return (side.server.cpu_s() - before_s) * 1000


def cpu_idle_ms(side: Side) -> float:
    """Return what a server uses in a second in which nothing happens."""
    side.server.wait_until_quiet()
    before_s = side.server.cpu_s()
    time.sleep(IDLE_S)
    return (side.server.cpu_s() - before_s) * 1000 / IDLE_S
