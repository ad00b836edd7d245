"""Ways through a type: its parts, the same type with other parts, its depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Conditional,
    Function,
    Index,
    Indexed,
    Infer,
    Mapped,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
)


def parts(node: Type) -> Iterator[Type]:
    """Yield the types that a type is made of, in the order of the text."""
    if isinstance(node, Name):
        yield from node.arguments
    elif isinstance(node, ArrayType):
        yield node.element
    elif isinstance(node, Combined | Template):
        yield from node.types
    elif isinstance(node, Tuple):
        yield from (element.type for element in node.elements)
    elif isinstance(node, Object):
        for member in node.members:
            if isinstance(member, Index):
                yield member.key
            yield member.type
    elif isinstance(node, Function):
        yield from (argument.type for argument in node.arguments)
        yield node.returns
    elif isinstance(node, Operator):
        yield node.type
    elif isinstance(node, Indexed):
        yield node.type
        yield node.index
    elif isinstance(node, Conditional):
        yield from (node.check, node.extends, node.yes, node.no)
    elif isinstance(node, Mapped):
        yield from (node.keys, node.type)


def nodes(node: Type) -> Iterator[Type]:
    """Yield a type and all types in it."""
    left = [node]
    while left:
        inner = left.pop()
        yield inner
        left.extend(parts(inner))


def rebuild(node: Type, change: Callable[[Type], Type]) -> Type:
    """Return the type with each of its parts changed."""
    if isinstance(node, Name):
        return replace(node, arguments=tuple(map(change, node.arguments)))
    if isinstance(node, ArrayType):
        return replace(node, element=change(node.element))
    if isinstance(node, Combined):
        return replace(node, types=tuple(map(change, node.types)))
    if isinstance(node, Template):
        return replace(node, types=tuple(map(change, node.types)))
    if isinstance(node, Tuple):
        elements = (replace(element, type=change(element.type)) for element in node.elements)
        return replace(node, elements=tuple(elements))
    if isinstance(node, Object):
        members = (
            replace(member, key=change(member.key), type=change(member.type))
            if isinstance(member, Index)
            else replace(member, type=change(member.type))
            for member in node.members
        )
        return replace(node, members=tuple(members))
    if isinstance(node, Function):
        arguments = (replace(argument, type=change(argument.type)) for argument in node.arguments)
        return replace(node, arguments=tuple(arguments), returns=change(node.returns))
    if isinstance(node, Operator):
        return replace(node, type=change(node.type))
    if isinstance(node, Indexed):
        return replace(node, type=change(node.type), index=change(node.index))
    if isinstance(node, Conditional):
        return replace(
            node,
            check=change(node.check),
            extends=change(node.extends),
            yes=change(node.yes),
            no=change(node.no),
        )
    if isinstance(node, Mapped):
        return replace(node, keys=change(node.keys), type=change(node.type))
    return node


def inferred(node: Type) -> Iterator[Infer]:
    """Yield what a conditional type that extends this one infers, not what those in it infer."""
    left = [node]
    while left:
        inner = left.pop()
        if isinstance(inner, Infer):
            yield inner
        elif not isinstance(inner, Conditional):
            left.extend(parts(inner))


def depth(node: Type) -> int:
    """Return how many types stand inside one another at most."""
    deepest, left = 0, [(node, 1)]
    while left:
        inner, level = left.pop()
        deepest = max(deepest, level)
        left.extend((part, level + 1) for part in parts(inner))
    return deepest
