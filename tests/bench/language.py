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

from tests.bench.table import Pair, comparison
from tests.bench.texts import README, manifest
from tests.sdk import sdk_python

TITLE = "The language: parse and generate_typescript"
ROUNDS = 7
START_ROUNDS = 15
SIZES = (10, 100, 1_000, 10_000)

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


async def run() -> str:
    """Return the tables."""
    read = {f"{size:,} tools": sizes(size) for size in SIZES}
    whole = {
        "`import webagent`": starts(IMPORT),
        "import, then parse of the README's example": starts(FIRST),
    }
    return "\n\n".join(
        [
            comparison("ms of processor time", SDK, read, ours=OURS),
            comparison("a process, ms beyond those of Python itself", SDK, whole, ours=OURS),
        ]
    )


def sizes(tools: int) -> Pair:
    """Measure both packages on a manifest of `tools` tools, in turns."""
    text = manifest(tools)
    theirs: list[float] = []
    mine: list[float] = []
    for _ in range(ROUNDS):
        theirs.append(float(output(BOTH, text, False)) * 1000)
        mine.append(float(output(BOTH, text, True)) * 1000)
    return mine, theirs


def starts(code: str) -> Pair:
    """Measure processes that do nothing but `code`, in turns; without what Python itself takes."""
    bare, theirs, mine = [], [], []
    for _ in range(START_ROUNDS):
        bare.append(process_ms("", False))
        theirs.append(process_ms(code, False))
        mine.append(process_ms(code, True))
    python = median(bare)
    return [ms - python for ms in mine], [ms - python for ms in theirs]


def process_ms(code: str, ours: bool) -> float:
    """Return the processor time of a process whose input is the README's example."""
    return float(output(f"{code}\nimport time\nprint(time.process_time())", README, ours)) * 1000


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
