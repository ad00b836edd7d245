"""What comments in a type say about its members."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"//([^\n\r]*)|/\*((?:[^*]|\*(?!/))*+)\*/")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_LINE_START = re.compile(r"^[ \t]*\*+", re.MULTILINE)


def doc_before(gap: str) -> str:
    """Return what the last `/** … */` in the text before a member says, on one line."""
    found = ""
    if "/**" in gap:
        for match in _COMMENT.finditer(gap):
            if match[2] is not None and match[2].startswith("*"):
                found = match[2][1:]
    return _line(found)


def remark_behind(gap: str) -> str:
    """Return what a `// …` says that stands behind a member on the same line."""
    if "//" not in gap:
        return ""
    match = _COMMENT.match(gap, len(gap) - len(gap.lstrip(" \t")))
    return _line(match[1]) if match and match[1] is not None else ""


def print_doc(doc: str) -> str:
    """Return a comment that says this and that nothing in it can end; empty if there is none."""
    doc = _line(doc)
    return f"/** {doc.replace('*/', '*' + chr(92) + '/')} */ " if doc else ""


def _line(text: str) -> str:
    text = _CONTROL.sub(" ", _LINE_START.sub("", text.replace("*\\/", "*/")))
    text = " ".join(text.split())
    return text.strip("* ")
