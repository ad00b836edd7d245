"""The weights and the data of the planner are what their sources give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.conformance
@pytest.mark.timeout(600)
@pytest.mark.timeout(600)
def test_the_weights_are_fitted_to_the_training_goals() -> None:
    """No number of weights.json is set by hand."""
    command = [sys.executable, "-m", "tests.goals.fit", "--check"]

    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout
