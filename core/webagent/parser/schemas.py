"""The reader of JSON in a manifest: schemas (`### Input Schema`), and samples of an output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from webagent.json_text import read_json
from webagent.markdown import Block, CodeBlock, Fence, Paragraph
from webagent.parser.names import is_identifier
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment, prose
from webagent.parser.rules import INVALID_SCHEMA, MISPLACED_TEXT
from webagent.parser.tool_draft import ToolDraft

_REMEDY = 'write one JSON object in a ```json fence: {"type": "object", "properties": {}}'
_MAX_DEPTH = 20
"""Most levels of a sample that its type has; deeper ones are `unknown`."""


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
    kind: str,
    earlier: dict[str, Any] | None,
) -> dict[str, Any] | None:
    """Return the schema in the first block of code. Other text goes into the description."""
    found = earlier
    for block in blocks:
        if is_comment(block):
            continue
        text = _json_text(block)
        if found is None and text:
            try:
                found = parse_schema(text)
                draft.schema_spans[kind] = block.span
                continue
            except ValueError as error:
                draft.report(
                    INVALID_SCHEMA,
                    block.span,
                    f"the {kind} schema cannot be read: {error}",
                    help=_REMEDY,
                )
        else:
            draft.report(
                MISPLACED_TEXT,
                block.span,
                f"text next to the {kind} schema is shown as part of the tool's description",
                help="move it below the heading of the tool",
            )
        draft.description.append(prose(passage, [block]))
    return found


def _json_text(block: Block) -> str:
    """Return the text of a block of code, or of a paragraph that starts with `{`; or an empty text."""
    if isinstance(block, Fence | CodeBlock):
        return "\n".join(line.text for line in block.content)
    if isinstance(block, Paragraph) and block.text.lstrip().startswith("{"):
        return block.text
    return ""


def parse_schema(text: str) -> dict[str, Any]:
    """Return the JSON object that a text holds.

    Raises:
        ValueError: It is not a JSON object, or is nested too deeply.
    """
    schema = read_json(text)
    if not isinstance(schema, dict):
        raise ValueError("it is not a JSON object")
    return schema


def type_of_sample(text: str) -> str:
    """Return the TypeScript type of a JSON text, or an empty text if it is not JSON or is a schema."""
    try:
        value = read_json(text)
    except ValueError:
        return ""
    if isinstance(value, dict) and (
        "$schema" in value or isinstance(value.get("properties"), dict)
    ):
        return ""
    return _type(value, 0)


def _type(value: object, depth: int) -> str:
    """Return the TypeScript type of JSON data."""
    if depth > _MAX_DEPTH:
        return "unknown"
    # Before numbers: in Python a bool is an int.
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        types = list(dict.fromkeys(_type(item, depth + 1) for item in value))
        if not types:
            return "unknown[]"
        return (
            f"Array<{' | '.join(types)}>"
            if len(types) > 1 or types[0][0] == "{"
            else f"{types[0]}[]"
        )
    if isinstance(value, dict):
        members = (f"{_key(key)}: {_type(item, depth + 1)}" for key, item in value.items())
        return f"{{ {'; '.join(members)} }}" if value else "{}"
    return "null"


def _key(name: str) -> str:
    return name if is_identifier(name) else json.dumps(name)
