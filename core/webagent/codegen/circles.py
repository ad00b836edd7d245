"""Shared types that stand for themselves, which TypeScript refuses.

A type may name itself where TypeScript looks later: in a property, a function, an array. Where it
has to look at once - the keys of a type, a condition - all counts that it could meet on its way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto

from webagent.tstypes.declarations import Declaration
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
from webagent.tstypes.walk import parts

_CONDITIONS = ("Exclude", "Extract", "NonNullable", "Awaited", "ReturnType", "Parameters")
"""Types of the library that are conditions."""
_LISTS = ("Array", "ReadonlyArray", "Promise", "Map", "Set")


class _When(Enum):
    """When a part of a type is looked at."""

    NOW = auto()
    LISTED = auto()
    """With the array or tuple that it is in."""
    LATER = auto()
    THROUGH = auto()
    """At once, with all that it is made of."""


def circular(found: Mapping[str, Declaration]) -> list[str]:
    """Return the names of types that stand for themselves, in order."""
    needs = _needs(found)
    # A type that needs only types that are no circles is none; what is left needs a circle or is one.
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


def _needs(found: Mapping[str, Declaration]) -> dict[str, set[str]]:
    """Return, for each type, those that have to be known before it is."""
    needs: dict[str, set[str]] = {}
    through: dict[str, set[str]] = {}
    named: dict[str, set[str]] = {}
    for name, declaration in found.items():
        needs[name], through[name], named[name] = set(), set(), set()
        for other, when in _named(declaration.type):
            if other not in found or other in declaration.parameters:
                continue
            named[name].add(other)
            if when is _When.THROUGH:
                through[name].add(other)
            elif when is _When.NOW:
                needs[name].add(other)
    for name, others in through.items():
        if others:
            needs[name] |= others | _reached(others, named)
    return needs


def _reaches(name: str, needs: Mapping[str, set[str]]) -> bool:
    """Whether a type leads back to itself."""
    return name in _reached(needs[name], needs)


def _reached(names: set[str], needs: Mapping[str, set[str]]) -> set[str]:
    """Return names, and those they lead to."""
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left.extend(needs.get(name, ()))
    return seen


def _named(node: Type) -> Iterator[tuple[str, _When]]:
    """Yield the names in a type, each with when it is looked at."""
    left = [(node, _When.NOW)]
    while left:
        inner, when = left.pop()
        if isinstance(inner, Name):
            yield inner.name, when
        if isinstance(inner, Mapped):
            left.append((inner.keys, _When.THROUGH))
            left.append((inner.type, _later(when)))
        else:
            when = _inside(inner, when)
            left.extend((part, when) for part in parts(inner))


def _inside(node: Type, when: _When) -> _When:
    """Return when the parts of a type are looked at."""
    if isinstance(node, Object | Function):
        return _later(when)
    if isinstance(node, Conditional):
        return _When.THROUGH
    listed = isinstance(node, ArrayType | Tuple) or (isinstance(node, Name) and node.name in _LISTS)
    if listed:
        return _When.LISTED if when is _When.NOW else when
    if isinstance(node, Operator) and node.operator == "keyof":
        return _When.THROUGH
    if isinstance(node, Name) and node.name in _CONDITIONS:
        return _When.THROUGH
    return _When.THROUGH if when is _When.LISTED and isinstance(node, Name) else when


def _later(when: _When) -> _When:
    return when if when is _When.THROUGH else _When.LATER
