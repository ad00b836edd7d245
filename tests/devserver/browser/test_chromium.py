"""The arguments with which commands start Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import playwright

from webagent_dev.browser.chromium import FEATURES


def test_features_that_playwright_disables_are_disabled() -> None:
    """Chromium uses only the last list of features, which is ours."""
    driver = Path(playwright.__file__).parent / "driver" / "package" / "lib" / "coreBundle.js"
    written = re.search(r"disabledFeatures = \[(.*?)\]", driver.read_text("utf-8"), re.DOTALL)
    assert written
    theirs = re.findall(r'^\s*"(\w+)"', written[1], re.MULTILINE)

    assert len(theirs) > 10
    assert set(theirs) <= set(FEATURES)
