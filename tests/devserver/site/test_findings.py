from __future__ import annotations

import io
import re

from tests.devserver.site.test_state import BROKEN, GOOD
from webagent_dev.site.findings import show_manifest
from webagent_dev.site.state import SiteState
from webagent_dev.terminal import Console


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


def test_a_coding_agent_gets_each_event_in_one_line() -> None:
    """The findings with what to write instead; no frame of code and no empty line."""
    stream = io.StringIO()
    show_manifest(Console(stream, for_agent=True), SiteState().after(BROKEN))
    first, *findings = stream.getvalue().splitlines()

    assert first.split()[0] == "manifest"
    assert findings
    assert all(re.match(r"webagents\.md:\d+:\d+: \w+\[[a-z-]+\]: .+ - .+", one) for one in findings)


def test_without_a_file_the_next_step_is_named() -> None:
    """At the start, and after a removal."""
    assert "create one" in told(SiteState())
    assert "webagents.md is gone" in told(SiteState().after(GOOD).after(None))


def test_colour_is_a_choice_of_the_console() -> None:
    """Plain text has no escapes."""
    state = SiteState().after(BROKEN)

    assert "\x1b" in told(state, color=True)
    assert "\x1b" not in told(state)


NOTED = GOOD + b"\n## getCart\n### Params\n"


def test_only_what_is_new_or_an_error_is_shown_again() -> None:
    """On a save that leaves warnings as they were the terminal says so in one line."""

    def saved(file: bytes, before: bytes) -> list[str]:
        stream = io.StringIO()
        earlier = SiteState().after(before)
        show_manifest(Console(stream), earlier.after(file), earlier)
        return stream.getvalue().splitlines()

    first = saved(NOTED, GOOD)
    assert any("warning[missing-description]" in line for line in first)
    # Other lines above move it, and it stays the same.
    (again,) = saved(b"\n" + NOTED, NOTED)
    assert again.endswith("2 tools, 1 warning, 1 info (2 shown before)")
    assert any("error[" in line for line in saved(b"\n" + BROKEN, BROKEN))


def test_findings_fit_the_terminal() -> None:
    """The caret stays below what is meant, and sentences break between words."""
    stream = io.StringIO()
    words = b"many words " * 9
    wide = b"# Site\n\n## f\n### Params\n- `a` (string): " + words + b"\n- `b` (Array<string): "
    show_manifest(Console(stream, width=60), SiteState().after(wide + words))
    lines = stream.getvalue().splitlines()

    assert max(map(len, lines)) <= 60
    caret = next(i for i, line in enumerate(lines) if "error[" in line) + 1
    while "^" not in lines[caret]:
        caret += 1
    below = lines[caret - 1][lines[caret].index("^") : lines[caret].rindex("^") + 1]
    assert below == ")"
