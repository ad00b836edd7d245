"""For website developers: build a manifest, validate it, announce it in a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from webagent.checks import run_checks
from webagent.diagnostics import Severity
from webagent.parser import Reading, read
from webagent.serializer import to_markdown, write_file
from webagent.types import Manifest, Param, Tool

__all__ = [
    "build_manifest",
    "build_tool",
    "meta_tag",
    "to_markdown",
    "validate",
    "validate_markdown",
    "write_file",
]

_SDK_RULES = (
    "missing-title",
    "no-tools",
    "empty-manifest",
    "duplicate-tool",
    "missing-description",
)
"""Rules that `validate` reports in the words of the format's SDK."""


def meta_tag(path: str = "/webagents.md") -> str:
    """Return the `<meta>` tag that announces the manifest; it goes into `<head>`."""
    return f'<meta name="webagents-md" content="{escape(path)}">'


def build_manifest(name: str, description: str = "", tools: list[Tool] | None = None) -> Manifest:
    """Return a manifest of these tools."""
    return Manifest(name=name, description=description, tools=tools or [])


def build_tool(
    name: str,
    description: str = "",
    params: Sequence[tuple[str, str, str] | Param] | None = None,
    sample_code: str = "",
    *,
    returns: str = "",
) -> Tool:
    """Return a tool.

    Args:
        name: Name of the function on the page.
        description: What it does.
        params: Parameters in call order: `(name, type, description)` for one that is required,
            a `Param` for any other.
        sample_code: JavaScript that shows a call.
        returns: TypeScript type of the resolved value.
    """
    built = [
        entry
        if isinstance(entry, Param)
        else Param(name=entry[0], type=entry[1], description=entry[2])
        for entry in params or ()
    ]
    return Tool(
        name=name,
        description=description,
        params=built,
        returns=returns,
        sample_code=sample_code,
    )


def validate(manifest: Manifest) -> list[str]:
    """Return what is wrong with a manifest, one sentence each; an empty list if nothing is.

    These are the errors and warnings of `webagent.check`, without places.
    """
    return _warnings(Reading.of(manifest))


def validate_markdown(markdown: str) -> list[str]:
    """Return what is wrong with a manifest in Markdown, including text that could not be read."""
    return _warnings(read(markdown))


def _warnings(reading: Reading) -> list[str]:
    manifest = reading.manifest
    warnings: list[str] = []
    if not manifest.name:
        warnings.append("Manifest has no name.")
    if not manifest.tools:
        warnings.append("Manifest has no tools.")
    seen: set[str] = set()
    for tool in manifest.tools:
        if not tool.name:
            warnings.append("A tool has no name.")
        elif tool.name in seen:
            warnings.append(f"Duplicate tool name: '{tool.name}'.")
        seen.add(tool.name)
        if not tool.description:
            warnings.append(f"Tool '{tool.name}' has no description.")
        if not tool.params and not tool.sample_code:
            warnings.append(f"Tool '{tool.name}' has no params and no sample_code.")
    for finding in (*reading.findings, *run_checks(reading)):
        if finding.severity is not Severity.INFO and finding.rule not in _SDK_RULES:
            owner = f"{finding.tool}: " if finding.tool else ""
            warnings.append(f"{owner}{finding.message} - {finding.help}")
    return warnings
