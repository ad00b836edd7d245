"""The form of a manifest that Markdown can hold."""

from __future__ import annotations

import json
import re
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.codegen.shared_types import shared_types
from webagent.json_text import is_shallow
from webagent.parser.behavior import RATE
from webagent.parser.derived import derived_params
from webagent.parser.document import DEFAULT_VERSION
from webagent.parser.names import as_code, one_line, tool_name
from webagent.parser.params import read_param
from webagent.parser.passage import Passage
from webagent.parser.reading import NOWHERE
from webagent.parser.schemas import parse_schema
from webagent.parser.sections import without_note_mark
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.schema.tools import params_schema, returns_schema, same
from webagent.tstypes import print_type
from webagent.tstypes.from_schema import type_of
from webagent.types import Behavior, Manifest, Note, Param, Tool

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufeff]")
_LONGEST_TIMEOUT_S = 999_999_999.0


def normalize(manifest: Manifest) -> Manifest:
    r"""Return the manifest as Markdown can hold it: what `parse(to_markdown(manifest))` gives.

    Lines end with `\n`, control characters are gone, texts have no white space around them, names
    and types stand on one line, notes are ordered by place. `content` is left out.
    """
    notes = [_note(note, len(manifest.tools)) for note in manifest.notes]
    types = shared_types(Manifest(notes=notes))
    return Manifest(
        name=_line(manifest.name),
        description=_text(manifest.description),
        version=_line(re.sub(r"[*_]", "", manifest.version)) or DEFAULT_VERSION,
        tools=[normalize_tool(tool, types=types) for tool in manifest.tools],
        notes=sorted(notes, key=lambda note: note.after),
    )


def _text(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _line(text: str) -> str:
    return one_line(_text(text))


def _note(note: Note, tools: int) -> Note:
    title = without_note_mark(_line(note.title))
    return Note(title=title, text=_text(note.text), after=min(note.after, tools))


def normalize_tool(tool: Tool, *, types: SharedTypes = NO_TYPES) -> Tool:
    """Return a tool as Markdown can hold it; a schema that its types say as well is left out."""
    name = _line(tool.name) or "unnamed"
    description = [_text(tool.description)]
    notes = []
    for note in tool.notes:
        title, text = _line(note.title), _text(note.text)
        if title_key(title) in SUBSECTIONS:
            description.append(text)
        else:
            notes.append(Note(title=title, text=text))
    given, returned = _schema(tool.input_schema), _schema(tool.output_schema)
    params = tool.params
    if given is not None and not params:
        params = [draft.param() for draft in derived_params(given, NOWHERE)]
    returns = _text(tool.returns)
    if returned is not None and not returns:
        returns = print_type(type_of(returned))
    found = Tool(
        name=tool_name(as_code(name)).name,
        description="\n\n".join(part for part in description if part),
        params=[_param(param) for param in params],
        returns=returns,
        sample_code=_text(tool.sample_code),
        behavior=_behavior(tool.behavior),
        notes=notes,
        title=_line(tool.title).strip("` "),
    )
    if given is not None and not same(given, params_schema(found, types)):
        found.input_schema = given
    if returned is not None and not same(returned, returns_schema(found, types)):
        found.output_schema = returned
    return found


def _schema(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a schema as JSON data of its own; None if it is none."""
    if schema is None or not is_shallow(schema):
        return None
    try:
        return parse_schema(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError):
        return None


def _param(param: Param) -> Param:
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


def _behavior(behavior: Behavior) -> Behavior:
    paths = [_line(part).strip("` ") for path in behavior.paths for part in path.split(",")]
    rate = _line(behavior.rate).strip("`")
    timeout_s = behavior.timeout_s
    if timeout_s is not None:
        timeout_s = round(min(timeout_s, _LONGEST_TIMEOUT_S), 6) or None
    return Behavior(
        effect=behavior.effect,
        untrusted_output=behavior.untrusted_output,
        idempotent=behavior.idempotent,
        requires_login=behavior.requires_login,
        paths=[path for path in paths if path],
        rate=rate if RATE.match(rate) else "",
        timeout_s=timeout_s,
    )
