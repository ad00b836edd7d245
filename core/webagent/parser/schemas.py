"""JSON Schemas that an author writes beside the types: `### Input Schema`, `### Output Schema`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from webagent.diagnostics import Severity
from webagent.markdown import Block, CodeBlock, Fence, Paragraph
from webagent.parser.draft import ToolDraft
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment, prose

DEEPEST = 64
"""Levels of nesting that a schema may have."""

_REMEDY = 'write one JSON object in a ```json fence: {"type": "object", "properties": {}}'


def read_input_schema(draft: ToolDraft, passage: Passage, blocks: Sequence[Block]) -> None:
    """Read the schema of the arguments."""
    draft.input_schema = _read(draft, passage, blocks, "input", draft.input_schema)


def read_output_schema(draft: ToolDraft, passage: Passage, blocks: Sequence[Block]) -> None:
    """Read the schema of the value."""
    draft.output_schema = _read(draft, passage, blocks, "output", draft.output_schema)


def _read(
    draft: ToolDraft,
    passage: Passage,
    blocks: Sequence[Block],
    what: str,
    known: dict[str, Any] | None,
) -> dict[str, Any] | None:
    """Return the schema in the first block of code; other text joins the description."""
    found = known
    for block in blocks:
        if is_comment(block):
            continue
        text = _json_text(block)
        if found is None and text:
            try:
                found = parse_schema(text)
                draft.schema_spans[what] = block.span
                continue
            except ValueError as error:
                draft.report(
                    "invalid-schema",
                    Severity.ERROR,
                    f"the {what} schema cannot be read: {error}",
                    _REMEDY,
                    block.span,
                )
        else:
            draft.report(
                "misplaced-text",
                Severity.INFO,
                f"text beside the {what} schema is shown as part of the tool's description",
                "move it below the heading of the tool",
                block.span,
            )
        draft.description.append(prose(passage, [block]))
    return found


def _json_text(block: Block) -> str:
    """Return what a block of code holds, or a paragraph that starts like an object."""
    if isinstance(block, Fence | CodeBlock):
        return "\n".join(line.text for line in block.content)
    if isinstance(block, Paragraph) and block.text.lstrip().startswith("{"):
        return block.text
    return ""


def parse_schema(text: str) -> dict[str, Any]:
    """Return the JSON object that a text holds.

    Raises:
        ValueError: It holds none, or one that is nested too deeply.
    """
    try:
        schema = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.lower()} in line {error.lineno}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(schema, dict):
        raise ValueError("it is no JSON object")
    if not is_shallow(schema):
        raise ValueError("it is nested too deeply")
    return schema


def is_shallow(data: Any) -> bool:
    """Whether JSON data has no more levels than a schema may have."""
    left = [(data, 1)]
    while left:
        inner, level = left.pop()
        if isinstance(inner, dict | list):
            if level > DEEPEST:
                return False
            values = inner.values() if isinstance(inner, dict) else inner
            left.extend((value, level + 1) for value in values)
    return True


def _refuse(word: str) -> Any:
    raise ValueError(f"`{word}` is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"`{text[:20]}` is too large a number")
    return number
