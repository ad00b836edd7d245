from __future__ import annotations

import io
import re
from pathlib import Path

from tests.devserver.site.test_state import BROKEN, GOOD
from webagent_dev.site.findings import absence, show_manifest
from webagent_dev.site.source import NamedFile
from webagent_dev.site.state import Site, SiteState
from webagent_dev.terminal import Console


def in_state(state: SiteState) -> Site:
    """Return a site whose manifest is not in a file."""
    site = Site(Path("/no/such/site"))
    site.state = state
    return site


def told(state: SiteState, *, color: bool = False) -> str:
    stream = io.StringIO()
    show_manifest(Console(stream, color=color), in_state(state))
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
    show_manifest(Console(stream, for_agent=True), in_state(SiteState().after(BROKEN)))
    first, *findings = stream.getvalue().splitlines()

    assert first.split()[0] == "manifest"
    assert findings
    assert all(re.match(r"webagents\.md:\d+:\d+: \w+\[[a-z-]+\]: .+ - .+", one) for one in findings)


def test_without_a_file_the_next_step_is_named() -> None:
    """At the start, and after a removal."""
    first = told(SiteState())

    assert "looked for /no/such/site/webagents.md" in first
    assert "create one" in first
    assert "webagents.md is gone" in told(SiteState().after(GOOD).after(None))


def test_a_manifest_that_lies_elsewhere_is_named(tmp_path: Path) -> None:
    """With the place where the framework publishes it."""

    def missing() -> str:
        return absence(Site(tmp_path))

    for name in ("manage.py", "shop/apps.py", "staticfiles/webagents.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert missing().endswith("`webagent-dev init --into .` puts one where Django publishes it")

    (tmp_path / "shop/templates").mkdir()
    (tmp_path / "shop/templates/webagents.md").touch()
    assert missing().endswith(
        "shop/templates/webagents.md is there, and is not published - move it to "
        "shop/static/webagents.md"
    )

    (tmp_path / "shop/static").mkdir()
    (tmp_path / "shop/static/webagents.md").touch()
    assert missing().endswith(
        "Django publishes shop/static/webagents.md - write `webagent-dev serve -- python manage.py "
        "runserver`"
    )


def test_findings_name_the_file_that_is_read(tmp_path: Path) -> None:
    """It may be in a folder of the framework."""
    file = tmp_path / "public" / "webagents.md"
    file.parent.mkdir()
    file.write_bytes(BROKEN)
    site = Site(tmp_path, source=NamedFile(file))
    site.state = site.state.after(BROKEN)
    stream = io.StringIO()
    show_manifest(Console(stream, for_agent=True), site)
    first, finding, *_ = stream.getvalue().splitlines()

    assert "public/webagents.md: " in first
    assert finding.startswith("public/webagents.md:")


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
        show_manifest(Console(stream), in_state(earlier.after(file)), earlier)
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
    show_manifest(Console(stream, width=60), in_state(SiteState().after(wide + words)))
    lines = stream.getvalue().splitlines()

    assert max(map(len, lines)) <= 60
    caret = next(i for i, line in enumerate(lines) if "error[" in line) + 1
    while "^" not in lines[caret]:
        caret += 1
    below = lines[caret - 1][lines[caret].index("^") : lines[caret].rindex("^") + 1]
    assert below == ")"
