"""The short way of reading gives what the long one gives, for many more texts than in every run."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.parser.test_canonical import assert_agrees, texts

pytestmark = pytest.mark.timeout(1200)


@given(texts, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
@settings(max_examples=8_000, deadline=None, suppress_health_check=list(HealthCheck))
def test_reading_without_blocks_gives_the_same(text: str, newline: str, ended: bool) -> None:
    """Manifest, places and findings are the same if the blocks of sections are not found first."""
    assert_agrees(text.replace("\n", newline) + newline * ended)
