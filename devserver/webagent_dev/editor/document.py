"""A manifest that is open in an editor: its text, its report, and its places as editors count them."""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from webagent.checks import Report, check
from webagent.source import Source, Span
from webagent_dev.config.resolve import find_config
from webagent_dev.config.toml_file import read_config, wanted_rules
from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.errors import ConfigError

_LONE = re.compile("[\ud800-\udfff]")
"""Half of a character, which JSON may hold and nothing can write."""


class Document:
    """An open manifest. Its version counts the changes, as the editor numbers them."""

    def __init__(self, uri: str, version: int, text: str, encoding: str) -> None:
        """Open a text.

        Args:
            uri: The address that the editor has for it.
            version: Of this text.
            text: The manifest.
            encoding: What columns count: the units of `utf-8`, `utf-16` or `utf-32`.
        """
        self.uri = uri
        self.version = version
        self.encoding = encoding
        path = to_fs_path(uri)
        self.path = Path(path) if path else None
        self._codec = {"utf-8": "utf-8", "utf-32": "utf-32-le"}.get(encoding, "utf-16-le")
        self._unit = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}[self._codec]
        self._analysis: asyncio.Task[Report] | None = None
        self.report: Report | None = None
        """The latest report, which may be about an earlier text."""
        self.source = self._source(_whole(text))

    def _source(self, text: str) -> Source:
        return Source(text, self.path.name if self.path else MANIFEST_NAME)

    def change(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply changes, each to the text that the one before it has left."""
        for change in changes:
            text = _whole(change.text)
            if isinstance(change, types.TextDocumentContentChangePartial):
                span = self.span(change.range)
                before = self.source.text
                text = f"{before[: span.start]}{text}{before[max(span) :]}"
            self.source = self._source(text)
        self.version = version

    async def checked(self) -> Report:
        """Return the report on the newest text. A text that was changed meanwhile has none."""
        while self.report is None or self.report.source is not self.source:
            if self._analysis is None or self._analysis.done():
                self._analysis = asyncio.create_task(self._check())
            # One who no longer waits does not take the report from the others.
            await asyncio.shield(self._analysis)
        return self.report

    async def _check(self) -> Report:
        source = self.source
        report = await asyncio.to_thread(_report, source, self.path)
        self.report = report
        return report

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one outside of the text is pulled inside."""
        starts = self.source.line_starts
        if position.line >= len(starts):
            return len(self.source.text)
        line = self.source.text[starts[position.line] : self._end(position.line)]
        units = line.encode(self._codec)[: max(0, position.character) * self._unit]
        return starts[position.line] + len(units.decode(self._codec, "ignore"))

    def _end(self, line: int) -> int:
        """Return the offset at which the text of a line ends."""
        starts, text = self.source.line_starts, self.source.text
        if line + 1 >= len(starts):
            return len(text)
        end = starts[line + 1] - 1
        return end - 1 if text.startswith("\r\n", end - 1) and end > starts[line] else end

    def span(self, part: types.Range) -> Span:
        """Return the offsets of a range."""
        return Span(self.offset(part.start), self.offset(part.end))

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        starts = self.source.line_starts
        offset = max(0, min(offset, len(self.source.text)))
        line = bisect_right(starts, offset) - 1
        before = self.source.text[starts[line] : offset]
        return types.Position(line, len(before.encode(self._codec)) // self._unit)

    def range(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))


def _whole(text: str) -> str:
    return _LONE.sub("\ufffd", text)


def _report(source: Source, path: Path | None) -> Report:
    """Check a text by the rules that `serve` and `check` use for its folder."""
    report = check(source.text, path=source.path)
    rules = _wanted_rules(path)
    kept = tuple(one for one in report.findings if rules is None or one.rule in rules)
    return replace(report, findings=kept, source=source)


def _wanted_rules(path: Path | None) -> frozenset[str] | None:
    """Return the rules of the `webagent.toml` beside a manifest, None for all."""
    try:
        file = find_config(str(path.parent)) if path else None
        return wanted_rules(read_config(file)) if file else None
    except ConfigError:
        # `serve` and `check` report it; here it must not hide the findings.
        return None
