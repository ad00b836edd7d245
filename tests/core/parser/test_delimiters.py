import pytest

from webagent.parser.delimiters import closing, first, split


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a, b", ["a", " b"]),
        (
            "Array<{ id: string, n: number }>, required",
            ["Array<{ id: string, n: number }>", " required"],
        ),
        ("'a, b' | \"c, d\", x", ["'a, b' | \"c, d\"", " x"]),
        ("`a, b`, ``c ` , d``", ["`a, b`", " ``c ` , d``"]),
        ("(a, b) => Map<c, d>, e", ["(a, b) => Map<c, d>", " e"]),
        ("a < b, c", ["a < b", " c"]),
        ("a<b, c", ["a<b", " c"]),
        ("user's, b's", ["user's", " b's"]),
        ("it's, 'a, b'", ["it's", " 'a, b'"]),
        ("'a\\', b', c", ["'a\\', b'", " c"]),
        ("[a, (b], c), d", ["[a, (b], c), d"]),
        ("", [""]),
    ],
)
def test_split(text: str, pieces: list[str]) -> None:
    """Commas inside brackets, quotes and code do not split the text."""
    assert [text[start:end] for start, end in split(text)] == pieces


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("(a) b)", "a"),
        ("((x: string) => void) y", "(x: string) => void"),
        ("(')') y", "')'"),
        ("(a < b) y", "a < b"),
        ("(a<b) y", "a<b"),
    ],
)
def test_closing(text: str, inside: str) -> None:
    """A bracket is closed by its own partner."""
    assert text[1 : closing(text, 0)] == inside


def test_nothing_closes() -> None:
    """A bracket that stays open has no partner."""
    assert closing("(a", 0) == -1


def test_first_leaves_arrows_alone() -> None:
    """The `=` of an arrow does not start a default."""
    text = "(a = 1) => b = 2"

    assert first(text, "=") == text.rindex("=")
