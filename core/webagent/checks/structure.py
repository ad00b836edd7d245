"""Whether a manifest has what it needs, and parameters an order a call can follow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.parser import Reading
from webagent.source import Span

_FRONT_MATTER = re.compile(
    r"\ufeff?(---[ \t]*+)(?:\r\n?|\n)"
    r"(?=[\w-]+[ \t]*:)(?:(?:[\w-]+[ \t]*:|#|- |[ \t])[^\r\n]*+(?:\r\n?|\n)|(?:\r\n?|\n))++"
    r"(?:---|\.\.\.)[ \t]*+(?:[\r\n]|\Z)"
)


def empty_manifest(reading: Reading) -> Iterator[Finding]:
    """The file has no text."""
    manifest = reading.manifest
    if not (manifest.name or manifest.description or manifest.tools or manifest.notes):
        yield Finding(
            "empty-manifest",
            Severity.ERROR,
            "the manifest is empty, so there is nothing an agent could use",
            "start with `# Name of the site`, then a `## tool` for each function",
            reading.title,
        )


def front_matter_end(text: str) -> int:
    """Return where the front matter of a text ends, 0 if it has none."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


def front_matter(reading: Reading) -> Iterator[Finding]:
    """The file starts with data between lines of dashes, which Markdown reads as text."""
    if match := _FRONT_MATTER.match(reading.source.text):
        yield Finding(
            "front-matter",
            Severity.WARNING,
            "the file starts with front matter, which is no part of the format, so agents read it "
            "as text",
            "take it out: the name stands in `# Name of the site`, the version below that in "
            "`*Version: 1.0*`",
            Span(*match.span(1)),
        )


def missing_title(reading: Reading) -> Iterator[Finding]:
    """The file has text and no title; of one below front matter, that rule tells."""
    manifest = reading.manifest
    if front_matter_end(reading.source.text):
        return
    if not manifest.name and (manifest.description or manifest.tools or manifest.notes):
        yield Finding(
            "missing-title",
            Severity.WARNING,
            "the manifest has no title, so an agent cannot say whose tools these are",
            "start the file with `# Name of the site`",
            reading.title,
        )


def no_tools(reading: Reading) -> Iterator[Finding]:
    """The file has text and no tool."""
    manifest = reading.manifest
    if not manifest.tools and (manifest.name or manifest.description or manifest.notes):
        yield Finding(
            "no-tools",
            Severity.WARNING,
            "the manifest declares no tool, so an agent can read it but call nothing",
            "write `## nameOfTheFunction` with `### Params` below, empty if it takes none",
            reading.title,
        )


def optional_before_required(reading: Reading) -> Iterator[Finding]:
    """A parameter may be left out, but one behind it may not."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if len(tool.params) < 2:
            continue
        needed = (i for i, p in enumerate(tool.params) if p.required and p.name[:3] != "...")
        last = max(needed, default=-1)
        for param, spot in zip(tool.params[: max(last, 0)], place.params, strict=False):
            if not param.required:
                yield Finding(
                    "optional-before-required",
                    Severity.WARNING,
                    f"`{param.name}` is optional, but `{tool.params[last].name}` behind it is "
                    "required, so a call cannot leave it out",
                    "move optional parameters behind the required ones, here and in the function",
                    spot.span,
                    tool.name,
                )


def required_with_default(reading: Reading) -> Iterator[Finding]:
    """A parameter has to be passed and has a default."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        for param, spot in zip(tool.params, place.params, strict=True):
            if param.required and param.default is not None:
                yield Finding(
                    "required-with-default",
                    Severity.WARNING,
                    f"`{param.name}` is required, so its default `{param.default}` is never used",
                    "write `optional`, or leave the default out",
                    spot.span,
                    tool.name,
                )
