"""The reader of the compact format: `tool: name(a, b=1)` with indented fields below.

A tool ends before the first line that is not indented. Lines of a fence belong to the field that
contains the fence, even if they look like fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webagent.diagnostics import Finding
from webagent.markdown import ListBlock, Paragraph
from webagent.markdown.cursor import Cursor
from webagent.markdown.patterns import FENCE_CLOSE, FENCE_OPEN
from webagent.parser.behavior import read_behavior
from webagent.parser.names import one_line
from webagent.parser.params import read_compact_param
from webagent.parser.passage import Passage
from webagent.parser.rules import UNREADABLE_PARAM
from webagent.parser.schemas import read_input_schema, read_output_schema
from webagent.parser.sections import apply_signature
from webagent.parser.signature import Signature, read_signature
from webagent.parser.subsections import read_output, read_params, read_sample_code
from webagent.parser.tool_draft import ToolDraft
from webagent.source import Span

_HEADER = re.compile(r"([ \t]*(?:[-+*][ \t]+)?)tool:[ \t]*(.*)\Z", re.IGNORECASE)
_FIELD = re.compile(r"[ \t]*([A-Za-z][A-Za-z _]*?)[ \t]*:(?:[ \t]+|\Z)(.*)\Z", re.DOTALL)
_BARE_NAME = re.compile(r"[\w$.-]+\Z")
_BLOCK_MARK = re.compile(r"([|>])[+-]?[ \t]*\Z")

FIELDS = {
    "description": "description",
    "summary": "description",
    "params": "params",
    "parameters": "params",
    "arguments": "params",
    "args": "params",
    "output": "output",
    "returns": "output",
    "return": "output",
    "sample code": "sample_code",
    "sample": "sample_code",
    "example": "sample_code",
    "usage": "sample_code",
    "behavior": "behavior",
    "behaviour": "behavior",
    "title": "title",
    "input schema": "input_schema",
    "output schema": "output_schema",
}
"""The field that each name means. Names are in lower case, with a space for `_`."""


@dataclass(slots=True)
class Field:
    """A field of a tool. `folded` means that line ends in it are spaces, as after `>` in YAML."""

    name: str
    lines: list[tuple[str, int]]
    folded: bool = False


def find_tools(passage: Passage) -> list[tuple[int, int, Signature]]:
    """Return each compact tool in order: first line, line after its last, and signature."""
    if "tool:" not in passage.text.lower():
        return []
    found: list[tuple[int, int, Signature]] = []
    end = 0
    for number in _candidates(passage):
        if number < end:  # a line of the tool before
            continue
        text, offset = passage.lines[number]
        match = _HEADER.match(text)
        if match is None:
            continue
        head = Passage([(match[2].rstrip(), offset + match.start(2))])
        signature = read_signature(head)
        stop = _tool_end(passage, number, Cursor(text, 0, 0).indent)
        # `tool: name` without parentheses may be prose. A known field below makes it a tool.
        if signature is None:
            field = _FIELD.match(passage.lines[number + 1][0]) if stop > number + 1 else None
            known = field is not None and _key(field[1]) in FIELDS
            if not known or not _BARE_NAME.match(head.text):
                continue
            span = head.span(0, len(head.text))
            signature = Signature(head.text, span, [], [], "", None)
        end = stop
        found.append((number, end, signature))
    return found


def _key(text: str) -> str:
    return " ".join(text.lower().replace("_", " ").split())


def _candidates(passage: Passage) -> Iterator[int]:
    """Yield the numbers of lines that may start a tool: text, and first lines of list items."""
    for block in passage.blocks:
        if isinstance(block, Paragraph):
            yield from range(*block.lines)
        elif isinstance(block, ListBlock):
            yield from (item.lines[0] for item in block.items)


def _tool_end(passage: Passage, header: int, indent: int) -> int:
    """Return the number of the line after the tool."""
    number = end = header + 1
    # Marks of fences that nothing closes: searched once, so that time stays linear.
    unclosed: set[str] = set()
    lines = passage.lines
    while number < len(lines):
        text, offset = lines[number]
        if not indent and text[:1].isalpha():
            break
        line = Cursor(text, offset, number)
        if line.blank:
            number += 1
            continue
        fence = FENCE_OPEN.match(line.rest) if line.character in "`~" else None
        # A fence at the margin still belongs to the tool if the field above has no value yet.
        if line.indent <= indent and not (fence and _is_empty_field(lines[end - 1][0])):
            break
        if fence and (mark := fence[1] or fence[3])[0] not in unclosed:
            close = _fence_end(passage, number, mark)
            if close < 0:
                unclosed.add(mark[0])
            else:
                number = close
        number += 1
        end = number
    return end


def _is_empty_field(text: str) -> bool:
    """Whether a line is the name of a field without a value, which then is below it."""
    key = _FIELD.match(text)
    return key is not None and not key[2].strip() and _key(key[1]) in FIELDS


def _fence_end(passage: Passage, start: int, mark: str) -> int:
    """Return the number of the line that closes a fence, or -1."""
    for number in range(start + 1, len(passage.lines)):
        text = passage.lines[number][0].lstrip(" \t")
        close = FENCE_CLOSE.match(text) if text[:1] == mark[0] else None
        if close and len(close[1]) >= len(mark):
            return number
    return -1


def read_tool(
    passage: Passage, first: int, last: int, signature: Signature, findings: list[Finding]
) -> ToolDraft:
    """Read the lines of one tool."""
    text, offset = passage.lines[last - 1]
    start = passage.lines[first][1]
    span = Span(start, offset + len(text))
    draft = ToolDraft(signature.name, span, signature.name_span, findings)
    for field in _fields(passage, first + 1, last):
        lines = Passage(_dedent(field.lines))
        if not lines.text.strip():
            continue
        if field.name == "description":
            text = lines.text.strip()
            draft.description.append(_fold(text) if field.folded else text)
        elif field.name == "params":
            _read_params(draft, lines)
        elif field.name == "output":
            read_output(draft, lines, lines.blocks)
        elif field.name == "behavior":
            _behavior(draft, lines)
        elif field.name == "title":
            draft.title = one_line(lines.text).strip("`").strip()
        elif field.name == "input_schema":
            read_input_schema(draft, lines, lines.blocks)
        elif field.name == "output_schema":
            read_output_schema(draft, lines, lines.blocks)
        else:
            _sample_code(draft, lines)
    apply_signature(draft, signature)
    return draft


def _fields(passage: Passage, first: int, last: int) -> list[Field]:
    """Split the lines below the header into fields. Text before the first is the description."""
    fields: list[Field] = []
    # Only names at the indent of the first line start a field; deeper ones are text.
    own = -1
    number = first
    unclosed: set[str] = set()
    while number < last:
        text, offset = passage.lines[number]
        line = Cursor(text, offset, number)
        if own < 0 and not line.blank:
            own = line.indent
        match = _FIELD.match(text) if not line.blank and line.indent == own else None
        name = FIELDS.get(_key(match[1])) if match else None
        if match and name:
            mark = _BLOCK_MARK.match(match[2])
            inline = [] if mark or not match[2].strip() else [(match[2], offset + match.start(2))]
            fields.append(Field(name, inline, bool(mark and mark[1] == ">")))
            number += 1
            continue
        fence = None
        if not line.blank and line.character in "`~":
            fence = FENCE_OPEN.match(line.rest)
        end = number
        if fence and (opening := fence[1] or fence[3])[0] not in unclosed:
            end = _fence_end(passage, number, opening)
            if not number < end < last:
                unclosed.add(opening[0])
                end = number
        if not fields:
            fields.append(Field("description", []))
        fields[-1].lines.extend(passage.lines[number : end + 1])
        number = end + 1
    return fields


def _dedent(lines: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the lines of a field without their common indentation."""
    # The first one has none if it follows the name of the field.
    inline = bool(lines) and lines[0][0][:1] not in " \t"
    if len(lines) <= inline:
        return lines
    cursors = [Cursor(text, offset, 0) for text, offset in lines]
    measured = cursors[1:] if inline else cursors
    indents = [line.indent for line in measured if not line.blank]
    common = min(indents, default=0)
    for line in measured:
        line.skip(common)
    return [line.raw for line in cursors]


def _fold(text: str) -> str:
    """Return a text with each paragraph on one line."""
    paragraphs = re.split(r"\n[ \t]*\n", text)
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _read_params(draft: ToolDraft, passage: Passage) -> None:
    """Read the parameters of `name: type` lines. A line with more indent continues the last one."""
    if any(isinstance(block, ListBlock) for block in passage.blocks):
        read_params(draft, passage, passage.blocks)
        return
    groups: list[list[tuple[str, int]]] = []
    for text, offset in passage.lines:
        line = Cursor(text, offset, 0)
        if line.blank:
            continue
        if line.indent and groups:
            groups[-1].append((line.rest, line.offset))
        else:
            groups.append([(line.rest, line.offset)])
    for group in groups:
        entry = Passage(group)
        param = read_compact_param(entry)
        if param is None:
            draft.report(
                UNREADABLE_PARAM,
                entry.span(0, len(entry.text)),
                f"`{entry.text[:60]}` is among the parameters but has no name",
                help="write `name: type`",
            )
            draft.description.append(entry.text)
        else:
            draft.params.append(param)


def _behavior(draft: ToolDraft, passage: Passage) -> None:
    """Read each line as a bullet of `### Behavior`, with or without its marker."""
    for text, offset in passage.lines:
        stripped = text.strip().lstrip("-*+ \t")
        if stripped:
            place = Passage([(text, offset)]).span(0, len(text))
            if not read_behavior(draft, stripped, place):
                draft.description.append(stripped)


def _sample_code(draft: ToolDraft, passage: Passage) -> None:
    if "```" in passage.text or "~~~" in passage.text:
        read_sample_code(draft, passage, passage.blocks)
    else:
        draft.samples.append(passage.text.strip())
        draft.sample_span = draft.sample_span or passage.span(0, len(passage.text))
