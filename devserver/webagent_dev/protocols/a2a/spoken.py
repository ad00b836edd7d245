"""Passwords that people write within sentences: `log in as ada with password ropewalk14`."""

from __future__ import annotations

import re

_SPOKEN = re.compile(
    r"\b(?:passwor[dt]|passwd|passphrase|passcode|pwd|kennwort|contraseña|senha|wachtwoord)"
    r"(?:[ \t]{1,3}(?:is|was|to|of|ist|es|é)\b)?[ \t]{0,3}[:=,]?[ \t]{0,3}"
    r"(?:(?P<mark>[\"'`])(?P<quoted>[^\"'`\s]{1,200})(?P=mark)|(?P<bare>[^\s\"'`<>]{1,200}))",
    re.IGNORECASE,
)
_ODD = re.compile(r"\d|[^\w.:;,!?'-]|[a-z][A-Z]")
"""What no word of a sentence has in it."""
_AFTER = ".,;:!?"


def spoken_passwords(text: str) -> list[str]:
    """Return what stands behind words such as `password`, where it is quoted or no plain word."""
    found = []
    for match in _SPOKEN.finditer(text):
        bare = (match["bare"] or "").rstrip(_AFTER)
        if match["quoted"] or _ODD.search(bare):
            found.append(match["quoted"] or bare)
    return found
