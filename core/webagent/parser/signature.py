"""The reader of signatures: `search(query: string, limit = 20) -> Result[]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webagent.parser.delimiters import closing, first, split
from webagent.parser.params import ParamDraft, param_place
from webagent.parser.passage import Passage
from webagent.source import Span

_FUNCTION = re.compile(
    r"\s*(?:export\s+)?(?:declare\s+)?(?:async\s+)?(?:function\s+)?"
    r"(?:(?:global|globalThis|window)\s*\.\s*)?([^\W\d][\w$]*|\$[\w$]*)\s*(?=\()"
)
_RETURNS = re.compile(r"\s*(?:->|=>|:)\s*")
_PROMISE = re.compile(r"Promise\s*<")


@dataclass(slots=True)
class Signature:
    """The parts of a signature."""

    name: str
    name_span: Span
    params: list[ParamDraft]
    nameless: list[Span]
    """Places of parameters without a name, such as destructured ones."""
    returns: str
    returns_span: Span | None

    @property
    def typed(self) -> bool:
        """Whether it has a return type, or a type for any parameter."""
        return bool(self.returns) or any(draft.type for draft in self.params)


def read_signature(passage: Passage) -> Signature | None:
    """Return the signature that a text is, or None if it is anything else."""
    text = passage.text
    match = _FUNCTION.match(text)
    if match is None:
        return None
    start = match.end()
    close = closing(text, start)
    if close < 0:
        return None
    params: list[ParamDraft] = []
    nameless: list[Span] = []
    inside = text[start + 1 : close]
    for left, right in split(inside) if inside.strip() else []:
        piece = inside[left:right]
        if not piece.strip() and right == len(inside):
            break  # after a trailing comma
        left += start + 1 + len(piece) - len(piece.lstrip())
        draft = _param(passage, piece.strip(), left)
        if draft is None:
            nameless.append(passage.span(left, left + len(piece.strip())))
        else:
            params.append(draft)
    rest = text[close + 1 :].rstrip().removesuffix(";").rstrip()
    returns, returns_span = "", None
    if rest:
        arrow = _RETURNS.match(rest)
        if arrow is None or arrow.end() == len(rest):
            return None
        # The line of a definition ends with the brace of its body.
        returns = rest[arrow.end() :].removesuffix("{").rstrip()
        begin = close + 1 + arrow.end()
        returns_span = passage.span(begin, begin + len(returns))
        # All results are promised, so the manifest has the type of the resolved value.
        promise = _PROMISE.match(returns)
        if promise and closing(returns, promise.end() - 1) == len(returns) - 1:
            returns = returns[promise.end() : -1].strip()
    name_span = passage.span(match.start(1), match.end(1))
    return Signature(match[1], name_span, params, nameless, returns, returns_span)


def _param(passage: Passage, text: str, start: int) -> ParamDraft | None:
    """Return the parameter in a piece of the signature, or None if it has no name.

    Args:
        passage: The text of the signature.
        text: The piece: `limit?: number = 20`.
        start: Index of the piece in the passage.
    """
    default = None
    cut = first(text, "=")
    end = len(text)
    if cut >= 0:
        default, end = text[cut + 1 :].strip(), cut
    colon = first(text[:end], ":")
    name, written = (text[:end], "") if colon < 0 else (text[:colon], text[colon + 1 : end])
    name = name.strip()
    required = None
    if name.endswith("?"):
        name, required = name[:-1].rstrip(), False
    if not name or not re.match(r"(?:\.\.\.)?[\w$][\w$.\-]*(?:\[\])?\Z", name):
        return None
    whole = (start, start + len(text))
    type_at = (start + colon + 1, start + end) if colon >= 0 else whole
    place = param_place(passage, whole, (start, start + len(name)), type_at)
    draft = ParamDraft(name, place, required=required)
    draft.type = written.strip()
    if draft.type.endswith("?"):
        draft.type, draft.required = draft.type[:-1].rstrip(), False
    draft.default = default
    return draft
