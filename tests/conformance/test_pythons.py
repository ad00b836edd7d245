"""The core's tests pass on every Python that this machine has, and all of them run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pythons import ROOT, VERSIONS, environment, find_python

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"
OPTIONS = ("-m", "pytest", "tests/core", "-q", "-p", "no:cacheprovider")

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def collected() -> int:
    """Return how many tests the core has, as this interpreter sees them."""
    return _number(r"(\d+) tests? collected", Path(sys.executable), "--collect-only")


@pytest.mark.parametrize("version", [v for v in VERSIONS if v != RUNNING])
def test_the_core_passes_its_tests(version: str, collected: int) -> None:
    """None fails, and none is left out."""
    interpreter = find_python(version)
    if interpreter is None:
        pytest.skip(f"no Python {version} here")
    python = environment(interpreter, version)

    assert _number(r"(\d+) passed in", python) == collected


def _number(pattern: str, python: Path, *more: str) -> int:
    """Run the core's tests and return the number in the last line."""
    done = subprocess.run(
        [python, *OPTIONS, *more],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(["core", "siteserver", "devserver"]),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    last = done.stdout.rstrip().rpartition("\n")[2]
    found = re.search(pattern, last)
    assert found, done.stdout[-3000:] + done.stderr[-1000:]
    return int(found[1])
