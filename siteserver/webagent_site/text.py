"""Texts of others, to show to people and to send on."""

from __future__ import annotations

import json
import re
from typing import TypeVar

_HALF = re.compile("[\ud800-\udfff]")
_T = TypeVar("_T")


def printable(text: str, limit: int = 2_000) -> str:
    """Return foreign text as one line without control characters, cut to `limit`."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    return "".join(c if c.isprintable() else " " if c in "\n\r\t" else "�" for c in cut)


def whole(data: _T) -> _T:
    """Return JSON data with U+FFFD in place of each half of a character.

    JavaScript strings may hold one half of a surrogate pair, and UTF-8 cannot.
    """
    text = json.dumps(data, ensure_ascii=False)
    if not _HALF.search(text):
        return data
    found: _T = json.loads(_HALF.sub("\ufffd", text))
    return found
