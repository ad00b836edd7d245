"""The format's own SDK answers the cases otherwise, and runs the programs alike."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from tests.compat.judge import judge
from tests.compat.programs import PROGRAMS
from tests.compat.run import CASES, Outcome
from tests.sdk import run_under_sdk, sdk_sources

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def problems() -> dict[str, str]:
    """Return what is wrong with each case under the SDK."""
    found: dict[str, Any] = run_under_sdk("tests.compat.run")
    return judge({name: Outcome(**outcome) for name, outcome in found.items()})


@pytest.fixture(scope="module")
def failures() -> dict[str, str]:
    """Return why each program failed under the SDK."""
    found: dict[str, str] = run_under_sdk("tests.compat.programs")
    return found


@pytest.mark.parametrize("name", [case.id for case in CASES if not case.decision])
def test_every_case_fails(name: str, problems: dict[str, str]) -> None:
    """A case says something only if the SDK does not pass it."""
    assert problems[name]


@pytest.mark.parametrize("name", [program.__name__ for program in PROGRAMS])
def test_programs_run_there_too(name: str, failures: dict[str, str]) -> None:
    """A program counts as the SDK's own only if the SDK runs it."""
    assert not failures[name], failures[name]


def test_its_own_tests_pass_here() -> None:
    """The tests in the SDK's source archive pass with this package, unchanged."""
    tests = sdk_sources() / "tests" / "test_webagent.py"
    done = subprocess.run(
        # No configuration of ours: the file is run as its authors run it.
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", tests],
        cwd=tests.parent,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout
