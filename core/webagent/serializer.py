"""From a manifest to the Markdown that reads back as this manifest."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from webagent.markdown import Block, Heading, Paragraph, scan
from webagent.normal import normalize
from webagent.parser.document import DEFAULT_VERSION, VERSION
from webagent.parser.names import as_code, tool_name
from webagent.parser.params import read_param
from webagent.parser.passage import Passage
from webagent.parser.prose import guard, guard_title
from webagent.parser.sections import NOTE_MARK, is_tool, signature_fence, split_parts
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.types import Manifest, Note, Param, Tool

_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
"""What JSON may hold as it is, and a text had better not."""

__all__ = ["normalize", "to_markdown", "write_file"]


def to_markdown(manifest: Manifest) -> str:
    """Return the manifest as Markdown in the heading format.

    `parse` reads it back as `normalize(manifest)`, and writing that again gives the same text.
    """
    manifest = normalize(manifest)
    parts = [f"# {guard_title(manifest.name)}"] if manifest.name else []
    description = guard(manifest.description, deepest=2)
    first = next(iter(scan(description)), None)
    described = isinstance(first, Paragraph) and VERSION.match(first.text.strip())
    if manifest.version != DEFAULT_VERSION or described:
        parts.append(f"*Version: {manifest.version}*")
    parts.append(description)
    notes = list(manifest.notes)
    for index in range(len(manifest.tools) + 1):
        while notes and notes[0].after <= index:
            parts.append(_note(notes.pop(0)))
        if index < len(manifest.tools):
            parts.extend(_tool(manifest.tools[index]))
    return "\n\n".join(part for part in parts if part).strip() + "\n"


def write_file(manifest: Manifest, path: str | Path) -> None:
    """Write the manifest to a file, as UTF-8.

    Raises:
        OSError: The file cannot be written.
    """
    Path(path).write_bytes(to_markdown(manifest).encode("utf-8"))


def _note(note: Note) -> str:
    heading = f"## {guard_title(note.title)}".rstrip()
    text = guard(note.text, deepest=2)
    lines = f"{heading}\n\n{text}".split("\n")
    passage = Passage((line, 0) for line in lines)
    first, *rest = passage.blocks
    if isinstance(first, Heading) and is_tool(passage, first, split_parts(rest)):
        heading += f" {NOTE_MARK}"
    return f"{heading}\n\n{text}".strip()


def _tool(tool: Tool) -> list[str]:
    bare = tool_name(tool.name) == (tool.name, "", "") and not tool.name.endswith(NOTE_MARK)
    params = "\n".join(_param(param) for param in tool.params)
    parts = [
        f"## {guard_title(tool.name) if bare else as_code(tool.name)}",
        _guarded(tool.description),
        f"### Params\n\n{params}" if params else "### Params",
    ]
    if tool.returns:
        parts.append(f"### Output\n\n{_fence('typescript', tool.returns)}")
    if tool.sample_code:
        parts.append(f"### Sample Code\n\n{_fence('js', tool.sample_code)}")
    if behavior := _behavior(tool):
        parts.append(f"### Behavior\n\n{behavior}")
    for title, schema in (("Input", tool.input_schema), ("Output", tool.output_schema)):
        if schema is not None:
            parts.append(f"### {title} Schema\n\n{_fence('json', _json(schema))}")
    for note in tool.notes:
        parts.append(f"### {guard_title(note.title)}".rstrip())
        parts.append(_guarded(note.text))
    return parts


def _guarded(text: str) -> str:
    """Return the text of a tool so that nothing in it starts a section or a subsection."""

    def is_consumed(block: Block) -> bool:
        return signature_fence(Passage((line, 0) for line in text.split("\n")), block) is not None

    return guard(
        text,
        deepest=3,
        is_title=lambda title: title_key(title) in SUBSECTIONS,
        is_consumed=is_consumed,
    )


def _fence(language: str, text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def _param(param: Param) -> str:
    """Return the line of a parameter, in backticks where it would not read back without."""
    name = as_code(param.name)
    need = "required" if param.required else "optional"
    text = f": {param.description}" if param.description else ""
    for type_text, default in _spellings(param):
        modifiers = [type_text, need, *([] if default is None else [f"default={default}"])]
        lines = f"{name} ({', '.join(modifiers)}){text}".split("\n")
        draft = read_param(Passage((line, 0) for line in lines))
        if draft is not None and draft.param() == param:
            break
    return "\n".join([f"- {lines[0]}", *(f"  {line}" if line else "" for line in lines[1:])])


def _spellings(param: Param) -> list[tuple[str, str | None]]:
    """Return type and default as they are and as code, in the order to be tried."""
    types = (param.type, _code(param.type))
    defaults = (param.default, _code(param.default) if param.default else param.default)
    return [(type_text, default) for default in defaults for type_text in types]


def _code(text: str) -> str:
    """Return a text as code that is not taken for a template literal type."""
    return f"`{as_code(text)}`" if "${" in text and "`" not in text else as_code(text)


def _json(schema: dict[str, Any]) -> str:
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _behavior(tool: Tool) -> str:
    behavior = tool.behavior
    lines = [f"title: {tool.title}"] if tool.title else []
    if behavior.effect != "unknown":
        lines.append(f"effect: {behavior.effect}")
    if behavior.untrusted_output:
        lines.append("untrusted output")
    if behavior.idempotent:
        lines.append("idempotent")
    if behavior.requires_login:
        lines.append("requires login")
    if behavior.paths:
        lines.append(f"paths: {', '.join(behavior.paths)}")
    if behavior.rate:
        lines.append(f"rate: {behavior.rate}")
    if behavior.timeout_s is not None:
        lines.append(f"timeout: {Decimal(repr(behavior.timeout_s)).normalize():f}s")
    return "\n".join(f"- {line}" for line in lines)
