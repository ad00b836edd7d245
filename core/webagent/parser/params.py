"""One parameter, in the ways people write it.

    - `name` (type, required|optional, default=x): description

The bullet may be any, the name bare or bold, the parentheses or the description absent, and a dash
may stand for the colon. What stands in the parentheses and is no type, no default and neither
`required` nor `optional` is kept as part of the description.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from webagent.parser.delimiters import closing, first, split
from webagent.parser.names import code_span
from webagent.parser.param_phrases import (
    array_of,
    is_type,
    joined,
    kind_in_words,
    may_be_type,
    mentions_optional,
    need,
    need_beside,
    unquoted,
)
from webagent.parser.passage import Passage
from webagent.parser.reading import NO_PARAM_PLACE, ParamPlace
from webagent.types import Param

_BOLD = re.compile(r"(\*\*|__|\*|_)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w])")
_CODE_NAME = re.compile(r"`([\w$]++)`(?!`)")
_BARE = re.compile(r"(?:\.\.\.)?[\w$][\w$.\-]*(?:\[\])?")
_SEPARATOR = re.compile(r"[ \t]*(?:[:\uff1a]|[-–—]+(?=\s|\Z)|\Z)[ \t]*")
_NOTHING = re.compile("")
_OPENING = re.compile(r"[ \t]*([*_]{0,3}`?)\(")
_OTHER = re.compile(
    r"[ \t]*(?:[,/&]|(?:and|or)\b)[ \t]*(`|\*\*)([\w$][\w$.-]*+)\1"
    r"(?=[ \t]*(?:[,/&(:\uff1a]|(?:and|or)[ \t]+[`*]|[-–—]+\s|\Z))"
)
_BRACKET = re.compile(r"[ \t]+([\[{])")
_NEED_BEHIND = re.compile(
    r"[ \t]*(?:\(([^()\n]+)\)|([*_]{1,3}[^*_\n]+[*_]{1,3})|(optional|required))"
    r"(?=[ \t]*(?:[:\uff1a\n]|[-–—]+\s|\Z))",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"(?:[ \t:\uff1a\n]|\Z)(?![ \t]*=>)")
_DEFAULT = re.compile(
    r"default(?:s[ \t]+to|[ \t]+is)?(?:[ \t]*[=:][ \t]*|[ \t]+|\Z)", re.IGNORECASE
)
_TYPED = re.compile(r"([^\s:]+?)(\?)?[ \t]*:[ \t]+(\S.*)\Z", re.DOTALL)
_REMARK = re.compile(r"[ \t]+(?:[-–—]+[ \t]|//[ \t]|#[ \t]|\()")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_LEADING_TYPE = re.compile(r"([A-Za-z]+(?:\[\])*)[ \t]+(\S.*)\Z", re.DOTALL)


@dataclass(slots=True)
class ParamDraft:
    """A parameter while it is being read.

    Attributes:
        place: Its place in the source.
        required: True or False if the author says so.
        remarks: Texts in the parentheses that are not modifiers.
        unclosed: Whether the parentheses are opened and not closed.
        others: Names that share its item, as in `a`, `b` (number), and are kept as a remark.
    """

    name: str
    place: ParamPlace
    type: str = ""
    description: str = ""
    required: bool | None = None
    default: str | None = None
    remarks: tuple[str, ...] = ()
    unclosed: bool = False
    others: tuple[str, ...] = ()

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
    draft = ParamDraft(name, NO_PARAM_PLACE)
    type_at = (left, end)
    while other := _OTHER.match(text, end):
        draft.others += (f"`{other[2]}`",)
        end = other.end()
    draft.remarks = draft.others
    if optional:
        draft.required = False
    if typed:
        read_type_text(draft, typed)
    opening = _OPENING.match(text, end)
    if opening is not None:
        start = opening.end() - 1
        close = closing(text, start)
        after = close + 1 + len(opening[1])
        if close > 0 and text[close + 1 : after] == opening[1][::-1]:
            _modifiers(draft, text[start + 1 : close])
            type_at = (start + 1, close)
            end = after
        elif not opening[1]:
            draft.unclosed = True
    elif not typed and (match := _BRACKET.match(text, end)):
        close = closing(text, match.end() - 1)
        inside = text[match.end() : close]
        if close > 0 and _BEHIND.match(text, close + 1) and _is_meant(inside, match[1]):
            kept = (
                (match.end() - 1, close + 1) if is_type(f"{{{inside}}}") else (match.end(), close)
            )
            _modifiers(draft, text[kept[0] : kept[1]])
            type_at, end = kept, close + 1
    if opening is not None or typed:
        end = _need_behind(draft, text, end)
    separator = _SEPARATOR.match(text, end)
    if separator is None and text[end : end + 1] == "\n":
        separator = _NOTHING.match(text, end)
    if separator is None:
        if bare and end == left + len(name):
            return None
        rest = text[end:]
    else:
        rest = text[separator.end() :]
        if opening is None and not typed and (inside := _parentheses(rest)):
            type_at = (separator.end() + 1, separator.end() + 1 + len(inside))
            _modifiers(draft, inside)
            rest = rest[len(inside) + 2 :]
        elif not draft.type and (found := _type_in_front(rest)):
            type_at = (separator.end(), separator.end() + found)
            read_type_text(draft, rest[:found])
            rest = _after_type(draft, rest[found:])
    draft.description = rest.strip()
    draft.place = param_place(passage, (0, len(text.rstrip())), (left, left + len(name)), type_at)
    return draft


def _need_behind(draft: ParamDraft, text: str, end: int) -> int:
    """Read `(optional)` or `*optional*` behind the type, and return where it ends."""
    match = _NEED_BEHIND.match(text, end)
    said = need(match[1] or match[2] or match[3]) if match else None
    if match is None or said is None:
        return end
    draft.required = said
    return match.end()


def _parentheses(rest: str) -> str:
    """Return what a description starts with in parentheses if it is a type or a need."""
    close = closing(rest, 0) if rest.startswith("(") else -1
    if close < 0 or not _BEHIND.match(rest, close + 1):
        return ""
    return rest[1:close] if _is_meant(rest[1:close], "(") else ""


def _is_meant(inside: str, bracket: str) -> bool:
    """Whether the text in brackets starts with a type or a need, and is not prose."""
    if bracket == "{" and is_type(f"{{{inside}}}"):
        return True
    start, end = split(inside)[0]
    piece = inside[start:end].strip()
    return need(piece) is not None or is_type(unquoted(piece)) or need_beside(piece)[0] is not None


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
    if ":" in content and (match := _TYPED.match(content)) and is_type(match[3].split("=")[0]):
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
        draft.default = unquoted(text[cut + 1 :].strip())
        text = text[:cut]
    text = text.strip()
    if text.endswith("?"):
        draft.required = False
        text = text[:-1].rstrip()
    if text and not draft.type:
        draft.type = unquoted(text)


def _modifiers(draft: ParamDraft, text: str) -> None:
    remarks: list[str] = []
    for piece in joined([text[start:end].strip() for start, end in split(text)]):
        if (said := need(piece)) is not None:
            draft.required = said
            continue
        said, piece = need_beside(piece)
        if said is not None:
            draft.required = said
        word = piece.lower()
        if match := _DEFAULT.match(piece):
            draft.default = unquoted(piece[match.end() :].strip())
        elif word in ("nullable", "?", ""):
            if word == "nullable":
                draft.type = f"{draft.type or 'string'} | null"
            elif word == "?":
                draft.required = False
        elif not draft.type and not remarks and may_be_type(piece):
            read_type_text(draft, piece)
        elif not draft.type and (kind := array_of(piece)):
            draft.type = kind
        elif not draft.type and (match := _LEADING_TYPE.match(piece)) and is_type(match[1]):
            draft.type = match[1]
            remarks.append(match[2])
        elif not draft.type and (kind := kind_in_words(piece)):
            draft.type = kind
            remarks.append(piece)
        else:
            remarks.append(piece)
    draft.remarks += tuple(remarks)
    if draft.required is None and mentions_optional(remarks):
        draft.required = False


def _type_in_front(rest: str) -> int:
    """Return the length of a type of known names that a description starts with."""
    line = rest.split("\n", 1)[0]
    remark = _REMARK.search(line)
    candidate = line[: remark.start()] if remark else line
    candidate = candidate.rstrip()
    head = candidate.split(",")[0] if "," in candidate else candidate
    for text in (candidate, head.rstrip()):
        cut = first(text, "=")
        if text and is_type(text[:cut] if cut > 0 else text):
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
    if candidate and not (is_type(candidate) or may_be_type(candidate)):
        written = ""
    place = param_place(passage, (0, len(text)), (0, len(name)), (start, start + len(written)))
    draft = ParamDraft(name, place, required=required)
    read_type_text(draft, written)
    draft.description = _after_type(draft, rest[len(written) :]).strip()
    return draft
