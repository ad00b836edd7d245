import pytest

from webagent.source import Position, Source


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("ab\ncd", 4, 2, 2),
        ("ab\r\ncd", 4, 2, 1),
        ("ab\rcd", 3, 2, 1),
        ("a\u2028b\x0bc\x85d", 6, 1, 7),
        ("\ufeffab", 1, 1, 1),
        ("\ufeffab", 0, 1, 1),
        ("😀b", 1, 1, 2),
        ("ab", 99, 1, 3),
        ("", 0, 1, 1),
    ],
)
def test_positions(text: str, offset: int, line: int, column: int) -> None:
    """Lines end with LF, CRLF or CR only, and columns count code points from 1."""
    assert Source(text).position(offset) == Position(line, column)


def test_line_has_no_line_end() -> None:
    """A line is returned without its line end and byte order mark."""
    source = Source("\ufeffa\r\nb\rc\n")

    assert [source.line(number) for number in (1, 2, 3, 4)] == ["a", "b", "c", ""]
