"""One file checked by a process of its own, beside what such programs need to start at all."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.bench.running import as_installed
from tests.bench.table import table

TITLE = "`webagent-dev check` of one file, ms from the command to its end"
ROUNDS = 15
ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "site_template" / "webagents.md"
MODEL = "from pydantic import BaseModel\nclass Tool(BaseModel):\n    name: str"
COMMANDS = {
    "`tsc --version`": [str(ROOT / "browser_bundle/node_modules/.bin/tsc"), "--version"],
    "`node -e 0`": ["node", "-e", "0"],
    "`python -c pass`": [sys.executable, "-c", "pass"],
    "Python, with one model of pydantic": [sys.executable, "-c", MODEL],
    "`webagent-dev --version`": [sys.executable, "-m", "webagent_dev", "--version"],
    "`webagent-dev check`": [sys.executable, "-m", "webagent_dev", "check", str(MANIFEST)],
}


async def run() -> str:
    """Return the table; the compiler of TypeScript is the peer."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    # The first round only brings programs and files into the memory of the system.
    for number in range(ROUNDS + 1):
        for name, command in COMMANDS.items():
            took_ms = _run_ms(command)
            if number:
                times[name].append(took_ms)
    return table("process", times)


def _run_ms(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=as_installed(), capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000
