"""Names inside a type that mean something else than the same names around it."""

import pytest

from webagent.codegen.compiler import print_resolved, resolve
from webagent.tstypes import print_type, read_type
from webagent.tstypes.walk import substitute


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "type U = string; type M<T> = T extends (infer U)[] ? U : U; M<number[]>",
            "number[] extends (infer U)[] ? U : string",
        ),
        ("type K = string; type M = { [K in 'a']: K }; M", "{ [K in 'a']: K }"),
        ("type K = 'b'; type M = { [I in K]: K }; M", "{ [I in 'b']: 'b' }"),
        ("type T = 1; type C = T; type B<T> = { a: T; c: C }; B<2>", "{ a: 2; c: 1 }"),
        (
            "type F<T> = { [K in 'a']: T }; type G = { [K in 'b']: F<K> }; G",
            "{ [K in 'b']: { [K2 in 'a']: K } }",
        ),
    ],
)
def test_declarations_replace_only_names_that_mean_them(text: str, expected: str) -> None:
    """A key, a parameter and an inferred type hide a declaration of the same name."""
    assert print_resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("{ [T in T]: T }", "1", "{ [T in 1]: T }"),
        ("{ [K in 'a']: T }", "K", "{ [K2 in 'a']: K }"),
        ("{ [K in 'a']: T | K | K2 }", "K", "{ [K3 in 'a']: K | K3 | K2 }"),
        ("T extends infer T ? T : T", "1", "1 extends infer T ? T : 1"),
        ("T extends [infer U] ? [T, U] : U", "U", "U extends [infer U2] ? [U, U2] : U"),
    ],
)
def test_names_keep_their_meaning_when_a_type_is_inserted(
    text: str, value: str, expected: str
) -> None:
    """Names that are declared around the place are renamed."""
    assert print_type(substitute(read_type(text), {"T": read_type(value)})) == expected


@pytest.mark.parametrize("body", ["[A{0}<T>, A{0}<T>]", "A{0}<A{0}<T>>"])
def test_types_that_double_are_too_large(body: str) -> None:
    """Fifty short declarations are refused instead of being expanded."""
    web = "\n".join(f"type A{i}<T> = {body.format(i - 1)}" for i in range(1, 50))
    error = resolve(f"type A0<T> = [T, T]\n{web}\nA49<1>").error

    assert error is not None
    assert error.message == "the type is too large with its declarations put in"
