"""Completions: headings, types, behavior and names, as they fit a place of a manifest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol import types

from webagent.checks import Report
from webagent.checks.sample_code.javascript import OWNERS
from webagent.codegen import shared_types
from webagent.parser.behavior import REMEDY
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.tstypes.known_names import LIBRARY, OWN_WORDS, PRIMITIVES
from webagent.types import Param
from webagent_dev.editor.document import Document

TITLES = {
    "Params": "The parameters, in the order of the call.",
    "Output": "The TypeScript type of what it returns.",
    "Sample Code": "A call in JavaScript.",
    "Behavior": "The effect of a call, its limits, and words for people.",
    "Input Schema": "JSON Schema of the arguments, where types cannot say it.",
    "Output Schema": "JSON Schema of the result, where types cannot say it.",
}
"""The subsections of a tool, as `fmt` writes them."""

BEHAVIORS = re.findall(r"`([^`]+)`", REMEDY)
"""Lines of `### Behavior`, as the rule `unknown-behavior` recommends them."""

_NEEDS = ("required", "optional", "default=")

_HEADING = re.compile(r"(#{1,6})[ \t]*([^#\n]*)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_WORD = re.compile(r"[\w$]*\Z")
_OWNED = re.compile(rf"\b(?:{'|'.join(OWNERS)})\.([\w$]*)\Z")
_IN_CALL = re.compile(r"([\w$]+)\([^()]*\Z")
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+`?([^`]*)\Z")
_PARAM = re.compile(r"[ \t]*[-*+][ \t]+`[^`]*`[ \t]*\(([^()]*)\Z")
_NEED = re.compile(r",[ \t]*([\w=]*)\Z")
_HOLE = re.compile(r"\{([\w$]*)\Z")


class _Offer(NamedTuple):
    """A text that can be written, in place of the last characters before the cursor."""

    text: str
    kind: types.CompletionItemKind
    replaced: int
    about: str = ""


class _Place(NamedTuple):
    """Where the cursor is."""

    tool: str
    """The text of the last heading of the second level."""
    section: str
    """The title of the subsection, as `SUBSECTIONS` spells it."""
    fenced: bool
    line: str
    """The line as far as the cursor."""
    code: str
    """The text of the fence as far as the cursor."""


def completions(
    document: Document, position: types.Position, report: Report
) -> list[types.CompletionItem]:
    """Return the texts that fit at a position."""
    offset = document.offset(position)
    place = _place(document.source.text, offset)
    items = []
    for number, offer in enumerate(_offers(place, report)):
        span = types.Range(document.position(offset - offer.replaced), document.position(offset))
        items.append(
            types.CompletionItem(
                offer.text,
                kind=offer.kind,
                detail=offer.about or None,
                sort_text=f"{number:05}",
                filter_text=offer.text,
                text_edit=types.TextEdit(span, offer.text),
            )
        )
    return items


def _place(text: str, offset: int) -> _Place:
    """Return where an offset is. Only the section around it is read."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    start = max(before.rfind("\n## "), 0)
    # The line of the cursor itself is not a heading yet.
    above, _, line = before[start:].rpartition("\n")
    tool = section = fence = ""
    code: list[str] = []
    for one in above.split("\n"):
        mark = _FENCE.match(one)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            else:
                code.append(one)
        elif mark:
            fence, code = mark[1], []
        elif heading := _HEADING.match(one):
            if len(heading[1]) > 2:
                section = title_key(heading[2])
            else:
                tool, section = heading[2].strip(" `") if len(heading[1]) == 2 else "", ""
    return _Place(tool, section, bool(fence), line, "\n".join([*code, line]))


def _offers(place: _Place, report: Report) -> Iterator[_Offer]:
    """Yield the texts that fit at a place."""
    reader = SUBSECTIONS.get(place.section)
    if place.fenced:
        if reader is SUBSECTIONS["sample code"]:
            yield from _in_sample(place, report)
        elif reader is SUBSECTIONS["output"] or (place.section == "" and place.tool == "Types"):
            yield from _types(place.line, report)
    elif (heading := _HEADING.match(place.line)) and place.tool and len(heading[1]) in (2, 3):
        for title, about in TITLES.items():
            kind = types.CompletionItemKind.Class
            yield _Offer(f"### {title}", kind, len(place.line), about)
    elif reader is SUBSECTIONS["params"] and (inside := _PARAM.match(place.line)):
        if need := _NEED.search(inside[1]):
            for word in _NEEDS:
                yield _Offer(word, types.CompletionItemKind.Keyword, len(need[1]))
        else:
            yield from _types(place.line, report)
    elif reader is SUBSECTIONS["behavior"] and (bullet := _BULLET.match(place.line)):
        yield from _behaviors(bullet[1], place, report)


def _behaviors(written: str, place: _Place, report: Report) -> Iterator[_Offer]:
    key = written.partition(":")[0].strip()
    if key in ("confirm", "done") and (hole := _HOLE.search(written)):
        for param in _params(place.tool, report):
            yield _Offer(param.name, types.CompletionItemKind.Variable, len(hole[1]), param.type)
        return
    if (
        before := {"inverse": "inverse:", "deprecated": "deprecated: use"}.get(key)
    ) and ":" in written:
        for name in report.manifest.tool_names:
            text = f"{before} {name}"
            yield _Offer(text, types.CompletionItemKind.Function, len(written))
        return
    for line in BEHAVIORS:
        yield _Offer(line, types.CompletionItemKind.Property, len(written))


def _in_sample(place: _Place, report: Report) -> Iterator[_Offer]:
    owned = _OWNED.search(place.code)
    word = owned[1] if owned else _word(place.code)
    if not owned and (call := _IN_CALL.search(place.code)):
        for param in _params(call[1], report):
            yield _Offer(param.name, types.CompletionItemKind.Variable, len(word), param.type)
    for tool in report.manifest.tools:
        about = tool.description.partition("\n")[0]
        text = tool.name if owned else f"{OWNERS[0]}.{tool.name}"
        yield _Offer(text, types.CompletionItemKind.Function, len(word), about)


def _types(line: str, report: Report) -> Iterator[_Offer]:
    names = [*shared_types(report.manifest).declarations, *sorted(PRIMITIVES | OWN_WORDS.keys())]
    for name in [*names, *LIBRARY]:
        yield _Offer(name, types.CompletionItemKind.TypeParameter, len(_word(line)))


def _params(tool: str, report: Report) -> list[Param]:
    found = report.manifest.get_tool(tool)
    return found.params if found else []


def _word(text: str) -> str:
    match = _WORD.search(text)
    return match[0] if match else ""
