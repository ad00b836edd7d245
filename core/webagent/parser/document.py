"""The reader of a whole file by its blocks: title, description, tools and notes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from webagent.diagnostics import Finding
from webagent.markdown import Block, Heading, Paragraph
from webagent.parser import compact, sections
from webagent.parser.findings import block_findings
from webagent.parser.names import one_line
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment, prose, unguard_title
from webagent.parser.reading import NotePlace, Reading, ToolPlace
from webagent.parser.rules import MISPLACED_VERSION
from webagent.source import Source, Span, split_lines
from webagent.types import Manifest, Note, Tool

DEFAULT_VERSION = "0.1"

VERSION = re.compile(r"[*_]{0,2}Version[*_]{0,2}[ \t]*:[*_ \t]*([^*_\s][^*_\n]*?)[*_]{0,2}\Z", re.I)


class Section(NamedTuple):
    """A heading of the first or second level, with the blocks below it."""

    heading: Heading
    blocks: Sequence[Block]


@dataclass(slots=True)
class Draft:
    """The parts of a file."""

    passage: Passage
    name: str
    version: str
    description: str
    title: Span
    tools: list[Tool]
    places: list[ToolPlace]
    notes: list[Note]
    sections: list[Section]
    """The sections of the notes, in the same order."""
    findings: list[Finding]
    in_tools: set[int]
    """Numbers of the lines of tools in the compact format."""
    version_line: int
    """Number of the line with the version, or -1."""

    def manifest(self) -> Manifest:
        """Return the manifest."""
        return Manifest(
            name=self.name,
            description=self.description,
            version=self.version,
            tools=self.tools,
            content=self.passage.text.strip(),
            notes=self.notes,
        )

    def all_findings(self) -> list[Finding]:
        """Return the findings about blocks, the version, and tools."""
        return [
            *block_findings(self.passage, self.in_tools),
            *_misplaced_versions(self.passage, self.version_line),
            *self.findings,
        ]

    def note_places(self) -> list[NotePlace]:
        """Return the places of the notes."""
        return [_note_place(section) for section in self.sections]


def read(text: str, *, path: str = "webagents.md") -> Reading:
    """Return the manifest in a text, with places and findings. No text makes it raise."""
    draft = read_draft(Passage(split_lines(text)))
    return Reading(
        draft.manifest(),
        Source(text, path),
        tuple(draft.all_findings()),
        draft.title,
        tuple(draft.places),
        tuple(draft.note_places()),
    )


def read_draft(passage: Passage) -> Draft:
    """Read the lines of a manifest, or some of them that are outside of any block before them."""
    findings: list[Finding] = []
    found: list[tuple[int, Tool, ToolPlace]] = []
    """First line, tool and place. The drafts are not kept, to save memory."""
    # Compact tools are found by lines, so they are read first and their lines skipped below.
    in_tools: set[int] = set()
    for first, last, signature in compact.find_tools(passage):
        draft = compact.read_tool(passage, first, last, signature, findings)
        found.append((first, draft.tool(), draft.place()))
        in_tools.update(range(first, last))
    skipped = in_tools.copy()
    for block in passage.blocks:
        if is_comment(block) and block.lines[0] not in in_tools:
            skipped.update(range(*block.lines))
    header, rest = _split(passage.blocks, skipped)
    others: list[Section] = []
    for section in rest:
        heading = section.heading
        parts = sections.split_parts(section.blocks)
        if heading.level == 2 and sections.is_tool(passage, heading, parts):
            draft = sections.read_tool(passage, heading, parts, skipped, findings)
            found.append((heading.lines[0], draft.tool(), draft.place()))
        else:
            others.append(section)
    # Tools of both formats, in the order of the file.
    found.sort(key=itemgetter(0))
    starts = [line for line, _, _ in found]
    tools, places = [tool for _, tool, _ in found], [place for _, _, place in found]
    notes = [_note(passage, section, skipped, starts) for section in others]
    name, version, description, title, version_line = _header(passage, header, skipped)
    return Draft(
        passage,
        name,
        version,
        description,
        title,
        tools,
        places,
        notes,
        others,
        findings,
        in_tools,
        version_line,
    )


def _split(
    blocks: Sequence[Block], skipped: Collection[int]
) -> tuple[Sequence[Block], list[Section]]:
    """Split blocks at headings of the first two levels.

    Returns:
        The blocks before the first section, with the title of the file, and the sections. Only the
        first heading of the first level is the title, and only if no section is before it.
    """
    if skipped:
        blocks = [b for b in blocks if b.lines[0] not in skipped or b.lines[1] - 1 not in skipped]
    starts: list[int] = []
    titled = False
    for index, block in enumerate(blocks):
        if isinstance(block, Heading) and block.level <= 2:
            if block.level == 1 and not starts and not titled:
                titled = True
            else:
                starts.append(index)
    sections = []
    for start, end in pairwise([*starts, len(blocks)]):
        heading = blocks[start]
        assert isinstance(heading, Heading)
        sections.append(Section(heading, blocks[start + 1 : end] or ()))
    return blocks[: starts[0] if starts else None], sections


def _header(
    passage: Passage, blocks: Sequence[Block], skipped: Collection[int]
) -> tuple[str, str, str, Span, int]:
    """Return name, version, description, the place of the title, and the line of the version or -1."""
    at = next(
        (i for i, b in enumerate(blocks) if isinstance(b, Heading) and b.level == 1), len(blocks)
    )
    before, after = blocks[:at], blocks[at + 1 :]
    name, title = "", passage.span(0, 0)
    if at < len(blocks):
        heading = blocks[at]
        assert isinstance(heading, Heading)
        name = one_line(unguard_title(heading.text))
        title = heading.text_span
    version, line = DEFAULT_VERSION, -1
    # The version counts only as the first paragraph below the title, or of a file without one.
    text = after if at < len(blocks) else before
    if text and isinstance(text[0], Paragraph) and (match := VERSION.match(text[0].text.strip())):
        version, line = one_line(match[1]), text[0].lines[0]
        before, after = (before, after[1:]) if at < len(blocks) else (before[1:], after)
    texts = [prose(passage, before, skipped), prose(passage, after, skipped)]
    return name, version, "\n\n".join(part for part in texts if part), title, line


def _misplaced_versions(passage: Passage, known: int) -> Iterator[Finding]:
    """Yield a finding for each paragraph that looks like the version, except the one that is it."""
    for block in passage.blocks:
        if (
            isinstance(block, Paragraph)
            and block.content[0].text[0] in "*_"
            and block.lines[0] != known
            and VERSION.match(block.text.strip())
        ):
            yield MISPLACED_VERSION.finding(
                block.span,
                f"`{block.text.strip()[:60]}` is text, because it is not directly below the title",
                help="write it as a paragraph of its own directly below the title, and only there",
            )


def _note(
    passage: Passage, section: Section, skipped: Collection[int], tools: Sequence[int]
) -> Note:
    """Return the note in a section.

    Args:
        passage: The file.
        section: The section.
        skipped: Numbers of lines to leave out.
        tools: Numbers of the first lines of all tools, ascending.
    """
    after = bisect_left(tools, section.heading.lines[0])
    title = one_line(unguard_title(sections.without_note_mark(section.heading.text)))
    return Note(title=title, text=prose(passage, section.blocks, skipped), after=after)


def _note_place(section: Section) -> NotePlace:
    heading = section.heading
    end = section.blocks[-1].end if section.blocks else heading.end
    return NotePlace(heading.start, end, heading.text_start, heading.text_end)
