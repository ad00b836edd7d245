"""Writes lines into the head of an HTML file, as a person would: indented, on their own lines.

All other bytes stay as they are, in the encoding and with the line ends of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webagent.html_tags import StartTag, start_tags
from webagent_site.http.html_inject import byte_order_mark, insertion_point

_DOCTYPE = re.compile(r"<!doctype[\t\n\f\r ]", re.IGNORECASE)
_INDENT = re.compile(r"[\t ]*")
_REST = re.compile(r"[\t ]*(\r\n|\r|\n)")


def text_of(page: bytes) -> str:
    """Return a page as characters, one for each byte, or for each unit of UTF-16."""
    mark, codec = byte_order_mark(page)
    if codec and codec.startswith("utf-16"):
        return page[mark:].decode(codec, "replace")
    # Every encoding of the web but UTF-16 keeps ASCII where it is, so latin-1 gives byte offsets.
    return page[mark:].decode("latin-1")


def is_document(page: bytes) -> bool:
    """Whether a file is a whole page, and not a part that pages are made of."""
    text = text_of(page)
    if _DOCTYPE.search(text, 0, 10_000):
        return True
    return any(tag.name in ("html", "head") for tag in start_tags(text))


def with_lines(page: bytes, lines: Sequence[str]) -> bytes:
    """Return the page with lines of ASCII in its head, before its first script.

    They come after the tag that names the encoding, which has to be near the start of the file, and
    after an import map.
    """
    mark, codec = byte_order_mark(page)
    wide = codec if codec and codec.startswith("utf-16") else None
    text = text_of(page)
    offset = _offset(text, list(start_tags(text)))
    snippet = _snippet(text, offset, lines)
    before = len(text[:offset].encode(wide)) if wide else offset
    place = mark + before
    return page[:place] + snippet.encode(wide or "ascii") + page[place:]


def _offset(text: str, tags: list[StartTag]) -> int:
    offset = insertion_point(text, tags)
    for tag in tags:
        if tag.name in ("script", "body"):
            break
        if tag.name == "meta" and _names_encoding(tag):
            return max(offset, tag.end)
    return offset


def _names_encoding(tag: StartTag) -> bool:
    return "charset" in tag.attributes or (
        tag.attributes.get("http-equiv", "").lower() == "content-type"
    )


def _snippet(text: str, offset: int, lines: Sequence[str]) -> str:
    """Return the text to insert, on its own lines if the tag before it ends a line."""
    rest = _REST.match(text, offset)
    if rest is None:
        return "".join(lines)
    return "".join(f"{rest[1]}{_indent(text, offset)}{line}" for line in lines)


def _indent(text: str, offset: int) -> str:
    """Return the indentation of the next line that has any text, or else of this one."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    indents = [_INDENT.match(text, start)]
    following = re.compile(r"(?:[\t ]*(?:\r\n|\r|\n))+").match(text, offset)
    if following and text.startswith(
        "<", (_INDENT.match(text, following.end()) or following).end()
    ):
        indents.append(_INDENT.match(text, following.end()))
    return max((match[0] for match in indents if match), key=len)
