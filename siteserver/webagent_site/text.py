"""Texts of others, to show to people."""

from __future__ import annotations


def printable(text: str, limit: int = 2_000) -> str:
    """Return foreign text as one line without control characters, cut to `limit`."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    return "".join(c if c.isprintable() else " " if c in "\n\r\t" else "�" for c in cut)
