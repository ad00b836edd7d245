"""The place of a property in the text of a type or of a JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webagent.source import Span

_TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<name> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | [\w$]+ ) (?P<colon> \s*\??\s*: )?
    | =>
    | (?P<bracket> [{}()\[\]<>] )
    | (?P<end> [;,] )
    """,
    re.VERBOSE | re.DOTALL,
)

_DECLARED = r"\b(?:interface|type|enum|class)\s+{}\b"
_ANY_DECLARATION = re.compile(_DECLARED.format(r"\w+"))
_REFERENCE = re.compile(r'"\$ref"\s*:\s*"#/(\$defs|definitions)/([^"/]+)"')


class _Token(NamedTuple):
    """A token of a type or schema, with the number of brackets around it."""

    name: str
    """Without its quotes; empty for punctuation."""
    is_key: bool
    depth: int
    span: Span
    """Up to the colon of a key."""


def type_property(text: str, span: Span, keys: Sequence[str], shared: Sequence[Span] = ()) -> Span:
    """Return the place of a property in a type, or of the last key on the path that is written.

    Args:
        text: The manifest.
        span: The type in it.
        keys: The keys that lead to the property.
        shared: Other parts of the text that declare types.
    """
    found = value = span
    for key in keys:
        place = next(
            filter(None, (_key(text, part, key) for part in _parts(text, value, [span, *shared]))),
            None,
        )
        # A key of a table is not written: the type declares all of its values at once.
        if place is not None:
            found, value = place, _value(text, place, span, *shared)
    return found


def schema_property(text: str, span: Span, keys: Sequence[str]) -> Span:
    """Return the place of a property in a JSON Schema, or of the last key that is written.

    Args:
        text: The manifest.
        span: The schema in it.
        keys: The keys that lead to the property.
    """
    found = value = span
    for key in keys:
        properties = _key(text, value, "properties")
        if properties is None and (reference := _REFERENCE.search(text, value.start, value.end)):
            value = span
            for step in reference.groups():
                declared = _key(text, value, step)
                value = _value(text, declared, span) if declared else value
            properties = _key(text, value, "properties")
        place = properties and _key(text, _value(text, properties, span), key)
        if place:
            found, value = place, _value(text, place, span)
    return found


def _parts(text: str, value: Span, sources: Sequence[Span]) -> Iterator[Span]:
    """Yield a part of a type, then the declarations of the types that it names."""
    seen, parts = set[str](), [value]
    while parts:
        part = parts.pop(0)
        yield part
        for name in [token.name for token in _tokens(text, part) if not token.is_key]:
            if not name or name in seen:
                continue
            seen.add(name)
            written = re.compile(_DECLARED.format(re.escape(name)))
            for source in sources:
                if declared := written.search(text, source.start, source.end):
                    after = _ANY_DECLARATION.search(text, declared.end(), source.end)
                    parts.append(Span(declared.end(), after.start() if after else source.end))
                    break


def _key(text: str, part: Span, key: str) -> Span | None:
    """Return the first of the outermost keys of a name."""
    named = [token for token in _tokens(text, part) if token.is_key and token.name == key]
    return min(named, key=lambda token: token.depth).span if named else None


def _value(text: str, key: Span, *sources: Span) -> Span:
    """Return the value of a key."""
    source = next(one for one in sources if one.start <= key.start < one.end)
    start = end = key.end
    for token in _tokens(text, Span(start, source.end)):
        if token.depth < 0 or (
            token.depth == 0 and (token.is_key or text[token.span.start] in ";,")
        ):
            break
        end = token.span.end
    return Span(start, end)


def _tokens(text: str, part: Span) -> Iterator[_Token]:
    depth = 0
    for match in _TOKEN.finditer(text, part.start, part.end):
        name, bracket = match["name"] or "", match["bracket"]
        if bracket and bracket in "})]>":
            depth -= 1
        if name or bracket or match["end"]:
            span = Span(match.start(), match.end())
            yield _Token(name.strip("\"'"), match["colon"] is not None, depth, span)
        if bracket and bracket in "{([<":
            depth += 1
