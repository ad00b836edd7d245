r"""The property that a name in a type stands for: `a`, `"a"` and `'\x61'` are one."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def property_key(name: str) -> str:
    """Return the key that a property name as written stands for."""
    if name[:1] in "\"'":
        return _ESCAPE.sub(_unescape, name[1:-1])
    if name[:1].isdigit() or name[:1] == ".":
        try:
            value = float(int(name, 0))
        except (ValueError, OverflowError):
            try:
                value = float(name)
            except ValueError:
                return name
        return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
    return name


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _LETTERS.get(match[3], match[3])
