"""The phrases in a parameter's parentheses: a type, `required` or `optional`, or other words.

The word *need* is for `required` and `optional`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from webagent.parser.names import code_span
from webagent.tstypes import TypeSyntaxError, instead, read_type
from webagent.tstypes.known_names import INSTEAD, LIBRARY, OWN_WORDS, PRIMITIVES

REMEMBERED = 200
"""Most characters of a text for which the answer of `is_type` is cached."""

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
# `optional` that is not part of `not optional`.
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
"""A quoted text, or (as group 1) the `or` between two choices."""
_OWN_NAME = re.compile(r"[A-Z][\w$]*(?:\[\])*\Z")


def need(piece: str) -> bool | None:
    """Return True for a piece that is `required`, False for `optional`, None for anything else."""
    if piece in _NEEDS:
        return _NEEDS[piece]
    if emphasis := _EMPHASIS.match(piece):
        piece = emphasis[2]
    return _NEEDS.get(" ".join(piece.lower().split()))


def need_and_type(piece: str) -> tuple[bool | None, str]:
    """Split `optional string` or `string required` into need and type.

    Returns:
        The need, as `need` returns it, and the type; None and the whole piece if it has no need.
    """
    if match := _NEED_FIRST.match(piece):
        said, rest = match[1], match[2]
    elif match := _NEED_LAST.match(piece):
        rest, said = match[1], match[2]
    else:
        return None, piece
    return (need(said), rest) if _is_one_type(rest) else (None, piece)


def mentions_optional(remarks: Sequence[str]) -> bool:
    """Whether remarks call a parameter optional, at least at times."""
    return any(_OPTIONAL.search(remark) for remark in remarks)


def _is_one_type(text: str) -> bool:
    """Whether a text is a type and nothing else, with a name like `Product` taken for one."""
    return is_type(unquoted(text)) or _OWN_NAME.match(text) is not None


def unquoted(text: str) -> str:
    """Return a text without the backticks of a code span.

    Those of a template literal type such as `` `${string}px` `` stay.
    """
    span = code_span(text)
    if span is None or (text[:2] != "``" and "${" in span[0]):
        return text
    ticks = len(text) - len(text.lstrip("`"))
    return span[0] if text[span[2] :].strip(" ") == "`" * ticks else text


def is_type(text: str) -> bool:
    """Whether a text is a type made of known names, and so hardly prose."""
    # A cache of long texts would hold much and hit seldom.
    return (_is_known_type if len(text) <= REMEMBERED else _is_known_type.__wrapped__)(text)


@lru_cache(maxsize=512)
def _is_known_type(text: str) -> bool:
    text = text.strip().removesuffix("?")
    try:
        node = read_type(text)
    except TypeSyntaxError:
        return instead(text) is not None
    # Names of members and parameters are free; all other words have to be known.
    words = re.findall(r"[A-Za-z_$][\w$]*", re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", "", text))
    free = set(re.findall(r"(?<!\w)([\w$]++)\??\s*+[:(]", text))
    names = [word for word in words if word not in free]
    return bool(node) and all(word in KNOWN_NAMES or word in ("true", "false") for word in names)


def may_be_type(piece: str) -> bool:
    """Whether a piece of the parentheses is meant as a type, even if it cannot be read as one."""
    return (_is_meant_as_type if len(piece) <= REMEMBERED else _is_meant_as_type.__wrapped__)(piece)


@lru_cache(maxsize=512)
def _is_meant_as_type(piece: str) -> bool:
    text = unquoted(piece.removesuffix("?").strip())
    if instead(text) is not None or text != piece.removesuffix("?").strip():
        return True
    try:
        read_type(text)
    except TypeSyntaxError:
        # Several words, or a limit such as `max=20`, are a remark; the rest is a type with a mistake.
        return not (_WORDS.match(text) or _LIMIT.match(text))
    return True


def join_choices(pieces: Sequence[str]) -> list[str]:
    """Return the pieces with the choices of a type joined to a union.

    The pieces `"a"` and `"b" or "c"` become `"a" | "b" | "c"`, and `string or null` becomes
    `string | null`.
    """
    first = next((i for i, piece in enumerate(pieces) if need(piece) is None), len(pieces))
    count, union = _choices(pieces[first:])
    return [*pieces[:first], union, *pieces[first + count :]] if union else list(pieces)


def _choices(pieces: Sequence[str]) -> tuple[int, str]:
    """Return the number of leading pieces that are choices of one type, and the union of them.

    Returns `(0, "")` if the pieces are not choices.
    """
    choices: list[str] = []
    literal = False
    for number, piece in enumerate(pieces):
        words = _split_at_or(piece.removeprefix("or "))
        # `or` comes before the last choice.
        ended = len(words) > 1 or piece.startswith("or ")
        types = [_choice(word) for word in words]
        if not all(types):
            break
        if number == 0:
            literal = _LITERAL.match(words[0]) is not None
        # Values and types do not mix: in `"a", string` the second is another piece.
        if any(bool(_LITERAL.match(word)) != literal for word in words if word != "null"):
            break
        choices += types
        if ended:
            known = literal or any(is_type(kind) for kind in choices)
            return (number + 1, " | ".join(choices)) if known else (0, "")
    return (len(choices), " | ".join(choices)) if literal and len(choices) > 1 else (0, "")


def _split_at_or(text: str) -> list[str]:
    """Split a text at each `or` outside of quotes."""
    cuts = [match.span() for match in _OR.finditer(text) if match[1]]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _choice(text: str) -> str:
    """Return the type of one choice, or an empty text if it is not a type."""
    text = _ARTICLE.sub("", text)
    if _LITERAL.match(text) or text in PRIMITIVES or text in OWN_WORDS or _OWN_NAME.match(text):
        return text
    return instead(text) or array_of(text)


def array_of(text: str) -> str:
    """Return `Product[]` for `array of Product`, or an empty text for another phrase."""
    match = _ARRAY_OF.match(text)
    return f"{match[1] or match[2]}[]" if match else ""


def kind_in_words(text: str) -> str:
    """Return the type in a phrase like `positive integer` or `a number from 1 to 5`, or an empty text."""
    match = _KIND_FIRST.match(text) or _KIND_LAST.match(text)
    return match[1] if match else ""
