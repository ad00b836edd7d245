"""Declarations of very many manifests, against TypeScript's own compiler."""

from __future__ import annotations

import pytest

from tests.declared import fuzzed, refused


@pytest.mark.timeout(600)
def test_two_thousand_manifests_compile() -> None:
    """The declarations and the context of any manifest are valid TypeScript."""
    found = fuzzed(2_000)

    assert len(found) > 1_500
    assert refused(found) == []
