"""`webagent-dev check`: says what is wrong with manifests, and mends what can be mended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from webagent.checks import Report, check_bytes
from webagent.checks.rules import RULES
from webagent.diagnostics import Finding, finding_dict, render_concise
from webagent.diagnostics.fixes import apply_fixes
from webagent.diagnostics.github import github
from webagent.diagnostics.sarif import sarif
from webagent_dev import __version__
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.config.resolve import find_config
from webagent_dev.config.urls import is_address
from webagent_dev.errors import ConfigError, UsageError
from webagent_dev.site.documents import Document, read_documents
from webagent_dev.site.findings import show_findings, tally
from webagent_dev.terminal import Console

_ROUNDS = 10
"""How often a file is checked again after fixes, as one fix may make room for another."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A document, what is to be said of it, and what was mended before."""

    document: Document
    report: Report
    fixed: tuple[tuple[Finding, Report], ...] = ()
    """Each finding that is gone, with the report in which it stood."""
    is_manifest: bool = True
    """False for a page, and for what a server says."""


def run(
    targets: Sequence[str],
    console: Console,
    *,
    style: str = "full",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    fix: bool = False,
) -> int:
    """Check all targets and write what was found; return the exit code: 1 if there is an error.

    Args:
        targets: Paths, folders, addresses, `-`; by default this folder.
        console: Where to write.
        style: A key of `FORMATS`.
        select: Rules to look for, names separated by commas; by default all.
        ignore: Rules to leave out.
        fix: Whether to put fixes into the files.

    Raises:
        UsageError: A target cannot be read, or cannot be mended; a rule does not exist.
    """
    chosen = _rules(select)
    left_out = _rules(ignore)
    said = None if chosen or left_out else _configured(targets)
    everything = {*RULES, *LIVE_RULES}
    wanted = set(said) if said is not None else (chosen or everything) - left_out
    live = wanted & LIVE_RULES.keys()
    documents = read_documents(targets)
    if fix and (foreign := [document.name for document in documents if document.path is None]):
        raise UsageError(
            f"`{foreign[0]}` cannot be mended - `--fix` writes files - save it, and give its path"
        )
    checked = [_check(document, wanted) for document in documents]
    if fix:
        checked = [_mend(one, wanted) for one in checked]
    if live:
        checked += _live(targets, checked, live, console if style == "full" else None)
    FORMATS[style](checked, console)
    return 1 if any(one.report.broken for one in checked) else 0


def _configured(targets: Sequence[str]) -> frozenset[str] | None:
    """Return the rules that `webagent.toml` leaves, None without the file; as for `serve`."""
    only = targets[0] if len(targets) == 1 else None
    file = find_config(only)
    if file is None:
        return None
    from webagent_dev.config.toml_file import read_config, wanted_rules

    try:
        return wanted_rules(read_config(file))
    except ConfigError as error:
        raise UsageError(str(error)) from None


def _rules(given: Iterable[str]) -> set[str]:
    names = {name.strip() for text in given for name in text.split(",") if name.strip()}
    known = RULES | LIVE_RULES
    for name in sorted(names - known.keys()):
        near = get_close_matches(name, known, 1)
        remedy = f"write `{near[0]}`" if near else "`webagent-dev explain` lists all rules"
        raise UsageError(f"`{name}` is no rule - {remedy}")
    return names


def _live(
    targets: Sequence[str], checked: Sequence[Checked], wanted: set[str], console: Console | None
) -> list[Checked]:
    """Return what is to be said of the sites among the targets, beside their manifests."""
    from webagent_dev.publish.preflight.browser_checks import look_at

    found = []
    for target, one in zip(targets, checked, strict=False):
        if is_address(target) and target != one.document.name:
            for report in look_at(target, one.report, console):
                kept = tuple(f for f in report.findings if f.rule in wanted)
                if kept:
                    document = Document(report.source.path, b"")
                    kept_report = replace(report, findings=kept)
                    found.append(Checked(document, kept_report, is_manifest=False))
    return found


def _check(document: Document, wanted: set[str]) -> Checked:
    report = check_bytes(document.data, path=document.name)
    kept = tuple(finding for finding in report.findings if finding.rule in wanted)
    return Checked(document, replace(report, findings=kept))


def _mend(checked: Checked, wanted: set[str]) -> Checked:
    """Write the file with its fixes, and check it again until no fix is left."""
    document, path = checked.document, checked.document.path
    assert path is not None
    try:
        document.data.decode("utf-8")
    except UnicodeDecodeError:
        return checked
    fixed: list[tuple[Finding, Report]] = []
    for _ in range(_ROUNDS):
        result = apply_fixes(checked.report.source.text, checked.report.findings)
        if not result.applied:
            break
        fixed += [(finding, checked.report) for finding in result.applied]
        document = replace(document, data=result.text.encode("utf-8"))
        checked = _check(document, wanted)
    if fixed:
        try:
            path.write_bytes(document.data)
        except OSError as error:
            raise UsageError(
                f"`{path}` cannot be written - {error.strerror or error} - "
                "make it writable, or check it without `--fix`"
            ) from None
    return replace(checked, fixed=tuple(fixed))


def _full(checked: Sequence[Checked], console: Console) -> None:
    for one in checked:
        _say_fixed(one, console)
        report = one.report
        if report.findings:
            show_findings(console, report.findings, report.source)
            console.line()
        style = "red" if report.broken else "green"
        console.line(
            console.paint(style, f"{one.document.name}: {tally(report, tools=one.is_manifest)}")
        )
    fixable = sum(f.fix is not None for one in checked for f in one.report.findings)
    if fixable and all(one.document.path for one in checked):
        count = "one finding" if fixable == 1 else f"{fixable} findings"
        console.line(f"{count} can be mended with `--fix`")


def _concise(checked: Sequence[Checked], console: Console) -> None:
    for one in checked:
        _say_fixed(one, console)
        if text := render_concise(one.report.findings, one.report.source):
            console.line(text.rstrip("\n"))


def _say_fixed(one: Checked, console: Console) -> None:
    for finding, report in one.fixed:
        assert finding.fix is not None
        place = report.source.position(finding.span.start)
        console.line(
            f"{one.document.name}:{place.line}:{place.column}: fixed[{finding.rule}]: "
            f"{finding.fix.title}"
        )


def _json(checked: Sequence[Checked], console: Console) -> None:
    reports = []
    for one in checked:
        fixed = [finding_dict(finding, report.source) for finding, report in one.fixed]
        reports.append(one.report.to_dict() | {"fixed": fixed})
    console.line(json.dumps(reports, indent=2))


def _sarif(checked: Sequence[Checked], console: Console) -> None:
    found = [(one.report.source, one.report.findings) for one in checked]
    console.line(
        json.dumps(sarif(found, [*RULES.values(), *LIVE_RULES.values()], __version__), indent=2)
    )


def _github(checked: Sequence[Checked], console: Console) -> None:
    for one in checked:
        if text := github(one.report.findings, one.report.source):
            console.line(text.rstrip("\n"))


FORMATS: dict[str, Callable[[Sequence[Checked], Console], None]] = {
    "full": _full,
    "concise": _concise,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}
"""The values of `--format`, and what writes each."""
