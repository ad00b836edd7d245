"""One parameter, in the ways people write it.

    - `name` (type, required|optional, default=x): description

The bullet may be any, the name bare or bold, the parentheses or the description absent, and a dash
may stand for the colon. What stands in the parentheses and is no type, no default and neither
`required` nor `optional` is kept as part of the description.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from webagent.parser.names import code_span
from webagent.parser.passage import Passage
from webagent.parser.reading import NO_PARAM_PLACE, ParamPlace
from webagent.parser.splitting import closing, first, split
from webagent.tstypes import TypeSyntaxError, instead, read_type
from webagent.tstypes.words import INSTEAD, LIBRARY, OWN_WORDS, PRIMITIVES
from webagent.types import Param

_BOLD = re.compile(r"(\*\*|__|\*|_)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w])")
_CODE_NAME = re.compile(r"`([\w$]++)`(?!`)")
_BARE = re.compile(r"(?:\.\.\.)?[\w$][\w$.\-]*(?:\[\])?")
_SEPARATOR = re.compile(r"[ \t]*(?::|[-–—]+(?=\s|\Z)|\Z)[ \t]*")
_NOTHING = re.compile("")
_OPENING = re.compile(r"[ \t]*\(")
_DEFAULT = re.compile(
    r"default(?:s[ \t]+to|[ \t]+is)?(?:[ \t]*[=:][ \t]*|[ \t]+|\Z)", re.IGNORECASE
)
_TYPED = re.compile(r"([^\s:]+?)(\?)?[ \t]*:[ \t]+(\S.*)\Z", re.DOTALL)
_REMARK = re.compile(r"[ \t]+(?:[-–—]+[ \t]|//[ \t]|#[ \t]|\()")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_WORDS = re.compile(r"[\w'’.-]+(?:[ \t]+[\w'’.,%-]+)+\Z")
_LIMIT = re.compile(r"[\w-]+[ \t]*(?:[=:]+[ \t]*[\w.%-]+|[<>≤≥]=?[ \t]*-?[\d.]+%?)\Z")
_LEADING_TYPE = re.compile(r"([A-Za-z]+(?:\[\])*)[ \t]+(\S.*)\Z", re.DOTALL)

REMEMBERED = 200
"""Characters of the longest text of which it is remembered whether it is a type."""

KNOWN_NAMES = PRIMITIVES | OWN_WORDS.keys() | INSTEAD.keys() | LIBRARY.keys()


@dataclass(slots=True)
class ParamDraft:
    """A parameter while it is being read.

    Attributes:
        place: Where it stands in the source.
        required: True or False if the author says so.
        remarks: What stood in the parentheses and is no modifier.
        unclosed: Whether the parentheses are opened and not closed.
    """

    name: str
    place: ParamPlace
    type: str = ""
    description: str = ""
    required: bool | None = None
    default: str | None = None
    remarks: tuple[str, ...] = ()
    unclosed: bool = False

    def param(self) -> Param:
        """Return the parameter."""
        return Param(**self.fields())

    def fields(self) -> dict[str, Any]:
        """Return the fields of the parameter.

        One with a default is optional unless said to be required.
        """
        remarks = ", ".join(self.remarks)
        if remarks and self.description:
            remarks = f"({remarks})"
        written = self.type or _type_of_default(self.default or "")
        required = self.default is None if self.required is None else self.required
        return {
            "name": self.name,
            "type": written,
            "description": f"{self.description} {remarks}".strip(),
            "required": required,
            "default": self.default,
        }


def read_param(passage: Passage) -> ParamDraft | None:
    """Read the text of a list item; None if it does not start with a name."""
    text = passage.text
    name, typed, left, end = _name(text)
    if not name:
        return None
    bare = not typed and text[:1] not in "`*_"
    optional = text.startswith("?", end)
    end += optional
    type_at = (left, end)
    draft = ParamDraft(name, NO_PARAM_PLACE)
    if optional:
        draft.required = False
    if typed:
        read_type_text(draft, typed)
    opening = _OPENING.match(text, end)
    if opening is not None:
        start = opening.end() - 1
        if (close := closing(text, start)) > 0:
            _modifiers(draft, text[start + 1 : close])
            type_at = (start + 1, close)
            end = close + 1
        else:
            draft.unclosed = True
    separator = _SEPARATOR.match(text, end)
    if separator is None and text[end : end + 1] == "\n":
        separator = _NOTHING.match(text, end)
    if separator is None:
        if bare and end == left + len(name):
            return None
        rest = text[end:]
    else:
        rest = text[separator.end() :]
        if not draft.type and (found := _type_in_front(rest)):
            type_at = (separator.end(), separator.end() + found)
            read_type_text(draft, rest[:found])
            rest = _after_type(draft, rest[found:])
    draft.description = rest.strip()
    draft.place = param_place(passage, (0, len(text.rstrip())), (left, left + len(name)), type_at)
    return draft


def param_place(
    passage: Passage, whole: tuple[int, int], name: tuple[int, int], kind: tuple[int, int]
) -> ParamPlace:
    """Return the places in the source of stretches of a passage."""
    if len(passage.lines) == 1:  # most of them
        at = passage.lines[0][1]
        return ParamPlace(
            at + whole[0], at + whole[1], at + name[0], at + name[1], at + kind[0], at + kind[1]
        )
    span = passage.span
    return ParamPlace(*span(*whole), *span(*name), *span(*kind))


def _name(text: str) -> tuple[str, str, int, int]:
    """Return name, type written with it, start of the name, and end of both."""
    if code := _CODE_NAME.match(text):
        return code[1], "", 1, code.end()
    bold = _BOLD.match(text)
    inner = bold.start(2) if bold else 0
    end = bold.end() if bold else -1
    if span := code_span(text, inner):
        content, left, right = span
        end = max(end, text.index("`", right))
        while text.startswith("`", end):
            end += 1
        if bold:
            end = max(end, bold.end())
    elif bold:
        content, left = bold[2], inner
    else:
        match = _BARE.match(text)
        if match is None:
            return "", "", 0, 0
        return match[0], "", 0, match.end()
    content = content.strip().rstrip(":").strip() if bold else content.strip()
    typed = ""
    if ":" in content and (match := _TYPED.match(content)) and _is_type(match[3].split("=")[0]):
        kind, equals, default = match[3].partition("=")
        content, typed = match[1], f"{kind.rstrip()}{match[2] or ''}{equals}{default}"
    elif content.endswith("?"):
        content, typed = content[:-1].rstrip(), "?"
    return content, typed, left, end


def _type_of_default(default: str) -> str:
    """Return the type of a parameter of which only the default is known."""
    if _NUMBER.match(default):
        return "number"
    if default in ("true", "false"):
        return "boolean"
    return {"[": "array", "{": "object"}.get(default[:1], "string")


def read_type_text(draft: ParamDraft, text: str) -> None:
    """Read `type?` or `type = default` into the draft; `?` alone says optional."""
    cut = first(text, "=")
    if cut >= 0:
        draft.default = _unquoted(text[cut + 1 :].strip())
        text = text[:cut]
    text = text.strip()
    if text.endswith("?"):
        draft.required = False
        text = text[:-1].rstrip()
    if text and not draft.type:
        draft.type = _unquoted(text)


def _modifiers(draft: ParamDraft, text: str) -> None:
    remarks: list[str] = []
    for start, end in split(text):
        piece = text[start:end].strip()
        word = piece.lower()
        if word in ("required", "mandatory"):
            draft.required = True
        elif word == "optional":
            draft.required = False
        elif match := _DEFAULT.match(piece):
            draft.default = _unquoted(piece[match.end() :].strip())
        elif word in ("nullable", "?", ""):
            if word == "nullable":
                draft.type = f"{draft.type or 'string'} | null"
            elif word == "?":
                draft.required = False
        elif not draft.type and not remarks and _may_be_type(piece):
            read_type_text(draft, piece)
        elif not draft.type and (match := _LEADING_TYPE.match(piece)) and _is_type(match[1]):
            draft.type = match[1]
            remarks.append(match[2])
        else:
            remarks.append(piece)
    draft.remarks = tuple(remarks)


def _unquoted(text: str) -> str:
    """Take the backticks of a code span off, but not those of a template literal type."""
    span = code_span(text)
    if span is None or (text[:2] != "``" and "${" in span[0]):
        return text
    ticks = len(text) - len(text.lstrip("`"))
    return span[0] if text[span[2] :].strip(" ") == "`" * ticks else text


def _is_type(text: str) -> bool:
    """Whether a text reads as a type of known names, so that it is hardly prose."""
    return (_is_known_type if len(text) <= REMEMBERED else _is_known_type.__wrapped__)(text)


@lru_cache(maxsize=512)
def _is_known_type(text: str) -> bool:
    text = text.strip().removesuffix("?")
    try:
        node = read_type(text)
    except TypeSyntaxError:
        return instead(text) is not None
    words = re.findall(r"[A-Za-z_$][\w$]*", re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", "", text))
    names = [word for word in words if not re.search(rf"\b{re.escape(word)}\??\s*[:(]", text)]
    return bool(node) and all(word in KNOWN_NAMES or word in ("true", "false") for word in names)


def _may_be_type(piece: str) -> bool:
    """Whether a piece of the parentheses is meant as a type, readable or not."""
    return (_is_meant_as_type if len(piece) <= REMEMBERED else _is_meant_as_type.__wrapped__)(piece)


@lru_cache(maxsize=512)
def _is_meant_as_type(piece: str) -> bool:
    text = _unquoted(piece.removesuffix("?").strip())
    if instead(text) is not None or text != piece.removesuffix("?").strip():
        return True
    try:
        read_type(text)
    except TypeSyntaxError:
        return not (_WORDS.match(text) or _LIMIT.match(text))
    return True


def _type_in_front(rest: str) -> int:
    """Return the length of a type of known names that a description starts with."""
    line = rest.split("\n", 1)[0]
    remark = _REMARK.search(line)
    candidate = line[: remark.start()] if remark else line
    candidate = candidate.rstrip()
    head = candidate.split(",")[0] if "," in candidate else candidate
    for text in (candidate, head.rstrip()):
        cut = first(text, "=")
        if text and _is_type(text[:cut] if cut > 0 else text):
            return len(text)
    return 0


def _after_type(draft: ParamDraft, rest: str) -> str:
    """Read what follows a type: parentheses with modifiers, a comma, a dash, a comment sign."""
    text = rest.lstrip(" \t")
    if text.startswith("(") and (close := closing(text, 0)) > 0:
        kept = draft.type
        _modifiers(draft, text[1:close])
        draft.type = kept
        text = text[close + 1 :].lstrip(" \t")
    if match := re.match(r"(?:[-–—]+|//|#|:|,)[ \t]+", text):
        text = text[match.end() :]
    return text


def read_compact_param(passage: Passage) -> ParamDraft | None:
    """Read `name: type? = default  # description`, as the compact format has it."""
    text = passage.text
    colon = first(text, ":")
    if text[:1] == "`" or colon < 0:
        return read_param(passage)
    name = text[:colon].strip()
    required = None
    if name.endswith("?"):
        name, required = name[:-1].rstrip(), False
    if not _BARE.fullmatch(name):
        return read_param(passage)
    rest = text[colon + 1 :]
    start = colon + 1 + len(rest) - len(rest.lstrip())
    rest = rest.lstrip()
    line = rest.split("\n", 1)[0]
    remark = _REMARK.search(line)
    written = line[: remark.start()].rstrip() if remark else line.rstrip()
    cut = first(written, "=")
    candidate = (written[:cut] if cut >= 0 else written).strip()
    if candidate and not (_is_type(candidate) or _may_be_type(candidate)):
        written = ""
    place = param_place(passage, (0, len(text)), (0, len(name)), (start, start + len(written)))
    draft = ParamDraft(name, place, required=required)
    read_type_text(draft, written)
    draft.description = _after_type(draft, rest[len(written) :]).strip()
    return draft
