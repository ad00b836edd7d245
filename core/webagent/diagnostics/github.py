"""Workflow commands of GitHub, which become annotations of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from webagent.diagnostics.finding import Finding, Severity
from webagent.source import Source

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github(findings: Iterable[Finding], source: Source) -> str:
    """Return one command a line."""
    return "".join(_command(finding, source) for finding in findings)


def workflow_command(name: str, text: str, **properties: str) -> str:
    """Return a command as a line: what a text has in it begins no other command.

    Args:
        name: `error`, `warning` or `notice`.
        text: What the annotation says.
        properties: Where it is, and its title.
    """
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{name} {written}::{_data(text)}\n"


def _command(finding: Finding, source: Source) -> str:
    start = source.position(finding.span.start)
    end = source.position(finding.span.end)
    properties = {"file": source.path, "line": str(start.line)}
    if end.line == start.line:  # GitHub accepts columns only within one line
        properties |= {"col": str(start.column), "endColumn": str(end.column)}
    else:
        properties |= {"endLine": str(end.line)}
    properties["title"] = f"webagent {finding.rule}"
    text = f"{finding.message} - {finding.help}"
    return workflow_command(_COMMANDS[finding.severity], text, **properties)


def _data(text: str) -> str:
    # `%` comes first, as the other escapes contain it.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
