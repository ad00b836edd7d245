import pytest

from webagent.tstypes import print_type
from webagent.tstypes.declarations import read_declarations


def test_interfaces_and_types() -> None:
    """Both kinds of declaration are read, with parameters, bases and comments."""
    found, errors = read_declarations(
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

    assert errors == []
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
def test_text_before_a_mistake_is_kept(text: str, message: str, start: int) -> None:
    """The declarations before it are read, and the mistake has a place."""
    found, (error,) = read_declarations(f"type First = string\n{text}")

    assert [declaration.name for declaration in found] == ["First"]
    assert (error.message, error.start - 20) == (message, start)


@pytest.mark.parametrize(
    ("text", "names", "places"),
    [
        ("enum A { B, C }\ntype D = 1\ninterface E { f: 1 }", ["D", "E"], [0]),
        ("type A = {\n  b: @\n}\nexport type C = 1", ["C"], [16]),
        ("class A {\n  type: string\n}\nclass B {}\ntype C = 1\ntype D = 1", ["C", "D"], [0]),
        ("type A = 1; '\ntype B = 1", ["B"], [12]),
        ("type A = B C\r\n  type D<T> = T", ["D"], [11]),
        ("type A = {\ntype B = {\ntype C = 1", ["C"], [16, 27]),
    ],
)
def test_reading_continues_after_a_mistake(text: str, names: list[str], places: list[int]) -> None:
    """It continues at the next line that starts a declaration."""
    found, errors = read_declarations(text)

    assert ([declaration.name for declaration in found], [error.start for error in errors]) == (
        names,
        places,
    )


def test_reading_stops_after_twenty_mistakes() -> None:
    """The rest of the text is not read."""
    found, errors = read_declarations("type A = {\n" * 1_000 + "type B = 1")

    assert (found, len(errors)) == ([], 20)
