"""Where a manifest names its tools: in headings, samples, text and behavior."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from webagent.checks import Report
from webagent.checks.sample_code.javascript import OWNERS, Kind
from webagent.checks.sample_code.pieces import Piece, read_pieces
from webagent.parser import ToolPlace
from webagent.source import Span
from webagent.types import Tool

_IN_TEXT = re.compile(
    rf"`(?:(?:{'|'.join(OWNERS)})\.)?([^\W\d][\w$]*|\$[\w$]*)(?=[`(])"
    r"|^[ \t]*[-*+][ \t]+`?(?:inverse:|deprecated:[ \t]*use)[ \t]*`?([\w$]+)",
    re.MULTILINE | re.IGNORECASE,
)
"""A name in code, and the tool that undoes a call."""


class Mention(NamedTuple):
    """A place where a tool is named."""

    name: str
    span: Span


def tool_at(report: Report, offset: int) -> tuple[Tool, ToolPlace] | None:
    """Return the tool in whose section an offset is, and its place."""
    at = bisect_right(report.tools, offset, key=lambda place: place.span.start) - 1
    if at < 0 or offset > report.tools[at].span.end:
        return None
    return report.manifest.tools[at], report.tools[at]


def mention_at(report: Report, offset: int) -> Mention | None:
    """Return the mention of a declared tool at an offset."""
    found = tool_at(report, offset)
    text = report.source.text
    start, end = found[1].span if found else (text.rfind("\n", 0, offset) + 1, offset)
    near = text.find("\n", end)
    inside = Span(start, near if near >= 0 else len(text))
    for mention in _mentions(report, inside, [found] if found else []):
        if mention.span.start <= offset <= mention.span.end:
            return mention
    return None


def mentions_of(report: Report, name: str) -> list[Mention]:
    """Return all places where a tool is named, in order."""
    tools = list(zip(report.manifest.tools, report.tools, strict=True))
    everywhere = Span(0, len(report.source.text))
    found = {one for one in _mentions(report, everywhere, tools) if one.name == name}
    return sorted(found, key=lambda one: one.span)


def _mentions(
    report: Report, inside: Span, tools: list[tuple[Tool, ToolPlace]]
) -> Iterator[Mention]:
    """Yield the mentions in a part of the text, which has these tools."""
    text, names = report.source.text, set(report.manifest.tool_names)
    taken = [(span.start, span.end) for _, place in tools for span in _own(place)]
    taken.sort()
    for tool, place in tools:
        if text[slice(*place.name)] == tool.name:
            yield Mention(tool.name, place.name)
        for piece in read_pieces(report.source, tool, place):
            yield from (one for one in _in_sample(piece) if one.name in names)
    for match in _IN_TEXT.finditer(text, *inside):
        span = Span(*match.span(match.lastindex or 0))
        at = bisect_right(taken, (span.start, len(text))) - 1
        if text[slice(*span)] in names and (at < 0 or taken[at][1] <= span.start):
            yield Mention(text[slice(*span)], span)


def _own(place: ToolPlace) -> Iterator[Span]:
    """Yield the parts of a tool in which code is not a mention: its parameters and its sample."""
    yield from (param.name for param in place.params)
    if place.sample_code:
        yield place.sample_code


def _in_sample(piece: Piece) -> Iterator[Mention]:
    """Yield the functions that sample code names: `find(`, `global.find`."""
    tokens = piece.code.tokens
    for index, token in enumerate(tokens):
        if token.kind is not Kind.NAME:
            continue
        before = [one.text for one in tokens[max(0, index - 3) : index]]
        if before[-1:] and before[-1] in (".", "?."):
            owner = before[:-1]
            if not owner or owner[-1] not in OWNERS or (owner[:-1] and owner[0] in (".", "?.")):
                continue
        elif [one.text for one in tokens[index + 1 : index + 2]] != ["("]:
            continue
        yield Mention(token.text, piece.span(token.start, token.start + len(token.text)))
