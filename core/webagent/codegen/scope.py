"""The shared types that a type may name."""

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
    """A part of a type that had to be changed."""

    text: str
    start: int
    end: int
    why: str
    instead: str


class DeclarationError(NamedTuple):
    """A mistake in a declaration, with its span in a fence."""

    rule: str
    message: str
    remedy: str
    fence: str
    span: Span


@dataclass(frozen=True, slots=True)
class Resolved:
    """A type that compiles, and what had to be changed for it."""

    node: Type
    problems: tuple[Problem, ...] = ()
    error: TypeSyntaxError | None = None
    """Why the text could not be read; then the type is `unknown`."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedTypes:
    """Shared types that compile, by name, and what had to be changed for it."""

    declarations: Mapping[str, Declaration]
    problems: tuple[tuple[str, str, Problem], ...] = ()
    """Names in declarations that mean nothing: name of the type, its fence, the problem."""
    declaration_errors: tuple[DeclarationError, ...] = ()
    resolved: dict[str, Resolved] = field(default_factory=dict, repr=False)
    """Short types that were resolved with these, by their text."""

    def arity(self, name: str) -> int | None:
        """Return how many type arguments a shared type takes, None if there is no such type."""
        found = self.declarations.get(name)
        return None if found is None else len(found.parameters)

    def body(self, node: Name) -> Type | None:
        """Return what a name stands for, with its type arguments put in."""
        found = self.declarations.get(node.name)
        if found is None or len(found.parameters) != len(node.arguments):
            return None
        if not found.parameters:
            return found.type
        if any(depth(argument) > MAX_DEPTH for argument in node.arguments):
            return UNKNOWN
        return substitute(found.type, dict(zip(found.parameters, node.arguments, strict=True)))


NO_TYPES = SharedTypes({})
"""A manifest without shared types."""
