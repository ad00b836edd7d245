"""The readers of the subsections of a tool, and their titles."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from webagent.markdown import Block, CodeBlock, Fence, ListBlock, Paragraph, Table
from webagent.parser.behavior import read_behavior
from webagent.parser.names import code_span
from webagent.parser.param_lists import read_item, read_table
from webagent.parser.param_phrases import REMEMBERED
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment, prose
from webagent.parser.rules import (
    MISPLACED_TEXT,
    OUTPUT_IS_SAMPLE,
    OUTPUT_NOT_A_TYPE,
    UNFENCED_CODE,
    UNREADABLE_PARAM,
)
from webagent.parser.schemas import read_input_schema, read_output_schema, type_of_sample
from webagent.parser.tool_draft import ToolDraft
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError, read_type

Reader: TypeAlias = Callable[[ToolDraft, Passage, Sequence[Block]], None]
"""Reads the blocks below a heading into the draft. Text without a place joins the description."""

_TYPE_LANGUAGES = ("", "ts", "typescript", "tsx", "type", "dts", "d.ts")
_REMARK = re.compile(r"\([^()]*\)\s*+:?\s*+\Z")
_LINE = re.compile(r"[ \t]*(?:\*\*|__)([A-Za-z ]+:?)(?:\*\*|__)[ \t]*:?[ \t]*(\S.*)")
# Ways to write that a tool takes no parameters.
_NOTHING = re.compile(
    r"[(*_`-]*(?:none|no (?:params|parameters|arguments)|n/a|—|-)[.)*_`]*\Z", re.I
)


def read_params(draft: ToolDraft, passage: Passage, blocks: Sequence[Block]) -> None:
    """Read the parameters in lists and tables."""
    for block in blocks:
        if isinstance(block, ListBlock):
            for item in block.items:
                text = passage.item(item)
                if _NOTHING.match(text.text.strip()):
                    continue
                param = read_item(draft, text)
                if param is None:
                    draft.report(
                        UNREADABLE_PARAM,
                        item.span,
                        f"`{_short(text.text)}` is in the list of parameters but has no name",
                        help="write - `name` (type, required): description",
                    )
                    draft.description.append(f"- {text.text.strip()}")
                else:
                    draft.params.append(param)
        elif isinstance(block, Table):
            if not read_table(draft, block):
                _move_to_description(draft, passage, block, "parameters")
        elif isinstance(block, Paragraph) and _NOTHING.match(block.text.strip()):
            continue
        # A parameter without its bullet, which Markdown makes part of a paragraph.
        elif isinstance(block, Paragraph) and re.match(r"[`*]+[\w$]+[`*]+[ \t]*[(:]", block.text):
            draft.report(
                UNREADABLE_PARAM,
                block.span,
                f"`{_short(block.text)}` is a paragraph, and parameters are items of a list",
                help="start the line with `- `",
            )
            draft.description.append(prose(passage, [block]))
        elif not is_comment(block):
            _move_to_description(draft, passage, block, "parameters")


def read_output(draft: ToolDraft, passage: Passage, blocks: Sequence[Block]) -> None:
    """Read the return type: the first fence, or a line that is only a type."""
    # A `**Returns:**` line was only a guess; the subsection wins, and the line becomes text.
    if draft.returns_line and blocks:
        draft.description.append(draft.returns_line)
        draft.returns = draft.returns_line = ""
    for block in blocks:
        if is_comment(block):
            continue
        if not draft.returns and _read_returns(draft, passage, block):
            continue
        if isinstance(block, Fence | CodeBlock | Table):
            _move_to_description(draft, passage, block, "the return type")
            continue
        if not draft.returns and not any(isinstance(other, Fence) for other in blocks):
            draft.report(
                OUTPUT_NOT_A_TYPE,
                block.span,
                f"`{_short(prose(passage, [block]))}` is not a TypeScript type",
                help="write the type in a ```typescript fence; text about it belongs to the description",
            )
            draft.description.append(prose(passage, [block]))
        else:
            _move_to_description(draft, passage, block, "the return type")


def _read_returns(draft: ToolDraft, passage: Passage, block: Block) -> bool:
    """Read the return type in a block; False if the block is something else."""
    text = ""
    span = block.span
    if isinstance(block, Fence):
        text = block.text.strip()
        span = block.content_span
        if block.language not in _TYPE_LANGUAGES:
            sample = type_of_sample(text)
            if sample:
                draft.report(
                    OUTPUT_IS_SAMPLE,
                    block.span,
                    "the output is a sample value, so its type is a guess",
                    help=f"write the type in a ```typescript fence: {_short(sample)}",
                )
                text = sample
            elif block.language in ("json", "jsonc", "json5"):
                return False
    elif isinstance(block, CodeBlock):
        text = "\n".join(line.text for line in block.content).strip()
    elif isinstance(block, Paragraph):
        text = block.text.strip()
        code = code_span(text)
        if code is not None and code[2] + 1 >= len(text):
            text = code[0].strip()
        elif not _is_type(text):
            return False
    if not text:
        return False
    draft.returns = text
    draft.returns_span = span
    return True


def _is_type(text: str) -> bool:
    """Whether a text without marks is a type, and not a sentence of one word."""
    return (_is_short_type if len(text) <= REMEMBERED else _is_short_type.__wrapped__)(text)


@lru_cache(maxsize=512)
def _is_short_type(text: str) -> bool:
    try:
        read_type(text)
    except TypeSyntaxError:
        return False
    return not re.match(r"[A-Z]?[a-z]+\.\Z", text) and text.lower() != "nothing"


def read_sample_code(draft: ToolDraft, passage: Passage, blocks: Sequence[Block]) -> None:
    """Read sample code: all fences, or else indented code, or else the text itself."""
    kind = Fence if any(isinstance(block, Fence) for block in blocks) else CodeBlock
    codes = any(isinstance(block, kind) for block in blocks)
    for block in blocks:
        if isinstance(block, kind):
            text = "\n".join(line.text for line in block.content).strip()
            if text:
                draft.samples.append(text)
                draft.sample_span = draft.sample_span or block.span
        elif codes and not is_comment(block):
            _move_to_description(draft, passage, block, "the sample code")
    if not codes and (text := prose(passage, [b for b in blocks if not is_comment(b)])):
        place = Span(blocks[0].start, blocks[-1].end)
        draft.report(
            UNFENCED_CODE,
            place,
            "the sample code is not in a fence, so Markdown may change it",
            help="put ```js before it and ``` after it",
        )
        draft.samples.append(text)
        draft.sample_span = draft.sample_span or place


def read_behavior_list(draft: ToolDraft, passage: Passage, blocks: Sequence[Block]) -> None:
    """Read the bullets about the behavior of the tool."""
    for block in blocks:
        if isinstance(block, ListBlock):
            for item in block.items:
                text = passage.item(item).text
                if not read_behavior(draft, text, item.span):
                    draft.description.append(f"- {text.strip()}")
        elif not is_comment(block):
            _move_to_description(draft, passage, block, "the behavior")


SUBSECTIONS: dict[str, Reader] = {
    "params": read_params,
    "param": read_params,
    "parameters": read_params,
    "parameter": read_params,
    "arguments": read_params,
    "args": read_params,
    "output": read_output,
    "outputs": read_output,
    "returns": read_output,
    "return": read_output,
    "return type": read_output,
    "return value": read_output,
    "sample code": read_sample_code,
    "sample": read_sample_code,
    "example": read_sample_code,
    "examples": read_sample_code,
    "example code": read_sample_code,
    "usage": read_sample_code,
    "behavior": read_behavior_list,
    "behaviour": read_behavior_list,
    "input schema": read_input_schema,
    "output schema": read_output_schema,
}
"""The reader of each subsection, by its title in lower case."""

WEAK = frozenset(
    (
        "sample",
        "example",
        "examples",
        "example code",
        "usage",
        "behavior",
        "behaviour",
        "input schema",
        "output schema",
    )
)
"""Titles that notes have, too. They have their meaning in a tool, but do not make a section one."""


def title_key(title: str) -> str:
    """Return a title as `SUBSECTIONS` spells it: `params` for `**Params** (query):`."""
    text = _REMARK.sub("", title) if "(" in title else title
    return " ".join(text.strip("*_`: \t").lower().split())


def _read_returns_line(draft: ToolDraft, block: Block) -> bool:
    """Read a paragraph `**Returns:** type` as the return type; False if it is something else."""
    if draft.returns or not isinstance(block, Paragraph) or len(block.content) != 1:
        return False
    line = block.content[0]
    match = _LINE.match(line.text)
    if match is None or SUBSECTIONS.get(title_key(match[1])) is not read_output:
        return False
    text = match[2].strip()
    code = code_span(text)
    left = match.start(2)
    if code is not None and code[2] + 1 >= len(text):
        text, left = code[0].strip(), left + code[1]
    elif not _is_type(text):
        return False
    draft.returns, draft.returns_line = text, line.text.strip()
    draft.returns_span = Span(line.start + left, line.start + left + len(text))
    return True


def _move_to_description(draft: ToolDraft, passage: Passage, block: Block, among: str) -> None:
    """Add a block to the description, with a finding.

    Args:
        draft: The tool.
        passage: The passage that contains the block.
        block: The block; a line `**Returns:** type` is read as the return type instead.
        among: The parts of the tool between which it was written: `parameters`.
    """
    if _read_returns_line(draft, block):
        return
    draft.report(
        MISPLACED_TEXT,
        block.span,
        f"text among {among} is shown as part of the tool's description",
        help="move it below the heading of the tool",
    )
    draft.description.append(prose(passage, [block]))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
