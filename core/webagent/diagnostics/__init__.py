"""Findings about a manifest, and their formats for people and programs.

This package exports findings and their text. `webagent.diagnostics.sarif`, `.github` and `.fixes`
are imported separately, as only few programs need them.
"""

from webagent.diagnostics.finding import Edit, Finding, Fix, Severity, finding_dict
from webagent.diagnostics.text import render_concise, render_text

__all__ = [
    "Edit",
    "Finding",
    "Fix",
    "Severity",
    "finding_dict",
    "render_concise",
    "render_text",
]
