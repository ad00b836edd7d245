"""The check of a value against a type: `items[2].price: expected number, got string`.

Values are JSON data, with tagged objects for what JSON cannot hold (`{"$type": "date", "value": …}`,
see `webagent.page.values`). A type that allows anything, or that cannot be checked, fits.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, TypeAlias

from webagent.codegen.compiler import resolve
from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.schema import templates
from webagent.schema.emit import branches, may_be_absent
from webagent.schema.validate_schema import MOST_FOUND, Mismatch, decode, join, short
from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Element,
    Index,
    LiteralType,
    Name,
    Object,
    Template,
    Tuple,
    Type,
    is_bigint,
    literal_value,
)
from webagent.tstypes.printer import print_type
from webagent.tstypes.utility_types import structure

_MOST_STEPS = 200_000
"""Most pairs of value and type in one check. Further ones count as valid."""
_MOST_KEPT = 10_000
"""Structures of types that are kept for the next values."""

_DEEPEST = 60
"""Most levels of values that are checked."""

_ANY_OBJECT = Object((Index("key", Name("string"), Name("unknown")),))
_KINDS = {
    "string": ("string",),
    "number": ("number",),
    "boolean": ("boolean",),
    "null": ("null",),
    "undefined": ("undefined",),
    "void": ("undefined",),
    "never": (),
    "object": ("object",),
    "Date": ("date", "string"),
    "URL": ("string",),
}
"""The kinds of values that fit each name. Any value fits another name."""
_ABSENT = ("undefined",)
_NONE = ("undefined", "null")
_KINDS_WITH_NONE = {**_KINDS, "undefined": _NONE, "void": _NONE}


def check_value(
    value: Any,
    expected: str | Type,
    *,
    types: SharedTypes = NO_TYPES,
    path: str = "",
    none_is_undefined: bool = False,
) -> list[Mismatch]:
    """Return where a value does not fit a type, at most twenty places.

    Args:
        value: JSON data, tagged objects included.
        expected: A TypeScript type as text, or a resolved one.
        types: Shared types that it may name.
        path: What to call the value: `items`.
        none_is_undefined: Whether null fits `undefined`, as Python has only None.
    """
    node = resolve(expected, types).node if isinstance(expected, str) else expected
    check = _Check(types, none_is_undefined)
    check.value(node, value, path, 0)
    return [found.mismatch() for found in check.found]


_Path: TypeAlias = "str | tuple[_Path, str | int]"
"""The path of a value: that of the value around it, and the key or the index in it. It is written
for mismatches only, which few values have."""


def _written(path: _Path) -> str:
    if isinstance(path, str):
        return path
    around, last = path
    return join(_written(around), last) if isinstance(last, str) else f"{_written(around)}[{last}]"


class _RawMismatch(NamedTuple):
    """A mismatch without its text, as most mismatches in unions are never shown."""

    path: _Path
    node: Type
    kind: str
    inner: Any

    def mismatch(self) -> Mismatch:
        """Return the mismatch with its text."""
        got = self.kind
        if got in ("string", "number", "boolean") and _has_literal(self.node):
            got = short(json.dumps(self.inner, ensure_ascii=False))
        elif got == "array" and isinstance(self.node, Tuple):
            got = f"array of {len(self.inner)}"
        return Mismatch(_written(self.path), _words(self.node), got)


class _Check:
    """One check: the mismatches so far, and a count of steps.

    Methods take the decoded value as `inner` with its `kind`, the path of the value, and the number
    of values around it as `depth`.
    """

    def __init__(self, types: SharedTypes, none_is_undefined: bool) -> None:
        self.types = types
        self.kinds = _KINDS_WITH_NONE if none_is_undefined else _KINDS
        self.absent = _NONE if none_is_undefined else _ABSENT
        self.found: list[_RawMismatch] = []
        self.steps = 0
        # By id, as hashing a large node takes long. The node is kept, so that no other gets its id.

    def value(self, node: Type, value: Any, path: _Path, depth: int) -> None:
        """Check an encoded value against a type."""
        self.steps += 1
        if self.steps > _MOST_STEPS or depth > _DEEPEST or len(self.found) >= MOST_FOUND:
            return
        kept = self.types.structures.get(id(node))
        node = kept[1] if kept else self.structure(node)
        kind, inner = decode(value)
        if isinstance(node, Name):
            fitting = self.kinds.get(node.name)
            if fitting is None:
                self.name(node, kind, inner, path, depth)
            elif kind not in fitting:
                self.mismatch(node, kind, inner, path)
        elif isinstance(node, LiteralType):
            if not _is_literal(node, kind, inner):
                self.mismatch(node, kind, inner, path)
        elif isinstance(node, Template):
            if kind != "string" or not templates.fits(node, inner):
                self.mismatch(node, kind, inner, path)
        elif isinstance(node, ArrayType):
            if kind != "array":
                self.mismatch(node, kind, inner, path)
                return
            for index, item in enumerate(inner):
                self.value(node.element, item, (path, index), depth + 1)
        elif isinstance(node, Tuple):
            self.tuple(node, kind, inner, path, depth)
        elif isinstance(node, Object):
            self.object(node, kind, inner, path, depth)
        elif isinstance(node, Combined) and node.operator == "&":
            for part in node.types:
                self.value(part, value, path, depth + 1)
        elif isinstance(node, Combined):
            self.union(node, value, path, depth)
        # Any value fits a function type: functions are not sent, only placeholders.

    def structure(self, node: Type) -> Type:
        """Return the structure of a type, without names of shared types at its top, and keep it."""
        kept = self.types.structures
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        found = self.find_structure(node)
        kept[id(node)] = (node, found)
        return found

    def find_structure(self, node: Type) -> Type:
        """Return the structure of a type."""
        for _ in range(_DEEPEST):
            node = structure(node, self.types)
            body = self.types.body(node) if isinstance(node, Name) else None
            if body is None:
                return node
            node = body
        return Name("unknown")

    def mismatch(self, node: Type, kind: str, inner: Any, path: _Path) -> None:
        self.found.append(_RawMismatch(path, node, kind, inner))

    def name(self, node: Name, kind: str, inner: Any, path: _Path, depth: int) -> None:
        """Check a value against the name of a generic type, or of `bigint`; any value fits other names."""
        if node.name == "bigint":
            # JSON has no `bigint`, so a whole number is one.
            whole = kind == "number" and isinstance(inner, int | float) and inner == inner // 1
            if kind != "bigint" and not whole:
                self.mismatch(node, kind, inner, path)
        elif node.name in ("Set", "Map") and node.arguments:
            if kind not in ("array", node.name.lower()) or not isinstance(inner, list):
                self.mismatch(node, kind, inner, path)
                return
            pair = Tuple(tuple(Element(argument) for argument in node.arguments))
            element = node.arguments[0] if node.name == "Set" else pair
            for index, item in enumerate(inner):
                self.value(element, item, (path, index), depth + 1)

    def tuple(self, node: Tuple, kind: str, inner: Any, path: _Path, depth: int) -> None:
        self.steps += len(node.elements)
        fixed = [element for element in node.elements if not element.rest]
        rest = next((element.type for element in node.elements if element.rest), None)
        needed = sum(1 for element in fixed if not element.optional)
        many = kind == "array" and len(inner) > len(fixed) and rest is None
        if kind != "array" or len(inner) < needed or many:
            self.mismatch(node, kind, inner, path)
            return
        array = structure(rest, self.types) if rest is not None else None
        for index, item in enumerate(inner):
            if index < len(fixed):
                self.value(fixed[index].type, item, (path, index), depth + 1)
            elif isinstance(array, ArrayType):
                self.value(array.element, item, (path, index), depth + 1)

    def object(self, node: Object, kind: str, inner: Any, path: _Path, depth: int) -> None:
        if kind != "object":
            self.mismatch(node, kind, inner, path)
            return
        self.steps += len(node.members)
        names = set()
        for member in node.members:
            if isinstance(member, Index):
                continue
            key = member.key
            names.add(key)
            place = (path, key)
            if key in inner and not (member.optional and decode(inner[key])[0] in self.absent):
                self.value(member.type, inner[key], place, depth + 1)
            elif not member.optional and not may_be_absent(member.type):
                self.mismatch(member.type, "undefined", None, place)
        for member in node.members:
            if isinstance(member, Index):
                for key in inner:
                    if key not in names and self._covers(member.key, key):
                        self.value(member.type, inner[key], (path, key), depth + 1)

    def _covers(self, node: Type, key: str) -> bool:
        """Whether an index signature of this key type covers a key."""
        node = structure(node, self.types)
        if isinstance(node, Template):
            return templates.fits(node, key)
        if node == Name("number"):
            return re.search(r"^-?[0-9]+(?:\.[0-9]+)?$", key) is not None
        return node != Name("symbol")

    def union(self, node: Combined, value: Any, path: _Path, depth: int) -> None:
        """Check a union.

        If no branch fits, the mismatches of the closest one are reported. A branch is close if it
        has mismatches only inside the value, and closer the fewer it has.
        """
        alike: list[list[_RawMismatch]] = []
        outer = self.found
        kind, inner = decode(value)
        choices = branches(node)
        self.steps += len(choices)
        for branch in choices:
            self.found = []
            self.value(branch, value, path, depth + 1)
            if not self.found:
                self.found = outer
                return
            if all(mismatch.path != path for mismatch in self.found):
                alike.append(self.found)
        self.found = outer
        alike.sort(key=len)
        # Two equally close branches: only the whole union is a fair answer.
        if alike and (len(alike) == 1 or len(alike[0]) < len(alike[1])):
            self.found += alike[0]
        else:
            self.mismatch(node, kind, inner, path)


def _is_literal(node: LiteralType, kind: str, inner: Any) -> bool:
    wanted = literal_value(node)
    if is_bigint(node):
        return (
            str(inner) == str(wanted) if kind == "bigint" else kind == "number" and inner == wanted
        )
    if isinstance(wanted, bool):
        return kind == "boolean" and inner == wanted
    return kind == ("string" if isinstance(wanted, str) else "number") and bool(inner == wanted)


def _has_literal(node: Type) -> bool:
    return any(isinstance(branch, LiteralType | Template) for branch in branches(node))


def _words(node: Type) -> str:
    """Return a name for a type in messages."""
    return "object" if node == _ANY_OBJECT else short(print_type(node))
