"""What a piece of a parameter's parentheses means: a type, a need, or words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from webagent.parser.names import code_span
from webagent.tstypes import TypeSyntaxError, instead, read_type
from webagent.tstypes.known_names import INSTEAD, LIBRARY, OWN_WORDS, PRIMITIVES

REMEMBERED = 200
"""Characters of the longest text of which it is remembered whether it is a type."""

KNOWN_NAMES = PRIMITIVES | OWN_WORDS.keys() | INSTEAD.keys() | LIBRARY.keys()

_NEEDS = {
    "required": True,
    "mandatory": True,
    "not optional": True,
    "non-optional": True,
    "optional": False,
    "not required": False,
    "not mandatory": False,
}
_NEED = "(?:not[ \t]+|non-)?(?:optional|required|mandatory)"
_EMPHASIS = re.compile(r"([*_]{1,3})([^*_]+)\1\Z")
_NEED_FIRST = re.compile(rf"({_NEED})[ \t]+(\S.*)\Z", re.IGNORECASE)
_NEED_LAST = re.compile(rf"(\S.*?)(?<![ \t])[ \t]++({_NEED})\Z", re.IGNORECASE)
_OPTIONAL = re.compile(r"(?<!not )(?<!non-)\boptional\b", re.IGNORECASE)
_WORDS = re.compile(r"(?!typeof[ \t])[\w'’.-]+(?:[ \t]+[\w'’.,%-]+)+\Z")
_LIMIT = re.compile(r"[\w-]+[ \t]*(?:[=:]+[ \t]*[\w.%-]+|[<>≤≥]=?[ \t]*-?[\d.]+%?)\Z")
_KIND = "(number|integer|int|float|double|boolean|bool|string)"
_KIND_FIRST = re.compile(rf"an? {_KIND}\b", re.IGNORECASE)
_KIND_LAST = re.compile(rf"[\w'’ -]+ {_KIND}\Z", re.IGNORECASE)
_ARTICLE = re.compile(r"an? ")
_ARRAY_OF = re.compile(
    r"(?:an? )?(?:array|list) of ([A-Z][\w$]*)(?: objects| items)?\Z|([A-Z][\w$]*) (?:array|list)\Z"
)
_LITERAL = re.compile(r"(?:\"[^\"]*\"|'[^']*'|-?[0-9]+(?:\.[0-9]+)?|true|false)\Z")
_OR = re.compile(r"\"[^\"]*\"|'[^']*'|( or )")
"""A quoted text, or the text between two choices."""
_OWN_NAME = re.compile(r"[A-Z][\w$]*(?:\[\])*\Z")


def need(piece: str) -> bool | None:
    """Return whether a piece says `required` or `optional`; None if it says neither."""
    if piece in _NEEDS:
        return _NEEDS[piece]
    if emphasis := _EMPHASIS.match(piece):
        piece = emphasis[2]
    return _NEEDS.get(" ".join(piece.lower().split()))


def need_beside(piece: str) -> tuple[bool | None, str]:
    """Return the need written in front of or behind a type, and the type: `optional string`."""
    if match := _NEED_FIRST.match(piece):
        said, rest = match[1], match[2]
    elif match := _NEED_LAST.match(piece):
        rest, said = match[1], match[2]
    else:
        return None, piece
    return (need(said), rest) if _is_one_type(rest) else (None, piece)


def mentions_optional(remarks: Sequence[str]) -> bool:
    """Whether words say that a parameter is optional, at least at times."""
    return any(_OPTIONAL.search(remark) for remark in remarks)


def _is_one_type(text: str) -> bool:
    return is_type(unquoted(text)) or _OWN_NAME.match(text) is not None


def unquoted(text: str) -> str:
    """Take the backticks of a code span off, but not those of a template literal type."""
    span = code_span(text)
    if span is None or (text[:2] != "``" and "${" in span[0]):
        return text
    ticks = len(text) - len(text.lstrip("`"))
    return span[0] if text[span[2] :].strip(" ") == "`" * ticks else text


def is_type(text: str) -> bool:
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


def may_be_type(piece: str) -> bool:
    """Whether a piece of the parentheses is meant as a type, readable or not."""
    return (_is_meant_as_type if len(piece) <= REMEMBERED else _is_meant_as_type.__wrapped__)(piece)


@lru_cache(maxsize=512)
def _is_meant_as_type(piece: str) -> bool:
    text = unquoted(piece.removesuffix("?").strip())
    if instead(text) is not None or text != piece.removesuffix("?").strip():
        return True
    try:
        read_type(text)
    except TypeSyntaxError:
        return not (_WORDS.match(text) or _LIMIT.match(text))
    return True


def joined(pieces: Sequence[str]) -> list[str]:
    """Return the pieces with those made one that only separate the choices of a type.

    `"a"`, `"b" or "c"` is `"a" | "b" | "c"`, and `string or null` is `string | null`.
    """
    first = next((i for i, piece in enumerate(pieces) if need(piece) is None), len(pieces))
    count, union = _choices(pieces[first:])
    return [*pieces[:first], union, *pieces[first + count :]] if union else list(pieces)


def _choices(pieces: Sequence[str]) -> tuple[int, str]:
    """Return how many pieces are choices of one type, and that type; nothing if they are not."""
    choices: list[str] = []
    literal = False
    for number, piece in enumerate(pieces):
        words = _between_or(piece.removeprefix("or "))
        ended = len(words) > 1 or piece.startswith("or ")
        types = [_choice(word) for word in words]
        if not all(types):
            break
        if number == 0:
            literal = _LITERAL.match(words[0]) is not None
        if any(bool(_LITERAL.match(word)) != literal for word in words if word != "null"):
            break
        choices += types
        if ended:
            known = literal or any(is_type(kind) for kind in choices)
            return (number + 1, " | ".join(choices)) if known else (0, "")
    return (len(choices), " | ".join(choices)) if literal and len(choices) > 1 else (0, "")


def _between_or(text: str) -> list[str]:
    cuts = [match.span() for match in _OR.finditer(text) if match[1]]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _choice(text: str) -> str:
    """Return the type that one choice is; empty if it is not one."""
    text = _ARTICLE.sub("", text)
    if _LITERAL.match(text) or text in PRIMITIVES or text in OWN_WORDS or _OWN_NAME.match(text):
        return text
    return instead(text) or array_of(text)


def array_of(text: str) -> str:
    """Return `Product[]` for `array of Product`; nothing if it says no such thing."""
    match = _ARRAY_OF.match(text)
    return f"{match[1] or match[2]}[]" if match else ""


def kind_in_words(text: str) -> str:
    """Return the type that words start or end with: `positive integer`, `a number from 1 to 5`."""
    match = _KIND_FIRST.match(text) or _KIND_LAST.match(text)
    return match[1] if match else ""
