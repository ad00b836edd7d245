"""The manifest as the inspector shows it: the file, its findings, and what is made of it."""

from __future__ import annotations

from typing import Any

from webagent import generate_typescript, to_markdown
from webagent_dev.cli.schema import tool_schemas
from webagent_dev.site.state import SiteState


def view(state: SiteState) -> dict[str, Any]:
    """Return the state of a manifest as plain data; of a site without one, nothing but that."""
    told = state.findings_message()
    report = state.report
    shown: dict[str, Any] = {
        "path": told.path,
        "revision": state.revision,
        "served_stale": state.stale,
        "findings": told.findings,
        "text": None,
        "typescript": "",
        "schemas": [],
        "markdown": None,
    }
    if report is None:
        return shown
    return {
        **shown,
        "text": report.source.text,
        "typescript": generate_typescript(report.manifest, docs=True),
        "schemas": tool_schemas(report.manifest),
        "markdown": to_markdown(report.manifest),
    }
