"""Names of tools and parameters, as authors write them in headings and lists."""

from __future__ import annotations

import re
from typing import NamedTuple

from webagent.parser.delimiters import backticks_end, closing

_TICKS = re.compile(r"`+")
_NUMBERING = re.compile(r"[0-9]+[.)][ \t]+")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_BARE = re.compile(r"[\w$.\-]+")
_OWNER = re.compile(r"(?:await\s+)?(?:(?:global|globalThis|window)\s*\.\s*)?")
_DASH = re.compile(r"\s*(?::|\s[-–—]+(?=\s)|[–—])\s*")
_RETURNS = re.compile(r"(?::|->|=>)\s*[^\s:]")
UNCALLABLE = frozenset(
    (
        "__proto__",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    )
)
"""Names that every object of JavaScript has for its own machinery, and that no tool may have."""
_TOOL_LIKE = re.compile(r"[a-z$_][\w$]*[A-Z_][\w$]*\Z")


class ToolName(NamedTuple):
    """The parts of the heading of a tool."""

    name: str
    signature: str
    """`(query, limit)` if the name is written as a call, with its return type in code; or empty."""
    remark: str
    """The text after the name and a dash or colon."""


def code_span(text: str, start: int = 0) -> tuple[str, int, int] | None:
    """Return the code span that starts here, or None: its content, and start and end of that."""
    ticks = _TICKS.match(text, start)
    if ticks is None:
        return None
    left = ticks.end()
    end = backticks_end(text, left, left - start)
    if end < 0:
        return None
    right = end - (left - start)
    content = text[left:right]
    # CommonMark strips one space on each side, which lets code start with a backtick.
    if len(content) > 2 and content[0] == content[-1] == " " and content.strip():
        content, left, right = content[1:-1], left + 1, right - 1
    return content, left, right


def as_code(text: str) -> str:
    """Return a code span whose content is this text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def tool_name(heading: str) -> ToolName:
    """Return the parts of a heading.

    Emphasis, numbering, `global.`, parentheses and remarks are not part of the name. A heading of
    another form is a name as a whole.
    """
    # A fast path for most headings.
    if heading.isascii() and heading.isidentifier() and heading[0] != "_":
        return ToolName(heading, "", "")
    text = heading.strip()
    text = text[match.end() :] if (match := _NUMBERING.match(text)) else text
    # `__proto__` is a name, not a `proto` in bold.
    if text not in UNCALLABLE and (bold := _BOLD.match(text)):
        text = bold[2] + text[bold.end() :]
    literal = heading.strip()
    if span := code_span(text):
        core, rest = span[0], text[_end_of_code(text) :]
        literal = core.strip() if not rest.strip() else literal
        call = _call(core.strip())
        returns = call[2].strip() if call else ""
        if call is None or (returns and not (call[1] and _is_return(returns))):
            return ToolName(literal, "", "")
        name, signature = call[0], f"{call[1]}{call[2]}".rstrip()
    else:
        call = _call(text)
        if call is None:
            return ToolName(literal, "", "")
        name, signature, rest = call
    if not rest.strip():
        return ToolName(name, signature, "")
    dash = _DASH.match(rest)
    remark = rest[dash.end() :].strip() if dash else ""
    if dash is None or (not remark and rest.strip() != ":"):
        return ToolName(literal, "", "")
    return ToolName(name, signature, remark)


def _is_return(text: str) -> bool:
    """Whether a text is `: type`, perhaps with a semicolon at its end."""
    # A semicolon inside `{ a: A; b: B }` does not end the type.
    behind = text.rpartition(";")[2].strip() if ";" in text else ""
    return _RETURNS.match(text) is not None and (not behind or "}" in behind)


def _end_of_code(text: str) -> int:
    """Return the index after the code span that a text starts with."""
    ticks = len(text) - len(text.lstrip("`"))
    return max(0, backticks_end(text, ticks, ticks))


def _call(text: str) -> tuple[str, str, str] | None:
    """Split `global.name(args) rest` into name, `(args)` and rest; None if it has no name."""
    owner = _OWNER.match(text)
    start = owner.end() if owner else 0
    match = _BARE.match(text, start)
    if match is None:
        return None
    name, end = match[0], match.end()
    if text[end : end + 1] == "(":
        close = closing(text, end)
        if close < 0:
            return None
        return name, text[end : close + 1], text[close + 1 :]
    return name, "", text[end:]


def is_identifier(name: str) -> bool:
    """Whether a name can be written in JavaScript without quotes."""
    # Except for `$`, Python's identifiers are almost those of JavaScript.
    return name.replace("$", "_").isidentifier()


def looks_like_tool(heading: str) -> bool:
    """Whether a heading is an identifier with an inner capital or underscore: `getCart`."""
    read = tool_name(heading)
    return not read.remark and _TOOL_LIKE.match(read.name) is not None


def one_line(text: str) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.split())
