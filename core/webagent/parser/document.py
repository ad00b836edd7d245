"""A whole file: title, description, tools and notes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from webagent.diagnostics import Finding, Severity
from webagent.markdown import Block, Fence, Heading, HtmlBlock, Paragraph
from webagent.parser import compact, sections
from webagent.parser.draft import ToolDraft
from webagent.parser.fences import out_of_step, swallowing_fence, unclosed_fence
from webagent.parser.names import one_line
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment, prose, unguard_title
from webagent.parser.reading import NotePlace, Reading
from webagent.source import Source, Span, split_lines
from webagent.types import Manifest, Note

DEFAULT_VERSION = "0.1"

VERSION = re.compile(r"[*_]{0,2}Version[*_]{0,2}[ \t]*:[*_ \t]*([^*_\s][^*_\n]*?)[*_]{0,2}\Z", re.I)
_NO_SPACE = re.compile(r"#{2,6}[^#\s]")


@dataclass(slots=True)
class Section:
    """A heading of the first or second level, and what stands below it."""

    heading: Heading | None
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """What has been read of a file."""

    passage: Passage
    name: str
    version: str
    description: str
    title: Span
    tools: list[ToolDraft]
    notes: list[tuple[Note, Section]]
    findings: list[Finding]
    in_tools: set[int]
    """Numbers of the lines that belong to tools of the compact format."""

    def manifest(self) -> Manifest:
        """Return the manifest."""
        return Manifest(
            name=self.name,
            description=self.description,
            version=self.version,
            tools=[draft.tool() for draft in self.tools],
            content=self.passage.text.strip(),
            notes=[note for note, _ in self.notes],
        )


def read(text: str, *, path: str = "webagents.md") -> Reading:
    """Read a manifest with the places of everything in it. No text makes it raise."""
    draft = read_draft(Passage(split_lines(text)))
    manifest = draft.manifest()
    findings = [*_unread(draft.passage, draft.in_tools), *draft.findings]
    return Reading(
        manifest,
        Source(text, path),
        tuple(findings),
        draft.title,
        tuple([tool.place() for tool in draft.tools]),
        tuple([_note_place(section) for _, section in draft.notes]),
    )


def read_draft(passage: Passage) -> Draft:
    """Read the lines of a manifest, or some that no block before them reaches into."""
    findings: list[Finding] = []
    drafts: list[ToolDraft] = []
    in_tools: set[int] = set()
    for first, last, signature in compact.find_tools(passage):
        drafts.append(compact.read_tool(passage, first, last, signature, findings))
        in_tools.update(range(first, last))
    skipped = in_tools.copy()
    for block in passage.blocks:
        if is_comment(block) and block.lines[0] not in in_tools:
            skipped.update(range(*block.lines))
    header, *rest = _split(passage.blocks, skipped)
    notes: list[tuple[Note, Section]] = []
    for section in rest:
        heading = section.heading
        assert heading is not None
        parts = sections.split_parts(section.blocks)
        if heading.level == 2 and sections.is_tool(passage, heading, parts):
            drafts.append(sections.read_tool(passage, heading, parts, skipped, findings))
        else:
            notes.append((_note(passage, section, skipped), section))
    drafts.sort(key=lambda draft: draft.line)
    starts = [draft.line for draft in drafts]
    for note, section in notes:
        assert section.heading is not None
        note.after = bisect_left(starts, section.heading.lines[0])
    name, version, description, title = _header(passage, header, skipped)
    return Draft(passage, name, version, description, title, drafts, notes, findings, in_tools)


def _split(blocks: Sequence[Block], skipped: Collection[int]) -> list[Section]:
    """Split at headings of the first two levels; the first of the file is its title."""
    found = [Section(None)]
    titled = False
    for block in blocks:
        if block.lines[0] in skipped and block.lines[1] - 1 in skipped:
            continue
        if isinstance(block, Heading) and block.level <= 2:
            if block.level == 1 and len(found) == 1 and not titled:
                titled = True
            else:
                found.append(Section(block))
                continue
        found[-1].blocks.append(block)
    return found


def _header(
    passage: Passage, section: Section, skipped: Collection[int]
) -> tuple[str, str, str, Span]:
    """Return name, version, description, and the place of the title."""
    blocks = section.blocks
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
    version = DEFAULT_VERSION
    text = after if at < len(blocks) else before
    if text and isinstance(text[0], Paragraph) and (match := VERSION.match(text[0].text.strip())):
        version = one_line(match[1])
        del text[0]
    texts = [prose(passage, before, skipped), prose(passage, after, skipped)]
    return name, version, "\n\n".join(part for part in texts if part), title


def _note(passage: Passage, section: Section, skipped: Collection[int]) -> Note:
    assert section.heading is not None
    title = one_line(unguard_title(sections.without_note_mark(section.heading.text)))
    return Note(title=title, text=prose(passage, section.blocks, skipped))


def _note_place(section: Section) -> NotePlace:
    heading = section.heading
    assert heading is not None
    end = section.blocks[-1].end if section.blocks else heading.end
    return NotePlace(Span(heading.start, end), heading.text_span)


def _unread(passage: Passage, in_tools: Collection[int]) -> Iterator[Finding]:
    """Yield what hides text: comments, and fences and HTML that nothing closes."""
    suspicious = out_of_step(passage)
    for block in passage.blocks:
        if block.lines[0] in in_tools:
            continue
        if isinstance(block, Fence) and not block.closed:
            yield unclosed_fence(passage, block)
        elif isinstance(block, Fence):
            if suspicious:
                yield from swallowing_fence(passage, block)
        elif isinstance(block, HtmlBlock) and not block.closed:
            opening = passage.lines[block.lines[0]][0].strip()
            yield Finding(
                "unclosed-html",
                Severity.ERROR,
                f"`{opening[:40]}` is never closed, so everything below it is hidden",
                "write `-->` where the comment ends" if block.kind == 2 else "close it",
                Span(block.start, block.start + len(opening)),
            )
        elif isinstance(block, Paragraph) and _NO_SPACE.match(block.text):
            yield Finding(
                "heading-without-space",
                Severity.WARNING,
                f"`{block.content[0].text[:60]}` is text, because no space follows the `#`",
                "write a space behind the `#`, as in `## search`",
                Span(block.start, block.start + len(block.content[0].text)),
            )
        if is_comment(block):
            yield Finding(
                "hidden-comment",
                Severity.INFO,
                "a comment is not shown to agents",
                "nothing has to be done; text that agents need must not stand in a comment",
                block.span,
            )
