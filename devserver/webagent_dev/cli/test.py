"""`webagent-dev test`: proves that the pages of a site do what its manifest says."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.cli.candidates import folders, tools
from webagent_dev.cli.changes import NOTHING_WRITTEN, is_agreed, unified_diff
from webagent_dev.cli.exit import INTERRUPTED, NOTHING_CALLED, run_command
from webagent_dev.cli.options import (
    headed_option,
    native_option,
    session_option,
    spa_option,
    yes_option,
)
from webagent_dev.cli.report_output import FULL, ReportOutput, report_options, report_text
from webagent_dev.config.extras import TESTING
from webagent_dev.terminal import Console
from webagent_site.config.folders import state_folder
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Page

    from webagent.checks import Report as Checked
    from webagent_dev.contract.permission import Permission
    from webagent_dev.contract.proof import Progress, SiteReport
    from webagent_dev.contract.subject import Subject


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command."""

    only: frozenset[str] = frozenset()
    """Names of the tools that are proven; empty for all."""
    allow_unknown: bool = False
    allow_writes: bool = False
    timeout_s: float | None = None
    seed: int = 0
    spa: bool | None = None
    session: str | None = None
    headed: bool = False
    native: bool = False
    report: ReportOutput = FULL
    update: bool = False
    yes: bool = False


@click.command("test")
@click.argument("target", metavar="[ROOT|URL]", required=False, shell_complete=folders)
@click.option(
    "--only",
    multiple=True,
    metavar="TOOL",
    shell_complete=tools,
    help="Prove this tool only. May be given several times.",
)
@click.option(
    "--allow-unknown",
    is_flag=True,
    help="Also call tools that do not declare whether they write, as their sample code does.",
)
@click.option(
    "--allow-writes",
    is_flag=True,
    help="Also call tools that write, as their sample code does; `[test] reset` resets the site.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long a call may take if its tool does not declare that.  [default: 10]",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="NUMBER",
    help="The seed of generated arguments; another number generates other ones.",
)
@report_options
@click.option(
    "--update",
    is_flag=True,
    help="Show the manifest with the types of the observed results, and write it if you agree.",
)
@yes_option
@spa_option
@session_option
@headed_option
@native_option
@run_command
def command(
    console: Console,
    target: str | None,
    only: tuple[str, ...],
    allow_unknown: bool,
    allow_writes: bool,
    timeout_s: float | None,
    seed: int,
    styles: tuple[str, ...],
    outputs: tuple[Path, ...],
    update: bool,
    yes: bool,
    spa: bool,
    session: str | None,
    headed: bool,
    native: bool,
) -> int:
    """Prove that the pages of a site do what its manifest says.

    The tools of the folder ROOT (by default this one), or of the site at a URL, are looked for and
    called in a headless browser: with their sample code, then with arguments made from their types.
    Tools that need a login are called with that of --session, or of `[test] login` in webagent.toml.
    Tools that write are not called unless you allow it. The exit code is 1 if a promise is broken,
    and 5 if nothing was called.

    \b
    Example:
      webagent-dev test my-site --format html -o report.html
    """
    options = Options(
        frozenset(only),
        allow_unknown,
        allow_writes,
        timeout_s,
        seed,
        spa or None,
        session,
        headed,
        native,
        ReportOutput.of(styles, outputs),
        update,
        yes,
    )
    report = _run(target, console, options)
    if report.interrupted:
        return INTERRUPTED
    if report.is_empty:
        return NOTHING_CALLED
    return 0 if report.ok else 1


def _run(target: str | None, console: Console, options: Options) -> SiteReport:
    """Test a site, and write the report."""
    TESTING.require()
    import hypothesis.configuration

    from webagent.checks import check_bytes
    from webagent_dev.contract.permission import Permission
    from webagent_dev.contract.proof import Progress
    from webagent_dev.contract.report import TerminalProgress, contract_report
    from webagent_dev.contract.subject import subject_of
    from webagent_dev.reports.text import TerminalReport

    # Hypothesis would write its tables into the current folder.
    hypothesis.configuration.set_hypothesis_home_dir(state_folder() / "hypothesis")
    notes = Console(sys.stderr, color=sys.stderr.isatty())
    subject = subject_of(target, notes, spa=options.spa, session=options.session)
    writes = options.allow_writes or subject.allow_writes
    if writes:
        subject.refuse_writes()
    checked = check_bytes(subject.document.data, path=subject.document.name)
    if options.update and not options.report.is_full:
        raise UsageError(
            f"`--update` is given with `--format {options.report.terminal}` - both would write into the "
            "terminal - write `-o FILE` for the report too"
        )
    if options.update and subject.document.path is None:
        raise UsageError(
            f"`{subject.document.name}` cannot be updated - `--update` writes a file - "
            "give the folder that has the manifest"
        )
    terminal = TerminalReport(console, notes)
    progress = TerminalProgress(terminal) if options.report.is_full else Progress()
    permission = Permission(options.allow_unknown, writes, options.only)
    found: list[SiteReport] = []
    try:
        asyncio.run(_test(subject, checked, progress, permission, options, found))
    except Exception:
        # After Ctrl-C the browser may be gone before it is closed; the report is there already.
        if not found or not found[0].interrupted:
            raise
    report = found[0]
    content = contract_report(report)
    if options.report.is_full:
        terminal.end(content)
    options.report.write(lambda style: report_text(style, report.to_dict(), content), console)
    if options.update:
        _update(subject, checked, report, console, yes=options.yes)
    return report


async def _test(
    subject: Subject,
    checked: Checked,
    progress: Progress,
    permission: Permission,
    options: Options,
    found: list[SiteReport],
) -> None:
    from webagent_dev.browser.chromium import launch_browser
    from webagent_dev.browser.native import NATIVE, differences, prefer_ours
    from webagent_dev.browser.open_site import open_site_page, route_to_site
    from webagent_dev.contract.browser_harness import BrowserHarness
    from webagent_dev.contract.proof import with_differences
    from webagent_dev.contract.site_prover import TIMEOUT_S, Prover

    switches = [NATIVE] if options.native else []
    async with launch_browser(*switches, headed=options.headed) as browser:
        start = subject.target
        opened: dict[str, None] = {}

        state = subject.login.storage_state if subject.login else None
        session = subject.login.session if subject.login else None

        async def fresh(saved: bool, *, ours: bool = False) -> Page:
            nonlocal start
            page = await browser.new_page(storage_state=state if saved else None)
            if ours:
                await prefer_ours(page)
            start = await route_to_site(page, subject.target, spa=subject.spa)
            return page

        async def first(page: Page, path: str) -> None:
            opened[path] = None
            await open_site_page(page, start, path)

        prover = Prover(
            BrowserHarness(fresh, first, subject.reset, session.hide if session else None),
            checked,
            site=subject.shown,
            permission=permission,
            seed=options.seed,
            timeout_s=options.timeout_s or TIMEOUT_S,
            login=subject.login,
            paths=subject.paths,
            only=options.only,
            progress=progress,
        )
        if session:
            page = await fresh(True)
            await open_site_page(page, start, session=session)
            await page.close()
        if options.only:
            _refuse_unknown(options.only, await prover.names())
        report = await prover.run()
        found.append(report)
        if options.native and not report.interrupted:
            differing = []
            for path in [*opened]:
                pages = await fresh(True), await fresh(True, ours=True)
                for page in pages:
                    await first(page, path)
                differing += await differences(*pages)
                for page in pages:
                    await page.close()
            found[0] = with_differences(
                report, [one for one in differing if not options.only or one.tool in options.only]
            )
            for tool in found[0].tools:
                if proofs := tuple(one for one in tool.proofs if one.name == "native"):
                    progress.proven(replace(tool, proofs=proofs, observed=""))


def _refuse_unknown(only: Collection[str], names: Collection[str]) -> None:
    for name in only:
        if name not in names:
            near = get_close_matches(name, names, 1)
            remedy = (
                f"write `{near[0]}`" if near else f"it has {', '.join(f'`{n}`' for n in names)}"
            )
            raise UsageError(f"`{name}` is not a tool of the site - {remedy}")


def _update(
    subject: Subject, checked: Checked, report: SiteReport, console: Console, *, yes: bool
) -> None:
    """Show the manifest with the types of the observed results, and write it if that is agreed to."""
    from webagent_dev.contract.suggestions import with_observed_types

    path = subject.document.path
    assert path is not None
    update = with_observed_types(checked, report)
    for tool in update.left:
        console.line(
            f"`{tool.name}` returned `{tool.observed}` - its section has something else in the place "
            "of that type, such as a schema or a list - correct it by hand, if the result is right"
        )
    shown = unified_diff(
        checked.source.text, update.text, subject.document.name, label="as observed"
    )
    if not shown and update.left:
        return
    if not shown:
        console.line(f"{subject.document.name} declares what its tools return")
        return
    console.write(shown)
    if not is_agreed(f"Write {path.name}?", yes=yes):
        console.line(NOTHING_WRITTEN)
        return
    path.write_bytes(update.text.encode("utf-8"))
    console.line(f"{subject.document.name} is written")
