"""The checks of a manifest: an ordered table, each row a rule and the function that looks for it.

A check is a generator of findings. It gets a `Reading` and never changes it. What the parser could
not place is reported by the parser itself; `check` puts both together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from webagent.checks import names, notes, structure, texts, types
from webagent.diagnostics import Finding, Severity, finding_dict
from webagent.parser import Reading, read
from webagent.source import Source
from webagent.types import Manifest

__all__ = ["CHECKS", "Check", "Report", "check", "run_checks"]

Check: TypeAlias = Callable[[Reading], Iterator[Finding]]
"""Yields what it finds; places come from the reading."""

CHECKS: tuple[tuple[str, Check], ...] = (
    ("empty-manifest", structure.empty_manifest),
    ("missing-title", structure.missing_title),
    ("no-tools", structure.no_tools),
    ("duplicate-tool", names.duplicate_tool),
    ("duplicate-param", names.duplicate_param),
    ("invalid-name", names.invalid_name),
    ("optional-before-required", structure.optional_before_required),
    ("required-with-default", structure.required_with_default),
    ("invalid-type", types.invalid_type),
    ("unknown-type", types.unknown_type),
    ("missing-description", texts.missing_description),
    ("missing-output", texts.missing_output),
    ("note-looks-like-tool", notes.note_looks_like_tool),
)


@dataclass(frozen=True, slots=True)
class Report:
    """A manifest and all that is to be said about it, in the order of the text."""

    manifest: Manifest
    findings: tuple[Finding, ...]
    source: Source

    @property
    def broken(self) -> bool:
        """Whether the file does not say what its author means: there is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data: `{"path", "findings": [...], "tools": how many}`."""
        return {
            "path": self.source.path,
            "findings": [finding_dict(finding, self.source) for finding in self.findings],
            "tools": len(self.manifest.tools),
        }


def check(text: str, *, path: str = "webagents.md") -> Report:
    """Read a manifest and check it. No text makes it raise.

    Args:
        text: The Markdown.
        path: What findings call the file.
    """
    reading = read(text, path=path)
    findings = [*reading.findings, *run_checks(reading)]
    findings.sort(key=lambda finding: (finding.span.start, finding.span.end))
    return Report(reading.manifest, tuple(findings), reading.source)


def run_checks(reading: Reading) -> Iterator[Finding]:
    """Yield what the checks of the table find, in the table's order."""
    for _, function in CHECKS:
        yield from function(reading)
