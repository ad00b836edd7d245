"""A type that `known_plain` accepts is one that resolving would not change."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.tstypes.strategies import types
from webagent import Manifest, Note
from webagent.codegen.compiler import known_plain, print_members, resolve
from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.codegen.types_section import shared_types
from webagent.tstypes import print_member, print_type
from webagent.tstypes.nodes import Object

BOOKS = shared_types(
    Manifest(
        notes=[Note(title="Types", text="```ts\ntype Book = { id: string }\ntype L<T> = T\n```")]
    )
)
TOKENS = st.sampled_from(
    [
        *["a: ", "b?: ", "string", "Date", "Book", "L", "int", "Array", "Array<", ">", "[]"],
        *[" | ", "; ", "{ ", " }", "{}", "'x'", '"y; z"', "0", "12", "true", "readonly "],
        *["a", ":", "?", " "],
    ]
)


def agrees(text: str, shared: SharedTypes = NO_TYPES) -> None:
    """Check `known_plain` against the result of reading, resolving and printing."""
    if not known_plain(text, shared):
        return
    found = resolve(text, shared)
    members = found.node.members if isinstance(found.node, Object) else ()

    assert (found.problems, found.error) == ((), None)
    assert print_type(found.node) == text
    assert print_members(text, shared) == (text, [print_member(member) for member in members])


@settings(deadline=None)
@given(types())
def test_printed_types_that_are_plain_do_not_change(node: object) -> None:
    """A printed type resolves to itself if it is plain."""
    agrees(print_type(node))
    agrees(print_type(node).replace("Foo", "Book"), BOOKS)


@settings(deadline=None)
@given(st.lists(TOKENS, max_size=12).map("".join))
def test_texts_that_are_plain_do_not_change(text: str) -> None:
    """Any text of a type resolves to itself if it is plain."""
    agrees(text)
    agrees(text, BOOKS)


@pytest.mark.parametrize(
    "text",
    [
        "string",
        "number[]",
        "string | null",
        "'a' | \"b\"",
        "Array<{ id: string; name?: string }>",
        "{ items: Array<{ id: string; tags: string[] }>; total: number | null }",
        "{ a: { b: { c: Date } } }",
        "Book[]",
    ],
)
def test_common_types_are_plain(text: str) -> None:
    """The types that most authors write need not be parsed."""
    assert known_plain(text, BOOKS)
    agrees(text, BOOKS)


@pytest.mark.parametrize(
    "text",
    [
        "int",
        "object",
        "Foo",
        "L",
        "{ a: string; a: number }",
        "{ a: string, b: number }",
        "{ a: string; a?: number }",
        "{ a: string } | ",
        "Promise<string>",
        "Array",
        "string; b: number",
        "{ a: 'x; b: y' }",
        "",
    ],
)
def test_types_that_have_to_be_parsed_are_not_plain(text: str) -> None:
    """Words of other languages, undeclared names, repeated members and other layouts."""
    assert not known_plain(text, BOOKS)
