"""`webagent-dev test`: proves that the pages of a site do what its manifest says."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent.checks import Report as Checked
from webagent.checks import check_bytes
from webagent_dev.browser.chromium import launch_browser
from webagent_dev.browser.open_site import open_site_page, route_to_site
from webagent_dev.cli.diff import difference
from webagent_dev.cli.exit import INTERRUPTED
from webagent_dev.config.extras import HYPOTHESIS_MISSING
from webagent_dev.config.folders import state_folder
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.report import Report
from webagent_dev.contract.subject import Subject, subject_of
from webagent_dev.errors import UsageError
from webagent_dev.terminal import Console

if TYPE_CHECKING:
    from playwright.async_api import Page

    from webagent_dev.reports.text import Lines


@dataclass(frozen=True, slots=True)
class Choices:
    """What was typed beside the site."""

    only: frozenset[str] = frozenset()
    """Names of the tools that are proven; empty for all."""
    allow_unknown: bool = False
    allow_writes: bool = False
    timeout_s: float | None = None
    seed: int = 0
    spa: bool | None = None
    headed: bool = False
    files: Mapping[str, Path] = field(default_factory=dict)
    """Where reports are written, by a key of `FORMATS`."""
    update: bool = False
    yes: bool = False


def run(target: str | None, console: Console, notes: Console, choices: Choices) -> int:
    """Test a site and write what came of it; return the exit code.

    Args:
        target: An address, the path of a folder, or None for what the configuration names.
        console: Where the table is written.
        notes: Where it is said what is under way.
        choices: What was typed beside it.

    Returns:
        0 if every promise that was tried is kept, 1 if one is broken, 130 after Ctrl-C.

    Raises:
        UsageError: There is no browser, no Hypothesis, no such site or tool; or what puts the site back
            failed.
    """
    try:
        import hypothesis.configuration
    except ImportError:
        raise UsageError(HYPOTHESIS_MISSING) from None
    from webagent_dev.reports.text import Lines

    # It would keep tables of its own in the folder where it is used.
    hypothesis.configuration.set_hypothesis_home_dir(state_folder() / "hypothesis")
    subject = subject_of(target, notes, spa=choices.spa)
    writes = choices.allow_writes or subject.allow_writes
    if writes:
        subject.refuse_writes()
    checked = check_bytes(subject.document.data, path=subject.document.name)
    if choices.update and subject.document.path is None:
        raise UsageError(
            f"`{subject.document.name}` cannot be updated - `--update` writes a file - "
            "give the folder that has the manifest"
        )
    lines = Lines(console, notes)
    permission = Permission(choices.allow_unknown, writes, choices.only)
    report = _run(subject, checked, lines, permission, choices)
    lines.end(report)
    _write(report, console, choices.files)
    if choices.update:
        _update(subject, checked, report, console, yes=choices.yes)
    if report.interrupted:
        return INTERRUPTED
    return 0 if report.ok else 1


def _run(
    subject: Subject, checked: Checked, lines: Lines, permission: Permission, choices: Choices
) -> Report:
    found: list[Report] = []
    try:
        asyncio.run(_test(subject, checked, lines, permission, choices, found))
    except Exception:
        # After Ctrl-C the browser may be gone before it was closed; what is known counts.
        if not found or not found[0].interrupted:
            raise
    return found[0]


async def _test(
    subject: Subject,
    checked: Checked,
    lines: Lines,
    permission: Permission,
    choices: Choices,
    found: list[Report],
) -> None:
    from webagent_dev.contract.browser_stage import BrowserStage
    from webagent_dev.contract.site_prover import TIMEOUT_S, Prover

    async with launch_browser(headed=choices.headed) as browser:
        start = subject.target

        async def fresh() -> Page:
            nonlocal start
            page = await browser.new_page()
            start = await route_to_site(page, subject.target, spa=subject.spa)
            return page

        async def first(page: Page, path: str) -> None:
            await open_site_page(page, start, path)

        prover = Prover(
            BrowserStage(fresh, first, subject.reset),
            checked,
            site=subject.shown,
            permission=permission,
            seed=choices.seed,
            timeout_s=choices.timeout_s or TIMEOUT_S,
            only=choices.only,
            progress=lines,
        )
        if choices.only:
            _refuse_unknown(choices.only, await prover.names())
        found.append(await prover.run())


def _refuse_unknown(only: Collection[str], names: Collection[str]) -> None:
    for name in only:
        if name not in names:
            near = get_close_matches(name, names, 1)
            remedy = (
                f"write `{near[0]}`" if near else f"it has {', '.join(f'`{n}`' for n in names)}"
            )
            raise UsageError(f"`{name}` is no tool of the site - {remedy}")


def _json(report: Report) -> str:
    return json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"


def _junit(report: Report) -> str:
    from webagent_dev.reports.junit import junit

    return junit(report)


def _html(report: Report) -> str:
    from webagent_dev.reports.html import page

    return page(report)


FORMATS: Mapping[str, Callable[[Report], str]] = {"json": _json, "junit": _junit, "html": _html}
"""The reports for files, and what writes each."""


def _write(report: Report, console: Console, files: Mapping[str, Path]) -> None:
    for name, path in files.items():
        try:
            path.write_text(FORMATS[name](report), encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(
                f"`{path}` cannot be written - {error.strerror or error} - "
                "write the path of a file in a folder that is there"
            ) from None
        console.line(f"{path} is written")


def _update(
    subject: Subject, checked: Checked, report: Report, console: Console, *, yes: bool
) -> None:
    """Show what the manifest would say if it declared what calls gave, and write it if that is wanted."""
    from webagent_dev.contract.suggestions import updated

    path = subject.document.path
    assert path is not None
    update = updated(checked, report)
    for tool in update.left:
        console.line(
            f"`{tool.name}` gave `{tool.observed}` - where its type belongs stands something else, "
            "such as a schema or a list - correct it by hand, if that is what is meant"
        )
    text = update.text
    shown = difference(checked.source.text, text, subject.document.name, what="as observed")
    if not shown and update.left:
        return
    if not shown:
        console.line(f"{subject.document.name} declares what its tools give")
        return
    console.write(shown)
    if not yes and not (sys.stdin.isatty() and click.confirm(f"Write {path.name}?", default=False)):
        console.line("nothing was written - `--yes` writes without asking")
        return
    path.write_bytes(text.encode("utf-8"))
    console.line(f"{subject.document.name} is written")
