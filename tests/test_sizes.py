"""What a page downloads before anything starts stays small."""

from __future__ import annotations

import gzip

import pytest

from webagent_dev.assets import BUNDLE


@pytest.mark.parametrize(
    ("script", "most_bytes"),
    [
        ("global", 100),
        ("modelcontext", 12_000),
        ("components", 6_000),
        ("dev", 9_000),
        ("dom", 26_000),
        ("logs", 3_000),
        ("screenshot", 6_000),
        ("panel", 15_000),
        ("code", 8_000),
        ("transform", 95_000),
        ("webagent", 12_000),
    ],
)
def test_scripts_stay_small(script: str, most_bytes: int) -> None:
    """Compressed by gzip, as servers do."""
    text = (BUNDLE / f"{script}.js").read_bytes()

    assert len(gzip.compress(text, 9)) <= most_bytes
