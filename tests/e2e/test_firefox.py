"""The tests that run in Chromium, run once more in Firefox."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firefox import NONE, find_firefox

HERE = Path(__file__).parent
SUBJECTS = {
    "document.modelContext": ("modelcontext",),
    "the agent in the page": ("test_page.py", "test_start.py"),
    "one list of tools": ("test_registry.py", "test_registry_frames.py"),
    "programs in the sandbox": ("sandbox",),
    "goals": ("agent/test_goal.py",),
    "what a developer sees": ("test_live.py", "test_overlay.py"),
    "the playground": ("test_playground.py",),
    "pages of an application": (
        "siteserver/test_examples.py::test_an_import_map_of_the_page_is_heard",
    ),
}
"""The tests by what they are about; those that only Chromium can pass are marked, with the reason."""


@pytest.mark.conformance
@pytest.mark.timeout(900)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_tests_that_pass_in_chromium_pass_in_firefox(subject: str) -> None:
    """The page's side of everything works in the other browser, too."""
    if find_firefox() is None:
        pytest.skip(NONE)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "0",
            "-q",
            *(str(HERE / n) for n in SUBJECTS[subject]),
        ],
        env={**os.environ, "WEBAGENT_BROWSER": "firefox"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-5000:]
