"""Random types, as the reader makes them."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from webagent.tstypes.nodes import (
    Argument,
    ArrayType,
    Combined,
    Conditional,
    Element,
    Function,
    Index,
    Indexed,
    Infer,
    LiteralType,
    Mapped,
    Member,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
)

WORDS = st.sampled_from(["a", "b", "size", "$id", "_x", "type", "default", "in", "readonly", "é"])
IDENTIFIERS = st.sampled_from(["a", "b", "size", "$id", "_x", "type", "é"])
DOCS = st.sampled_from(["", "", "What it is.", "ends */ here", "// not", "`x` ${y}", "in 100 %"])
KEYS = st.one_of(WORDS, st.sampled_from(['"a b"', "'it'", "12", '"\\u0041"', '"*/"']))
LITERALS = st.sampled_from(
    ['"a"', "'b c'", '"\\n"', "0", "-1", "1.5e3", "0x1f", "10n", "true", "false", "`plain`"]
).map(LiteralType)
PRIMITIVES = st.sampled_from(
    ["string", "number", "boolean", "null", "undefined", "unknown", "any", "void", "bigint"]
).map(Name)
NAMES = st.sampled_from(["Date", "Foo", "Intl.Locale"]).map(Name)
INDEXES = st.sampled_from(["string", "number", "symbol"]).map(Name)
LEAVES = st.one_of(PRIMITIVES, LITERALS, NAMES)


ONE = ["Array", "ReadonlyArray", "Partial", "Required", "Promise", "Set", "Foo"]
TWO = ["Record", "Pick", "Omit", "Map", "Exclude"]


@st.composite
def types(draw: st.DrawFn, levels: int = 3) -> Type:
    """Return a type of at most so many levels."""
    kind = draw(st.sampled_from(["leaf", *_KINDS])) if levels else "leaf"
    if kind == "leaf":
        return draw(LEAVES)
    return _KINDS[kind](draw, types(levels - 1))


def _tuple(draw: st.DrawFn, inner: st.SearchStrategy[Type]) -> Tuple:
    """Required elements, then optional ones, then one that takes the rest."""
    kinds = sorted(draw(st.lists(st.sampled_from([0, 1]), max_size=3)))
    elements = [
        Element(draw(inner), draw(st.one_of(st.just(""), IDENTIFIERS)), kind == 1) for kind in kinds
    ]
    if draw(st.booleans()):
        name = draw(st.sampled_from(["", "rest"]))
        elements.append(Element(ArrayType(draw(inner)), name, rest=True))
    return Tuple(tuple(elements))


def _object(draw: st.DrawFn, inner: st.SearchStrategy[Type]) -> Object:
    names = draw(st.lists(KEYS, max_size=3, unique=True))
    members = [
        Member(name, draw(inner), draw(st.booleans()), draw(st.booleans()), draw(DOCS))
        for name in names
    ]
    return Object(tuple(members))


def _function(draw: st.DrawFn, inner: st.SearchStrategy[Type]) -> Function:
    names = draw(st.lists(IDENTIFIERS, max_size=2))
    optional = sorted(draw(st.booleans()) for _ in names)
    arguments = [Argument(n, draw(inner), o) for n, o in zip(names, optional, strict=True)]
    return Function(tuple(arguments), draw(inner))


def _combined(draw: st.DrawFn, inner: st.SearchStrategy[Type]) -> Combined:
    several = draw(st.lists(inner, min_size=2, max_size=3))
    return Combined(draw(st.sampled_from(["|", "&"])), tuple(several))


def _conditional(draw: st.DrawFn, inner: st.SearchStrategy[Type]) -> Conditional:
    extends = draw(st.one_of(inner, st.just(ArrayType(Infer("U"))), st.just(Infer("U"))))
    yes = draw(st.one_of(inner, st.just(Name("U"))))
    return Conditional(draw(inner), extends, yes, draw(inner))


def _mapped(draw: st.DrawFn, inner: st.SearchStrategy[Type]) -> Mapped:
    over = draw(inner)
    keys = draw(st.one_of(inner, st.just(Operator("keyof", over))))
    own = Indexed(over, Name("K"))
    types = draw(st.one_of(inner, st.just(own), st.just(Name("K"))))
    readonly = draw(st.sampled_from(["", "readonly", "-readonly"]))
    return Mapped("K", keys, types, readonly, draw(st.sampled_from(["", "?", "-?"])))


_KINDS: dict[str, Callable[[st.DrawFn, st.SearchStrategy[Type]], Type]] = {
    "array": lambda draw, inner: ArrayType(draw(inner)),
    "tuple": _tuple,
    "object": _object,
    "index": lambda draw, inner: Object(
        (Index(draw(IDENTIFIERS), draw(INDEXES), draw(inner), draw(st.booleans())),)
    ),
    "function": _function,
    "combined": _combined,
    "keyof": lambda draw, inner: Operator("keyof", draw(inner)),
    "readonly": lambda draw, inner: Operator("readonly", ArrayType(draw(inner))),
    "indexed": lambda draw, inner: Indexed(draw(inner), draw(inner)),
    "template": lambda draw, inner: Template(("a", "\\`b\\${"), (draw(inner),)),
    "conditional": _conditional,
    "mapped": _mapped,
    "one": lambda draw, inner: Name(draw(st.sampled_from(ONE)), (draw(inner),)),
    "two": lambda draw, inner: Name(draw(st.sampled_from(TWO)), (draw(inner), draw(inner))),
}
