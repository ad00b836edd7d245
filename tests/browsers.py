"""Which browser the tests drive: Chromium, or the one that `$WEBAGENT_BROWSER` names."""

from __future__ import annotations

import os

import pytest
from playwright.async_api import Browser, Playwright

from tests.chromium import ARGS, find_chromium
from tests.firefox import launch_firefox

BROWSERS = ("chromium", "firefox")
BROWSER = os.environ.get("WEBAGENT_BROWSER", "chromium")


async def launch(playwright: Playwright, *flags: str) -> Browser:
    """Start the browser; the flags are Chromium's."""
    if BROWSER == "firefox":
        return await launch_firefox(playwright)
    path = find_chromium()
    if path is None:
        pytest.fail("no Chromium; `make test` gets one, or name one in $CHROMIUM")
    return await playwright.chromium.launch(executable_path=path, args=[*ARGS, *flags])


def leave_out(item: pytest.Item) -> None:
    """Skip a test that is marked as another browser's; the mark says why."""
    for browser in BROWSERS:
        mark = item.get_closest_marker(browser)
        if mark is not None and browser != BROWSER:
            item.add_marker(pytest.mark.skip(reason=f"{browser} only: {mark.args[0]}"))
