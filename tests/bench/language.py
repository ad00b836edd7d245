"""Reading manifests and declaring their tools, against the format's own SDK.

Every measurement is a process of the SDK's own environment, so that both packages have the same
Python and the same pydantic; ours comes first on the path where ours is meant.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.bench.table import table
from tests.bench.texts import HOSTILE, README, manifest
from tests.sdk import sdk_python

TITLE = "The language: parse and generate_typescript"
ROUNDS = 7
START_ROUNDS = 15
SIZES = (10, 100, 1_000, 10_000)
BOUND_S = 10.0
"""After so long a hostile input counts as one that does not end."""

CORE = Path(__file__).parents[2] / "core"
SDK, OURS = "webagents-md 0.1.0", "webagent"

IMPORT = "import webagent"
FIRST = """
import sys
from webagent import parse
parse(sys.stdin.buffer.read().decode())
"""
BOTH = """
import sys, time
from webagent import generate_typescript, parse
generate_typescript(parse(sys.argv[1]))
text = sys.stdin.buffer.read().decode()
start = time.process_time()
generate_typescript(parse(text))
print(time.process_time() - start)
"""
CHECK = """
import sys, time
from webagent import check
text = sys.stdin.buffer.read().decode()
start = time.process_time()
check(text).to_dict()
print(time.process_time() - start)
"""


async def run() -> str:
    """Return the tables."""
    sections = [
        (
            "Tools, ms of processor time",
            [table(f"{size:,} tools", sizes(size), digits=1) for size in SIZES],
        ),
        (
            "Whole processes, ms of processor time beyond that of Python itself",
            [
                table("`import webagent`", starts(IMPORT)),
                table("import, then parse of the README's example", starts(FIRST)),
            ],
        ),
        ("Hostile inputs, seconds of processor time", [hostile()]),
    ]
    return "\n\n".join(f"### {title}\n\n" + "\n\n".join(tables) for title, tables in sections)


def sizes(tools: int) -> dict[str, list[float]]:
    """Measure both packages on a manifest of so many tools, in turns."""
    text = manifest(tools)
    rows: dict[str, list[float]] = {SDK: [], OURS: []}
    for _ in range(ROUNDS):
        for name, times in rows.items():
            times.append(float(output(BOTH, text, name == OURS)) * 1000)
    return rows


def starts(code: str) -> dict[str, list[float]]:
    """Measure processes that do nothing but `code`, in turns; without what Python itself takes."""
    rows: dict[str, list[float]] = {SDK: [], OURS: []}
    bare = []
    for _ in range(START_ROUNDS):
        bare.append(process_ms("", False))
        for name, times in rows.items():
            times.append(process_ms(code, name == OURS))
    python = median(bare)
    return {name: [ms - python for ms in times] for name, times in rows.items()}


def process_ms(code: str, ours: bool) -> float:
    """Return the processor time of a process whose input is the README's example."""
    return float(output(f"{code}\nimport time\nprint(time.process_time())", README, ours)) * 1000


def hostile() -> str:
    """Return a table with the seconds each hostile input takes."""
    head = f"| input | KiB | {SDK} | {OURS} | {OURS}, `check` |"
    rows = [head, "|---|---:|---:|---:|---:|"]
    for name, text in HOSTILE.items():
        cells = [ends(BOTH, text, False), ends(BOTH, text, True), ends(CHECK, text, True)]
        rows.append(f"| {name} | {len(text) >> 10} | {' | '.join(cells)} |")
    return "\n".join(rows)


def ends(code: str, text: str, ours: bool) -> str:
    """Return the seconds that `code` takes, or how else it ends."""
    try:
        return f"{float(output(code, text, ours, BOUND_S)):.2f}"
    except subprocess.TimeoutExpired:
        return f"> {BOUND_S:.0f}"
    except subprocess.CalledProcessError as error:
        return str(error.stderr.strip().rpartition("\n")[2].partition(":")[0])


def output(code: str, text: str, ours: bool, bound_s: float | None = None) -> str:
    """Run `code` with `text` as its input and return what it prints."""
    path = {"PYTHONPATH": str(CORE)} if ours else {}
    command: Sequence[str | Path] = [sdk_python(), "-c", code, README]
    done = subprocess.run(
        command,
        input=text,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": "", **path},
        timeout=bound_s,
        check=True,
    )
    return done.stdout
