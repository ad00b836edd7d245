"""Functions on the tree of a type: its parts, its depth, and replacing parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
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
    """Yield the direct parts of a type, in the order of the text."""
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
    # A stack, not recursion: substituted types may be deeper than the reader allows.
    left = [node]
    while left:
        inner = left.pop()
        yield inner
        left.extend(parts(inner))


def rebuild(node: Type, change: Callable[[Type], Type]) -> Type:
    """Return a type with each of its direct parts replaced by what `change` returns."""
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


def infer_nodes(node: Type) -> Iterator[Infer]:
    """Yield the `infer` nodes in the `extends` part of a condition, without those of nested ones."""
    left = [node]
    while left:
        inner = left.pop()
        if isinstance(inner, Infer):
            yield inner
        elif not isinstance(inner, Conditional):
            left.extend(parts(inner))


def depth(node: Type) -> int:
    """Return the number of levels of a type; 1 for a name."""
    deepest, left = 0, [(node, 1)]
    while left:
        inner, level = left.pop()
        deepest = max(deepest, level)
        left.extend((part, level + 1) for part in parts(inner))
    return deepest


def substitute(node: Type, values: Mapping[str, Type]) -> Type:
    """Return a type with names replaced by types.

    Keys and inferred types with such a name get another one, so that they do not capture it.
    """
    used = frozenset(name for value in values.values() for name in _names(value))
    return _Substitution(values, used).type(node)


class _Substitution:
    """Replaces names in a type by types, and renames declarations that would capture names."""

    def __init__(self, values: Mapping[str, Type], used: frozenset[str]) -> None:
        self.values = values
        self.used = used

    def type(self, node: Type) -> Type:
        """Return a type with the names replaced."""
        if isinstance(node, Name) and not node.arguments and node.name in self.values:
            return self.values[node.name]
        if isinstance(node, Mapped):
            names = self.names([node.key_name], node)
            inner = self.inside(names).type(node.type)
            return replace(
                node, key_name=names[node.key_name], keys=self.type(node.keys), type=inner
            )
        if isinstance(node, Conditional):
            names = self.names([inner.name for inner in infer_nodes(node.extends)], node)
            return replace(
                node,
                check=self.type(node.check),
                extends=self.type(_rename_inferred(node.extends, names)),
                yes=self.inside(names).type(node.yes),
                no=self.type(node.no),
            )
        return rebuild(node, self.type)

    def names(self, declared: Collection[str], node: Type) -> dict[str, str]:
        """Return a new name for each name that a node declares; the same one if it captures nothing."""
        if self.used.isdisjoint(declared):
            return {name: name for name in declared}
        taken = self.used.union(_names(node))
        return {name: _free_name(name, taken) if name in self.used else name for name in declared}

    def inside(self, names: Mapping[str, str]) -> _Substitution:
        """Return the substitution for the scope in which these names are declared."""
        new = {name: Name(other) for name, other in names.items() if name != other}
        if not new and self.values.keys().isdisjoint(names):
            return self
        kept = {name: value for name, value in self.values.items() if name not in names}
        return _Substitution({**kept, **new}, self.used)


def _free_name(name: str, taken: Collection[str]) -> str:
    """Return `name2`, `name3` and so on: the first that is not taken."""
    number = 2
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def _rename_inferred(node: Type, names: Mapping[str, str]) -> Type:
    """Return the `extends` part of a condition with its inferred types renamed."""
    if isinstance(node, Infer):
        return replace(node, name=names.get(node.name, node.name))
    if isinstance(node, Conditional):
        return node
    return rebuild(node, lambda inner: _rename_inferred(inner, names))


def _names(node: Type) -> Iterator[str]:
    """Yield the names in a type: those that it uses and those that it declares."""
    for inner in nodes(node):
        if isinstance(inner, Name | Infer):
            yield inner.name
        elif isinstance(inner, Mapped):
            yield inner.key_name
