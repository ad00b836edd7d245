import pytest

from webagent.codegen.types_section import shared_types
from webagent.tstypes import print_type, read_type
from webagent.tstypes.utility_types import structure
from webagent.types import Manifest, Note

TYPES = shared_types(
    Manifest(
        notes=[
            Note(
                title="Types",
                text="```ts\ninterface Book { id: string; price?: number }\n"
                'interface Novel extends Book { genre: Genre }\ntype Genre = "crime" | "poetry"\n'
                "type Page<T> = { items: T[] }\n```",
            )
        ]
    )
)


@pytest.mark.parametrize(
    ("text", "comes_to"),
    [
        ("Array<A>", "A[]"),
        ("readonly A[]", "A[]"),
        ("Readonly<Promise<A[]>>", "A[]"),
        ("Partial<Book>", "{ id?: string; price?: number }"),
        ("Required<Book>", "{ id: string; price: number }"),
        ("Pick<Novel, 'id' | 'genre'>", "{ id: string; genre: Genre }"),
        ("Omit<Novel, 'id'>", "{ price?: number; genre: Genre }"),
        ("keyof Novel", '"id" | "price" | "genre"'),
        ("keyof Foo", "string"),
        ("Book['price']", "number"),
        ("Novel['id' | 'genre']", "string | Genre"),
        ("Page<Book>['items']", "Book[]"),
        ("Record<Genre, number>", "{ crime: number; poetry: number }"),
        ("Record<string, A>", "{ [key: string]: A }"),
        ("Exclude<Genre, 'crime'>", '"poetry"'),
        ("Extract<Genre | 1, string>", '"crime" | "poetry"'),
        ("NonNullable<Book | null>", "Book"),
        ("Exclude<Genre, string>", "never"),
        ("string & {}", "string"),
        ("string & { brand: 'id' }", "string"),
        ("Pick<Foo, 'a'>", "unknown"),
        (
            "Partial<Partial<Partial<Partial<Partial<Partial<Partial<Partial<Partial<Book>>>>>>>>>",
            "unknown",
        ),
        ("Map<string, A>", "Map<string, A>"),
        ("Page<A>", "Page<A>"),
    ],
)
def test_utility_types(text: str, comes_to: str) -> None:
    """A utility type is worked out as TypeScript does it; what is not known is `unknown`."""
    assert print_type(structure(read_type(text), TYPES)) == comes_to
