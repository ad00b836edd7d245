"""The programs that the benchmarks measure can be started."""

from __future__ import annotations

from pathlib import Path

from tests.bench.running import as_installed


def test_modules_are_compiled_beforehand() -> None:
    """Those that the servers import, which all exist."""
    compiled = Path(as_installed()["PYTHONPYCACHEPREFIX"])
    names = {path.name.partition(".")[0] for path in compiled.rglob("*.pyc")}

    assert {"application", "services", "reverse_proxy", "runner"} <= names
