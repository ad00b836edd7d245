"""Findings about a manifest, and their forms for people and programs.

Findings, their places and their text are here; `webagent.diagnostics.sarif`, `.github` and `.fixes`
are imported by those who need them.
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
