"""The places of what `webagent.parser.canonical` reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from webagent.diagnostics import Finding
from webagent.parser.document import Draft
from webagent.parser.findings import has_unclosed_fence
from webagent.parser.params import ParamDraft
from webagent.parser.reading import NotePlace, ParamPlace, ToolPlace
from webagent.source import Span


class Places:
    """The places of the tools and notes of a file, and the findings about them.

    Attributes:
        start: Offset of the text in the source: 1 after a byte order mark, else 0.
        separable: Whether the sections can be read one by one. They cannot if a fence seems to end
            in the wrong place, as the findings about it depend on the whole file.
    """

    __slots__ = ("findings", "notes", "separable", "start", "title", "tools")

    def __init__(self, start: int) -> None:
        self.start = start
        self.separable = True
        self.title = Span(start, start)
        self.tools: list[ToolPlace] = []
        self.notes: list[NotePlace] = []
        self.findings: list[Finding] = []

    def header(self, match: re.Match[str]) -> None:
        """Add the place of the title, which is group 1."""
        left = self.start + match.start(1)
        self.title = Span(left, left + len(match[1].rstrip(" \t")))

    def tool(self, match: re.Match[str], drafts: Mapping[int, ParamDraft]) -> None:
        """Add the places of a tool.

        Args:
            match: Its groups are name, description, parameters, type and sample.
            drafts: Parameters in other forms, by the offset of their line.
        """
        # 3 is the length of `## ` here, and of the closing fence below.
        start, at = self.start + match.start(), self.start
        name = Span(start + 3, start + 3 + len(match[1]))
        end = start + len(match[0].rstrip("\n"))
        returns = sample = None
        if match[4] is not None:
            returns = Span(at + match.start(4), at + match.end(4) - 1)
        if match[5] and match[5].strip():
            opening = match.string.rindex("\n", 0, match.start(5) - 1) + 1
            sample = Span(at + opening, at + match.end(5) + 3)
        params = tuple(self._params(match, drafts)) if match[3] else ()
        self.tools.append(ToolPlace(Span(start, end), name, params, returns, sample))

    def _params(
        self, tool: re.Match[str], drafts: Mapping[int, ParamDraft]
    ) -> Iterator[ParamPlace]:
        """Yield the place of each parameter in the list of a tool."""
        text, position, end, at = tool.string, tool.start(3), tool.end(3), self.start
        while position < end:
            stop = text.index("\n", position)
            if draft := drafts.get(position):
                place = draft.place
            else:
                # The lengths are those of "- ", "`" and "` (".
                item, name = position + 2, position + 3
                name_end = text.index("`", name)
                kind_end = text.index(")", name_end)
                item_end = item + len(text[item:stop].rstrip())
                place = ParamPlace(item, item_end, name, name_end, name_end + 3, kind_end)
            yield ParamPlace(*[at + offset for offset in place])
            position = stop + 1

    def note(self, match: re.Match[str]) -> None:
        """Add the places of a note, whose title is group 1."""
        start = self.start + match.start()
        end = start + len(match[0].rstrip("\n"))
        title = start + 3
        self.notes.append(NotePlace(start, end, title, title + len(match[1].rstrip(" \t"))))

    def blocks(self, draft: Draft) -> None:
        """Add the places and findings of a stretch that was read by its blocks."""
        findings = draft.all_findings()
        self.tools += draft.places
        self.notes += draft.note_places()
        self.findings += findings
        if has_unclosed_fence(draft.passage) or any(f.rule == "nested-too-deep" for f in findings):
            self.separable = False
