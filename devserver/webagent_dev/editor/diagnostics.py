"""Findings as editors show them, each with a link to the page of its rule."""

from __future__ import annotations

from functools import cache

from lsprotocol import types

from webagent.diagnostics import Finding, Severity
from webagent.rules import RULES, page
from webagent_dev.editor.document import Document
from webagent_site.config.folders import state_folder

SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def diagnostic(document: Document, finding: Finding) -> types.Diagnostic:
    """Return a finding as the editor gets it."""
    link = _page_url(finding.rule)
    return types.Diagnostic(
        document.range(finding.span),
        f"{finding.message}\n{finding.help}",
        severity=SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(link) if link else None,
        source="webagent",
    )


@cache
def _page_url(rule: str) -> str | None:
    """Return the URL of a rule's page, which is written for the editor; None if it cannot be."""
    path = state_folder() / "rules" / f"{rule}.md"
    try:
        # Only its owner may read the folder of the state, which has tokens, too.
        for folder in (state_folder(), path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(page(RULES[rule]), "utf-8")
    except OSError:
        return None
    return path.as_uri()
