"""Findings as GitHub's workflow commands, which become annotations of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from webagent.diagnostics.finding import Finding, Severity
from webagent.source import Source

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github(findings: Iterable[Finding], source: Source) -> str:
    """Return one command a line."""
    return "".join(_command(finding, source) for finding in findings)


def _command(finding: Finding, source: Source) -> str:
    start = source.position(finding.span.start)
    end = source.position(finding.span.end)
    properties = {"file": source.path, "line": str(start.line)}
    if end.line == start.line:  # GitHub accepts columns only within one line
        properties |= {"col": str(start.column), "endColumn": str(end.column)}
    else:
        properties |= {"endLine": str(end.line)}
    properties["title"] = f"webagent {finding.rule}"
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = _data(f"{finding.message} - {finding.help}")
    return f"::{_COMMANDS[finding.severity]} {written}::{text}\n"


def _data(text: str) -> str:
    # `%` comes first, as the other escapes contain it.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
