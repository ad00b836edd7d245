"""Lists of words, written as text."""

from __future__ import annotations


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a text that are apart by blanks."""
    return tuple(words.split())
