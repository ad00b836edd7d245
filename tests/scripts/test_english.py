"""The count of five habits finds them, and leaves alone what is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from english import (
    PATTERNS,
    Count,
    Passage,
    count,
    hits_in,
    main,
    markdown_passages,
    over_limit,
    python_passages,
    table,
    typescript_passages,
    words,
)


def found(text: str) -> list[str]:
    """Return the names of the patterns that are in a text."""
    return [hit.pattern.name for hit in hits_in(Passage("page.md", 1, text))]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("All mistakes are told at once.", "tell"),
        ("The page tells\nits server.", "tell"),
        ("An own change is told. Then it ends.", "tell"),
        ("Its address is no URL.", "no"),
        ("`a` was no `b`", "no"),
        ("A file that is none is left out.", "none"),
        ("What is repeated is counted.", "who-what"),
        ("It ends. Who asks later waits.", "who-what"),
        ('"It ends." Whatever comes is kept.', "who-what"),
        ("The text stands below.", "stand"),
        ("A mark that stood there.", "stand"),
    ],
)
def test_habits(text: str, pattern: str) -> None:
    """Each habit is found, over the ends of lines, too."""
    assert found(text) == [pattern]


@pytest.mark.parametrize(
    "text",
    [
        "Nothing tells the two apart.",
        "It cannot tell which one is meant.",
        "Tell one from the other.",
        "There is no tool.",
        "Here there can be no answer.",
        "Is there no other way?",
        "It is no longer there, and no more than ten.",
        "It is no larger than that.",
        "There are none.",
        "The value is `None`, or is None.",
        "It is none the worse.",
        "That is none of its business.",
        "What does it do?",
        "Who may ask, and when?",
        "What if it fails",
        "What to do",
        "What's new",
        "It is clear what is meant, and who.",
        "A stand-alone server, a long-standing default, the standard.",
        "MCP stands for a protocol, and a fake stands in for a server.",
        "They understand it; it stands out.",
        "calls told.push(1)",
    ],
)
def test_what_is_right(text: str) -> None:
    """English as natives write it is left alone."""
    assert found(text) == []


def test_reasons() -> None:
    """Each exception compiles and has its reason."""
    for pattern in PATTERNS:
        for expression, reason in pattern.right:
            assert re.compile(expression)
            assert reason


def texts(passages: object) -> list[tuple[int, str]]:
    """Return lines and texts of passages."""
    return [(passage.line, passage.text) for passage in passages]  # type: ignore[attr-defined]


def test_markdown() -> None:
    """Paragraphs, items and cells are passages; headings and code are not."""
    page = (
        "# What it does\n\nOne *two*\nthree `four`.\n- [five](six.md)\n- What six\n\n"
        "```js\nis none\n```\n| What seven | eight |\n"
    )
    assert texts(markdown_passages("a.md", page)) == [
        (3, "One two\nthree `x`."),
        (5, "five"),
        (6, "What six"),
        (8, "`x`"),
        (11, "What seven"),
        (11, "eight"),
    ]


def test_a_hit_has_its_line() -> None:
    """The line is that of the hit, not that of its paragraph."""
    (passage,) = markdown_passages("a.md", "\n\nOne\ntwo is told.\n")
    (hit,) = hits_in(passage)
    assert (hit.path, hit.line, hit.text) == ("a.md", 4, "One two is told.")


def test_python() -> None:
    """Docstrings, comments, messages and names of tests count; values and programs do not."""
    source = '''"""Of the module."""
name = "a value"
text = "a message of some words"
"""Of the attribute."""
# A comment
# of two lines.
more = f"{name} is a message, too"
code = "() => one.two(three, four, five)"
def test_one_and_two(): pass
def helper_of_tests(): pass
'''
    assert sorted(texts(python_passages("a.py", source))) == [
        (1, "Of the module."),
        (3, "a message of some words"),
        (4, "Of the attribute."),
        (5, "A comment\nof two lines."),
        (7, "x is a message, too"),
        (9, "One and two"),
    ]


def test_typescript() -> None:
    """Comments of both forms count; strings and addresses do not."""
    source = (
        "/** One.\n * Two. */\nconst a = 'https://x.example // no';\n"
        "const b = 1; // Three\n// Four\n// five.\n"
    )
    assert texts(typescript_passages("a.ts", source)) == [
        (1, "One.\nTwo."),
        (4, "Three\nFour\nfive."),
    ]


def test_count(tmp_path: Path) -> None:
    """Files are counted by kind; what the build or others have written is not."""
    for name in ("docs/a.md", "node_modules/b.md", ".venv/c.md", "tests/cases/d.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("It is none, and is told.")
    counts = count(tmp_path)
    assert counts["docs"].words == 6
    assert [hit.pattern.name for hit in counts["docs"].hits] == ["tell", "none"]
    assert counts["Python"].words == 0


def test_limits() -> None:
    """A rate above the limit is reported with both numbers and the word to write."""
    hits = [*hits_in(Passage("a.md", 1, "It stands."))]
    assert over_limit({"docs": Count(hits, 25_000)}) == []
    assert over_limit({"docs": Count(hits * 2, 25_000)}) == [
        "docs: `stand` 8 in 100,000 words, at most 4; write is"
    ]
    assert "| stand | 2 (8) | 2 | 4 |" in table({"docs": Count(hits * 2, 25_000)})


def test_words() -> None:
    """Words are counted, numbers and marks are not."""
    assert words("It's 3 well-kept things – `x`.") == 4


@pytest.mark.conformance
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The command counts this repository, as `make lint` does."""
    assert main([]) == 0
    assert "| who-what |" in capsys.readouterr().out
