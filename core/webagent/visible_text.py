"""Texts of others as what they are: what a reader would not see is named or counted.

The panel and the inspector do the same (`browser_bundle/src/ui/text_parts.ts`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\uf8ff"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
    "\U000f0000-\U0010ffff"
)
"""Characters that are invisible wherever they are, or that change how others are read.

Those for private use may be.
"""

_JOINERS = "\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Characters that are invisible, but part of how emoji and some scripts are written."""

_HIDDEN_CHARACTER = re.compile(f"[{_HIDDEN}]|[{_JOINERS}]+")
_BLANK = re.compile(rf"[\s{_HIDDEN}{_JOINERS}]{{4,}}")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_VARIATION = re.compile("[\ufe00-\ufe0f]\u200d?")
_PLAIN_SCRIPTS = ("LATIN ", "GREEK ", "CYRILLIC ", "ARMENIAN ", "HEBREW ", "GEORGIAN ")
"""Scripts whose letters have neither joiners nor variations."""

_MOST_LINES = 3
_MOST_SPACES = 40
_MOST_ACCENTS = 4


def visible(text: str) -> str:
    """Return a text in which hidden characters are named, and long runs of nothing are counted.

    A character that turns `0001` round is `⟨202E⟩`, and 700 line ends are `⟨… 698 blank lines⟩`.
    """
    if text.isprintable() and text.isascii():
        return _BLANK.sub(_blank, text)
    text = "".join(_without_accents(text))
    return _HIDDEN_CHARACTER.sub(_named, _BLANK.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    run = match[0]
    ends = len(_LINE_END.findall(run))
    at_edge = match.start() == 0 or match.end() == len(match.string)
    lines = ends if at_edge else ends - 1
    if lines > _MOST_LINES:
        return f"\n\n⟨… {lines - 1:,} blank lines⟩\n"
    return f" ⟨… {len(run) - 1:,} spaces⟩ " if len(run) > _MOST_SPACES else run


def _named(match: re.Match[str]) -> str:
    if _belongs(match):
        return match[0]
    return "".join(f"⟨{ord(c):04X}⟩" for c in match[0])


def _belongs(match: re.Match[str]) -> bool:
    """Whether a joiner or a variation is part of an emoji, or of a word in a script that has them."""
    found, text = match[0], match.string
    before, after = _letter_before(text, match.start()), text[match.end() : match.end() + 1]
    if found == "\ufe0f" and after == "\u20e3":
        return before != "" and before in "0123456789#*"
    if _is_plain(before) or (found.endswith("\u200d") and _is_plain(after)):
        return False
    if _VARIATION.fullmatch(found):
        return True
    return found in ("\u200c", "\u200d") and not (before.isspace() or after.isspace())


def _letter_before(text: str, end: int) -> str:
    """Return the letter or symbol before a place, without its accents."""
    before = text[max(0, end - 1 - _MOST_ACCENTS) : end]
    return next((c for c in reversed(before) if unicodedata.category(c)[0] != "M"), before[-1:])


def _is_plain(character: str) -> bool:
    """Whether a character is of ASCII, or a letter of a script without joiners."""
    return character.isascii() or unicodedata.name(character, "").startswith(_PLAIN_SCRIPTS)


def _without_accents(text: str) -> Iterator[str]:
    """Yield a text without the accents that a letter has too many of, which cover other lines."""
    run = 0
    for character in text:
        if character > "\u02ff" and unicodedata.category(character)[0] == "M":
            run += 1
            if run <= _MOST_ACCENTS:
                yield character
            continue
        if run > _MOST_ACCENTS:
            yield f"⟨… {run - _MOST_ACCENTS:,} more accents⟩"
        run = 0
        yield character
    if run > _MOST_ACCENTS:
        yield f"⟨… {run - _MOST_ACCENTS:,} more accents⟩"
