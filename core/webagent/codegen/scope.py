"""Scopes: the shared types that a type may name, and the problems of types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from webagent.source import Span
from webagent.tstypes import TypeSyntaxError
from webagent.tstypes.declarations import Declaration
from webagent.tstypes.nodes import Name, Type
from webagent.tstypes.reader import MAX_DEPTH
from webagent.tstypes.utility_types import UNKNOWN
from webagent.tstypes.walk import depth, substitute


class Problem(NamedTuple):
    """A part of a type that does not compile, and was replaced."""

    text: str
    start: int
    end: int
    why: str
    instead: str


class DeclarationError(NamedTuple):
    """A mistake in a shared declaration, with its span in its fence."""

    rule: str
    message: str
    remedy: str
    fence: str
    span: Span


@dataclass(frozen=True, slots=True)
class Resolved:
    """A type that compiles, with the problems of the original."""

    node: Type
    problems: tuple[Problem, ...] = ()
    error: TypeSyntaxError | None = None
    """The error if the text cannot be read. The type is then `unknown`."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedTypes:
    """Shared types that compile, by name, with the problems of the originals."""

    declarations: Mapping[str, Declaration]
    problems: tuple[tuple[str, str, Problem], ...] = ()
    """Unknown names in declarations: name of the declared type, text of its fence, the problem."""
    declaration_errors: tuple[DeclarationError, ...] = ()
    resolved: dict[str, Resolved] = field(default_factory=dict, repr=False)
    """A cache for `resolve`: short types by their text."""
    structures: dict[int, tuple[Type, Type]] = field(default_factory=dict, repr=False)
    """A cache for the checks of values: types, and their structures, by the id of the type."""

    def arity(self, name: str) -> int | None:
        """Return the number of type arguments of a shared type, or None if there is no such type."""
        found = self.declarations.get(name)
        return None if found is None else len(found.parameters)

    def body(self, node: Name) -> Type | None:
        """Return the declared type of a name, with its type arguments filled in; or None."""
        found = self.declarations.get(node.name)
        if found is None or len(found.parameters) != len(node.arguments):
            return None
        if not found.parameters:
            return found.type
        # A recursive type may nest its argument deeper on each level.
        if any(depth(argument) > MAX_DEPTH for argument in node.arguments):
            return UNKNOWN
        return substitute(found.type, dict(zip(found.parameters, node.arguments, strict=True)))


NO_TYPES = SharedTypes({})
"""A manifest without shared types."""
