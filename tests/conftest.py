"""Fixtures and settings of all tests."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import certifi
import pytest
from hypothesis import settings

from tests.state import new_state

# How many examples of each property are tried: usually few, and many in `make conformance`.
# How long an example takes says more about the machine than about the code.
# What checks a change takes the same examples each time; `make conformance` looks for new ones.
settings.register_profile("few", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("many", deadline=None, max_examples=500)
settings.load_profile("few")

TESTS = Path(__file__).parent
LONGEST = (
    "e2e/test_tutorial.py",
    "e2e/test_pending_forms.py",
    "e2e/relay/test_going.py",
    "e2e/test_docs.py",
    "e2e/test_open_page.py",
    "e2e/test_other_origins.py",
    "pyodide/test_bundle.py",
    "e2e/test_extract.py",
    "e2e/test_commands.py",
    "e2e/test_headless.py",
    "e2e/test_page.py",
    "e2e/test_shop_goals.py",
)
"""The files that take the most processor time."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave the collected tests out of each garbage collection, which would go through all of them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest files first, so that no worker is left with one of them; mark hostile ones."""

    @cache
    def rank(path: Path) -> int:
        name = path.relative_to(TESTS).as_posix()
        if name in LONGEST:
            return LONGEST.index(name)
        return len(LONGEST) + (not name.startswith("e2e/"))

    items.sort(key=lambda item: rank(item.path))
    for item in items:
        if item.path.name == "test_hostile.py":
            item.add_marker(pytest.mark.hostile)


@pytest.fixture(autouse=True, scope="session")
def _no_agent() -> None:
    """Commands of tests write for people, also when a coding agent runs the tests."""
    # The tests of core also run in Pyodide, which has neither a development server nor commands.
    with suppress(ModuleNotFoundError):
        from webagent_dev.terminal import AGENT_VARIABLES

        for name in AGENT_VARIABLES:
            os.environ.pop(name, None)


@pytest.fixture(autouse=True, scope="session")
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Servers of tests keep their state in a folder of the test run, not in the developer's."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(new_state(tmp_path_factory.mktemp("run")))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(name="wheels", scope="session")
def _wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheels, built from the source tree: core, development server, site's server."""
    folder = tmp_path_factory.mktemp("wheels")
    for project in ("core", "siteserver", "devserver"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        source = Path(__file__).parents[1] / project
        subprocess.run(command, cwd=source, check=True, capture_output=True)
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def _authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with one certificate authority, the first of certifi's."""
    last = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    file.write_text(Path(certifi.where()).read_text("ascii").partition(last)[0] + last, "ascii")
    return file


@pytest.fixture(autouse=True, scope="module")
def _one_authority(_authority: Path) -> Iterator[None]:
    """Let new clients of httpx read one certificate authority.

    Reading all of them takes longer than most tests. Tests send requests to servers on this
    machine only, which need none. A module or folder whose tests reach other servers has a
    fixture of this name that does nothing.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(_authority))
        yield
