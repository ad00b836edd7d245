from __future__ import annotations

import io

from tests.devserver.test_site import BROKEN, GOOD
from webagent_dev.console import Console
from webagent_dev.report import show_manifest
from webagent_dev.site import SiteState


def told(state: SiteState, *, color: bool = False) -> str:
    stream = io.StringIO()
    show_manifest(Console(stream, color=color), state)
    return stream.getvalue()


def test_a_good_manifest_is_one_line() -> None:
    """The number of its tools."""
    assert told(SiteState().after(GOOD)).split() == ["manifest", "webagents.md:", "1", "tool"]


def test_a_broken_manifest_shows_each_finding_with_its_place() -> None:
    """And says what pages have meanwhile, if there is something."""
    first = told(SiteState().after(BROKEN))
    later = told(SiteState().after(GOOD).after(BROKEN))

    assert "webagents.md:9:" in first
    assert "error[" in first
    assert "help: " in first
    assert "last good" not in first
    assert "pages keep the last good manifest" in later


def test_without_a_file_the_next_step_is_named() -> None:
    """At the start, and after a removal."""
    assert "create one" in told(SiteState())
    assert "webagents.md is gone" in told(SiteState().after(GOOD).after(None))


def test_colour_is_a_choice_of_the_console() -> None:
    """Plain text has no escapes."""
    state = SiteState().after(BROKEN)

    assert "\x1b" in told(state, color=True)
    assert "\x1b" not in told(state)
