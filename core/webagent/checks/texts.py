"""Whether an agent is told what it needs to choose a tool and use its result."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.parser import Reading


def missing_description(reading: Reading) -> Iterator[Finding]:
    """A tool does not say what it does."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if not tool.description:
            yield Finding(
                "missing-description",
                Severity.WARNING,
                f"`{tool.name}` does not say what it does, so an agent has only its name to go by",
                "write one sentence below the heading: what it does, and when to use it",
                place.name,
                tool.name,
            )


def missing_output(reading: Reading) -> Iterator[Finding]:
    """A tool does not say what it returns."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if not tool.returns:
            yield Finding(
                "missing-output",
                Severity.INFO,
                f"`{tool.name}` does not say what it returns, so an agent has to guess",
                "add `### Output` with the type in a ```typescript fence; `void` if nothing",
                place.name,
                tool.name,
            )
