"""Runs core's own unit tests inside Pyodide; the last expression is what came of it.

`WHERE` is the folder of the tests. Tests that cannot run there are left out: those of random inputs
(hypothesis has native code), modules that need other packages with native code or a process, and
where there is no stack switching, as in Node, tests that are coroutines: nothing can wait for them.
"""

import functools
import inspect
import json
import os
import sys
from types import ModuleType

sys.path[:0] = ["/repo"]
sys.path.append("/packages")
sys.dont_write_bytecode = True
# Those that are installed outside are not there.
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

import pytest  # noqa: E402
from pyodide.ffi import can_run_sync, run_sync  # noqa: E402

LACKING = (
    "httpx",
    "jsonschema",
    "subprocess",
    "tests.compat.web",
    "tests.model_server",
    "tests.tsc",
)


class Anything:
    """Stands for what modules make with hypothesis before any test runs."""

    def __call__(self, *_: object, **__: object) -> "Anything":
        """Every call returns something."""
        return self

    def __getattr__(self, name: str) -> "Anything":
        """Every attribute is there, except those that the language itself looks up."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __or__(self, other: object) -> "Anything":
        """Strategies are joined."""
        return self

    def __iter__(self):  # type: ignore[no-untyped-def]
        """Enumerations are listed."""
        return iter(())


def random_inputs(*_: object, **__: object):  # type: ignore[no-untyped-def]
    """Mark what `@given` decorates, to be left out."""

    def mark(function):  # type: ignore[no-untyped-def]
        return pytest.mark.random_inputs(function)

    return mark


def decorated(*_: object, **__: object):  # type: ignore[no-untyped-def]
    """Leave what is decorated as it is."""
    return lambda function: function


hypothesis = ModuleType("hypothesis")
hypothesis.strategies = hypothesis.HealthCheck = hypothesis.Phase = Anything()  # type: ignore[attr-defined]
hypothesis.assume = hypothesis.note = Anything()  # type: ignore[attr-defined]
hypothesis.given = random_inputs  # type: ignore[attr-defined]
hypothesis.settings = hypothesis.example = decorated  # type: ignore[attr-defined]
decorated.register_profile = decorated.load_profile = lambda *_, **__: None  # type: ignore[attr-defined]
sys.modules["hypothesis"] = hypothesis
sys.modules["hypothesis.strategies"] = hypothesis.strategies  # type: ignore[attr-defined]


def waiting_fixture(**options: object):  # type: ignore[no-untyped-def]
    """Stand for pytest-asyncio's `fixture`, as one that waits."""

    def mark(function):  # type: ignore[no-untyped-def]
        @functools.wraps(function)
        def generator(*args: object, **named: object):  # type: ignore[no-untyped-def]
            values = function(*args, **named)
            yield run_sync(anext(values))
            run_sync(anext(values, None))

        @functools.wraps(function)
        def value(*args: object, **named: object) -> object:
            return run_sync(function(*args, **named))

        waits = generator if inspect.isasyncgenfunction(function) else value
        return pytest.fixture(**options)(waits)  # type: ignore[call-overload]

    return mark


WAITS = can_run_sync()
if WAITS:
    pytest_asyncio = ModuleType("pytest_asyncio")
    pytest_asyncio.fixture = waiting_fixture  # type: ignore[attr-defined]
    sys.modules["pytest_asyncio"] = pytest_asyncio


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
        """Leave out random inputs, and coroutines where nothing can wait for them."""
        items[:] = [
            i
            for i in items
            if (WAITS or not inspect.iscoroutinefunction(getattr(i, "function", None)))
            and not i.get_closest_marker("random_inputs")
        ]

    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Wait for a coroutine."""
        function = pyfuncitem.obj
        if not inspect.iscoroutinefunction(function):
            return None
        names = inspect.signature(function).parameters
        run_sync(function(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count."""
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longrepr}")
        elif report.when == "call" and report.passed:
            self.passed += 1


OPTIONS = """--rootdir=/repo -c /dev/null --import-mode=importlib -q -p no:cacheprovider
    -p no:asyncio -p no:anyio -p no:hypothesispytest -p no:timeout
    --ignore=/repo/tests/core/llm/a2a"""

PARTLY = (
    "not test_code_in_node and not test_detect_forgets_the_last_site"
    " and not test_the_page_has_the_same_table"
)
"""One needs a process, one httpx, one the sources of the page, and their neighbours none of these."""

outcome = Outcome()
code = pytest.main([*OPTIONS.split(), "-k", PARTLY, WHERE], plugins=[outcome])  # type: ignore[name-defined]  # noqa: F821
json.dumps({"code": int(code), **vars(outcome)})
