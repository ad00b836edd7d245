"""Whether an agent is told what it needs to choose a tool and use its result."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.parser import Reading
from webagent.source import Span


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


def comment_closing(reading: Reading) -> Iterator[Finding]:
    """A text holds what ends a comment in the declarations agents are shown."""
    manifest, text = reading.manifest, reading.source.text
    if text and "*/" not in text:
        return
    for tool, place in zip(manifest.tools, reading.tools, strict=True):
        fields = [tool.description, *(param.description for param in tool.params)]
        if any("*/" in field for field in fields):
            at = text.find("*/", place.span.start, place.span.end)
            yield Finding(
                "comment-closing",
                Severity.INFO,
                f"`*/` in the text of `{tool.name}` would end the comment it is shown in, "
                "so agents are shown `*\\/`",
                "nothing has to be done; write it differently if agents have to copy it",
                Span(at, at + 2) if at >= 0 else place.name,
                tool.name,
            )
