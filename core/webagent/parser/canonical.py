r"""The fast reader: one regular expression per section of canonical form.

Most sections of most files are as `to_markdown` writes them: prose, one-line parameters, a type and
a sample, in this order. Scanning the blocks of such a section would take ten times as long.
`webagent.parser.document` reads all other sections by their blocks. For a text that both can read,
they return the same manifest.

Sections can be read one by one, because a heading at the start of a line ends all blocks before it.
The exceptions are a fence and raw HTML that nothing closes. A section that ends in one of those is
read together with all the text below it.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from webagent.source import BOM, Source
from webagent.types import Manifest

if TYPE_CHECKING:
    from webagent.parser.params import ParamDraft
    from webagent.parser.passage import Passage
    from webagent.parser.places import Places
    from webagent.parser.reading import Reading

_PROSE = r"((?:(?:- )?+(?:[^\W\d_]|[0-9]++(?![.)])|`(?!``))[^\n\\]*+\n|\n)*+)"
"""Any number of lines that are text or one-line items, regardless of the lines around them."""
_CODE = r"([^`]*+(?:`(?!``)[^`]*+)*+)(?<=\n)```\n\n*+"
"""The lines of a fence and its end."""
_END = r"(?=## |\Z)"
# Possessive quantifiers: a section that does not match is given up in linear time.
_HEADER = re.compile(
    r"\n*+# ([^\s#\\][^\n#\\]*+)\n\n*+(?:\*Version: ([A-Za-z0-9.+-]++)\*\n(?:\n++|\Z|(?=## )))?+"
    rf"(?!(?i:version)){_PROSE}{_END}"
)
_TOOL = re.compile(
    rf"## ([^\W\d_][\w$]*+)\n{_PROSE}"
    r"(?:### Params\n\n*+((?:- `[^\n]*+\n)*+)\n*+)?+"
    rf"(?:### Output\n\n*+```(?:typescript|ts)?+\n{_CODE})?+"
    rf"(?:### Sample Code\n\n*+```[a-z]*+\n{_CODE})?+"
    rf"(?:### Behavior\n\n*+((?:- [^\n]*+\n)*+)\n*+)?+{_END}"
)
# A title starts with a capital or has none: `getCart` may be a tool, which its blocks decide.
_NOTE = re.compile(rf"## ([A-Z][^\n#\\<]*+|[a-z][a-z -]*+)\n{_PROSE}{_END}")
_PARAM = re.compile(
    r"^- `([\w$]++)` \(((?:string|number|boolean|object|array)(?:\[\])?+)"
    r"(?:, (required|optional))?+(?:, default=([\w.-]++))?+\)(?:: ([^\n]*+))?+\n",
    re.MULTILINE,
)
_BEHAVIOR: dict[str, tuple[str, object]] = {
    "- effect: read": ("effect", "read"),
    "- effect: write": ("effect", "write"),
    "- effect: irreversible": ("effect", "irreversible"),
    "- untrusted output": ("untrusted_output", True),
    "- idempotent": ("idempotent", True),
    "- requires login": ("requires_login", True),
}
"""Lines of `### Behavior` with a fixed value, and the field that each sets."""
_SENTENCE = re.compile(
    r"- (confirm|deprecated|done|inverse|title): ((?! )(?:[^\W_]|[,.?!;:()'’“”£€%+-]| (?! |$)|\{[^\W_]{1,60}(?:\.[^\W_]{1,60}){0,5}\})+)\Z"
)
"""A sentence for the visitor, the tool's title in plain words, or the name of another tool."""
_PATHS = re.compile(r"- paths: (/[A-Za-z0-9./-]*+(?:, /[A-Za-z0-9./-]*+)*+)\Z")
_PARAM_START = re.compile(r"- `[\w$]++` \(")


def read_manifest(text: str) -> Manifest:
    """Return the manifest in a text. No text makes it raise."""
    text = text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n")
    return Manifest.model_validate(_read(text, None))


def read(text: str, *, path: str = "webagents.md") -> Reading:
    """Return the manifest in a text, with places and findings. No text makes it raise."""
    from webagent.parser import document
    from webagent.parser.places import Places
    from webagent.parser.reading import Reading

    # The expressions know only `\n`, and replacing `\r\n` would shift all places.
    if "\r" in text:
        return document.read(text, path=path)
    body = text.removeprefix(BOM)
    places = Places(len(text) - len(body))
    found = _read(body, places)
    if not places.separable:
        return document.read(text, path=path)
    return Reading(
        Manifest.model_validate(found),
        Source(text, path),
        tuple(places.findings),
        places.title,
        tuple(places.tools),
        tuple(places.notes),
    )


def _read(text: str, places: Places | None) -> dict[str, Any]:
    """Return the fields of a manifest, and add the place of each part to `places`."""
    found: dict[str, Any] = {"tools": [], "notes": [], "content": text.strip()}
    if not text.endswith("\n"):
        text += "\n"
    position = _read_header(text, found, places)
    while position < len(text) and (places is None or places.separable):
        position = _read_section(text, position, found, places)
    return found


def _read_header(text: str, found: dict[str, Any], places: Places | None) -> int:
    """Read the text before the first section, and return the offset of that section."""
    # A tool of the compact format may be anywhere, and end in another section.
    if "tool:" in text.lower():
        return _read_blocks(text, 0, len(text), found, places)
    if text.startswith("## "):
        return 0
    header = _HEADER.match(text)
    if header is None:
        return _read_blocks(text, 0, text.find("\n## ") + 1, found, places)
    name, version, description = header.groups()
    found["name"], found["description"] = " ".join(name.split()), description.strip()
    if version:
        found["version"] = version
    if places:
        places.header(header)
    return header.end()


def _read_section(text: str, start: int, found: dict[str, Any], places: Places | None) -> int:
    """Read a section, and return the offset of the next one."""
    tools = found["tools"]
    if section := _TOOL.match(text, start):
        drafts: dict[int, ParamDraft] = {}
        if tool := _tool(section, drafts):
            tools.append(tool)
            if places:
                places.tool(section, drafts)
            return section.end()
    if section := _NOTE.match(text, start):
        title, body = section.groups()
        note = {"title": " ".join(title.split()), "text": body.strip(), "after": len(tools)}
        found["notes"].append(note)
        if places:
            places.note(section)
        return section.end()
    return _read_blocks(text, start, text.find("\n## ", start) + 1, found, places)


def _read_blocks(
    text: str, start: int, stop: int, found: dict[str, Any], places: Places | None
) -> int:
    """Read a stretch of the text by its blocks, and return the offset of the next section.

    Args:
        text: The whole text.
        start: Offset of the stretch.
        stop: Offset of its end, 0 for the end of the text. If a fence or raw HTML is still open
            there, the rest of the text is read.
        found: The fields of the manifest so far.
        places: The places so far.
    """
    from webagent.parser.document import read_draft
    from webagent.parser.passage import Passage

    lines = text[start : stop or len(text)].split("\n")
    first = start + (places.start if places else 0)
    offsets = accumulate([len(line) + 1 for line in lines], initial=first)
    passage = Passage(zip(lines, offsets, strict=False))
    if 0 < stop < len(text) and _has_open_block(passage):
        return _read_blocks(text, start, 0, found, places)
    draft = read_draft(passage)
    if start == 0:
        found.update(name=draft.name, version=draft.version, description=draft.description)
    if places:
        places.blocks(draft)
        places.title = draft.title if start == 0 else places.title
    # Notes of the draft count only the tools of this stretch.
    before = len(found["tools"])
    found["tools"] += draft.tools
    for note in draft.notes:
        note.after += before
        found["notes"].append(note)
    return stop or len(text)


def _has_open_block(passage: Passage) -> bool:
    """Whether a heading in the next line would be part of code or raw HTML."""
    from webagent.markdown import Fence, HtmlBlock

    last = passage.blocks[-1] if passage.blocks else None
    if isinstance(last, Fence):
        return not last.closed
    end = len(passage.lines) - 1  # the last line is empty: it follows the last line end
    return isinstance(last, HtmlBlock) and (not last.closed or last.lines[1] == end)


def _tool(section: re.Match[str], drafts: dict[int, ParamDraft]) -> dict[str, Any] | None:
    """Return the fields of a tool, or None if the section has to be read by its blocks.

    Args:
        section: A match of `_TOOL`.
        drafts: Gets the parameters in other forms, by the offset of their line.
    """
    name, description, params, returns, sample, behavior = section.groups()
    # Without such a subsection it may be a note, or a tool with a finding.
    if returns is None and params is None and sample is None:
        return None
    tool: dict[str, Any] = {"name": name, "description": description.strip()}
    if params:
        read = _params(section.string, *section.span(3), drafts)
        if read is None:
            return None
        tool["params"] = read
    if returns is not None:
        tool["returns"] = returns = returns.strip()
        if not returns:
            return None
    if sample is not None:
        tool["sample_code"] = sample.strip()
    if behavior:
        fields = [_behavior_field(line) for line in behavior.split("\n")[:-1]]
        known = [field for field in fields if field is not None]
        if len(known) < len(fields):
            return None
        tool["behavior"] = dict(known)
        tool["title"] = tool["behavior"].pop("title", "")
    return tool


def _behavior_field(line: str) -> tuple[str, object] | None:
    """Return the field that a line of `### Behavior` sets, `title` included; None for another form."""
    if line in _BEHAVIOR:
        return _BEHAVIOR[line]
    if paths := _PATHS.match(line):
        return "paths", paths[1].split(", ")
    match = _SENTENCE.match(line)
    if match is None or (match[1] == "inverse" and not match[2].isidentifier()):
        return None
    return match[1], match[2]


def _params(
    text: str, start: int, end: int, drafts: dict[int, ParamDraft]
) -> list[dict[str, Any]] | None:
    """Return the parameters of a list, or None if it has items of another form."""
    lines = _PARAM.findall(text, start, end)
    if len(lines) == text.count("\n", start, end):
        return [_param(*line) for line in lines]
    from webagent.parser.params import read_param
    from webagent.parser.passage import Passage

    params: list[dict[str, Any]] = []
    while start < end:
        stop = text.index("\n", start)
        if match := _PARAM.match(text, start):
            params.append(_param(*match.groups("")))
        elif _PARAM_START.match(text, start):
            draft = read_param(Passage([(text[start + 2 : stop], start + 2)]))
            if draft is None or draft.unclosed or draft.others:
                return None
            drafts[start] = draft
            params.append(draft.fields())
        else:
            return None
        start = stop + 1
    return params


def _param(name: str, kind: str, need: str, default: str, description: str) -> dict[str, Any]:
    fields = {
        "name": name,
        "type": kind,
        "description": description.strip(),
        # Required unless the author says otherwise; a default without a word makes it optional.
        "required": need == "required" or not (need or default),
    }
    # With a fifth one pydantic's set of the fields that were given takes three times the memory.
    if default:
        fields["default"] = default
    return fields
