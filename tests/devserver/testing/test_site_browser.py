"""The browser of the fixtures, over a page and a profile that stand in for Chromium's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Error

from webagent_dev.testing.site_browser import SiteBrowser


class Page:
    """Remembers that it was closed; its picture is empty."""

    def __init__(self) -> None:
        self.closed = 0

    def screenshot(self, *, path: Path, timeout: float) -> None:
        path.write_bytes(b"")

    def close(self) -> None:
        self.closed += 1
        raise Error("it is gone")


class Profile:
    """Has two pages; nothing else that is asked of it works."""

    def __init__(self) -> None:
        self.pages = [Page(), Page()]
        self.tracing = self

    def stop(self, **_: object) -> None:
        raise Error("it was not begun")

    def unroute_all(self, **_: object) -> None:
        raise Error("it is gone")


@pytest.fixture(name="profile")
def _profile() -> Profile:
    return Profile()


@pytest.fixture(name="browser")
def _browser(profile: Profile) -> SiteBrowser:
    found = SiteBrowser(cast("Any", None), cast("Any", None))
    found._context, found.page = cast("Any", profile), cast("Any", profile.pages[0])
    found._tracing = True
    return found


def test_all_pages_are_closed_whatever_fails_before(browser: SiteBrowser, profile: Profile) -> None:
    """Else the next test would find them."""
    browser.leave()

    assert [page.closed for page in profile.pages] == [1, 1]
    assert browser.page is None


def test_a_long_name_of_a_test_is_cut_by_its_bytes(browser: SiteBrowser, tmp_path: Path) -> None:
    """A letter may take several; what is left over of one is left out."""
    label, picture = browser.keep(tmp_path, f"tests/test_shop.py::test_buy[{'茶' * 100}x]")[0]

    assert label == "screenshot"
    assert Path(picture).name == f"{'茶' * 39}x.png"
    assert Path(picture).exists()


def test_files_that_cannot_be_written_are_reported(browser: SiteBrowser, tmp_path: Path) -> None:
    """The report of the failure goes on."""
    (tmp_path / "taken").write_text("")

    ((label, why),) = browser.keep(tmp_path / "taken", "test_buy")
    assert (label, why.partition(" - ")[0]) == ("artifacts", "cannot be written")
