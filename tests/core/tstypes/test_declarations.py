import pytest

from webagent.tstypes import print_type
from webagent.tstypes.declarations import read_declarations


def test_interfaces_and_types() -> None:
    """Both kinds of declaration are read, with parameters, bases and comments."""
    found, error = read_declarations(
        """
        /** A book. */
        export interface Book { id: string }
        declare type Page<T> = { items: T[] };
        interface Novel extends Book, Named<Book> { pages: number }
        type Id = string
        type Both = | Book
          | Novel
        """
    )

    assert error is None
    assert [(d.name, d.parameters, d.interface, d.doc, print_type(d.type)) for d in found] == [
        ("Book", (), True, "A book.", "{ id: string }"),
        ("Page", ("T",), False, "", "{ items: T[] }"),
        ("Novel", (), True, "", "Book & Named<Book> & { pages: number }"),
        ("Id", (), False, "", "string"),
        ("Both", (), False, "", "Book | Novel"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "start"),
    [
        ("class A {}", "there is `class` where `interface` or `type` should be", 0),
        ("type A = B C", "there is `C` where `;` should be", 11),
        ("type = B", "there is `=` where the name of the type should be", 5),
        ("interface A extends { }", "there is `{` where the name of an interface should be", 20),
        ("type A<1> = B", "there is `1` where the name of a type parameter should be", 7),
    ],
)
def test_what_is_no_declaration(text: str, message: str, start: int) -> None:
    """What stands before the mistake is kept, and the mistake has a place."""
    found, error = read_declarations(f"type First = string\n{text}")

    assert [declaration.name for declaration in found] == ["First"]
    assert error is not None
    assert (error.message, error.start - 20) == (message, start)
