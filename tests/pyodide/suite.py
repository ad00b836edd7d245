"""Runs core's own unit tests inside Pyodide; the last expression is what came of it.

What cannot run there is left out: tests that are coroutines (Node has no stack switching, so
nothing can wait for them), and modules that need packages with native code or a process.
"""

import inspect
import json
import sys

sys.path[:0] = ["/repo"]
sys.path.append("/packages")
sys.dont_write_bytecode = True

import pytest  # noqa: E402

LACKING = ("httpx", "hypothesis", "jsonschema", "markdown_it", "subprocess")


class Outcome:
    """Counts what happened to each test."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.passed = 0
        self.failed: list[str] = []
        self.left_out: list[str] = []

    def pytest_ignore_collect(self, collection_path) -> bool | None:  # type: ignore[no-untyped-def]
        """Leave out modules that import what is not there."""
        if collection_path.suffix != ".py":
            return None
        text = collection_path.read_text(encoding="utf-8")
        if any(f"import {name}" in text or f"from {name}" in text for name in LACKING):
            self.left_out.append(collection_path.name)
            return True
        return None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out coroutines."""
        items[:] = [
            i for i in items if not inspect.iscoroutinefunction(getattr(i, "function", None))
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count."""
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longrepr}")
        elif report.when == "call" and report.passed:
            self.passed += 1


OPTIONS = """--rootdir=/repo -c /dev/null --import-mode=importlib -q -p no:cacheprovider
    -p no:asyncio -p no:anyio -p no:hypothesispytest -p no:timeout /repo/tests/core"""

outcome = Outcome()
code = pytest.main(OPTIONS.split(), plugins=[outcome])
json.dumps({"code": int(code), **vars(outcome)})
