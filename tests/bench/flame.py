"""A flame graph of a benchmark and all Python that it starts, by py-spy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.bench.record import ROOT


def flame(name: str) -> str:
    """Run a benchmark under py-spy and return the path of the picture."""
    spy = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or shutil.which("py-spy")
    if spy is None:
        raise SystemExit("bench: a flame graph needs py-spy - install it: pip install py-spy")
    path = ROOT / ".cache" / "bench" / f"{name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    options = [
        "record",
        "--subprocesses",
        "--nonblocking",
        "--format",
        "flamegraph",
        "--output",
        path,
    ]
    subprocess.run([spy, *options, "--", sys.executable, "-m", "tests.bench", name], check=True)
    return str(path.relative_to(ROOT))
