"""The form of a manifest that Markdown can hold."""

from __future__ import annotations

import re

from webagent.parser.behavior import RATE
from webagent.parser.document import DEFAULT_VERSION
from webagent.parser.names import as_code, one_line, tool_name
from webagent.parser.params import read_param
from webagent.parser.passage import Passage
from webagent.parser.sections import without_note_mark
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.types import Behavior, Manifest, Note, Param, Tool

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufeff]")
_LONGEST_TIMEOUT_S = 999_999_999.0


def normalize(manifest: Manifest) -> Manifest:
    r"""Return the manifest as Markdown can hold it: what `parse(to_markdown(manifest))` gives.

    Lines end with `\n`, control characters are gone, texts have no white space around them, names
    and types stand on one line, notes are ordered by place. `content` is left out.
    """
    notes = (_note(note, len(manifest.tools)) for note in manifest.notes)
    return Manifest(
        name=_line(manifest.name),
        description=_text(manifest.description),
        version=_line(re.sub(r"[*_]", "", manifest.version)) or DEFAULT_VERSION,
        tools=[_tool(tool) for tool in manifest.tools],
        notes=sorted(notes, key=lambda note: note.after),
    )


def _text(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _line(text: str) -> str:
    return one_line(_text(text))


def _note(note: Note, tools: int) -> Note:
    title = without_note_mark(_line(note.title))
    return Note(title=title, text=_text(note.text), after=min(note.after, tools))


def _tool(tool: Tool) -> Tool:
    name = _line(tool.name) or "unnamed"
    description = [_text(tool.description)]
    notes = []
    for note in tool.notes:
        title, text = _line(note.title), _text(note.text)
        if title_key(title) in SUBSECTIONS:
            description.append(text)
        else:
            notes.append(Note(title=title, text=text))
    return Tool(
        name=tool_name(as_code(name)).name,
        description="\n\n".join(part for part in description if part),
        params=[_param(param) for param in tool.params],
        returns=_text(tool.returns),
        sample_code=_text(tool.sample_code),
        behavior=_behavior(tool.behavior),
        notes=notes,
    )


def _param(param: Param) -> Param:
    draft = read_param(Passage([(as_code(_line(param.name) or "param"), 0)]))
    return Param(
        name=(draft.name if draft else "") or "param",
        type=_line(param.type) or "string",
        description=re.sub(
            r"^[ \t]+", lambda lead: lead[0].expandtabs(4), _text(param.description), flags=re.M
        ),
        required=param.required,
        default=None if param.default is None else _line(param.default),
    )


def _behavior(behavior: Behavior) -> Behavior:
    paths = [_line(part).strip("`").strip() for path in behavior.paths for part in path.split(",")]
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
