"""Our value check agrees with `jsonschema` on the schemas that we write."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.core.tstypes.strategies import types
from webagent import Manifest, Note
from webagent.codegen.compiler import resolve
from webagent.codegen.types_section import shared_types
from webagent.schema import check_value
from webagent.schema.emit import schema_of
from webagent.tstypes import print_type
from webagent.tstypes.from_schema import type_of
from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    LiteralType,
    Member,
    Name,
    Object,
    Tuple,
    Type,
    literal_value,
    property_key,
)
from webagent.tstypes.utility_types import structure

SHARED = shared_types(
    Manifest(
        notes=[
            Note(
                title="Types",
                text="```ts\ninterface Book { a: string; b?: Book[]; size: number | null }\n"
                "type Foo<T> = { a: T } | Book\n```",
            )
        ]
    )
)
KEYS = st.sampled_from(["a", "b", "size", "A", "12", "a b"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2.5, 10, 1.0, "", "a", "b c", "a1`b${", "A"])
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
PLAIN = {"string": "a", "number": 2.5, "boolean": True, "null": None, "bigint": 10, "Date": "b c"}


@st.composite
def near(draw: st.DrawFn, node: Type, levels: int = 5) -> Any:
    """Return a value of the type, or one with a mistake somewhere in it."""
    if levels == 0 or draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    node = structure(node, SHARED)
    if isinstance(node, Name) and (body := SHARED.body(node)) is not None:
        return draw(near(body, levels - 1))
    if isinstance(node, LiteralType):
        return literal_value(node)
    if isinstance(node, ArrayType):
        return draw(st.lists(near(node.element, levels - 1), max_size=2))
    if isinstance(node, Tuple):
        return [draw(near(element.type, levels - 1)) for element in node.elements]
    if isinstance(node, Object):
        members = [m for m in node.members if isinstance(m, Member)]
        return {
            property_key(m.name): draw(near(m.type, levels - 1))
            for m in members
            if not m.optional or draw(st.booleans())
        } | (draw(st.dictionaries(KEYS, JSON, max_size=1)) if draw(st.booleans()) else {})
    if isinstance(node, Combined) and node.operator == "|":
        return draw(near(draw(st.sampled_from(node.types)), levels - 1))
    if isinstance(node, Name) and node.name in PLAIN:
        return PLAIN[node.name]
    return draw(JSON)


@settings(deadline=None)
@given(st.data(), types())
def test_a_value_fits_a_type_if_it_fits_the_schema(data: st.DataObject, written: Type) -> None:
    """The value check agrees with a validator that has the schema of the type."""
    node = resolve(print_type(written), SHARED).node
    schema = schema_of(node, SHARED)
    value = data.draw(near(node))
    found = check_value(value, node, types=SHARED)

    assert Draft202012Validator(schema).is_valid(value) == (not found), (print_type(node), schema)


@settings(deadline=None)
@given(st.data(), types())
def test_a_type_read_from_a_schema_allows_what_the_schema_allows(
    data: st.DataObject, written: Type
) -> None:
    """The type that is read from a schema refuses none of its values."""
    node = resolve(print_type(written), SHARED).node
    schema = schema_of(node, SHARED)
    back = resolve(print_type(type_of(schema))).node
    value = data.draw(near(node))

    if Draft202012Validator(schema).is_valid(value):
        assert check_value(value, back) == []


SCHEMAS = st.recursive(
    st.one_of(
        st.booleans(),
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(
                    ["string", "number", "integer", "object", "array", ["string", "null"], 1]
                ),
                "enum": st.lists(SCALARS, max_size=2),
                "const": SCALARS,
                "description": st.sampled_from(["What.", " a\n*/ b", 1]),
            },
        ),
        st.just({"$ref": "#"}),
        st.just({"$ref": "#/properties/a"}),
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array"]),
            "properties": st.dictionaries(KEYS, inner, max_size=2),
            "required": st.lists(KEYS, max_size=2),
            "items": inner,
            "prefixItems": st.lists(inner, max_size=2),
            "anyOf": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
            "additionalProperties": inner,
            "minItems": st.sampled_from([0, 1, "x"]),
        },
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(SCHEMAS)
def test_any_schema_is_read_as_a_type_that_compiles(schema: Any) -> None:
    """The type that is read from any schema can be printed, read and resolved."""
    text = print_type(type_of(schema))
    resolved = resolve(text)

    assert resolved.error is None
    assert resolve(print_type(resolved.node)).node == resolved.node
