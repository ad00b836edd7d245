"""From a manifest to Markdown that is read back as the same manifest.

`normalize` first reduces a manifest to what Markdown can hold.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.codegen.types_section import shared_types
from webagent.json_text import is_shallow
from webagent.markdown import Block, Heading, Paragraph, scan
from webagent.parser.behavior import RATE, is_template
from webagent.parser.document import DEFAULT_VERSION, VERSION
from webagent.parser.names import as_code, is_identifier, one_line, tool_name
from webagent.parser.params import read_param
from webagent.parser.passage import Passage
from webagent.parser.prose import guard, guard_title
from webagent.parser.reading import NOWHERE
from webagent.parser.schemas import parse_schema
from webagent.parser.sections import (
    NOTE_MARK,
    is_tool,
    signature_fence,
    split_parts,
    without_note_mark,
)
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.parser.tool_draft import params_of_schema
from webagent.schema.tools import params_schema, returns_schema, same
from webagent.tstypes import print_type
from webagent.tstypes.from_schema import type_of
from webagent.types import Behavior, Manifest, Note, Param, Tool

__all__ = ["normalize", "to_markdown", "write_file"]
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufeff]")

_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
"""Characters that JSON allows, but that are better escaped in a text."""

_MAX_TIMEOUT_S = 999_999_999.0


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
            parts.append(_write_note(notes.pop(0)))
        if index < len(manifest.tools):
            parts.extend(_write_tool(manifest.tools[index]))
    return "\n\n".join(part for part in parts if part).strip() + "\n"


def write_file(manifest: Manifest, path: str | Path) -> None:
    """Write the manifest to a file, as UTF-8.

    Raises:
        OSError: The file cannot be written.
    """
    Path(path).write_bytes(to_markdown(manifest).encode("utf-8"))


def _write_note(note: Note) -> str:
    heading = f"## {guard_title(note.title)}".rstrip()
    text = guard(note.text, deepest=2)
    lines = f"{heading}\n\n{text}".split("\n")
    passage = Passage((line, 0) for line in lines)
    first, *rest = passage.blocks
    if isinstance(first, Heading) and is_tool(passage, first, split_parts(rest)):
        heading += f" {NOTE_MARK}"
    return f"{heading}\n\n{text}".strip()


def _write_tool(tool: Tool) -> list[str]:
    bare = tool_name(tool.name) == (tool.name, "", "") and not tool.name.endswith(NOTE_MARK)
    params = "\n".join(_write_param(param) for param in tool.params)
    parts = [
        f"## {guard_title(tool.name) if bare else as_code(tool.name)}",
        _guarded(tool.description),
        f"### Params\n\n{params}" if params else "### Params",
    ]
    if tool.returns:
        parts.append(f"### Output\n\n{_fence('typescript', tool.returns)}")
    if tool.sample_code:
        parts.append(f"### Sample Code\n\n{_fence('js', tool.sample_code)}")
    if behavior := _write_behavior(tool):
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
    passage = Passage((line, 0) for line in text.split("\n"))

    def is_consumed(block: Block) -> bool:
        return signature_fence(passage, block) is not None

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


def _write_param(param: Param) -> str:
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


def _write_behavior(tool: Tool) -> str:
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
    if behavior.confirm:
        lines.append(f"confirm: {behavior.confirm}")
    if behavior.done:
        lines.append(f"done: {behavior.done}")
    if behavior.inverse:
        lines.append(f"inverse: {behavior.inverse}")
    if behavior.deprecated:
        lines.append(f"deprecated: {behavior.deprecated}")
    if behavior.timeout_s is not None:
        lines.append(f"timeout: {Decimal(repr(behavior.timeout_s)).normalize():f}s")
    return "\n".join(f"- {line}" for line in lines)


def normalize(manifest: Manifest) -> Manifest:
    r"""Return the manifest as Markdown can hold it: what `parse(to_markdown(manifest))` gives.

    Lines end with `\n`, control characters are gone, texts have no white space around them, names
    and types are on one line, notes are ordered by place. `content` is left out.
    """
    notes = [_normal_note(note, len(manifest.tools)) for note in manifest.notes]
    types = shared_types(Manifest(notes=notes))
    return Manifest(
        name=_line(manifest.name),
        description=_text(manifest.description),
        version=_line(re.sub(r"[*_]", "", manifest.version)) or DEFAULT_VERSION,
        tools=[normalize_tool(tool, types=types) for tool in manifest.tools],
        notes=sorted(notes, key=lambda note: note.after),
    )


def normalize_tool(tool: Tool, *, types: SharedTypes = NO_TYPES) -> Tool:
    """Return a tool as Markdown can hold it; a schema is left out if the types say the same."""
    name = _line(tool.name) or "unnamed"
    description = [_text(tool.description)]
    notes = []
    for note in tool.notes:
        title, text = _line(note.title), _text(note.text)
        if title_key(title) in SUBSECTIONS:
            description.append(text)
        else:
            notes.append(Note(title=title, text=text))
    given, returned = _normal_schema(tool.input_schema), _normal_schema(tool.output_schema)
    params = tool.params
    if given is not None and not params:
        params = [draft.param() for draft in params_of_schema(given, NOWHERE)]
    returns = _text(tool.returns)
    if returned is not None and not returns:
        returns = print_type(type_of(returned))
    found = Tool(
        name=tool_name(as_code(name)).name,
        description="\n\n".join(part for part in description if part),
        params=[_normal_param(param) for param in params],
        returns=returns,
        sample_code=_text(tool.sample_code),
        behavior=_normal_behavior(tool.behavior),
        notes=notes,
        title=_line(tool.title).strip("` "),
    )
    if given is not None and not same(given, params_schema(found, types)):
        found.input_schema = given
    if returned is not None and not same(returned, returns_schema(found, types)):
        found.output_schema = returned
    return found


def _normal_note(note: Note, tools: int) -> Note:
    title = without_note_mark(_line(note.title))
    return Note(title=title, text=_text(note.text), after=min(note.after, tools))


def _normal_schema(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a copy of a schema as JSON data; None if it is not JSON."""
    if schema is None or not is_shallow(schema):
        return None
    try:
        return parse_schema(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError):
        return None


def _normal_param(param: Param) -> Param:
    draft = read_param(Passage([(as_code(_line(param.name) or "param"), 0)]))
    return Param(
        name=(draft.name.rstrip("? ") if draft else "") or "param",
        type=_line(param.type) or "string",
        description=re.sub(
            r"^[ \t]+", lambda lead: lead[0].expandtabs(4), _text(param.description), flags=re.M
        ),
        required=param.required,
        default=None if param.default is None else _line(param.default),
    )


def _normal_behavior(behavior: Behavior) -> Behavior:
    paths = [_line(part).strip("` ") for path in behavior.paths for part in path.split(",")]
    rate = _line(behavior.rate).strip("`")
    inverse = _line(behavior.inverse).strip("`")
    timeout_s = behavior.timeout_s
    if timeout_s is not None:
        timeout_s = round(min(timeout_s, _MAX_TIMEOUT_S), 6) or None
    return Behavior(
        effect=behavior.effect,
        untrusted_output=behavior.untrusted_output,
        idempotent=behavior.idempotent,
        requires_login=behavior.requires_login,
        paths=[path for path in paths if path],
        rate=rate if RATE.match(rate) else "",
        timeout_s=timeout_s,
        confirm=_sentence(behavior.confirm),
        done=_sentence(behavior.done),
        inverse=inverse if is_identifier(inverse) else "",
        deprecated=_line(behavior.deprecated).strip("` "),
    )


def _sentence(text: str) -> str:
    line = _line(text).strip("` ")
    return line if is_template(line) else ""


def _line(text: str) -> str:
    return one_line(_text(text))


def _text(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
