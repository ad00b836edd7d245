"""From a type as an author wrote it to one that compiles.

What cannot be read becomes `unknown`; so does a name that nobody declared, with what surrounds it
kept. Words like `int` become the TypeScript they mean. Each such change is a problem to report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from webagent.codegen.names import argument_names
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError, instead, print_type, read_type
from webagent.tstypes.keys import property_key
from webagent.tstypes.nodes import (
    Argument,
    ArrayType,
    Combined,
    Element,
    Function,
    Index,
    Indexed,
    LiteralType,
    Member,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
)
from webagent.tstypes.words import GENERIC_INSTEAD, LIBRARY, OWN_WORDS, PRIMITIVES

_UNKNOWN = Name("unknown", (), Span(0, 0))


class Problem(NamedTuple):
    """A part of a type that had to be changed."""

    text: str
    start: int
    end: int
    why: str
    instead: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """A type that compiles, and what had to be changed for it."""

    node: Type
    problems: tuple[Problem, ...] = ()
    error: TypeSyntaxError | None = None
    """Why the text could not be read; then the type is `unknown`."""


@lru_cache(maxsize=4096)
def resolve(text: str) -> Resolved:
    """Return what a type stands for; `Promise<T>` as a whole is `T`, as results are promised."""
    word = text.strip()
    phrase = instead(word) if " " in word else None
    if phrase is not None:
        problem = Problem(text, 0, len(text), "is no TypeScript", phrase)
        return Resolved(read_type(phrase), (problem,))
    try:
        node = read_type(text)
    except TypeSyntaxError as error:
        # The error is kept for long; what it was raised in is not.
        return Resolved(_UNKNOWN, (), error.with_traceback(None))
    while isinstance(node, Name) and node.name == "Promise" and len(node.arguments) == 1:
        node = node.arguments[0]
    walk = _Walk(text)
    return Resolved(walk.type(node), tuple(walk.problems))


class _Walk:
    """One way through a type, rebuilding it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []

    def problem(self, span: Span, why: str, remedy: str = "") -> None:
        part = self.text[span.start : span.end]
        self.problems.append(Problem(part, span.start, span.end, why, remedy))

    def type(self, node: Type) -> Type:
        if isinstance(node, Name):
            return self.name(node)
        if isinstance(node, ArrayType):
            return replace(node, element=self.type(node.element))
        if isinstance(node, Combined):
            return replace(node, types=tuple(self.type(inner) for inner in node.types))
        if isinstance(node, Object):
            return self.object_type(node)
        if isinstance(node, Function):
            return replace(
                node,
                arguments=self.arguments(node.arguments),
                returns=self.type(node.returns),
            )
        if isinstance(node, Tuple):
            return self.tuple_type(node)
        if isinstance(node, Template):
            return replace(node, types=tuple(self.part(inner) for inner in node.types))
        if isinstance(node, Operator):
            inner = self.type(node.type)
            if node.operator == "readonly" and not isinstance(inner, ArrayType | Tuple):
                return inner
            return replace(node, type=inner)
        if isinstance(node, Indexed):
            return self.indexed(node)
        return node

    def name(self, node: Name) -> Type:
        name, arguments = node.name, tuple(self.type(inner) for inner in node.arguments)
        if not arguments:
            if name in PRIMITIVES:
                return node
            if name in OWN_WORDS:
                return read_type(OWN_WORDS[name])
        if arguments and name in GENERIC_INSTEAD:
            self.problem(node.span, "is no TypeScript", GENERIC_INSTEAD[name] + "<…>")
            name = GENERIC_INSTEAD[name]
        remedy = instead(name) if not arguments else None
        if remedy is not None:
            self.problem(node.span, "is no TypeScript", remedy)
            return read_type(remedy)
        if name in LIBRARY:
            fewest, most = LIBRARY[name]
            if fewest <= len(arguments) <= most:
                return self.library(replace(node, name=name, arguments=arguments))
            self.problem(node.span, f"takes {most} type arguments, not {len(arguments)}")
            return _UNKNOWN
        self.problem(node.span, "is declared nowhere, so agents see `unknown`")
        return _UNKNOWN

    def library(self, node: Name) -> Type:
        """Keep a type of the library if its arguments are what it demands."""
        if node.name in ("Record", "Omit"):
            at = 0 if node.name == "Record" else 1
            if not _is_key(node.arguments[at]):
                self.problem(node.span, "has keys that are none")
                return read_type("Record<string, unknown>")
        elif node.name == "Pick":
            source, wanted = node.arguments
            names = (
                {property_key(m.name) for m in source.members if isinstance(m, Member)}
                if isinstance(source, Object)
                else set()
            )
            keys = wanted.types if isinstance(wanted, Combined) else (wanted,)
            if not all(isinstance(k, LiteralType) and property_key(k.text) in names for k in keys):
                self.problem(node.span, "picks keys that are not there")
                return source
        return node

    def object_type(self, node: Object) -> Type:
        members: list[Member | Index] = []
        names: set[str] = set()
        keys: set[str] = set()
        indexed = any(isinstance(member, Index) for member in node.members)
        for member in node.members:
            if isinstance(member, Index):
                key = print_type(member.key)
                if key not in ("string", "number", "symbol") or key in keys:
                    self.problem(node.span, f"has a key of type `{key}` twice or of no use")
                    continue
                keys.add(key)
                inner = self.type(member.type)
                # Other members would have to fit the type of an index signature.
                alone = len(node.members) == 1
                (name,) = argument_names([member.key_name])
                changed = inner if alone else _UNKNOWN
                members.append(replace(member, key_name=name, type=changed))
            elif property_key(member.name) in names:
                self.problem(node.span, f"has the member `{member.name}` twice")
            else:
                names.add(property_key(member.name))
                members.append(replace(member, type=self.type(member.type)))
        if indexed and not members:
            return read_type("Record<string, unknown>")
        return replace(node, members=tuple(members))

    def arguments(self, arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
        """Rebuild the parameters of a function type so that names and order are allowed."""
        found: list[Argument] = []
        last = max(
            (i for i, a in enumerate(arguments) if not a.optional and not a.rest), default=-1
        )
        names = argument_names(argument.name for argument in arguments)
        for index, (argument, name) in enumerate(zip(arguments, names, strict=True)):
            inner = self.type(argument.type)
            rest = argument.rest and index == len(arguments) - 1
            if rest and not isinstance(inner, ArrayType):
                inner = ArrayType(inner, _UNKNOWN.span)
            optional = argument.optional and index > last and not rest
            if argument.optional and not optional:
                inner = with_undefined(inner)
            found.append(Argument(name, inner, optional, rest))
        return tuple(found)

    def tuple_type(self, node: Tuple) -> Type:
        elements: list[Element] = []
        named = all(element.name for element in node.elements)
        optional = False
        for index, element in enumerate(node.elements):
            inner = self.type(element.type)
            rest = element.rest and index == len(node.elements) - 1
            if rest and not isinstance(inner, ArrayType):
                inner = ArrayType(inner, _UNKNOWN.span)
            optional = (optional or element.optional) and not rest
            elements.append(Element(inner, element.name if named else "", optional, rest))
        return replace(node, elements=tuple(elements))

    def part(self, node: Type) -> Type:
        """A hole of a template takes only what can be written as text."""
        inner = self.type(node)
        if isinstance(inner, LiteralType) or (
            isinstance(inner, Name) and inner.name in ("string", "number", "boolean", "bigint")
        ):
            return inner
        return Name("string", (), _UNKNOWN.span)

    def indexed(self, node: Indexed) -> Type:
        """`T["key"]` stays only where the key can be seen to be there."""
        if isinstance(node.type, Object) and isinstance(node.index, LiteralType):
            for member in node.type.members:
                if isinstance(member, Member) and property_key(member.name) == property_key(
                    node.index.text
                ):
                    return self.type(member.type)
        self.problem(node.span, "names a part of a type that cannot be found")
        return _UNKNOWN


def with_undefined(node: Type) -> Type:
    """Return the type with `undefined` added."""
    undefined = Name("undefined", (), _UNKNOWN.span)
    if isinstance(node, Combined) and node.operator == "|":
        return replace(node, types=(*node.types, undefined))
    return Combined("|", (node, undefined), _UNKNOWN.span)


def _is_key(node: Type) -> bool:
    if isinstance(node, Name):
        return node.name in ("string", "number", "symbol")
    if isinstance(node, LiteralType):
        return node.text not in ("true", "false") and not node.text.endswith("n")
    if isinstance(node, Combined):
        return node.operator == "|" and all(_is_key(inner) for inner in node.types)
    return isinstance(node, Template)
