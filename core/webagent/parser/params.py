"""The reader of one parameter, in the ways people write it.

    - `name` (type, required|optional, default=x): description

The bullet may be any. The name may be bare or bold, and a dash may replace the colon. Parentheses
and description may be missing. The parentheses hold the type, `required` or `optional`, and the
default; other text in them becomes part of the description.
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
    join_choices,
    kind_in_words,
    may_be_type,
    mentions_optional,
    need,
    need_and_type,
    unquoted,
)
from webagent.parser.passage import Passage
from webagent.parser.reading import NO_PARAM_PLACE, ParamPlace
from webagent.types import Param

_BOLD = re.compile(r"(\*\*|__|\*|_)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w])")
_CODE_NAME = re.compile(r"`([\w$]++)`(?!`)")
_BARE = re.compile(r"(?:\.\.\.)?[\w$][\w$.\-]*(?:\[\])?")
# U+FF1A is the colon of Chinese and Japanese keyboards.
_SEPARATOR = re.compile(r"[ \t]*(?:[:\uff1a]|[-–—]+(?=\s|\Z)|\Z)[ \t]*")
_EMPTY = re.compile("")
_OPENING = re.compile(r"[ \t]*([*_]{0,3}`?)\(")
_OTHER = re.compile(
    r"[ \t]*(?:[,/&]|(?:and|or)\b)[ \t]*(`|\*\*)([\w$][\w$.-]*+)\1"
    r"(?=[ \t]*(?:[,/&(:\uff1a]|(?:and|or)[ \t]+[`*]|[-–—]+\s|\Z))"
)
_BRACKET = re.compile(r"[ \t]+([\[{])")
_NEED_AFTER_TYPE = re.compile(
    r"[ \t]*(?:\(([^()\n]+)\)|([*_]{1,3}[^*_\n]+[*_]{1,3})|(optional|required))"
    r"(?=[ \t]*(?:[:\uff1a\n]|[-–—]+\s|\Z))",
    re.IGNORECASE,
)
_AFTER_BRACKET = re.compile(r"(?:[ \t:\uff1a\n]|\Z)(?![ \t]*=>)")
_DEFAULT = re.compile(
    r"default(?:s[ \t]+to|[ \t]+is)?(?:[ \t]*[=:][ \t]*|[ \t]+|\Z)", re.IGNORECASE
)
_TYPED = re.compile(r"([^\s:]+?)(\?)?[ \t]*:[ \t]+(\S.*)\Z", re.DOTALL)
_REMARK = re.compile(r"(?<![ \t])[ \t]++(?:[-–—]+[ \t]|//[ \t]|#[ \t]|\()")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_LEADING_TYPE = re.compile(r"([A-Za-z]+(?:\[\])*)[ \t]+(\S.*)\Z", re.DOTALL)


@dataclass(slots=True)
class ParamDraft:
    """The parts of a parameter that were read so far.

    Attributes:
        place: Its place in the source.
        required: None if the author says neither `required` nor `optional`.
        remarks: Other texts in the parentheses, which become part of the description.
        unclosed: Whether the parentheses are never closed.
        others: Further names in the same item, as in `a`, `b` (number). They are remarks, too.
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
        """Return the fields of `Param`.

        A parameter with a default is optional, unless the author calls it required.
        """
        remarks = ", ".join(self.remarks)
        if remarks and self.description:
            remarks = f"({remarks})"
        written = self.type or (_type_of_default(self.default) if self.default else "string")
        required = self.default is None if self.required is None else self.required
        fields: dict[str, Any] = {
            "name": self.name,
            "type": written,
            "description": f"{self.description} {remarks}".strip(),
            "required": required,
        }
        # With a fifth one pydantic's set of the fields that were given takes three times the memory.
        if self.default is not None:
            fields["default"] = self.default
        return fields


def read_param(passage: Passage) -> ParamDraft | None:
    """Return the parameter in the text of a list item, or None if it does not start with a name.

    The parts are read from left to right: name, other names, parentheses or brackets, a need, the
    separator, and the description, which may start with a type.
    """
    text = passage.text
    name, typed, left, end = _name(text)
    if not name:
        return None
    bare = not typed and text[:1] not in "`*_"
    optional = text.startswith("?", end)
    end += optional
    draft = ParamDraft(name, NO_PARAM_PLACE)
    # Findings about the type point at the name if no type is written.
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
            _read_modifiers(draft, text[start + 1 : close])
            type_at = (start + 1, close)
            end = after
        # With emphasis before it, it is more likely prose than the parenthesis of a type.
        elif not opening[1]:
            draft.unclosed = True
    # Some write `name [string]` or `name {string}`, and some mean an object type by the braces.
    elif not typed and (match := _BRACKET.match(text, end)):
        close = closing(text, match.end() - 1)
        inside = text[match.end() : close]
        if (
            close > 0
            and _AFTER_BRACKET.match(text, close + 1)
            and _is_type_or_need(inside, match[1])
        ):
            kept = (
                (match.end() - 1, close + 1) if is_type(f"{{{inside}}}") else (match.end(), close)
            )
            _read_modifiers(draft, text[kept[0] : kept[1]])
            type_at, end = kept, close + 1
    if opening is not None or typed:
        end = _read_need(draft, text, end)
    separator = _SEPARATOR.match(text, end)
    if separator is None and text[end : end + 1] == "\n":
        separator = _EMPTY.match(text, end)
    if separator is None:
        # Without any mark a first word is prose: `the words to look for`.
        if bare and end == left + len(name):
            return None
        rest = text[end:]
    else:
        rest = text[separator.end() :]
        if opening is None and not typed and (inside := _leading_parentheses(rest)):
            type_at = (separator.end() + 1, separator.end() + 1 + len(inside))
            _read_modifiers(draft, inside)
            rest = rest[len(inside) + 2 :]
        elif not draft.type and (found := _leading_type(rest)):
            type_at = (separator.end(), separator.end() + found)
            read_type_text(draft, rest[:found])
            rest = _read_after_type(draft, rest[found:])
    draft.description = rest.strip()
    draft.place = param_place(passage, (0, len(text.rstrip())), (left, left + len(name)), type_at)
    return draft


def _read_need(draft: ParamDraft, text: str, end: int) -> int:
    """Read `(optional)` or `*optional*` after the type, and return the index after it."""
    match = _NEED_AFTER_TYPE.match(text, end)
    said = need(match[1] or match[2] or match[3]) if match else None
    if match is None or said is None:
        return end
    draft.required = said
    return match.end()


def _leading_parentheses(rest: str) -> str:
    """Return the text in the parentheses that a description starts with, if it is a type or a need."""
    close = closing(rest, 0) if rest.startswith("(") else -1
    if close < 0 or not _AFTER_BRACKET.match(rest, close + 1):
        return ""
    return rest[1:close] if _is_type_or_need(rest[1:close], "(") else ""


def _is_type_or_need(inside: str, bracket: str) -> bool:
    """Whether the text in brackets starts with a type or a need, and so is not prose."""
    if bracket == "{" and is_type(f"{{{inside}}}"):
        return True
    start, end = split(inside)[0]
    piece = inside[start:end].strip()
    return (
        need(piece) is not None or is_type(unquoted(piece)) or need_and_type(piece)[0] is not None
    )


def param_place(
    passage: Passage, whole: tuple[int, int], name: tuple[int, int], kind: tuple[int, int]
) -> ParamPlace:
    """Return the places in the source of a whole parameter, its name and its type.

    Args:
        passage: The text of the parameter.
        whole: Start and end of the parameter in the passage.
        name: Start and end of its name.
        kind: Start and end of its type.
    """
    if len(passage.lines) == 1:  # a fast path for most of them
        at = passage.lines[0][1]
        return ParamPlace(
            at + whole[0], at + whole[1], at + name[0], at + name[1], at + kind[0], at + kind[1]
        )
    span = passage.span
    return ParamPlace(*span(*whole), *span(*name), *span(*kind))


def _name(text: str) -> tuple[str, str, int, int]:
    """Return the name, the type written inside its marks, start of the name, and end of both.

    Marks are backticks and stars: `` `limit?: number = 5` `` has a name and a type.
    """
    if code := _CODE_NAME.match(text):
        return code[1], "", 1, code.end()
    bold = _BOLD.match(text)
    inner = bold.start(2) if bold else 0
    end = bold.end() if bold else -1
    if span := code_span(text, inner):
        content, left, right = span
        # A space may be stripped from the content, and the code may be inside bold text.
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
    """Return the type that a default value suggests."""
    if _NUMBER.match(default):
        return "number"
    if default in ("true", "false"):
        return "boolean"
    return {"[": "array", "{": "object"}.get(default[:1], "string")


def read_type_text(draft: ParamDraft, text: str) -> None:
    """Read `type?` or `type = default` into the draft. A `?` makes the parameter optional."""
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


def _read_modifiers(draft: ParamDraft, text: str) -> None:
    """Read the text in parentheses: type, need, default and remarks, at commas."""
    remarks: list[str] = []
    for piece in join_choices([text[start:end].strip() for start, end in split(text)]):
        if (said := need(piece)) is not None:
            draft.required = said
            continue
        said, piece = need_and_type(piece)
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
        # An unreadable type is taken only in the first place; later ones are remarks.
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


def _leading_type(rest: str) -> int:
    """Return the length of the type that a description starts with, 0 if it starts with prose."""
    line = rest.split("\n", 1)[0]
    remark = _REMARK.search(line)
    candidate = line[: remark.start()] if remark else line
    candidates = [candidate.rstrip()]
    if "," in candidate:
        candidates.append(candidate.split(",")[0].rstrip())
    for text in candidates:
        cut = first(text, "=")
        if text and is_type(text[:cut] if cut > 0 else text):
            return len(text)
    return 0


def _read_after_type(draft: ParamDraft, rest: str) -> str:
    """Read the text after a type, and return the description in it.

    Parentheses with modifiers, and a comma, dash or comment sign, are not part of the description.
    """
    text = rest.lstrip(" \t")
    if text.startswith("(") and (close := closing(text, 0)) > 0:
        # The type is known; one in the parentheses is a remark about it.
        kept = draft.type
        _read_modifiers(draft, text[1:close])
        draft.type = kept
        text = text[close + 1 :].lstrip(" \t")
    if match := re.match(r"(?:[-–—]+|//|#|:|,)[ \t]+", text):
        text = text[match.end() :]
    return text


def read_compact_param(passage: Passage) -> ParamDraft | None:
    """Return the parameter in `name: type? = default  # description`, as the compact format has it.

    Lines of another form are read by `read_param`.
    """
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
    draft.description = _read_after_type(draft, rest[len(written) :]).strip()
    return draft
