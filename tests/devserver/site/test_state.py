"""The state of a manifest over its saves."""

from __future__ import annotations

from pathlib import Path

from tests.devserver.conftest import MANIFEST
from webagent_dev.live.messages import findings_message
from webagent_dev.site.state import Site, SiteState, check_manifest

GOOD = MANIFEST.encode()
BROKEN = MANIFEST.replace(
    "## searchBooks", "## searchBooks\n\n### Params\n\n## searchBooks"
).encode()
"""The same tool twice; the second time on line 9."""


def test_the_last_good_version_is_served_until_there_is_another() -> None:
    """Through errors and removal."""
    good = SiteState().after(GOOD)
    broken = good.after(BROKEN)
    gone = broken.after(None)
    mended = gone.after(GOOD + b"\n")

    assert [state.broken for state in (good, broken, gone, mended)] == [False, True, False, False]
    assert [state.stale for state in (good, broken, gone, mended)] == [False, True, True, False]
    assert good.served == broken.served == gone.served == GOOD
    assert mended.served == GOOD + b"\n"
    assert [s.revision for s in (good, broken, gone, mended)] == [1, 2, 3, 4]


def test_a_manifest_without_a_good_version_is_served_as_it_is() -> None:
    """There is nothing better."""
    state = SiteState().after(BROKEN)

    assert state.served == BROKEN
    assert not state.stale
    assert state.manifest_path == "/webagents.md"


def test_without_a_manifest_there_is_no_path() -> None:
    """Pages get no findings."""
    assert SiteState().manifest_path is None
    assert findings_message(SiteState()).findings == []


def test_findings_come_with_the_lines_they_are_about() -> None:
    """So that a page can show the place without asking."""
    message = findings_message(SiteState().after(BROKEN))
    finding = next(f for f in message.findings if f["severity"] == "error")

    assert message.path == finding["path"] == "webagents.md"
    assert finding["span"]["start"]["line"] == 9
    assert message.lines["9"] == "## searchBooks"


def test_a_manifest_that_is_not_utf_8_is_broken_at_that_place() -> None:
    """Its text cannot be sent to a page."""
    report = check_manifest(b"# Shop\n\nK\xe4se\n")
    finding = report.findings[0]
    position = report.source.position(finding.span.start)

    assert report.broken
    assert finding.rule == "not-utf-8"
    assert (position.line, position.column) == (3, 2)


def test_a_manifest_that_links_out_of_the_root_is_ignored(root: Path) -> None:
    """The rule for files holds for it too."""
    (root / "webagents.md").rename(root.parent / "elsewhere.md")
    (root / "webagents.md").symlink_to(root.parent / "elsewhere.md")

    assert Site(root).state.served is None
