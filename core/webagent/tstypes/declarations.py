"""Declarations of types: `interface Book { … }` and `type Genre = "crime" | "poetry"`."""

from __future__ import annotations

from dataclasses import dataclass

from webagent.source import Span
from webagent.tstypes.comments import doc_before
from webagent.tstypes.nodes import Combined, Name, Type
from webagent.tstypes.reader import TypeReader
from webagent.tstypes.scanner import TypeSyntaxError


@dataclass(frozen=True, slots=True)
class Declaration:
    """A named type."""

    name: str
    parameters: tuple[str, ...]
    """Names of its type parameters."""
    type: Type
    interface: bool
    """Whether it is written `interface`; one that extends others is an intersection with them."""
    doc: str
    span: Span
    """The name, in the text."""


def read_declarations(text: str) -> tuple[list[Declaration], TypeSyntaxError | None]:
    """Return the declarations in a text up to what cannot be read, and why it cannot."""
    found: list[Declaration] = []
    try:
        reader = TypeReader(text)
        while reader.tokens.token.kind != "end":
            if not reader.tokens.take(";"):
                found.append(_declaration(reader))
    except TypeSyntaxError as error:
        return found, error.with_traceback(None)
    return found, None


def _declaration(reader: TypeReader) -> Declaration:
    tokens = reader.tokens
    doc = doc_before(tokens.gap)
    for word in ("export", "declare"):
        tokens.take(word)
    interface = tokens.at("interface")
    if not interface and not tokens.at("type"):
        raise tokens.error("`interface` or `type`")
    tokens.advance()
    name = tokens.token
    if name.kind != "name":
        raise tokens.error("the name of the type")
    tokens.advance()
    parameters: list[str] = []
    if tokens.take("<"):
        while not tokens.take(">"):
            if parameters:
                tokens.expect(",")
            if tokens.token.kind != "name":
                raise tokens.error("the name of a type parameter")
            parameters.append(tokens.advance().text)
    bases: list[Type] = []
    if interface:
        if tokens.take("extends"):
            bases.append(_base(reader))
            while tokens.take(","):
                bases.append(_base(reader))
        node = reader.object_type()
    else:
        tokens.expect("=")
        node = reader.type()
        ended = tokens.take(";") or tokens.token.kind == "end"
        if not ended and not reader.line_break():
            raise tokens.error("`;`")
    if bases:
        node = Combined("&", (*bases, node), reader.span(name.start))
    return Declaration(
        name.text, tuple(parameters), node, interface, doc, Span(name.start, name.end)
    )


def _base(reader: TypeReader) -> Type:
    if reader.tokens.token.kind != "name":
        raise reader.tokens.error("the name of an interface")
    node = reader.name()
    if not isinstance(node, Name):
        raise reader.tokens.error("the name of an interface")
    return node
