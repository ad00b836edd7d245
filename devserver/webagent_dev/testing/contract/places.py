"""Lines of the manifest that a report names: of a tool, of what it declares, of one word in that."""

from __future__ import annotations

import re

from webagent.parser import Reading, ToolPlace
from webagent.source import Span
from webagent_dev.contract.report import Place

_LAST_KEY = re.compile(r'(?:\.|^|\[")([^.\["\]]+)(?:"\])?(?:\[\d+\])*$')
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[^\r\n]*(?:\r\n|\n|\r)")


class Places:
    """Finds the lines of a manifest by what stands there."""

    def __init__(self, reading: Reading) -> None:
        """Look into a manifest that was read from a text."""
        self._source = reading.source
        named = zip(reading.manifest.tools, reading.tools, strict=True)
        # The first of a name counts, as for the registry.
        self._tools: dict[str, ToolPlace] = {tool.name: place for tool, place in reversed([*named])}

    def heading(self, tool: str) -> Place | None:
        """Return the heading of a tool; None for one that the manifest does not name."""
        place = self._tools.get(tool)
        return self._at(place.name) if place else None

    def param(self, tool: str, index: int) -> Place | None:
        """Return a parameter of a tool."""
        place = self._tools.get(tool)
        if place is None or index >= len(place.params):
            return self.heading(tool)
        return self._at(place.params[index].span)

    def output(self, tool: str, path: str = "") -> Place | None:
        """Return what a tool says that it gives: the line of the property that a path ends in."""
        place = self._tools.get(tool)
        span = place and (place.returns or place.output_schema)
        if not span:
            return self.heading(tool)
        key = _LAST_KEY.search(path)
        if key:
            written = re.compile(rf"(?<![\w$-]){re.escape(key[1])}[\"']?\??\s*:")
            found = written.search(self._source.text, span.start, span.end)
            if found:
                return self._at(Span(found.start(), found.end()))
        return self._at(span)

    def sample(self, tool: str) -> Place | None:
        """Return the sample code of a tool."""
        place = self._tools.get(tool)
        if place is None or place.sample_code is None:
            return self.heading(tool)
        fence = _FENCE.match(self._source.text, place.sample_code.start)
        return self._at(Span(fence.end(), fence.end()) if fence else place.sample_code)

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
        return self._at(Span(start, found.end()))

    def _at(self, span: Span) -> Place:
        position = self._source.position(span.start)
        return Place(self._source.path, position.line, position.column)
