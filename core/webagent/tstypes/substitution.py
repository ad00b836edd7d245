"""Types in the place of names, where the names mean them.

The key of a mapped type and what a condition infers have names of their own: inside, such a name
means nothing else, and a type that is put in there keeps what its names mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from webagent.tstypes.nodes import Conditional, Infer, Mapped, Name, Type
from webagent.tstypes.walk import inferred, nodes, rebuild


def substitute(node: Type, values: Mapping[str, Type]) -> Type:
    """Return the type with names replaced by types."""
    used = frozenset(name for value in values.values() for name in _names(value))
    return _Substitution(values, used).type(node)


class _Substitution:
    """One way through a type, in which names stand for types that use names themselves."""

    def __init__(self, values: Mapping[str, Type], used: frozenset[str]) -> None:
        self.values = values
        self.used = used

    def type(self, node: Type) -> Type:
        if isinstance(node, Name) and not node.arguments and node.name in self.values:
            return self.values[node.name]
        if isinstance(node, Mapped):
            names = self.names([node.key_name], node)
            inner = self.inside(names).type(node.type)
            return replace(
                node, key_name=names[node.key_name], keys=self.type(node.keys), type=inner
            )
        if isinstance(node, Conditional):
            names = self.names([inner.name for inner in inferred(node.extends)], node)
            return replace(
                node,
                check=self.type(node.check),
                extends=self.type(_renamed(node.extends, names)),
                yes=self.inside(names).type(node.yes),
                no=self.type(node.no),
            )
        return rebuild(node, self.type)

    def names(self, declared: Collection[str], node: Type) -> dict[str, str]:
        """Return the names that a node is to declare, by those that it declares."""
        if self.used.isdisjoint(declared):
            return {name: name for name in declared}
        taken = self.used.union(_names(node))
        return {name: _free(name, taken) if name in self.used else name for name in declared}

    def inside(self, names: Mapping[str, str]) -> _Substitution:
        """Return what to put in where these names are declared."""
        new = {name: Name(other) for name, other in names.items() if name != other}
        if not new and self.values.keys().isdisjoint(names):
            return self
        kept = {name: value for name, value in self.values.items() if name not in names}
        return _Substitution({**kept, **new}, self.used)


def _free(name: str, taken: Collection[str]) -> str:
    number = 2
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def _renamed(node: Type, names: Mapping[str, str]) -> Type:
    """Return what a condition extends with other names for what it infers."""
    if isinstance(node, Infer):
        return replace(node, name=names.get(node.name, node.name))
    if isinstance(node, Conditional):
        return node
    return rebuild(node, lambda inner: _renamed(inner, names))


def _names(node: Type) -> Iterator[str]:
    """Yield the names in a type: those that it uses and those that it declares."""
    for inner in nodes(node):
        if isinstance(inner, Name | Infer):
            yield inner.name
        elif isinstance(inner, Mapped):
            yield inner.key_name
