import pytest

from webagent import Manifest, Note
from webagent.codegen.types_section import shared_types
from webagent.page.values import encode
from webagent.schema import Mismatch, check_value

TYPES = shared_types(
    Manifest(
        notes=[
            Note(
                title="Types",
                text="```ts\ninterface Tree { name: string; left?: Tree; right?: Tree }\n"
                "type Twin = { a?: Twin } | { a?: Twin; b?: 1 }\n"
                "type Shape = { kind: 'circle'; r: number } | { kind: 'square'; side: number }\n```",
            )
        ]
    )
)


def found(value: object, text: str) -> list[str]:
    return [str(mismatch) for mismatch in check_value(value, text, types=TYPES)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "string"),
        (1.5, "number"),
        (None, "string | null"),
        ({"a": 1}, "{ a: number; b?: string }"),
        ({"a": 1, "c": 2}, "{ a: number }"),
        ({"b": {"$type": "undefined"}}, "{ a: string | undefined; b?: string }"),
        ([1, "a"], "[number, string?, ...boolean[]]"),
        ([1], "[number, string?, ...boolean[]]"),
        ("a1.", "`a${number}.`"),
        ("Tue", "'Mon' | 'Tue'"),
        ("x", "any"),
        ({"x": 1}, "unknown"),
        ("x", "Foo"),
        ("x", "typeof y"),
        (1, "() => void"),
        ("x", "HTMLElement"),
        ({"a": "1"}, "Record<string, string>"),
        ({"1": 1, "x": "y"}, "{ [key: number]: number }"),
        (encode({1: 2}), "Map<number, number>"),
        ([[1, 2]], "Map<number, number>"),
        (encode({"a"}), "Set<string>"),
        (["a"], "Set<string>"),
        ({"$type": "date", "value": "2026-01-01T00:00:00Z"}, "Date"),
        ("2026-01-01", "Date"),
        ({"$type": "bigint", "value": "12"}, "bigint | string"),
        (12, "bigint"),
        ({"$type": "bigint", "value": "10"}, "10n"),
        ({"$type": "number", "value": "NaN"}, "number"),
        ({"$type": "object", "value": {"$type": "x"}}, "{ $type: string }"),
        ({"$type": "book"}, "{ $type: 'book' }"),
        ({"name": "a", "left": {"name": "b"}}, "Tree"),
        ({"id": "1", "n": 2}, "{ id: string } & { n: number }"),
        ("x", "string & { brand: 1 }"),
        ({"a": 1}, "Pick<{ a: number; b: string }, 'a'>"),
    ],
)
def test_values_that_fit(value: object, text: str) -> None:
    """A value of a type fits; so does any value where the type cannot be judged."""
    assert found(value, text) == []


@pytest.mark.parametrize(
    ("value", "text", "mismatches"),
    [
        ("a", "number", ["expected number, got string"]),
        (True, "number", ["expected number, got boolean"]),
        (1, "boolean", ["expected boolean, got number"]),
        (None, "string", ["expected string, got null"]),
        ([], "object", ["expected object, got array"]),
        ({"$type": "undefined"}, "string", ["expected string, got undefined"]),
        ({"$type": "date", "value": ""}, "string", ["expected string, got date"]),
        ("Wed", "'Mon' | 'Tue'", ["expected 'Mon' | 'Tue', got \"Wed\""]),
        (True, "1", ["expected 1, got true"]),
        ("b", "`a${string}`", ['expected `a${string}`, got "b"']),
        (
            {"items": [{"price": 1}, {"price": 2}, {"price": "3"}]},
            "{ items: { price: number }[] }",
            ["items[2].price: expected number, got string"],
        ),
        (
            {"a b": 1, "c": "x"},
            "{ 'a b': string; c: number; d: Date }",
            [
                '["a b"]: expected string, got number',
                "c: expected number, got string",
                "d: expected Date, got undefined",
            ],
        ),
        ([1, 2, 3], "[number, number]", ["expected [number, number], got array of 3"]),
        ([1, "a"], "[number, ...number[]]", ["[1]: expected number, got string"]),
        ({"a": 1}, "Record<string, string>", ["a: expected string, got number"]),
        (
            {"$type": "map", "value": [["a", 1]]},
            "Map<string, string>",
            ["[0][1]: expected string, got number"],
        ),
        (1.5, "bigint", ["expected bigint, got number"]),
        ({"name": "a", "left": {"name": 1}}, "Tree", ["left.name: expected string, got number"]),
        ({"kind": "circle", "r": "1"}, "Shape", ["r: expected number, got string"]),
        ({"a": "1"}, "{ a: number } | null", ["a: expected number, got string"]),
        (1, "{ a: number } | string", ["expected { a: number } | string, got number"]),
        ({"id": 1}, "{ id: string } & object", ["id: expected string, got number"]),
        ("x", "never", ["expected never, got string"]),
    ],
)
def test_values_that_do_not_fit(value: object, text: str, mismatches: list[str]) -> None:
    """A mismatch has the path, the expected type and the actual value."""
    assert found(value, text) == mismatches


def test_the_value_may_have_a_name() -> None:
    """The path starts with the name of the value."""
    assert check_value([1], "string[]", path="tags") == [Mismatch("tags[0]", "string", "number")]


def test_at_most_twenty_mismatches_are_reported() -> None:
    """A long list of wrong values has no more."""
    assert len(check_value(list(range(1000)), "string[]")) == 20


def test_no_pair_of_type_and_value_takes_long() -> None:
    """Recursive unions do not multiply, and depth is limited."""
    value: dict[str, object] = {}
    for _ in range(900):
        value = {"a": value}

    assert found(value, "Twin") == []
    assert found({"a": {"a": {"a": 1}}}, "Twin") != []
    assert found("a" * 100_000, "`${string}a${string}b${string}c`") == []
