"""The nodes of a TypeScript type, and the values of its literals and keys.

The place of a node in the text does not count for equality.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from webagent.source import Span

NOWHERE = Span(0, 0)
"""The span of a node that was not read from a text."""

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# Characters that are invalid or invisible in a source text: lone surrogates, line separators,
# control characters and byte order marks.
_LONE = re.compile(r"[\ud800-\udfff\u2028\u2029\x7f-\x9f\ufeff]")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


@dataclass(frozen=True, slots=True)
class Name:
    """A keyword or reference: `string`, `Date`, `Array<number>`, `Intl.Locale`."""

    name: str
    arguments: tuple[Type, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LiteralType:
    """A literal as written: `"a"`, `12`, `-1`, `true` or a template without holes."""

    text: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A template literal type. There is one text before, between and after the types."""

    texts: tuple[str, ...]
    types: tuple[Type, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array `T[]`."""

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
    """A tuple `[A, B?, ...C[]]`."""

    elements: tuple[Element, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A property `name?: T`. Its name is as written, with quotes."""

    name: str
    type: Type
    optional: bool = False
    readonly: bool = False
    doc: str = ""
    """The text of the comment before it, or at the end of its line. It is one line."""
    key: str = field(init=False, repr=False, compare=False)
    """The key that its name stands for."""

    def __post_init__(self) -> None:
        """Read the key once: every check of a value needs it."""
        object.__setattr__(self, "key", property_key(self.name))


@dataclass(frozen=True, slots=True)
class Index:
    """An index signature `[key: K]: T`."""

    key_name: str
    key: Type
    type: Type
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """An object type `{ a: A; [key: string]: B }`."""

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
    """A function type `(a: A) => B`."""

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
    """An operator before a type: `keyof T` or `readonly T[]`."""

    operator: Literal["keyof", "readonly"]
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Indexed:
    """The type of a member: `T["key"]`."""

    type: Type
    index: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """A conditional type `A extends B ? C : D`."""

    check: Type
    extends: Type
    yes: Type
    no: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Infer:
    """A type that a condition infers: the `infer T` in `A extends (infer T)[] ? T : never`."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapped type `{ readonly [K in Keys]?: T }`. Its marks are as written, such as `-?`."""

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


def property_key(name: str) -> str:
    """Return the key that a property name, as written, stands for: `a` for `"a"`, `16` for `0x10`."""
    if name[:1] in "\"'":
        return _ESCAPE.sub(_unescape, name[1:-1])
    if name[:1].isdigit() or name[:1] == ".":
        try:
            value = float(int(name, 0))
        except (ValueError, OverflowError):
            try:
                value = float(name)
            except ValueError:
                return name
        # JavaScript writes numbers from 1e21 on with an exponent.
        return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
    return name


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _LETTERS.get(match[3], match[3])


def member_name(key: str) -> str:
    """Return the name of a property as an object type writes it, in quotes if needed."""
    return key if _IDENTIFIER.match(key) else quoted(key)


def quoted(text: str) -> str:
    """Return a string literal in double quotes."""
    return _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def literal(value: str | float | bool) -> LiteralType | None:
    """Return the literal type of a value, or None for numbers that have no literal."""
    if isinstance(value, bool):
        return LiteralType("true" if value else "false")
    if isinstance(value, str):
        return LiteralType(quoted(value))
    # `NaN` and infinity.
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return LiteralType(repr(value))


def literal_value(node: LiteralType) -> str | float | bool:
    """Return the value of a literal type. A `bigint` such as `10n` becomes an int."""
    text = node.text
    if text in ("true", "false"):
        return text == "true"
    if text[0] in "\"'`":
        # The escapes of all three quotes are those of a key in double quotes.
        return property_key(f'"{text[1:-1]}"')
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text)
    try:
        return sign * int(digits.removesuffix("n"), 0)
    except ValueError:
        number = sign * float(digits)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number


def is_bigint(node: LiteralType) -> bool:
    """Whether a literal is a `bigint`, such as `10n`."""
    return node.text[-1:] == "n" and node.text[0] not in "\"'`"
