"""All of this folder is part of the big suites: `make conformance`."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is here."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.conformance)


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Packages are installed here, so that all authorities are needed."""
