"""The evaluation of utility types: `Pick<Book, "id">` becomes `{ id: string }`.

The result is a name (`string`, `Date`, a shared type), a literal, a template, an array, a tuple, an
object, a function, a union or an intersection. A type that cannot be evaluated becomes `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Index,
    Indexed,
    LiteralType,
    Member,
    Name,
    Object,
    Operator,
    Type,
    literal,
    literal_value,
    member_name,
)
from webagent.tstypes.printer import print_type

UNKNOWN = Name("unknown")
NEVER = Name("never")
_PRIMITIVES = (Name("string"), Name("number"), Name("boolean"), Name("bigint"))
_MOST_MEMBERS = 500
"""Most members of an object type that is evaluated."""
_MOST_STEPS = 500
"""Most types that one evaluation looks at. A web of aliases would cost exponential time."""


class Scope(Protocol):
    """The declarations of shared types."""

    def body(self, node: Name) -> Type | None:
        """Return the declared type of a name, with its type arguments filled in; or None."""


def structure(node: Type, scope: Scope) -> Type:
    """Return a type with the utility type at its top evaluated. Its parts stay as they are."""
    return _Structure(scope).of(node)


def object_of(node: Type, scope: Scope) -> Object | None:
    """Return the object type that a type evaluates to, or None for another type."""
    return _Structure(scope).object(node)


class _Structure:
    """One evaluation, with its count of steps.

    Methods take `hops`: how many names and utility types led to a type.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.steps = 0

    def of(self, node: Type, hops: int = 0) -> Type:
        """Return a type with the utility type at its top evaluated."""
        self.steps += 1
        if self.steps > _MOST_STEPS or hops > 8:
            return UNKNOWN
        if isinstance(node, Operator):
            if node.operator == "readonly":
                return self.of(node.type, hops + 1)
            return self.keys(node.type, hops)
        if isinstance(node, Indexed):
            return self.member(node, hops)
        if isinstance(node, Name) and node.arguments and self.scope.body(node) is None:
            return self.utility(node, hops)
        if isinstance(node, Combined) and node.operator == "&":
            return _without_brand(node)
        return node

    def utility(self, node: Name, hops: int) -> Type:
        """Evaluate a type of the library."""
        name, first = node.name, node.arguments[0]
        if name in ("Array", "ReadonlyArray"):
            return ArrayType(first)
        # A value that travels is never a promise, and may always be changed by its receiver.
        if name in ("Awaited", "Promise", "Readonly"):
            return self.of(first, hops + 1)
        if name in ("Partial", "Required"):
            found = self.object(first, hops + 1)
            return UNKNOWN if found is None else _with_optional(found, optional=name == "Partial")
        if name == "Record":
            return self.record(*node.arguments, hops=hops)
        if name in ("Pick", "Omit"):
            found = self.object(first, hops + 1)
            keys = self.literals(node.arguments[1], hops + 1)
            if found is None or keys is None:
                return UNKNOWN
            wanted = {str(literal_value(key)) for key in keys}
            return _with_keys(found, lambda key: (key in wanted) == (name == "Pick"))
        if name in ("Exclude", "Extract", "NonNullable"):
            out = Combined("|", (Name("null"), Name("undefined")))
            other = out if name == "NonNullable" else node.arguments[1]
            return self.filter(first, other, name == "Extract", hops + 1)
        return node

    def object(self, node: Type, hops: int = 0) -> Object | None:
        """Follow names and intersections to an object type."""
        node = self.of(node, hops)
        if isinstance(node, Object):
            return node if len(node.members) <= _MOST_MEMBERS else None
        if isinstance(node, Name):
            body = self.scope.body(node)
            return self.object(body, hops + 1) if body is not None else None
        if isinstance(node, Combined) and node.operator == "&":
            return self.merge(node, hops)
        return None

    def merge(self, node: Combined, hops: int) -> Object | None:
        """Return the object type that an intersection of objects is."""
        members: dict[str, Member | Index] = {}
        for inner in node.types:
            found = self.object(inner, hops + 1)
            if found is None:
                return None
            for member in found.members:
                key = f"[{print_type(member.key)}]" if isinstance(member, Index) else _key(member)
                old = members.get(key)
                if isinstance(old, Member) and isinstance(member, Member):
                    # The same member twice is common with interfaces that extend others.
                    both = Combined("&", (old.type, member.type))
                    same = old.type is member.type or old.type == member.type
                    optional = old.optional and member.optional
                    member = replace(old, type=old.type if same else both, optional=optional)
                members[key] = member
        return Object(tuple(members.values()))

    def keys(self, node: Type, hops: int) -> Type:
        """Evaluate `keyof`."""
        found = self.object(node, hops + 1)
        if found is None:
            return Name("string")
        if any(isinstance(member, Index) for member in found.members):
            return Name("string")
        names = [literal(_key(member)) for member in found.members]
        return _union([name for name in names if name is not None])

    def member(self, node: Indexed, hops: int) -> Type:
        """Evaluate `T["key"]`."""
        base = self.of(node.type, hops + 1)
        if isinstance(base, ArrayType) and node.index == Name("number"):
            return self.of(base.element, hops + 1)
        found = self.object(base, hops + 1)
        keys = self.literals(node.index, hops + 1)
        if found is None or keys is None or not keys:
            return UNKNOWN
        wanted = {str(literal_value(key)) for key in keys}
        types = [m.type for m in found.members if isinstance(m, Member) and _key(m) in wanted]
        return self.of(_union(types), hops + 1) if types else UNKNOWN

    def record(self, key: Type, value: Type, *, hops: int) -> Type:
        """Evaluate `Record<K, V>`: members for literal keys, else an index signature."""
        keys = self.literals(key, hops + 1)
        if keys is None:
            base = self.of(key, hops + 1)
            if isinstance(base, Name) and (body := self.scope.body(base)):
                base = body
            return Object((Index("key", base, value),))
        return Object(tuple(Member(member_name(str(literal_value(name))), value) for name in keys))

    def literals(self, node: Type, hops: int) -> list[LiteralType] | None:
        """Return the literals of a union of literals, or None for another type."""
        node = self.of(node, hops)
        if isinstance(node, Name) and (body := self.scope.body(node)) is not None:
            return self.literals(body, hops + 1)
        if node == NEVER:
            return []
        if isinstance(node, LiteralType):
            return [node]
        if isinstance(node, Combined) and node.operator == "|":
            found: list[LiteralType] = []
            for inner in node.types:
                literals = self.literals(inner, hops + 1)
                if literals is None:
                    return None
                found += literals
            return found
        return None

    def branches(self, node: Type, hops: int) -> list[Type]:
        """Return the types of a union. Names stay, unless they stand for unions."""
        node = self.of(node, hops)
        if isinstance(node, Name) and (body := self.scope.body(node)) is not None:
            inner = self.branches(body, hops + 1)
            return inner if len(inner) > 1 else [node]
        if isinstance(node, Combined) and node.operator == "|":
            return [branch for inner in node.types for branch in self.branches(inner, hops + 1)]
        return [node]

    def filter(self, node: Type, other: Type, keep: bool, hops: int) -> Type:
        """Return the types of a union that are in another one (`keep`), or that are not."""
        others: set[object] = {_identity(branch) for branch in self.branches(other, hops)}
        left = [b for b in self.branches(node, hops) if _is_member(b, others) == keep]
        return _union(left) if left else NEVER


def _is_member(node: Type, others: set[object]) -> bool:
    """Whether a type is in a set of types, or is a literal of one of them."""
    same = _identity(node)
    return same in others or (isinstance(same, tuple) and Name(same[0]) in others)


def _identity(node: Type) -> Type | tuple[str, object]:
    """Return a key that equal types share. For a literal it is kind and value: `"a"` equals `'a'`."""
    if not isinstance(node, LiteralType):
        return node
    value = literal_value(node)
    if isinstance(value, bool):
        return "boolean", value
    return ("string" if isinstance(value, str) else "number"), value


def _without_brand(node: Combined) -> Type:
    """Return `string` for `string & { brand: "id" }` and `string & {}`."""
    # A brand exists only in the types, and `string & {}` only for completion in editors.
    if not any(inner in _PRIMITIVES for inner in node.types):
        return node
    left = tuple(inner for inner in node.types if not isinstance(inner, Object))
    return left[0] if len(left) == 1 else replace(node, types=left)


def _union(types: list[Type] | list[LiteralType]) -> Type:
    if not types:
        return NEVER
    return types[0] if len(types) == 1 else Combined("|", tuple(types))


def _key(member: Member | Index) -> str:
    return member.key if isinstance(member, Member) else ""


def _with_optional(node: Object, *, optional: bool) -> Object:
    """Return an object type whose members are all optional, or all required."""
    members = (
        replace(member, optional=optional) if isinstance(member, Member) else member
        for member in node.members
    )
    return Object(tuple(members))


def _with_keys(node: Object, wanted: Callable[[str], bool]) -> Object:
    """Return an object type with some of its members. Index signatures stay."""
    members = (m for m in node.members if isinstance(m, Index) or wanted(_key(m)))
    return Object(tuple(members))
