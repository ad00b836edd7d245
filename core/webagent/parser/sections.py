"""The reader of a section that is a tool, and what distinguishes it from a note."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from webagent.diagnostics import Edit, Finding, Fix
from webagent.markdown import Block, Fence, Heading, HtmlBlock, ListBlock, Table
from webagent.parser.names import looks_like_tool, tool_name
from webagent.parser.params import ParamDraft
from webagent.parser.passage import Passage
from webagent.parser.prose import prose, pseudo_heading, unguard_title
from webagent.parser.rules import (
    DUPLICATE_SUBSECTION,
    IMPLICIT_TOOL,
    PARAM_NOT_IN_SIGNATURE,
    UNKNOWN_SUBSECTION,
    UNREADABLE_PARAM,
)
from webagent.parser.signature import Signature, read_signature
from webagent.parser.subsections import SUBSECTIONS, WEAK, read_params, title_key
from webagent.parser.tool_draft import ToolDraft
from webagent.source import Span
from webagent.types import Note

NOTE_MARK = "<!-- note -->"
"""A mark after a heading. It makes the section a note, even one that looks like a tool."""

_SIGNATURE_LANGUAGES = ("ts", "typescript")


@dataclass(slots=True)
class Part:
    """A subsection: its heading and the blocks below. The first part of a section has no heading."""

    heading: Block | None
    title: str
    key: str
    """The title as `SUBSECTIONS` spells it: `params`."""
    blocks: list[Block] = field(default_factory=list)


def split_parts(blocks: Sequence[Block]) -> list[Part]:
    """Split the blocks of a section at its subsections.

    A heading of the third level starts a subsection. A deeper heading, or a line in bold, does so
    only if `SUBSECTIONS` has its title.
    """
    parts = [Part(None, "", "")]
    for block in blocks:
        if isinstance(block, Heading):
            key = title_key(block.text)
            if block.level == 3 or key in SUBSECTIONS:
                title = unguard_title(block.text)
                parts.append(Part(block, title, key if title == block.text else title_key(title)))
                continue
        elif (title := pseudo_heading(block)) and (key := title_key(title)) in SUBSECTIONS:
            parts.append(Part(block, title, key))
            continue
        parts[-1].blocks.append(block)
    return parts


def signature_fence(passage: Passage, block: Block) -> Signature | None:
    """Return the TypeScript signature that is the only content of a fence, or None."""
    if not isinstance(block, Fence) or block.language not in _SIGNATURE_LANGUAGES:
        return None
    lines = Passage(block.content)
    signature = read_signature(lines)
    # `search(query)` alone may be a call of JavaScript.
    if signature is None or (not signature.typed and "function" not in block.text):
        return None
    return signature


def is_tool(passage: Passage, heading: Heading, parts: Sequence[Part]) -> bool:
    """Whether a section is a tool; if not, it is a note.

    A tool has a subsection or a signature that only tools have, or a heading like `getCart`.
    """
    if heading.text.endswith(NOTE_MARK) or not heading.text:
        return False
    for part in parts:
        if part.key in SUBSECTIONS and part.key not in WEAK:
            return True
    if any(signature_fence(passage, block) for block in parts[0].blocks):
        return True
    return looks_like_tool(heading.text)


def read_tool(
    passage: Passage,
    heading: Heading,
    parts: Sequence[Part],
    skipped: Collection[int],
    findings: list[Finding],
) -> ToolDraft:
    """Read a section that is a tool.

    Args:
        passage: The file.
        heading: The heading of the section.
        parts: The subsections, as `split_parts` returns them.
        skipped: Numbers of lines that are not part of the section.
        findings: The findings of the file, which are added to.
    """
    name = tool_name(unguard_title(heading.text))
    last = parts[-1].blocks[-1] if parts[-1].blocks else parts[-1].heading or heading
    name_span = heading.text_span
    draft = ToolDraft(
        name.name,
        Span(heading.start, last.end),
        name_span,
        findings,
    )
    if name.remark:
        draft.description.append(name.remark)
    signature = _read_description(draft, passage, parts, skipped)
    fenced = signature is not None
    if name.signature and signature is None:
        line = passage.lines[heading.lines[0]][0]
        at = line.find(name.signature)
        if at >= 0:
            # A signature needs a name; `f` and the offset before keep the places right.
            text = Passage([(f"f{name.signature}", passage.lines[heading.lines[0]][1] + at - 1)])
            signature = read_signature(text)
    seen: set[str] = set()
    for part in parts[1:]:
        _read_part(draft, passage, part, skipped, seen)
    if signature is not None:
        apply_signature(draft, signature)
    # Without a subsection or signature that only tools have, the heading alone made it a tool.
    if not any(reader is read_params for reader in (SUBSECTIONS.get(k) for k in seen)):
        strong = any(key not in WEAK for key in seen)
        if not fenced and not strong:
            below = range(heading.lines[1], last.lines[1])
            beneath = "\n".join(passage.lines[number][0] for number in below)
            _report_implicit(draft, (parts[0].blocks or [heading])[-1], beneath)
    return draft


def _read_description(
    draft: ToolDraft, passage: Passage, parts: Sequence[Part], skipped: Collection[int]
) -> Signature | None:
    """Read the description: the blocks below the heading.

    A fence with the signature is not part of it, and neither is a list of its parameters.

    Returns:
        The signature in the fence, or None.
    """
    blocks = parts[0].blocks
    signature = None
    taken: set[int] = set()
    for index, block in enumerate(blocks):
        if signature := signature_fence(passage, block):
            taken.add(index)
            break
    if signature and not any(SUBSECTIONS.get(part.key) is read_params for part in parts):
        names = {param.name for param in signature.params}
        for index, block in enumerate(blocks):
            if names and _read_param_list(draft, passage, block, names):
                taken.add(index)
    for apart, run in groupby(range(len(blocks)), taken.__contains__):
        if not apart:
            draft.description.append(prose(passage, [blocks[index] for index in run], skipped))
    return signature


def _read_param_list(
    draft: ToolDraft, passage: Passage, block: Block, names: Collection[str]
) -> bool:
    """Read a list or table into the draft, if all its parameters have one of these names.

    Returns:
        Whether it was read.
    """
    if not isinstance(block, ListBlock | Table):
        return False
    # A draft of its own, so that a list of something else leaves no trace.
    read = ToolDraft(draft.name, draft.span, draft.name_span, [])
    read_params(read, passage, [block])
    if read.description or not read.params or any(p.name not in names for p in read.params):
        return False
    draft.params += read.params
    draft.findings += read.findings
    return True


def _read_part(
    draft: ToolDraft, passage: Passage, part: Part, skipped: Collection[int], seen: set[str]
) -> None:
    """Read a subsection into the draft, as a note if its title is unknown, and add it to `seen`."""
    assert part.heading is not None
    key = part.key
    reader = SUBSECTIONS.get(key)
    if reader is None:
        draft.notes.append(Note(title=part.title, text=prose(passage, part.blocks, skipped)))
        draft.report(
            UNKNOWN_SUBSECTION,
            part.heading.span,
            f"`{part.title}` is not a known subsection of a tool, so it is kept as a note",
            help="known are `Params`, `Output`, `Sample Code` and `Behavior`",
        )
        return
    if key in seen:
        draft.report(
            DUPLICATE_SUBSECTION,
            part.heading.span,
            f"`{part.title}` is here for the second time; both are read",
            help="put them together under one heading",
        )
    seen.add(key)
    blocks = [b for b in part.blocks if not _is_skipped(b, skipped)] if skipped else part.blocks
    reader(draft, passage, blocks)


def _is_skipped(block: Block, skipped: Collection[int]) -> bool:
    return all(number in skipped for number in range(*block.lines))


def apply_signature(draft: ToolDraft, signature: Signature) -> None:
    """Merge the parameters of the list with those of the signature, and take its return type."""
    draft.params = merge(draft, signature.params, draft.params)
    if not draft.returns and signature.returns:
        draft.returns, draft.returns_span = signature.returns, signature.returns_span
    for span in signature.nameless:
        draft.report(
            UNREADABLE_PARAM,
            span,
            "a parameter of the signature has no name",
            help="give it a name; the fields of an object belong to its type",
        )


def merge(
    draft: ToolDraft, signed: Sequence[ParamDraft], listed: Sequence[ParamDraft]
) -> list[ParamDraft]:
    """Return the parameters in the order of the signature, with the details of the list.

    Parameters that only the list has come last, with a finding.

    Args:
        draft: The tool, for findings.
        signed: The parameters of the signature.
        listed: The parameters of the list. They are changed where the signature says more.
    """
    if not listed:
        return list(signed)
    by_name: dict[str, list[ParamDraft]] = {}
    # Reversed, as `pop` takes from the end: two of one name are matched in order.
    for param in reversed(listed):
        by_name.setdefault(param.name, []).append(param)
    merged: list[ParamDraft] = []
    for param in signed:
        if not by_name.get(param.name):
            merged.append(param)
            continue
        match = by_name[param.name].pop()
        match.type = match.type or param.type
        if match.default is None:
            match.default = param.default
        if match.required is None:
            match.required = param.required
        merged.append(match)
    rest = {id(param) for params in by_name.values() for param in params}
    left = [param for param in listed if id(param) in rest]
    for param in left:
        draft.report(
            PARAM_NOT_IN_SIGNATURE,
            param.place.name,
            f"`{param.name}` is described, but the signature does not have it",
            help="add it to the signature at the place where a call passes it, or remove it here",
        )
    return [*merged, *left]


def _report_implicit(draft: ToolDraft, last: Block, text: str) -> None:
    """Report that a section is a tool only by its heading.

    Args:
        draft: The tool.
        last: The block that subsections would follow.
        text: All text below its heading.
    """
    # Text after an unclosed block would be hidden as well, so there is no fix.
    hidden = isinstance(last, Fence | HtmlBlock) and not last.closed
    draft.report(
        IMPLICIT_TOOL,
        draft.name_span,
        f"`{draft.name}` is read as a tool only because its heading looks like a function",
        help="add an empty `### Params`; if it is not a tool, write `<!-- note -->` after the heading",
        fix=None if hidden or takes_arguments(draft.name, text) else no_params_at(last.end),
    )


def no_params_at(end: int) -> Fix:
    """Return the fix that adds an empty `### Params` after the block that ends at `end`."""
    return Fix("add an empty `### Params`", (Edit(Span(end, end), "\n\n### Params"),))


def takes_arguments(name: str, text: str) -> bool:
    """Whether a text calls a function of this name with arguments, or defines one."""
    word = rf"(?<![\w$]){re.escape(name)}"
    return (
        re.search(rf"{word}\s*(?:\(\s*[^\s)]|[=:]\s*(?:async\b|function\b|\())", text) is not None
    )


def without_note_mark(title: str) -> str:
    """Return a title without `NOTE_MARK` at its end."""
    while title.endswith(NOTE_MARK):
        title = title.removesuffix(NOTE_MARK).rstrip()
    return title
