"""The lines of a manifest that declare something."""

from __future__ import annotations

import re

from webagent.parser import Reading, ToolPlace
from webagent.source import Span
from webagent_dev.contract.declared_properties import schema_property, type_property
from webagent_dev.reports.content import Place

_KEY = re.compile(r'(?:\.|^|\[")([^.\["\]]+)')
"""The keys in the path of a value: `items`, `price` in `items[2].price`."""

_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[^\r\n]*(?:\r\n|\n|\r)")


class Places:
    """Finds the lines of a manifest that declare something."""

    def __init__(self, reading: Reading) -> None:
        """Look into a manifest that was read from a text."""
        self._source = reading.source
        self._shared = [
            place.span
            for note, place in zip(reading.manifest.notes, reading.notes, strict=True)
            if note.title.strip().lower() == "types"
        ]
        named = zip(reading.manifest.tools, reading.tools, strict=True)
        # The first of a name counts, as for the registry.
        self._tools: dict[str, ToolPlace] = {tool.name: place for tool, place in reversed([*named])}

    def heading(self, tool: str) -> Place | None:
        """Return the heading of a tool; None for one that the manifest does not name."""
        place = self._tools.get(tool)
        return self.at(place.name) if place else None

    def param(self, tool: str, index: int) -> Place | None:
        """Return a parameter of a tool."""
        place = self._tools.get(tool)
        if place is None or index >= len(place.params):
            return self.heading(tool)
        return self.at(place.params[index].span)

    def output(self, tool: str, path: str = "", *, in_schema: bool = False) -> Place | None:
        """Return the declared result of a tool: the line of the property that a path ends in.

        Args:
            tool: Its name.
            path: Where in the result: `items[2].price`; empty for the whole.
            in_schema: Whether its output schema declares that, and not its type.
        """
        place = self._tools.get(tool)
        if place is None:
            return None
        spans = (place.returns, place.output_schema)
        span = next(filter(None, reversed(spans) if in_schema else spans), None)
        if span is None:
            return self.heading(tool)
        keys = _KEY.findall(path)
        if span == place.output_schema:
            return self.at(schema_property(self._source.text, span, keys))
        return self.at(type_property(self._source.text, span, keys, self._shared))

    def sample(self, tool: str) -> Place | None:
        """Return the sample code of a tool."""
        place = self._tools.get(tool)
        if place is None or place.sample_code is None:
            return self.heading(tool)
        fence = _FENCE.match(self._source.text, place.sample_code.start)
        return self.at(Span(fence.end(), fence.end()) if fence else place.sample_code)

    def behavior(self, tool: str, word: str) -> Place | None:
        """Return the line of a tool's behavior that starts with a word: `effect`, `idempotent`."""
        place = self._tools.get(tool)
        if place is None:
            return None
        written = re.compile(rf"^\s*[-*+]\s*{word}\b", re.MULTILINE | re.IGNORECASE)
        found = written.search(self._source.text, place.span.start, place.span.end)
        if found is None:
            return self.heading(tool)
        start = found.end() - len(word)
        return self.at(Span(start, found.end()))

    def at(self, span: Span) -> Place:
        """Return the place of a part of the text."""
        position = self._source.position(span.start)
        return Place(self._source.path, position.line, position.column)
