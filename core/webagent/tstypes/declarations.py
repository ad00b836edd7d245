"""The reader of declarations: `interface Book { … }` and `type Genre = "crime" | "poetry"`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from webagent.source import Span
from webagent.tstypes.nodes import Combined, Conditional, Mapped, Name, Type
from webagent.tstypes.reader import LONGEST, MAX_DEPTH, TypeReader
from webagent.tstypes.scanner import TypeSyntaxError, doc_before
from webagent.tstypes.walk import depth, infer_nodes, nodes, rebuild, substitute

_LARGEST = 2_000
"""Most nodes of a type whose declarations are inlined. Aliases of aliases grow exponentially."""
_START = re.compile(
    r"(?:\s|//[^\n\r]*|/\*(?:[^*]|\*(?!/))*+\*/)*+(?:(?:export|declare)\s+)*"
    r"(?:interface|type)\s+[^\W\d][\w$]*"
)

_NEXT = re.compile(
    r"[\n\r](?=[ \t]*+(?:(?:export|declare)[ \t]+)*(?:interface|type)[ \t]+[^\W\d][\w$]*\s*[<={])"
)
_MOST_ERRORS = 20
"""Most unreadable declarations of a text. After them reading stops, so that time stays linear."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared type."""

    name: str
    parameters: tuple[str, ...]
    """Names of its type parameters."""
    type: Type
    interface: bool
    """Whether it is an `interface`. One that extends others is an intersection with them."""
    doc: str
    span: Span
    """The place of the name in the text."""


def read_declarations(text: str) -> tuple[list[Declaration], list[TypeSyntaxError]]:
    """Return the readable declarations of a text, and the errors of the others.

    After an error, reading continues at the next line that starts a declaration.
    """
    found: list[Declaration] = []
    errors: list[TypeSyntaxError] = []
    start: int | None = 0
    while start is not None and len(errors) < _MOST_ERRORS:
        start = _read_from(text, start, found, errors)
    return found, errors


def _read_from(
    text: str, start: int, found: list[Declaration], errors: list[TypeSyntaxError]
) -> int | None:
    """Read declarations up to an error, and return the offset of the next one, or None.

    Args:
        text: The text.
        start: Offset to start at.
        found: Declarations, which are added to.
        errors: Errors, which are added to.
    """
    begin = start
    try:
        reader = TypeReader(text, start)
        while reader.tokens.token.kind != "end":
            begin = reader.tokens.token.start
            if not reader.tokens.take(";"):
                found.append(_declaration(reader))
    except TypeSyntaxError as error:
        # The traceback would keep the reader and its tokens alive.
        errors.append(error.with_traceback(None))
        next_one = _NEXT.search(text, max(begin, start) + 1)
        return None if next_one is None else next_one.end()
    return None


def starts_with_declaration(text: str) -> bool:
    """Whether a text starts like the declaration of a type."""
    return _START.match(text) is not None


def read_local_type(text: str) -> tuple[Type, frozenset[str]]:
    """Return the type in a text of declarations and one type, with the declarations inlined.

    If no type follows the declarations, the last of them is the type.

    Returns:
        The type, and the names of declarations that contain themselves. Those names stay in it.

    Raises:
        TypeSyntaxError: The text cannot be read, or is too large with the declarations inlined.
    """
    if len(text) > LONGEST:
        raise TypeSyntaxError(f"it is longer than {LONGEST:,} characters", LONGEST, len(text))
    reader = TypeReader(text)
    found: dict[str, Declaration] = {}
    node: Type | None = None
    while reader.tokens.token.kind != "end":
        if reader.tokens.take(";"):
            continue
        if node is not None:
            raise reader.tokens.error("the end")
        if _START.match(text, reader.tokens.token.start):
            new = _declaration(reader)
            if new.name in found:
                raise TypeSyntaxError(
                    f"`{new.name}` is declared a second time", new.span.start, new.span.end
                )
            found[new.name] = new
        else:
            node = reader.type()
    if node is None:
        *_, last = found.values()
        node = Name(last.name, (), last.span)
    inliner = _Inliner(found)
    node = inliner.type(node)
    return node, frozenset(inliner.recursive)


class _Inliner:
    """Replaces names by the types they are declared as. A type keeps its name inside itself."""

    def __init__(self, declared: Mapping[str, Declaration]) -> None:
        self.declared = declared
        self.open: list[str] = []
        self.bound: frozenset[str] = frozenset()
        """Names with another meaning here: type parameters, keys of mapped types, inferred types."""
        self.recursive: set[str] = set()
        self.depth = self.size = 0

    def type(self, node: Type) -> Type:
        """Return a type with its declared names replaced."""
        self.count(1)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _too_large()
        found = self.declared.get(node.name) if isinstance(node, Name) else None
        if isinstance(node, Mapped):
            keys, inner = self.type(node.keys), self.bind([node.key_name], node.type)
            node = replace(node, keys=keys, type=inner)
        elif isinstance(node, Conditional):
            node = replace(
                node,
                check=self.type(node.check),
                extends=self.type(node.extends),
                yes=self.bind([i.name for i in infer_nodes(node.extends)], node.yes),
                no=self.type(node.no),
            )
        elif found is None or found.name in self.bound or found.name in self.open:
            if found is not None and found.name not in self.bound:
                self.recursive.add(found.name)
            node = rebuild(node, self.type)
        elif isinstance(node, Name):
            node = self.inline(node, found)
        self.depth -= 1
        return node

    def count(self, nodes: int) -> None:
        """Count nodes of the result.

        Raises:
            TypeSyntaxError: There are too many.
        """
        self.size += nodes
        if self.size > _LARGEST:
            raise _too_large()

    def bind(self, names: Iterable[str], node: Type) -> Type:
        """Return a type with its declared names replaced, except for these names."""
        outer = self.bound
        self.bound = outer.union(names)
        node = self.type(node)
        self.bound = outer
        return node

    def inline(self, node: Name, found: Declaration) -> Type:
        """Return the declared type of a name, with its type arguments filled in."""
        wanted, given = len(found.parameters), len(node.arguments)
        if wanted != given:
            raise TypeSyntaxError(
                f"`{node.name}` takes {wanted} type arguments, not {given}",
                node.span.start,
                node.span.end,
            )
        arguments = [self.type(argument) for argument in node.arguments]
        # The body is outside of the scopes around the name, so their names are free in it.
        outer, self.bound = self.bound, frozenset()
        self.open.append(found.name)
        body = self.bind(found.parameters, found.type)
        self.open.pop()
        self.bound = outer
        if not arguments:
            return body
        body = substitute(body, dict(zip(found.parameters, arguments, strict=True)))
        # An argument that is used twice doubles, so the result is counted, up to the limit.
        self.count(sum(1 for _ in islice(nodes(body), _LARGEST + 1)))
        if self.depth + depth(body) > MAX_DEPTH:
            raise _too_large()
        return body


def _too_large() -> TypeSyntaxError:
    return TypeSyntaxError("the type is too large with its declarations put in", 0, 1)


def _declaration(reader: TypeReader) -> Declaration:
    """Read a declaration.

    Raises:
        TypeSyntaxError: There is something else.
    """
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
        # TypeScript inserts a semicolon at a line break.
        if not ended and not reader.line_break():
            raise tokens.error("`;`")
    if bases:
        node = Combined("&", (*bases, node), reader.span(name.start))
    return Declaration(
        name.text, tuple(parameters), node, interface, doc, Span(name.start, name.end)
    )


def _base(reader: TypeReader) -> Type:
    """Read the name of an interface after `extends`."""
    if reader.tokens.token.kind != "name":
        raise reader.tokens.error("the name of an interface")
    node = reader.name()
    if not isinstance(node, Name):
        raise reader.tokens.error("the name of an interface")
    return node
