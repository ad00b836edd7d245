"""`webagent-dev test`: its options, its reports, and its exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from webagent_dev.cli import test as test_module
from webagent_dev.cli.main import main
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.proof import Proof, SiteReport, ToolReport
from webagent_dev.reports.content import Place, Verdict
from webagent_site.errors import UsageError

MANIFEST = "# Shop\n\n## list\nAll.\n\n### Params\n\n### Behavior\n- effect: read\n"
TEST = Callable[..., Result]


def report(verdict: Verdict = Verdict.PASSED, *, interrupted: bool = False) -> SiteReport:
    """Return a report of one tool."""
    place = Place("webagents.md", 3)
    proof = Proof("result", verdict, "`list` gives nothing - mend it", place, calls=1)
    allow = "`--allow-unknown`" if verdict is Verdict.SKIPPED else ""
    tool = ToolReport(
        "list", "read", "manifest", "list()", (proof,), allow=allow, observed="string[]"
    )
    return SiteReport("shop", "Shop", (tool,), 0, "2026-01-02T03:04:05+00:00", (), (), interrupted)


class Stand:
    """Stands in for the browser: remembers what was asked, and gives a report.

    Attributes:
        given: What the test was started with.
        report: What comes of it.
        error: What it raises, after the report is known.
    """

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}
        self.report = report()
        self.error: Exception | None = None

    async def __call__(
        self,
        subject: Any,
        checked: Any,
        lines: Any,
        permission: Permission,
        options: Any,
        found: list[SiteReport],
    ) -> None:
        self.given = {"subject": subject, "permission": permission, "options": options}
        lines.started(["list"])
        lines.proven(self.report.tools[0])
        found.append(self.report)
        if self.error is not None:
            raise self.error


@pytest.fixture(name="tested")
def _tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "webagents.md").write_text(MANIFEST)
    # The tables of the tests' own Hypothesis stay where they are.
    monkeypatch.setattr("hypothesis.configuration.set_hypothesis_home_dir", lambda directory: None)
    found = Stand()
    monkeypatch.setattr(test_module, "_test", found)
    return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["test", *arguments])


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (report(), 0),
        (report(Verdict.SKIPPED), 5),
        (report(Verdict.NEEDS_LOGIN), 5),
        (report(Verdict.FAILED), 1),
        (report(interrupted=True), 130),
    ],
)
def test_the_exit_code_is_that_of_the_report(tested: Stand, found: SiteReport, code: int) -> None:
    """A tool that is not called breaks no promise; a test that called nothing is no success."""
    tested.report = found
    result = run()

    assert result.exit_code == code
    assert ("1 of 1 tool not proven" if code == 5 else "1 tool: 1 ") in result.stdout


def test_options_reach_the_test(tested: Stand) -> None:
    """By default as little is allowed as can be."""
    run()
    assert tested.given["permission"] == Permission()
    assert tested.given["options"] == test_module.Options()

    run("--only", "list", "--only", "pay", "--allow-unknown", "--allow-writes", "--timeout", "2.5")
    named = frozenset(["list", "pay"])
    assert tested.given["permission"] == Permission(unknown=True, writes=True, named=named)
    assert tested.given["options"].timeout_s == 2.5


def test_the_configuration_allows_writes(tested: Stand) -> None:
    """Which is then not typed each time."""
    Path("webagent.toml").write_text("[test]\nallow_writes = true\n")
    run()

    assert tested.given["permission"].writes


@pytest.mark.parametrize(
    ("style", "start"), [("html", "<!doctype html>"), ("junit", "<?xml"), ("json", '{\n  "ok"')]
)
def test_a_report_is_written_in_each_form(tested: Stand, style: str, start: str) -> None:
    """Into the terminal alone, or into a file beside the table."""
    assert run("--format", style).stdout.startswith(start)

    result = run("--format", style, "-o", "report")
    assert Path("report").read_text("utf-8").startswith(start)
    assert "1 tool: 1 passed" in result.stdout
    assert result.stdout.splitlines()[-1] == "the report is in report"


def test_one_run_writes_several_forms(tested: Stand) -> None:
    """Each into its file, in order; the last may be for the terminal, which then has nothing else."""
    typed = "--format", "html", "-o", "a", "--format", "markdown", "-o", "b"
    result = run(*typed)
    assert Path("a").read_text("utf-8").startswith("<!doctype html>")
    assert Path("b").read_text("utf-8").startswith("### ✓ webagent\\-dev test")
    assert "1 tool: 1 passed" in result.stdout

    assert json.loads(run(*typed, "--format", "json").stdout)["ok"] is True


def test_the_json_of_the_terminal_is_whole(tested: Stand) -> None:
    """Nothing else is written to standard output."""
    assert json.loads(run("--format", "json").stdout)["tools"][0]["name"] == "list"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        (("-o", "r.html"), "`--output` is given without a format"),
        (("--format", "json", "--update"), "both would write into the terminal"),
        (("--format", "html", "-o", "a", "-o", "b"), "`--output` is given without a format"),
        (("--format", "html", "--format", "json"), "are both for the terminal"),
    ],
)
def test_outputs_that_exclude_each_other_are_refused(
    tested: Stand, typed: tuple[str, ...], why: str
) -> None:
    """Before anything is tested."""
    result = run(*typed)

    assert result.exit_code == 2
    assert why in result.stderr
    assert tested.given == {}


def test_a_report_that_cannot_be_written_is_a_usage_error(tested: Stand) -> None:
    """The table is there all the same."""
    result = run("--format", "html", "-o", "nowhere/r.html")

    assert result.exit_code == 2
    assert "1 tool: 1 passed" in result.stdout
    assert "`nowhere/r.html` cannot be written" in result.stderr


def test_an_update_is_shown_and_written_with_a_yes(tested: Stand) -> None:
    """Without one nothing is written."""
    shown = run("--update")
    assert Path("webagents.md").read_text() == MANIFEST
    assert "+string[]\n" in shown.stdout
    assert "nothing was written - `--yes` writes without asking" in shown.stdout

    assert "webagents.md is written" in run("--update", "--yes").stdout
    assert Path("webagents.md").read_text().endswith("### Output\n\n```typescript\nstring[]\n```\n")


def test_an_update_reports_what_it_left(tested: Stand) -> None:
    """Only the author can write that part; the file stays as it is."""
    text = MANIFEST.replace("### Behavior", "### Output\n- `names`: All.\n\n### Behavior")
    Path("webagents.md").write_text(text)
    shown = run("--update", "--yes")

    assert "`list` returned `string[]` - its section has something else" in shown.stdout
    assert "declares what its tools return" not in shown.stdout
    assert Path("webagents.md").read_text() == text


@pytest.mark.process
def test_an_update_needs_a_file(tested: Stand) -> None:
    """The output of a command cannot be written back."""
    code = f'"{sys.executable}" -c "print(chr(35) + chr(32) + chr(83))"'
    Path("webagent.toml").write_text(f"[site]\nmanifest_command = {json.dumps(code)}\n")
    result = run("--update")

    assert result.exit_code == 2
    assert "`--update` writes a file" in result.stderr


def test_the_report_survives_the_end_of_the_browser(tested: Stand) -> None:
    """Ctrl-C ends it too; without Ctrl-C its end is an error."""
    tested.error, tested.report = UsageError("the browser is gone"), report(interrupted=True)
    assert run().exit_code == 130

    tested.report = report()
    result = run()
    assert result.exit_code == 2
    assert "the browser is gone" in result.stderr


def test_without_hypothesis_the_error_names_the_pip_command(
    tested: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server does not need it."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    result = run()

    assert result.exit_code == 2
    assert 'run `pip install "webagent-dev[testing]"`' in result.stderr
