"""Shared types of a manifest: the declarations in a note with the title `Types`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum, auto
from functools import lru_cache
from typing import TypeGuard

from webagent.codegen.compiler import resolve_node
from webagent.codegen.identifiers import TAKEN
from webagent.codegen.scope import NO_TYPES, DeclarationError, Problem, SharedTypes
from webagent.markdown import Block, Fence, scan
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError
from webagent.tstypes.declarations import Declaration, read_declarations
from webagent.tstypes.nodes import (
    ArrayType,
    Conditional,
    Function,
    Mapped,
    Name,
    Object,
    Operator,
    Tuple,
    Type,
)
from webagent.tstypes.utility_types import UNKNOWN
from webagent.tstypes.walk import parts
from webagent.types import Manifest, Note

TITLE = "types"
"""The title of a note with shared types, in lower case."""

LANGUAGES = ("ts", "typescript", "tsx", "dts", "d.ts")

MAX_TYPES = 500
"""Most declarations of one manifest. Further ones are left out, with a finding."""

_ENUM = re.compile(r"(?:const\s+)?enum\b")

_CONDITIONS = ("Exclude", "Extract", "NonNullable", "Awaited", "ReturnType", "Parameters")
"""Types of the library that are conditional types."""

_MAPPED = ("Partial", "Required", "Readonly")
"""Types of the library that go through the members of another type."""

# TypeScript defers the arguments of these, so that a type may contain a list of itself.
_LISTS = ("Array", "ReadonlyArray", "Promise", "Map", "Set")


def shared_types(manifest: Manifest) -> SharedTypes:
    """Return the types that the notes of a manifest declare."""
    texts = tuple(note.text for note in manifest.notes if is_types(note))
    return _read(texts) if texts else NO_TYPES


def is_types(note: Note) -> bool:
    """Whether a note declares shared types."""
    # The first test is fast, and false for most notes.
    title = note.title
    return "ypes" in title.lower() and title.strip("*_`: \t").lower() == TITLE


def undeclared_text(note: Note, shared: SharedTypes) -> str:
    """Return the text of a note without its fences of declarations.

    A fence with a mistake stays, so that models see all its types.
    """
    if not is_types(note):
        return note.text
    troubled = {error.fence for error in shared.declaration_errors}
    left, end = [], 0
    for block in scan(note.text):
        if _is_type_fence(block) and block.text not in troubled:
            left.append(note.text[end : block.start].strip())
            end = block.end
    return "\n\n".join(part for part in (*left, note.text[end:].strip()) if part)


# Every check, the declarations and the schemas ask for the types of one manifest.
@lru_cache(maxsize=8)
def _read(texts: tuple[str, ...]) -> SharedTypes:
    """Return the types that some texts declare."""
    found: dict[str, Declaration] = {}
    fences: dict[str, str] = {}
    errors_found: list[DeclarationError] = []
    for fence in (fence for text in texts for fence in _fences(text)):
        declarations, errors = read_declarations(fence)
        for declaration in declarations:
            if error := _declaration_error(declaration, found, fence):
                errors_found.append(error)
            else:
                found[declaration.name] = declaration
                fences[declaration.name] = fence
        errors_found += [_unreadable(error, fence) for error in errors]
    for name in circular(found):
        errors_found.append(_circular_error(found[name], fences[name]))
        found[name] = replace(found[name], type=UNKNOWN, interface=False)
    raw = SharedTypes(found)
    problems: list[tuple[str, str, Problem]] = []
    compiled: dict[str, Declaration] = {}
    for name, declaration in found.items():
        resolved = resolve_node(
            declaration.type, fences[name], raw, frozenset(declaration.parameters)
        )
        compiled[name] = replace(declaration, type=resolved.node)
        problems += ((name, fences[name], problem) for problem in resolved.problems)
    return SharedTypes(compiled, tuple(problems), tuple(errors_found))


def _fences(text: str) -> Iterator[str]:
    for block in scan(text):
        if _is_type_fence(block):
            yield block.text


def _is_type_fence(block: Block) -> TypeGuard[Fence]:
    """Whether a block is a fence of TypeScript."""
    return isinstance(block, Fence) and block.language in LANGUAGES


def _unreadable(error: TypeSyntaxError, fence: str) -> DeclarationError:
    an_enum = _ENUM.match(fence, error.start) is not None
    return DeclarationError(
        "invalid-declaration",
        f"a declaration cannot be read: {error.message}",
        'write an enum as `type Color = "red" | "green"`'
        if an_enum
        else "write `interface Name { key: string }` or `type Name = string | number`",
        fence,
        Span(error.start, error.end),
    )


def _declaration_error(
    new: Declaration, found: Mapping[str, Declaration], fence: str
) -> DeclarationError | None:
    """Return why a declaration cannot be added to those found before it, or None."""
    name = new.name
    if name in found:
        return DeclarationError(
            "duplicate-type",
            f"`{name}` is declared a second time; the first declaration is used",
            "remove one of the two, or rename it",
            fence,
            new.span,
        )
    if len(found) >= MAX_TYPES:
        return DeclarationError(
            "invalid-declaration",
            f"`{name}` is left out: a manifest shares at most {MAX_TYPES} types",
            "write types that one tool uses at that tool",
            fence,
            new.span,
        )
    bad = next((word for word in (name, *new.parameters) if word in TAKEN), None)
    if bad is None and len(set(new.parameters)) == len(new.parameters):
        return None
    what = f"`{bad}` has a meaning in TypeScript already" if bad else "two parameters have one name"
    return DeclarationError(
        "invalid-declaration",
        f"the type `{name}` cannot be declared: {what}",
        "choose another name",
        fence,
        new.span,
    )


def _circular_error(declaration: Declaration, fence: str) -> DeclarationError:
    return DeclarationError(
        "circular-type",
        f"`{declaration.name}` is defined as itself, so agents see `unknown`",
        "put what repeats into a property or an array: `{ children: Name[] }`",
        fence,
        declaration.span,
    )


def circular(found: Mapping[str, Declaration]) -> list[str]:
    """Return the names of types that are defined as themselves, in the order of declaration."""
    needs = _needs(found)
    # Removes types that need only removed types. Each one left is in a circle, or needs one.
    left = dict(needs)
    users: dict[str, list[str]] = {}
    for name, names in needs.items():
        for needed in names:
            users.setdefault(needed, []).append(name)
    waiting = {name: len(names) for name, names in needs.items()}
    free = [name for name, count in waiting.items() if count == 0]
    while free:
        name = free.pop()
        del left[name]
        for user in users.get(name, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                free.append(user)
    return [name for name in left if _reaches(name, left)]


class _When(Enum):
    """When TypeScript resolves a part of a type, relative to the whole."""

    NOW = auto()
    """Together with it."""
    LISTED = auto()
    """Later, as the element of an array or tuple. Type arguments in it are resolved at once."""
    LATER = auto()
    """When its members are used, where a circle does no harm."""
    THROUGH = auto()
    """At once, together with all its own parts."""


def _needs(found: Mapping[str, Declaration]) -> dict[str, set[str]]:
    """Return, for each type, the types that have to be resolved before it."""
    needs: dict[str, set[str]] = {}
    through: dict[str, set[str]] = {}
    named: dict[str, set[str]] = {}
    for name, declaration in found.items():
        needs[name], through[name], named[name] = set(), set(), set()
        for other, when in _names(declaration.type):
            if other not in found or other in declaration.parameters:
                continue
            named[name].add(other)
            if when is _When.THROUGH:
                through[name].add(other)
            elif when is _When.NOW:
                needs[name].add(other)
    for name, others in through.items():
        if others:
            needs[name] |= others | _reachable(others, named)
    return needs


def _reaches(name: str, needs: Mapping[str, set[str]]) -> bool:
    """Whether a type needs itself, perhaps through others."""
    return name in _reachable(needs[name], needs)


def _reachable(names: set[str], needs: Mapping[str, set[str]]) -> set[str]:
    """Return names, and all names that they need, directly or through others."""
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left.extend(needs.get(name, ()))
    return seen


def _names(node: Type) -> Iterator[tuple[str, _When]]:
    """Yield the names in a type, each with the time when it is resolved."""
    left = [(node, _When.NOW)]
    while left:
        inner, when = left.pop()
        if isinstance(inner, Name):
            yield inner.name, when
        if isinstance(inner, Mapped):
            left.append((inner.keys, _When.THROUGH))
            left.append((inner.type, _later(when)))
        else:
            when = _part_time(inner, when)
            left.extend((part, when) for part in parts(inner))


def _part_time(node: Type, when: _When) -> _When:
    """Return when the parts of a type are resolved.

    Args:
        node: The type.
        when: When the type itself is resolved.
    """
    if isinstance(node, Object | Function):
        return _later(when)
    if isinstance(node, Conditional):
        return _When.THROUGH
    listed = isinstance(node, ArrayType | Tuple) or (isinstance(node, Name) and node.name in _LISTS)
    if listed:
        return _When.LISTED if when is _When.NOW else when
    if isinstance(node, Operator) and node.operator == "keyof":
        return _When.THROUGH
    if isinstance(node, Name) and (node.name in _CONDITIONS or _maps_parts(node)):
        return _When.THROUGH
    # The type arguments of an element are resolved at once.
    return _When.THROUGH if when is _When.LISTED and isinstance(node, Name) else when


def _maps_parts(node: Name) -> bool:
    """Whether a type goes through the members of a type that is put together in it.

    Those of a named type or an object are only looked at when they are used.
    """
    return node.name in _MAPPED and not all(isinstance(a, Name | Object) for a in node.arguments)


def _later(when: _When) -> _When:
    return when if when is _When.THROUGH else _When.LATER
