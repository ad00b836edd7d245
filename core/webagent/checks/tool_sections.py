"""Rules about sections: tools without a description, and tools that are read as notes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from webagent.checks.sample_code.pieces import fences
from webagent.checks.whole_file import front_matter_end
from webagent.codegen.types_section import shared_types
from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.parser.behavior import PLACEHOLDER
from webagent.parser.names import is_identifier, looks_like_tool, tool_name
from webagent.parser.sections import NOTE_MARK, no_params_at, takes_arguments
from webagent.parser.subsections import SUBSECTIONS, WEAK, title_key
from webagent.schema import output_schema
from webagent.source import Span
from webagent.types import Note

# Functions start with a lower-case letter; `Shipping` is the heading of a note.
_LOWER = re.compile(r"[a-z$_]")

_PARAM = re.compile(
    r"^[ \t]*[-*+][ \t]+[*_]{0,2}`[\w$.-]+`[*_]{0,2}[ \t]*"
    r"(?:\((?:string|number|integer|boolean|int|float|object|array|\w+\[\]|[^)\n]{0,80}"
    r"\b(?:required|optional))\b|:[ \t]*(?:string|number|integer|boolean)\b)",
    re.MULTILINE | re.IGNORECASE,
)

_PROSE = frozenset(
    """
    about accounts agents authentication background basics caveats changelog concepts contact
    conventions disclaimer errors examples faq features glossary goals guidelines help hints
    important info introduction legal license limits notes notice overview policies policy pricing
    privacy purpose readme resources rules safety scope security setup summary support terms tips
    tools types warnings workflow workflows
    """.split()  # noqa: SIM905 - a list of forty strings is harder to read
)
"""Headings of one word that notes have, in any case."""

_DEEPER = re.compile(r"^ {0,3}#{3,6}[ \t]+(\S[^\n]*)", re.MULTILINE)

MISSING_DESCRIPTION = Rule(
    "missing-description",
    Severity.WARNING,
    what="A tool has no description.",
    why="A model chooses tools by their description. With only a name it has to guess.",
    bad="# Shop\n\n## search\n\n### Params\n",
    good="# Shop\n\n## search\nFind products by words of their name.\n\n### Params\n",
)


@MISSING_DESCRIPTION.check
def missing_description(reading: Reading) -> Iterator[Finding]:
    """Report tools without a description."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if not tool.description:
            yield MISSING_DESCRIPTION.finding(
                place.name,
                f"`{tool.name}` does not say what it does, so an agent has only its name to go by",
                help="write one sentence below the heading: what it does, and when to use it",
                tool=tool.name,
            )


MISSING_OUTPUT = Rule(
    "missing-output",
    Severity.INFO,
    what="A tool does not declare its output.",
    why="Its result is declared as `any`, so a program that uses the result has to guess its shape.",
    bad="# Shop\n\n## search\nFind products.\n\n### Params\n",
    good="# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n"
    "```typescript\nArray<{ id: string; name: string }>\n```\n",
)


@MISSING_OUTPUT.check
def missing_output(reading: Reading) -> Iterator[Finding]:
    """Report tools that do not declare their output."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if not tool.returns:
            yield MISSING_OUTPUT.finding(
                place.name,
                f"`{tool.name}` does not say what it returns, so an agent has to guess",
                help="add `### Output` with the type in a ```typescript fence; `void` if nothing",
                tool=tool.name,
            )


NOTE_LOOKS_LIKE_TOOL = Rule(
    "note-looks-like-tool",
    Severity.WARNING,
    what="A section is a note, but looks like a tool.",
    why="Agents read notes and cannot call them. The heading is the name of a function, the text "
    "shows a call, or a list looks like parameters, but there is no `### Params`.",
    bad="# Shop\n\n## search\nFind products.\n",
    good="# Shop\n\n## search\nFind products.\n\n### Params\n",
)


@NOTE_LOOKS_LIKE_TOOL.check
def note_looks_like_tool(reading: Reading) -> Iterator[Finding]:
    """Report notes that look like tools, but lack `### Params`."""
    source = reading.source
    # Front matter becomes a section, which is not meant as a tool.
    data = front_matter_end(source.text)
    unclosed = [
        f.span.start for f in reading.findings if f.rule in ("unclosed-fence", "unclosed-html")
    ]
    for note, place in zip(reading.manifest.notes, reading.notes, strict=True):
        why = why_like_tool(note)
        heading = source.line(source.position(place.title.end).line) if why else ""
        if not why or place.start < data or NOTE_MARK in heading or note.title.endswith(NOTE_MARK):
            continue
        read = tool_name(note.title)
        callable_ = is_identifier(read.name)
        hidden = any(place.start <= at < place.end for at in unclosed)
        guess = read.remark or hidden or takes_arguments(read.name, note.text)
        yield NOTE_LOOKS_LIKE_TOOL.finding(
            place.title,
            f"`{note.title}` is read as a note, which agents cannot call, but {why}",
            help="add `### Params`, empty if it takes none; if it is not a tool, write `<!-- note -->` "
            "after the heading"
            if callable_
            else "make the heading the name of the function, such as `## searchProducts`, and put "
            "`### Params` above the list; if it is not a tool, write `<!-- note -->` after the heading",
            fix=no_params_at(place.end)
            if callable_ and not guess and not _lists_params(note.text)
            else None,
        )


def why_like_tool(note: Note) -> str:
    """Return why a note looks like a tool, or an empty text if it does not."""
    read = tool_name(note.title)
    identifier = is_identifier(read.name)
    call = f"global.{read.name}("
    decorated = note.title[:1] == "`" or bool(read.signature) or "global." in note.title
    if identifier and call in note.text:
        return f"its text shows a call, `{call}…)`"
    if identifier and (decorated or _LOWER.match(read.name)) and read.name.lower() not in _PROSE:
        return "it has a name like a function"
    return "it has a list like that of parameters" if _lists_params(note.text) else ""


def _lists_params(text: str) -> bool:
    """Whether a line outside of fences looks like a parameter."""
    return next(_outside_code(_PARAM, text), None) is not None


def _outside_code(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that start outside of fences."""
    code = [(start, end) for _, start, end in fences(text, 0, len(text))]
    starts = [start for start, _ in code]
    for match in pattern.finditer(text):
        at = bisect_right(starts, match.start()) - 1
        if at < 0 or match.start() >= code[at][1]:
            yield match


NESTED_TOOL = Rule(
    "nested-tool",
    Severity.WARNING,
    what="A subsection has the name of a function.",
    why="Tools are sections of the second level (`##`). A function below another heading is text of "
    "that section, and cannot be called.",
    bad="# Shop\n\n## The cart\n\n### getCart\nList the items in the cart.\n",
    good="# Shop\n\n## getCart\nList the items in the cart.\n\n### Params\n",
)


@NESTED_TOOL.check
def nested_tool(reading: Reading) -> Iterator[Finding]:
    """Report subsections with the name of a function, which were probably meant as tools."""
    manifest = reading.manifest
    for tool, place in zip(manifest.tools, reading.tools, strict=True):
        if not tool.notes:
            continue
        titles = [note.title for note in tool.notes if looks_like_tool(note.title)]
        for title, span in _find_titles(reading, place.span, titles):
            yield _nested_finding(title, f"`{tool.name}`", span, tool.name)
    for note, spot in zip(manifest.notes, reading.notes, strict=True):
        if "###" not in note.text:
            continue
        deeper = (match[1].rstrip(" \t#") for match in _DEEPER.finditer(note.text))
        titles = [title for title in deeper if looks_like_tool(title)]
        for title, span in _find_titles(reading, spot.span, titles):
            yield _nested_finding(title, f"the note `{note.title}`", span)
    starts = [tool.span.start for tool in reading.tools] + [note.start for note in reading.notes]
    head = Span(0, min(starts, default=len(reading.source.text)))
    for title, span in _find_titles(reading, head, _functions_in_description(manifest.description)):
        yield _nested_finding(title, "the title", span)


def _functions_in_description(description: str) -> list[str]:
    """Return the headings before the first section that were probably meant as tools.

    Below such a heading is a deeper one, such as `#### Params`, that only tools have.
    """
    if "###" not in description:
        return []
    found = list(_outside_code(_DEEPER, description))
    titles = [match[1].rstrip(" \t#") for match in found]
    levels = [len(match[0].split(None, 1)[0]) for match in found]
    return [
        titles[at]
        for at in range(len(found) - 1)
        if levels[at] < levels[at + 1]
        and (key := title_key(titles[at + 1])) in SUBSECTIONS
        and key not in WEAK
        and is_identifier(tool_name(titles[at]).name)
    ]


def _nested_finding(title: str, owner: str, span: Span, tool: str | None = None) -> Finding:
    return NESTED_TOOL.finding(
        span,
        f"`{title}` has a name like a function, but is a subsection of {owner} and cannot be called",
        help=f"write `## {title}`: tools are sections of the second level",
        tool=tool,
    )


def _find_titles(reading: Reading, within: Span, titles: list[str]) -> Iterator[tuple[str, Span]]:
    """Yield titles with their places, or with the whole span if a title is not found.

    Args:
        reading: The manifest.
        within: The part of the source that contains the titles.
        titles: The titles, in the order of the text.
    """
    text, position = reading.source.text, within.start
    for title in titles:
        start = text.find(title, position, within.end)
        position = start + len(title) if start >= 0 else position
        yield title, Span(start, position) if start >= 0 else within


COMMENT_CLOSING = Rule(
    "comment-closing",
    Severity.INFO,
    what="A text contains `*/`, which ends a comment in TypeScript.",
    why="Texts are in the comments of the declarations that agents see. There it is written `*\\/`.",
    bad="# Shop\n\n## accept\nTakes `*/*` or a type.\n\n### Params\n",
    good="# Shop\n\n## accept\nTakes any type, or one.\n\n### Params\n",
)


@COMMENT_CLOSING.check
def comment_closing(reading: Reading) -> Iterator[Finding]:
    """Report texts with `*/`, which would end the comment that shows them."""
    manifest, text = reading.manifest, reading.source.text
    if text and "*/" not in text:
        return
    for tool, place in zip(manifest.tools, reading.tools, strict=True):
        fields = [tool.description, *(param.description for param in tool.params)]
        if any("*/" in field for field in fields):
            at = text.find("*/", place.span.start, place.span.end)
            yield COMMENT_CLOSING.finding(
                Span(at, at + 2) if at >= 0 else place.name,
                f"`*/` in the text of `{tool.name}` would end the comment it is shown in, "
                "so agents are shown `*\\/`",
                help="nothing has to be done; write it differently if agents have to copy it",
                tool=tool.name,
            )


UNKNOWN_PLACEHOLDER = Rule(
    "unknown-placeholder",
    Severity.WARNING,
    what="A sentence for visitors has a value that no call and no result has.",
    why="A sentence with a value that is missing is not shown, and visitors read a general one.",
    bad="# Shop\n\n## add\nAdd a book.\n\n### Params\n- `id` (string, required): Its id.\n\n"
    "### Output\n```typescript\n{ title: string }\n```\n\n"
    "### Behavior\n- effect: write\n- confirm: Add {titel} to your basket?\n",
    good="# Shop\n\n## add\nAdd a book.\n\n### Params\n- `id` (string, required): Its id.\n\n"
    "### Output\n```typescript\n{ title: string }\n```\n\n"
    "### Behavior\n- effect: write\n- confirm: Add {title} to your basket?\n",
)


@UNKNOWN_PLACEHOLDER.check
def unknown_placeholder(reading: Reading) -> Iterator[Finding]:
    """Report values of sentences that are neither a parameter nor a member of a declared output."""
    manifest = reading.manifest
    if not any(tool.behavior.confirm or tool.behavior.done for tool in manifest.tools):
        return
    types = shared_types(manifest)
    members: set[str] = set()
    for tool in manifest.tools:
        names = None if tool.returns == "void" else _members(output_schema(tool, types=types))
        # A result without a declared type may have any member.
        if names is None and tool.returns != "void":
            return
        members |= names or set()
    for tool, place in zip(manifest.tools, reading.tools, strict=True):
        known = members | {param.name.removeprefix("...") for param in tool.params}
        for name in PLACEHOLDER.findall(f"{tool.behavior.confirm} {tool.behavior.done}"):
            if not known.issuperset(name.split(".")):
                at = reading.source.text.find(f"{{{name}}}", place.span.start, place.span.end)
                yield UNKNOWN_PLACEHOLDER.finding(
                    Span(at, at + len(name) + 2) if at >= 0 else place.name,
                    f"`{{{name}}}` is neither a parameter of `{tool.name}` nor a member of what a tool "
                    "returns, so the sentence is never shown",
                    help="write the name of one of them",
                    tool=tool.name,
                )


def _members(schema: Any) -> set[str] | None:
    """Return the names of all members in a schema; None if it allows further ones, or any value."""
    if not isinstance(schema, dict) or not schema.keys() - {"description"}:
        return None
    found: set[str] = set()
    left: list[Any] = [schema]
    while left:
        inner = left.pop()
        if isinstance(inner, dict):
            properties = inner.get("properties")
            if isinstance(properties, dict):
                found |= properties.keys()
            elif inner.get("type") == "object" or isinstance(
                inner.get("additionalProperties"), dict
            ):
                return None
            left += inner.values()
        elif isinstance(inner, list):
            left += inner
    return found


_INVERSE_MANIFEST = (
    "# Shop\n\n## add\nAdd a book.\n\n### Params\n- `id` (string, required): Its id.\n\n"
    "### Behavior\n- effect: write\n- inverse: {}\n\n"
    "## remove\nTake a book out.\n\n### Params\n- `id` (string, required): Its id.\n\n"
    "### Behavior\n- effect: write\n"
)

UNKNOWN_INVERSE = Rule(
    "unknown-inverse",
    Severity.WARNING,
    what="A tool is undone by one that does not exist, or that needs more than is known.",
    why="Visitors are offered no undo for calls of this tool.",
    bad=_INVERSE_MANIFEST.format("delete"),
    good=_INVERSE_MANIFEST.format("remove"),
)


@UNKNOWN_INVERSE.check
def unknown_inverse(reading: Reading) -> Iterator[Finding]:
    """Report inverses that are not tools, or that need what the tool neither takes nor returns."""
    manifest = reading.manifest
    types = shared_types(manifest) if any(t.behavior.inverse for t in manifest.tools) else None
    for tool, place in zip(manifest.tools, reading.tools, strict=True):
        name = tool.behavior.inverse
        if not name or types is None:
            continue
        line = re.compile(rf"inverse:[ \t`]*({re.escape(name)})", re.IGNORECASE)
        match = line.search(reading.source.text, place.span.start, place.span.end)
        span = Span(*match.span(1)) if match else place.name
        inverse = manifest.get_tool(name)
        if inverse is None:
            yield UNKNOWN_INVERSE.finding(
                span,
                f"`{name}` is not a tool of this manifest, so nothing undoes `{tool.name}`",
                help="write the name of one of its tools",
                tool=tool.name,
            )
            continue
        returned = (
            set() if tool.returns == "void" else _top_members(output_schema(tool, types=types))
        )
        if returned is None:
            continue
        known = returned | {param.name for param in tool.params}
        for param in inverse.params:
            if param.required and param.name not in known:
                yield UNKNOWN_INVERSE.finding(
                    span,
                    f"`{name}` needs `{param.name}`, which `{tool.name}` neither takes nor returns, "
                    "so its calls cannot be undone",
                    help=f"return `{param.name}`, or give it the name that `{tool.name}` has for it",
                    tool=tool.name,
                )


def _top_members(schema: Any) -> set[str] | None:
    """Return the names of the members of a value; None if it may have others, or is not described."""
    if not isinstance(schema, dict):
        return None
    properties = schema.get("properties")
    if isinstance(properties, dict):
        return None if isinstance(schema.get("additionalProperties"), dict) else {*properties}
    plain = ("string", "number", "integer", "boolean", "null", "array")
    return set() if schema.get("type") in plain else None
