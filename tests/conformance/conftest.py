"""The big suites are collected only when they are asked for: `pytest tests/conformance`."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these out of a run over all tests."""
    return None if any("conformance" in argument for argument in config.args) else True
