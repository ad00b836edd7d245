"""Texts of others."""

from __future__ import annotations

from webagent_site.text import printable


def test_foreign_text_cannot_control_the_terminal() -> None:
    """Control characters, also invisible ones that turn text around, are shown as such."""
    assert printable("a\x1b[31m\nb\u202ec\x07") == "a�[31m b�c�"
    assert printable("x" * 10, limit=3) == "xxx…"
