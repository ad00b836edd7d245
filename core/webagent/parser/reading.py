"""A reading: a manifest with the places of its parts in the text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from webagent.diagnostics import Finding
from webagent.source import Source, Span
from webagent.types import Manifest, Param, Tool

# The place of everything in a manifest that was built by hand.
NOWHERE = Span(0, 0)


class ParamPlace(NamedTuple):
    """The place of a parameter. It holds offsets, as most spans are never asked for."""

    start: int
    end: int
    name_start: int
    name_end: int
    type_start: int
    type_end: int

    @property
    def span(self) -> Span:
        """The whole parameter."""
        return Span(self.start, self.end)

    @property
    def name(self) -> Span:
        """Its name."""
        return Span(self.name_start, self.name_end)

    @property
    def type(self) -> Span:
        """Its type, or the text where the type belongs."""
        return Span(self.type_start, self.type_end)


NO_PARAM_PLACE = ParamPlace(0, 0, 0, 0, 0, 0)


class ToolPlace(NamedTuple):
    """The place of a tool."""

    span: Span
    """From its heading to the end of its last line."""
    name: Span
    params: tuple[ParamPlace, ...] = ()
    returns: Span | None = None
    sample_code: Span | None = None
    input_schema: Span | None = None
    output_schema: Span | None = None


class NotePlace(NamedTuple):
    """The place of a note, as offsets like `ParamPlace`."""

    start: int
    end: int
    title_start: int
    title_end: int

    @property
    def span(self) -> Span:
        """The whole note."""
        return Span(self.start, self.end)

    @property
    def title(self) -> Span:
        """Its title."""
        return Span(self.title_start, self.title_end)


@dataclass(frozen=True)
class Reading:
    """A manifest with its places. `tools` and `notes` have the order of those of the manifest."""

    manifest: Manifest
    source: Source
    findings: tuple[Finding, ...]
    """Findings of the parser, which are about text that it cannot place or has to guess at."""
    title: Span
    """The title, or the start of the text if there is none."""
    tools: tuple[ToolPlace, ...]
    notes: tuple[NotePlace, ...]

    @cached_property
    def params(self) -> list[tuple[Tool, Param, ParamPlace]]:
        """The parameters of all tools, each with its tool and its place."""
        return [
            (tool, param, spot)
            for tool, place in zip(self.manifest.tools, self.tools, strict=True)
            if tool.params
            for param, spot in zip(tool.params, place.params, strict=True)
        ]

    @classmethod
    def of(cls, manifest: Manifest) -> Reading:
        """Return the reading of a manifest that was built by hand. All its places are empty."""
        tools = tuple(
            ToolPlace(
                NOWHERE,
                NOWHERE,
                (NO_PARAM_PLACE,) * len(tool.params),
                NOWHERE,
                NOWHERE,
            )
            for tool in manifest.tools
        )
        notes = (NotePlace(0, 0, 0, 0),) * len(manifest.notes)
        return cls(manifest, Source(""), (), NOWHERE, tools, notes)
