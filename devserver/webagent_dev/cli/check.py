"""`webagent-dev check`: reports what is wrong with manifests, and fixes what can be fixed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from webagent_dev import __version__
from webagent_dev.cli.candidates import files, rules
from webagent_dev.cli.changes import write_text
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.explain import unknown_rule
from webagent_dev.cli.options import session_option
from webagent_dev.cli.report_output import ReportOutput, form_options
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent.checks import Report
    from webagent.diagnostics import Finding
    from webagent.diagnostics.rule import Rule
    from webagent_dev.audit.site_audit import Audit
    from webagent_dev.site.documents import Document

_ROUNDS = 10
"""How often a file is checked again after fixes, as one fix may make room for another."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A document, its findings, and the fixes that were made before."""

    document: Document
    report: Report
    fixed: tuple[tuple[Finding, Report], ...] = ()
    """Each finding that is gone, with the report that it was in."""
    is_manifest: bool = True
    """False for a page, and for the answers of a server."""


@click.command("check")
@click.argument("targets", metavar="[PATH|URL]...", nargs=-1, shell_complete=files)
@form_options(
    ["full", "concise", "json", "sarif", "github", "markdown", "html"],
    "The form of the findings: for people, for editors, for programs, for code hosts, as annotations "
    "and as a summary of a pull request; that of an audit also as a page.",
)
@click.option(
    "--rules-url",
    default="",
    metavar="URL",
    help="The address of the folder with the pages of the rules, which SARIF links to.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="RULE,...",
    shell_complete=rules,
    help="Use these rules only.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULE,...",
    shell_complete=rules,
    help="Leave these rules out.",
)
@session_option
@click.option("--fix", is_flag=True, help="Fix what can be fixed, and change nothing else.")
@click.option(
    "--audit",
    "audits",
    is_flag=True,
    help="Score how agents find, read and use a site: a URL, or a folder, which is served for it.",
)
@run_command
def command(
    console: Console,
    targets: tuple[str, ...],
    styles: tuple[str, ...],
    outputs: tuple[Path, ...],
    rules_url: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    session: str | None,
    fix: bool,
    audits: bool,
) -> int:
    """Report what is wrong with manifests, where, and what to write instead.

    A PATH is a file, or a folder with a webagents.md, by default this one; - is standard input. A
    URL is that of a manifest, or of a page that announces one. For a page, the answers of its server
    are checked too, and the page itself in a headless browser, with the login of --session. The exit
    code is 1 if there is an error and 2 if something cannot be checked.

    \b
    Example:
      webagent-dev check my-site --ignore missing-output
      webagent-dev check my-site --format sarif -o findings.sarif
      webagent-dev check https://shop.example/ --audit
    """
    from webagent_dev.site.documents import read_documents
    from webagent_site.config.urls import is_address

    asked = ReportOutput.of(styles, outputs)
    if rules_url and not is_address(rules_url):
        raise UsageError(
            f"`{rules_url}` is not an address - SARIF links each rule to its page there - "
            "write one that begins with `https://`"
        )
    if audits:
        if fix or len(targets) > 1:
            raise UsageError(
                "`--audit` is given with `--fix` or several targets - an audit looks at one site and "
                "writes nothing - run them one after the other"
            )
        if session:
            raise UsageError(
                "`--audit` and `--session` are given - an audit looks at a site as a new visitor - leave "
                "one of them out"
            )
        rule_sets = _wanted_rules(targets, select, ignore)
        return _audit(
            targets[0] if targets else ".", set.union(*rule_sets), asked, rules_url, console
        )
    if "html" in styles:
        raise UsageError(
            "`--format html` is given without `--audit` - findings are not a page - "
            "write `--audit` too, or another form"
        )
    rules, live_rules = _wanted_rules(targets, select, ignore)
    documents = read_documents(targets)
    if fix and (foreign := [document.name for document in documents if document.path is None]):
        raise UsageError(
            f"`{foreign[0]}` cannot be fixed - `--fix` writes files - save it, and give its path"
        )
    checked = [_check(document, rules) for document in documents]
    if fix:
        checked = [_fix(one, rules) for one in checked]
    if live_rules:
        notes = console if asked.is_full else None
        checked += _check_sites(targets, checked, live_rules, notes, session)
    if asked.is_full:
        _full(checked, console)
    asked.write(lambda style: _FORMS[style](checked, rules_url), console)
    return 1 if any(one.report.broken for one in checked) else 0


def _audit(
    target: str, wanted: set[str], asked: ReportOutput, rules_url: str, console: Console
) -> int:
    """Audit a site; the exit code is 1 if a row has failed."""
    from webagent_dev.audit.site_audit import audit_site
    from webagent_dev.config.extras import AUDIT

    AUDIT.require()
    notes = Console(sys.stderr)

    def say(part: str) -> None:
        if sys.stderr.isatty():
            notes.labelled("audit", f"{part} …")

    with _address(target) as url:
        audit = audit_site(target, url, wanted, say)
    if asked.is_full:
        _show_audit(audit, console)
    asked.write(lambda style: _audit_text(style, audit, rules_url), console)
    return 0 if audit.ok else 1


@contextmanager
def _address(target: str) -> Iterator[str]:
    """Yield the address of a site; a folder is served while the block runs.

    Raises:
        UsageError: It is neither, or the folder cannot be served.
    """
    from webagent_site.config.urls import is_address

    if is_address(target):
        yield target
        return
    root = Path(target)
    if not root.is_dir():
        raise UsageError(
            f"`{target}` is neither a folder nor an address - an audit looks at a site - "
            "write the path of its folder, or `https://…`"
        )
    from webagent_dev.server.site_server import SiteServer

    with TemporaryDirectory(prefix="webagent-") as state:
        server = SiteServer(root.resolve(), Path(state))
        try:
            yield server.entrance if "?" in server.entrance else f"{server.url}/"
        finally:
            server.stop()


def _wanted_rules(
    targets: Sequence[str], select: Iterable[str], ignore: Iterable[str]
) -> tuple[set[str], set[str]]:
    """Return the names of all rules to use, and those among them that are for published sites."""
    from webagent_dev.config.live_rules import LIVE_RULES

    known = _all_rules()
    selected, ignored = (_named_rules(names, known) for names in (select, ignore))
    configured = None if selected or ignored else _configured_rules(targets)
    wanted = (selected or set(known)) - ignored if configured is None else set(configured)
    return wanted, wanted & LIVE_RULES.keys()


def _all_rules() -> dict[str, Rule]:
    from webagent.rules import RULES
    from webagent_dev.config.live_rules import LIVE_RULES

    return RULES | LIVE_RULES


def _named_rules(options: Iterable[str], known: dict[str, Rule]) -> set[str]:
    names = {name.strip() for text in options for name in text.split(",") if name.strip()}
    for name in sorted(names - known.keys()):
        raise unknown_rule(name, known)
    return names


def _configured_rules(targets: Sequence[str]) -> frozenset[str] | None:
    """Return the rules of the `webagent.toml` that `serve` would read, None without the file."""
    from webagent_dev.config.resolve import find_config

    file = find_config(targets[0] if len(targets) == 1 else None)
    if file is None:
        return None
    from webagent_dev.config.toml_file import read_config, wanted_rules

    return wanted_rules(read_config(file))


def _check_sites(
    targets: Sequence[str],
    checked: Sequence[Checked],
    wanted: set[str],
    console: Console | None,
    session: str | None,
) -> list[Checked]:
    """Return the findings on the sites among the targets, without those on their manifests."""
    from webagent_dev.config.saved_sessions import session_for
    from webagent_dev.site.documents import Document
    from webagent_site.config.urls import is_address

    found = []
    for target, one in zip(targets, checked, strict=False):
        if is_address(target) and target != one.document.name:
            # It imports an HTTP client and the modules of a server.
            from webagent_dev.publish.preflight.browser_checks import preflight_reports

            visitor = session_for(session, target)
            for report in preflight_reports(target, one.report, console, visitor):
                if kept := tuple(f for f in report.findings if f.rule in wanted):
                    document = Document(report.source.path, b"")
                    kept_report = replace(report, findings=kept)
                    found.append(Checked(document, kept_report, is_manifest=False))
    return found


def _check(document: Document, wanted: set[str]) -> Checked:
    from webagent.checks import check_bytes

    report = check_bytes(document.data, path=document.name)
    kept = tuple(finding for finding in report.findings if finding.rule in wanted)
    return Checked(document, replace(report, findings=kept))


def _fix(checked: Checked, wanted: set[str]) -> Checked:
    """Write the file with its fixes, and check it again until no fix is left."""
    from webagent.diagnostics.fixes import apply_fixes

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
        text = document.data.decode("utf-8")
        write_text(path, text, "make it writable, or check it without `--fix`")
    return replace(checked, fixed=tuple(fixed))


def _full(checked: Sequence[Checked], console: Console) -> None:
    from webagent_dev.site.findings import show_findings, tally

    for one in checked:
        console.write(_fixed(one))
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
        console.line(f"{count} can be fixed with `--fix`")


def _concise(checked: Sequence[Checked], _: str) -> str:
    from webagent.diagnostics import render_concise

    return "".join(
        _fixed(one) + render_concise(one.report.findings, one.report.source) for one in checked
    )


def _fixed(one: Checked) -> str:
    """Return a line for each fix that was made."""
    lines = []
    for finding, report in one.fixed:
        assert finding.fix is not None
        place = _place(finding, one, report)
        lines.append(f"{place}: fixed[{finding.rule}]: {finding.fix.title}\n")
    return "".join(lines)


def _place(finding: Finding, one: Checked, report: Report) -> str:
    start = report.source.position(finding.span.start)
    return f"{one.document.name}:{start.line}:{start.column}"


def _json(checked: Sequence[Checked], _: str) -> str:
    from webagent.diagnostics import finding_dict

    reports = []
    for one in checked:
        fixed = [finding_dict(finding, report.source) for finding, report in one.fixed]
        reports.append(one.report.to_dict() | {"fixed": fixed})
    return json.dumps(reports, indent=2) + "\n"


def _sarif(checked: Sequence[Checked], rules_url: str) -> str:
    from webagent.diagnostics.sarif import sarif

    found = [(one.report.source, one.report.findings) for one in checked]
    log = sarif(found, list(_all_rules().values()), __version__, rules_url)
    return json.dumps(log, indent=2) + "\n"


def _github(checked: Sequence[Checked], _: str) -> str:
    from webagent.diagnostics.github import github

    return "".join(github(one.report.findings, one.report.source) for one in checked)


def _markdown(checked: Sequence[Checked], _: str) -> str:
    from webagent_dev.reports.markdown import section
    from webagent_dev.site.findings import tally

    return "".join(
        section(
            f"webagent-dev check {one.document.name}",
            tally(one.report, tools=one.is_manifest),
            [
                (f.severity.value, f.rule, _place(f, one, one.report), f.message)
                for f in one.report.findings
            ],
            ok=not one.report.broken,
        )
        for one in checked
    )


_FORMS: dict[str, Callable[[Sequence[Checked], str], str]] = {
    "concise": _concise,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "markdown": _markdown,
}
"""The values of `--format` but for `full`, and what writes each; it gets the address of the rules."""


def _show_audit(audit: Audit, console: Console) -> None:
    from webagent_dev.audit.report import audit_report
    from webagent_dev.reports.text import TerminalReport

    report = audit_report(audit)
    terminal = TerminalReport(console)
    console.line(console.paint("bold", report.title))
    terminal.start([item.name for item in report.items])
    for item in report.items:
        terminal.item(item)
    terminal.end(report)


def _audit_text(style: str, audit: Audit, rules_url: str) -> str:
    """Return an audit in a form; those for findings are as of any check."""
    from webagent_dev.audit.report import audit_dict, audit_markdown, audit_report
    from webagent_dev.reports.html import html_page
    from webagent_dev.site.documents import Document

    match style:
        case "json":
            return json.dumps(audit_dict(audit), indent=2) + "\n"
        case "html":
            return html_page(audit_report(audit))
        case "markdown":
            return audit_markdown(audit)
    checked = [Checked(Document(one.source.path, b""), one) for one in audit.reports]
    return _FORMS[style](checked, rules_url)
