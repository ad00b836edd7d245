"""Findings as SARIF 2.1.0, which code hosts and editors show next to the code.

Format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from webagent.diagnostics.finding import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.source import Source, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif(
    found: Iterable[tuple[Source, Sequence[Finding]]],
    rules: Sequence[Rule],
    version: str,
    rules_url: str = "",
) -> dict[str, Any]:
    """Return the log of one run as JSON data.

    Args:
        found: Each source with its findings.
        rules: All rules that were checked.
        version: Version of this package.
        rules_url: Address of the folder with their pages; empty for no links.
    """
    index = {rule.name: number for number, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "webagent",
                        "semanticVersion": version,
                        "rules": [_rule(rule, rules_url) for rule in rules],
                    }
                },
                # The default is UTF-16 units, which differ after an emoji.
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(finding, source, index)
                    for source, findings in found
                    for finding in findings
                ],
            }
        ],
    }


def _rule(rule: Rule, rules_url: str) -> dict[str, Any]:
    link = {"helpUri": f"{rules_url.rstrip('/')}/{rule.name}.md"} if rules_url else {}
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why}\n\nInstead:\n\n{rule.good.strip()}"},
        **link,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, source: Source, index: dict[str, int]) -> dict[str, Any]:
    # A path is not a URI: Windows has backslashes, and spaces have to be quoted. The characters in
    # `safe` stay, so that the address of a fetched manifest is not quoted twice.
    uri = quote(source.path.replace("\\", "/"), safe="/:@?=&%#[]+,;~!$'()*")
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} - {finding.help}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": _region(finding.span, source),
                }
            }
        ],
    }
    if finding.rule in index:
        result["ruleIndex"] = index[finding.rule]
    if finding.tool is not None:
        result["properties"] = {"tool": finding.tool}
    if finding.fix is not None:
        replacements = [
            {"deletedRegion": _region(edit.span, source), "insertedContent": {"text": edit.text}}
            for edit in finding.fix.edits
        ]
        result["fixes"] = [
            {
                "description": {"text": finding.fix.title},
                "artifactChanges": [
                    {"artifactLocation": {"uri": uri}, "replacements": replacements}
                ],
            }
        ]
    return result


def _region(span: Span, source: Source) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }
