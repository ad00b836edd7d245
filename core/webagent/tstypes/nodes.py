"""The nodes of a TypeScript type expression; two are equal wherever they stand in a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from webagent.source import Span

NOWHERE = Span(0, 0)
"""The place of a node that was not read from a text."""


@dataclass(frozen=True, slots=True)
class Name:
    """`string`, `Date`, `Array<number>`, `Intl.Locale`: a keyword or reference."""

    name: str
    arguments: tuple[Type, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LiteralType:
    """`"a"`, `12`, `-1`, `true` or a template without holes, as written."""

    text: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A template literal type: texts around types, one text more than types."""

    texts: tuple[str, ...]
    types: tuple[Type, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`T[]`."""

    element: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a tuple."""

    type: Type
    name: str = ""
    optional: bool = False
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Tuple:
    """`[A, B?, ...C[]]`."""

    elements: tuple[Element, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A property `name?: T`; its name as written, quotes included."""

    name: str
    type: Type
    optional: bool = False
    readonly: bool = False
    doc: str = ""
    """What a comment before it or at the end of its line says, on one line."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index signature `[key: K]: T`."""

    key_name: str
    key: Type
    type: Type
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """`{ a: A; [key: string]: B }`."""

    members: tuple[Member | Index, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a function type."""

    name: str
    type: Type
    optional: bool = False
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """`(a: A) => B`."""

    arguments: tuple[Argument, ...]
    returns: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Combined:
    """A union or an intersection of two types or more."""

    operator: Literal["|", "&"]
    types: tuple[Type, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Operator:
    """`keyof T` or `readonly T[]`."""

    operator: Literal["keyof", "readonly"]
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Indexed:
    """`T["key"]`."""

    type: Type
    index: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`A extends B ? C : D`."""

    check: Type
    extends: Type
    yes: Type
    no: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Infer:
    """`infer T`, inside what a conditional type extends."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Mapped:
    """`{ readonly [K in Keys]?: T }`; the marks are as written, `-?` for one that is taken away."""

    key_name: str
    keys: Type
    type: Type
    readonly: str = ""
    optional: str = ""
    span: Span = field(default=NOWHERE, compare=False)


Type: TypeAlias = (
    Name
    | LiteralType
    | Template
    | ArrayType
    | Tuple
    | Object
    | Function
    | Combined
    | Operator
    | Indexed
    | Conditional
    | Infer
    | Mapped
)
