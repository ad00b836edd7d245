import pytest

from webagent.tstypes import TypeSyntaxError, instead, print_type, read_type
from webagent.tstypes.nodes import LiteralType, literal, literal_value, property_key


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("string", "string"),
        (" Array < string > ", "Array<string>"),
        ("| 'a' | \"b\"", "'a' | \"b\""),
        ("(string | number)[]", "(string | number)[]"),
        ("((string))", "string"),
        ("A & (B | C)", "A & (B | C)"),
        ("() => void | string", "() => void | string"),
        ("(() => void) | string", "(() => void) | string"),
        ("(a, b?: B, ...c: C[]) => D", "(a: unknown, b?: B, ...c: C[]) => D"),
        ("{}", "{}"),
        ("{ a: A, b?: B; readonly c: C }", "{ a: A; b?: B; readonly c: C }"),
        ("{\n a: A\n [k: string]: B\n}", "{ a: A; [k: string]: B }"),
        ("{ f(a: A): B }", "{ f: (a: A) => B }"),
        ("{ readonly: A; readonly readonly?: B }", "{ readonly: A; readonly readonly?: B }"),
        ("[A, b: B, ...C[]]", "[A, b: B, ...C[]]"),
        ("[A?, (B | C)?]", "[A?, (B | C)?]"),
        ("`a${B}c${D | E}`", "`a${B}c${D | E}`"),
        ("keyof A['b'][]", "keyof A['b'][]"),
        ("readonly (keyof A)[]", "readonly (keyof A)[]"),
        ("-1 | 0x1f | 1.5e3 | 10n", "-1 | 0x1f | 1.5e3 | 10n"),
        ("A /* b */ // c\n | D;", "A | D"),
        ("Intl.Locale", "Intl.Locale"),
        ("[default: A, in?: B, ...rest: C[]]", "[default: A, in?: B, ...rest: C[]]"),
        ("`a\\`b\\${c}`", "`a\\`b\\${c}`"),
        ("{ /** A. */ a: A }", "{ /** A. */ a: A }"),
        ("{\n /**\n  * Of the\n  * book.\n  */\n a: A }", "{ /** Of the book. */ a: A }"),
        ("{ a: A; // one\n // two\n b: B // three\n}", "{ /** one */ a: A; /** three */ b: B }"),
        ("{ /* no */ a: A }", "{ a: A }"),
        ("A extends B ? C : D extends E ? F : G", "A extends B ? C : D extends E ? F : G"),
        ("(A extends B ? C : D)[]", "(A extends B ? C : D)[]"),
        ("A extends (infer U)[] ? U : never", "A extends (infer U)[] ? U : never"),
        ("(() => A) extends B ? C : D", "(() => A) extends B ? C : D"),
        ("{ [K in keyof A]?: A[K]; }", "{ [K in keyof A]?: A[K] }"),
        ("{ -readonly [K in A]-?: B }", "{ -readonly [K in A]-?: B }"),
        ("{ readonly [k: A]: B }", "{ readonly [k: A]: B }"),
        ("(a: A) => a is B", "(a: A) => boolean"),
        ("{ f(a: A): asserts a }", "{ f: (a: A) => void }"),
        ("{ /** x *\\/ y */ a: A }", "{ /** x *\\/ y */ a: A }"),
    ],
)
def test_print(text: str, printed: str) -> None:
    """A type prints in one way, and that way reads back as the same."""
    assert print_type(read_type(text)) == printed
    assert print_type(read_type(printed)) == printed


@pytest.mark.parametrize(
    ("text", "message", "start"),
    [
        ("", "the type ends where a type should be", 0),
        ("Array<", "the type ends where a type should be", 6),
        ("number?", "there is `?` where the end should be", 6),
        ("string max", "there is `max` where the end should be", 7),
        ("{ a: A b: B }", "there is `b` where `;` or `}` should be", 7),
        ("'a", "a string that is not closed", 0),
        ("a # b", "`#` has no meaning in a type", 2),
        ("typeof x", "`typeof` names a value of the page's code, which agents do not see", 0),
        ("infer U", "`infer` is only allowed after `extends`", 0),
        ("new () => A", "`new` starts no type", 0),
        ("A extends B ? C", "the type ends where `:` should be", 15),
        ("{ [K in A]: B; c: D }", "there is `c` where `}` should be", 15),
        ("`a", "a template that is not closed", 0),
        ("01", "`0` has no meaning in a type", 0),
        ("readonly string", "`readonly` is only allowed before an array or a tuple", 0),
        ("(" * 100, "the type is nested too deeply", 60),
        ("a | " * 25_000 + "b", "it is longer than 100,000 characters", 100_000),
    ],
)
def test_text_that_cannot_be_read(text: str, message: str, start: int) -> None:
    """An error says what was found, what was expected, and where."""
    with pytest.raises(TypeSyntaxError) as error:
        read_type(text)

    assert (error.value.message, error.value.start) == (message, start)


@pytest.mark.parametrize("text", ["(" * 9000, "{a:" * 9000, "keyof " * 9000, "a" + "[]" * 9000])
def test_deep_nesting_is_an_error(text: str) -> None:
    """No type exhausts the stack."""
    with pytest.raises(TypeSyntaxError):
        read_type(text)


@pytest.mark.parametrize(
    ("word", "type_text"),
    [
        ("int", "number"),
        ("Integer", "number"),
        ("String", "string"),
        ("array of strings", "string[]"),
        ("list of integers", "number[]"),
        ("string array", "string[]"),
        ("array of objects", "Record<string, unknown>[]"),
        ("string", None),
        ("Date", None),
        ("Product", None),
        ("array of things", None),
    ],
)
def test_instead(word: str, type_text: str | None) -> None:
    """Words that people write for types have a TypeScript they mean."""
    assert instead(word) == type_text


@pytest.mark.parametrize(
    ("name", "key"),
    [("a", "a"), ('"a"', "a"), ("'\\x61'", "a"), ("0x10", "16"), ("1.0", "1"), ("1.5", "1.5")],
)
def test_property_key(name: str, key: str) -> None:
    """Names that stand for one property have one key."""
    assert property_key(name) == key


def test_nodes_are_equal_wherever_they_are() -> None:
    """A type is the same type in another place of a text."""
    assert read_type(" A | (  B[] )") == read_type("A | B[]")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a"', "a"),
        ("'\\n'", "\n"),
        ("`b`", "b"),
        ("0x1f", 31),
        ("-1.5e3", -1500),
        ("0.5", 0.5),
        ("10n", 10),
        ("true", True),
    ],
)
def test_value_of_a_literal(text: str, value: object) -> None:
    """A literal type stands for one value."""
    node = read_type(text)

    assert isinstance(node, LiteralType)
    assert literal_value(node) == value


@pytest.mark.parametrize("value", ["a", "", '"\u2028\x7f*/', 0, -3, 1.5, 1e300, True, False])
def test_literal_of_a_value(value: str | float | bool) -> None:
    """The literal of a value reads back as a literal of this value."""
    node = literal(value)

    assert node is not None
    assert literal_value(LiteralType(print_type(read_type(print_type(node))).strip())) == value


def test_numbers_without_a_literal() -> None:
    """No literal type is infinite or no number."""
    assert literal(float("inf")) is None
    assert literal(float("nan")) is None
