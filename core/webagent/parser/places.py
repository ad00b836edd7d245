"""The places of the parts that `webagent.parser.canonical` has read with its expressions."""

from __future__ import annotations

import re

from webagent.diagnostics import Finding
from webagent.parser.document import Draft
from webagent.parser.findings import has_unclosed_fence
from webagent.parser.params import param_place, read_param
from webagent.parser.passage import Passage
from webagent.parser.reading import NotePlace, ParamPlace, ToolPlace
from webagent.source import Span

_PARAM = re.compile(r"- `([\w$]+)` \(([^()\"'`\[\]{}<>\n]*)\)[^\n]*\n")
"""The line of a parameter, if no bracket or quote hides where its parentheses end."""


class Places:
    """The places of the tools and notes of a file, and the findings about them.

    Attributes:
        start: Offset in the source of the text that is read.
        apart: Whether the sections can be read apart from one another. They cannot if a fence seems
            to end in the wrong place, as what is said of it depends on the whole file.
    """

    __slots__ = ("apart", "findings", "notes", "start", "title", "tools")

    def __init__(self, start: int) -> None:
        self.start = start
        self.apart = True
        self.title = Span(start, start)
        self.tools: list[ToolPlace] = []
        self.notes: list[NotePlace] = []
        self.findings: list[Finding] = []

    def header(self, match: re.Match[str]) -> None:
        """Take the place of the title."""
        left = self.start + match.start(1)
        self.title = Span(left, left + len(match[1].rstrip(" \t")))

    def tool(self, match: re.Match[str]) -> None:
        """Take the places of a tool: name, description, parameters, type and sample are groups."""
        start, at = self.start + match.start(), self.start
        name = Span(start + 3, start + 3 + len(match[1]))
        end = start + len(match[0].rstrip("\n"))
        returns = sample = None
        if match[4] is not None:
            returns = Span(at + match.start(4), at + match.end(4) - 1)
        if match[5] and match[5].strip():
            opening = match.string.rindex("\n", 0, match.start(5) - 1) + 1
            sample = Span(at + opening, at + match.end(5) + 3)
        params = tuple(self._params(match)) if match[3] else ()
        self.tools.append(ToolPlace(Span(start, end), name, params, returns, sample))

    def _params(self, tool: re.Match[str]) -> list[ParamPlace]:
        places = []
        text, position, end = tool.string, tool.start(3), tool.end(3)
        while position < end:
            stop = text.index("\n", position)
            item = Passage([(text[position + 2 : stop], self.start + position + 2)])
            if line := _PARAM.match(text, position):
                left = position + 2
                whole = (0, len(item.text.rstrip()))
                name, kind = (
                    (line.start(group) - left, line.end(group) - left) for group in (1, 2)
                )
                places.append(param_place(item, whole, name, kind))
            elif draft := read_param(item):
                places.append(draft.place)
            position = stop + 1
        return places

    def note(self, match: re.Match[str]) -> None:
        """Take the places of a note; its title is the first group."""
        start = self.start + match.start()
        end = start + len(match[0].rstrip("\n"))
        title = start + 3
        self.notes.append(NotePlace(start, end, title, title + len(match[1].rstrip(" \t"))))

    def blocks(self, draft: Draft) -> None:
        """Take the places of what was read by its blocks, and what was found there."""
        findings = draft.all_findings()
        self.tools += draft.places
        self.notes += draft.note_places()
        self.findings += findings
        if has_unclosed_fence(draft.passage) or any(f.rule == "nested-too-deep" for f in findings):
            self.apart = False
