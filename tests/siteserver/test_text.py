"""Texts of others."""

from __future__ import annotations

from webagent_site.text import printable, whole


def test_foreign_text_cannot_control_the_terminal() -> None:
    """Control characters, also invisible ones that turn text around, are shown as such."""
    assert printable("a\x1b[31m\nb\u202ec\x07") == "a�[31m b�c�"
    assert printable("x" * 10, limit=3) == "xxx…"


def test_half_of_a_character_is_replaced() -> None:
    """In texts and names, at any depth; all else stays as it is."""
    data = {"a\ud83d": ["\ude00", "😀", 1.5, None]}

    assert whole(data) == {"a\ufffd": ["\ufffd", "😀", 1.5, None]}
    assert whole("Sale \ud83d") == "Sale \ufffd"
    assert whole(plain := ["😀"]) is plain
