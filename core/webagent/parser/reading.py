"""A manifest together with the places where it says what it says."""

from __future__ import annotations

from dataclasses import dataclass

from webagent.diagnostics import Finding
from webagent.source import Source, Span
from webagent.types import Manifest

NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class ParamPlace:
    """Where a parameter stands."""

    span: Span
    """All of it."""
    name: Span
    type: Span


@dataclass(frozen=True, slots=True)
class ToolPlace:
    """Where a tool stands."""

    span: Span
    """From its heading to the end of its last line."""
    name: Span
    params: tuple[ParamPlace, ...] = ()
    returns: Span | None = None
    sample_code: Span | None = None
    input_schema: Span | None = None
    output_schema: Span | None = None


@dataclass(frozen=True, slots=True)
class NotePlace:
    """Where a note stands."""

    span: Span
    title: Span


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a source; `tools` and `notes` run parallel to those of the manifest."""

    manifest: Manifest
    source: Source
    findings: tuple[Finding, ...]
    """What the parser has to say about text it could not place."""
    title: Span
    """The title, or the start of the text if there is none."""
    tools: tuple[ToolPlace, ...]
    notes: tuple[NotePlace, ...]

    @classmethod
    def of(cls, manifest: Manifest) -> Reading:
        """Wrap a manifest built by hand, which has no places."""
        tools = tuple(
            ToolPlace(
                NOWHERE,
                NOWHERE,
                tuple(ParamPlace(NOWHERE, NOWHERE, NOWHERE) for _ in tool.params),
                NOWHERE,
                NOWHERE,
            )
            for tool in manifest.tools
        )
        notes = tuple(NotePlace(NOWHERE, NOWHERE) for _ in manifest.notes)
        return cls(manifest, Source(""), (), NOWHERE, tools, notes)
