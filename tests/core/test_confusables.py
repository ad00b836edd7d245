"""Letters that look like others are found, and ordinary words of any language are left alone."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from webagent.checks import check
from webagent.confusables import CONFUSABLES, lookalike_in, mixed_words, skeleton

PAGE_SIDE = Path(__file__).parents[2] / "browser_bundle" / "src" / "ui" / "confusables.ts"


def rules_of(*names: str) -> list[tuple[str | None, str]]:
    """Return the findings of this rule for a manifest with these tools: tool and message."""
    tools = "".join(f"\n## {name}\nDo it.\n\n### Params\n" for name in names)
    found = check(f"# S\n{tools}").findings
    return [(f.tool, f.message) for f in found if f.rule == "confusable-name"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p\u0430y", "the 2nd letter is Cyrillic `\u0430` (U+0430)"),
        ("send it to p\u0430ypal now", "the 2nd letter is Cyrillic `\u0430` (U+0430)"),
        ("transfer\u041ene", "the 9th letter is Cyrillic `\u041e` (U+041E)"),
        ("Payee\u03bf", "the 6th letter is Greek `\u03bf` (U+03BF)"),
        ("abcdefghijk\u0456", "the 12th letter is Cyrillic `\u0456` (U+0456)"),
        ("abcdefghijabcdefghij\u0456", "the 21st letter is Cyrillic `\u0456` (U+0456)"),
        ("\u054fave", "the 1st letter is Armenian `\u054f` (U+054F)"),
    ],
)
def test_a_word_that_mixes_scripts_is_found(text: str, said: str) -> None:
    """Its first letter that is not Latin is named with its script and code."""
    assert [str(found) for found in mixed_words(text)] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "Grüße aus Łódź, naïve façade",
        "\u043f\u043e\u0438\u0441\u043a \u0441\u043b\u043e\u0432\u0430 and words",
        "10 \u03bcm, 5 k\u03a9, \u0394t",
        "\u66f8\u7c4dABC, \u6ce8\u6587ID",
        "\u0434\u043e\u043c 2\u0430",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    """Accents, whole words of other scripts, and units mix nothing."""
    assert list(mixed_words(text)) == []


@pytest.mark.parametrize(
    "name", ["p\u0430y", "\u0440\u0430\u0443", "\uff50\uff41\uff59", "p\u0251y"]
)
def test_a_name_that_reads_as_ascii_is_found(name: str) -> None:
    """Also one whose letters are all of one other script, or of none."""
    assert skeleton(name) == skeleton("pay")
    assert lookalike_in(name) is not None
    assert [tool for tool, _ in rules_of(name)] == [name]


@pytest.mark.parametrize(
    "name", ["pay", "\u043f\u043e\u0438\u0441\u043a", "suche_\u00fcber", "\u6ce8\u6587"]
)
def test_a_name_of_another_language_is_fine(name: str) -> None:
    """No reader takes it for ASCII."""
    assert lookalike_in(name) is None
    assert rules_of(name) == []


def test_the_rule_names_the_tool_that_is_imitated() -> None:
    """Whichever of the two comes first; letters and digits of ASCII that look alike count too."""
    letter = "in `p\u0430y` the 2nd letter is Cyrillic `\u0430` (U+0430)"
    assert rules_of("pay", "p\u0430y") == [
        ("p\u0430y", f"`p\u0430y` looks like `pay`, which is another tool: {letter}")
    ]
    assert [tool for tool, _ in rules_of("p\u0430y", "pay")] == ["p\u0430y", "pay"]
    assert rules_of("getItem", "getltem") == [
        ("getltem", "`getltem` looks like `getItem`, which is another tool")
    ]
    assert rules_of("pay", "pay") == []


def test_the_table_maps_letters_that_are_not_ascii_to_ascii() -> None:
    """Each entry is a letter, and none is there twice with another meaning."""
    assert len(CONFUSABLES) > 100
    for letter, ascii_letter in CONFUSABLES.items():
        assert unicodedata.category(letter)[0] == "L"
        assert not letter.isascii()
        assert ascii_letter.isascii()
        assert ascii_letter.isalpha()


def test_the_page_has_the_same_table() -> None:
    """The panel marks the characters that `check` reports."""
    quoted = re.findall(r'^  "([^"]+)"', PAGE_SIDE.read_text("utf-8"), re.MULTILINE)
    pairs = " ".join(quoted).split()
    assert {pair[0]: pair[1:] for pair in pairs} == CONFUSABLES
