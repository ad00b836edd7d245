"""The outline of a manifest: its tools with their parameters, and its notes."""

from __future__ import annotations

from lsprotocol import types

from webagent.checks import Report
from webagent.source import Span
from webagent_dev.editor.document import Document


def outline(document: Document, report: Report) -> list[types.DocumentSymbol]:
    """Return what an editor lists, in the order of the text."""
    symbols = []
    for tool, place in zip(report.manifest.tools, report.tools, strict=True):
        params = [
            _symbol(document, param.name, param.type, types.SymbolKind.Variable, at.span, at.name)
            for param, at in zip(tool.params, place.params, strict=True)
        ]
        kind = types.SymbolKind.Function
        symbol = _symbol(document, tool.name, tool.returns, kind, place.span, place.name)
        symbol.children = params
        symbols.append(symbol)
    for note, at in zip(report.manifest.notes, report.notes, strict=True):
        symbols.append(
            _symbol(document, note.title, "", types.SymbolKind.String, at.span, at.title)
        )
    return sorted(symbols, key=lambda symbol: symbol.range.start)


def _symbol(
    document: Document, name: str, detail: str, kind: types.SymbolKind, span: Span, title: Span
) -> types.DocumentSymbol:
    # Editors refuse an empty name, and a selection that is not inside of the whole.
    inside = Span(max(title.start, span.start), min(title.end, span.end))
    selected = inside if inside.start <= inside.end else Span(span.start, span.start)
    return types.DocumentSymbol(
        name.strip() or "–",
        kind,
        document.range(span),
        document.range(selected),
        detail=" ".join(detail.split()) or None,
    )
