"""Whether notes are what their author means them to be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.parser import Reading
from webagent.parser.names import is_identifier, tool_name
from webagent.source import Span

_LOWER = re.compile(r"[a-z$_]")


def note_looks_like_tool(reading: Reading) -> Iterator[Finding]:
    """A note has the name of a function for a title, or shows a call of one of that name."""
    for note, place in zip(reading.manifest.notes, reading.notes, strict=True):
        read = tool_name(note.title)
        call = f"global.{read.name}("
        decorated = note.title[:1] == "`" or bool(read.signature) or "global." in note.title
        named = is_identifier(read.name) and (_LOWER.match(read.name) or decorated)
        if not (named or (is_identifier(read.name) and call in note.text)):
            continue
        if reading.source.text[place.span.start : place.title.end + 40].find("<!-- note -->") >= 0:
            continue
        at = place.span.end
        yield Finding(
            "note-looks-like-tool",
            Severity.WARNING,
            f"`{note.title}` has a name like a function, but nothing else says that it is a tool",
            "add `### Params`, empty if it takes none; if it is no tool, write `<!-- note -->` "
            "behind the heading",
            place.title,
            None,
            Fix("add an empty `### Params`", (Edit(Span(at, at), "\n\n### Params"),)),
        )
