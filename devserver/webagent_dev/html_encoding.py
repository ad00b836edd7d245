"""The encoding that a browser would read an HTML page in.

HTML standard, 13.2.3.2, "determining the character encoding", as far as the bytes decide it: a byte
order mark, or else a `<meta>` found by the standard's own prescan of the first 1024 bytes.
"""

from __future__ import annotations

import re

PRESCAN_BYTES = 1024
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_SPACE = b"\t\n\f\r "
_TAG = re.compile(rb"</?[A-Za-z][^\t\n\f\r >]*")
_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.IGNORECASE)
_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))""",
    re.IGNORECASE,
)
_LABEL = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:+-]{0,39}")


def byte_order_mark(page: bytes) -> tuple[int, str | None]:
    """Return the length of the page's byte order mark and the codec it stands for."""
    for mark, codec in _BOMS:
        if page.startswith(mark):
            return len(mark), codec
    return 0, None


def declared_encoding(page: bytes) -> str | None:
    """Return the label of the encoding that the page names for itself, None if it names none."""
    _, codec = byte_order_mark(page)
    return codec or _prescan(page[:PRESCAN_BYTES])


def _prescan(head: bytes) -> str | None:
    position = 0
    while (position := head.find(b"<", position)) >= 0:
        if head.startswith(b"<!--", position):
            # The dashes that open a comment may also close it: `<!-->`.
            end = head.find(b"-->", position + 2)
            position = len(head) if end < 0 else end + 3
        elif meta := _META.match(head, position):
            attributes, position = _attributes(head, meta.end())
            if position < len(head) and (label := _meta_encoding(attributes)):
                return label
        elif tag := _TAG.match(head, position):
            _, position = _attributes(head, tag.end())
        elif head.startswith((b"<!", b"</", b"<?"), position):
            end = head.find(b">", position)
            position = len(head) if end < 0 else end + 1
        else:
            position += 1
    return None


def _meta_encoding(attributes: dict[bytes, bytes]) -> str | None:
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv", b"").lower() == b"content-type":
        match = _CHARSET.search(attributes.get(b"content", b""))
        label = (
            next((group for group in match.groups() if group is not None), None) if match else None
        )
    stripped = (label or b"").strip(_SPACE)
    if not _LABEL.fullmatch(stripped):
        return None
    name = stripped.decode("ascii").lower()
    # The page was readable as ASCII so far, so it cannot be UTF-16, whatever it says.
    return {"x-user-defined": "windows-1252"}.get(
        name, "utf-8" if name.startswith("utf-16") else name
    )


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Read attributes up to the end of a tag; the first of two of one name counts."""
    found: dict[bytes, bytes] = {}
    while True:
        while position < len(head) and head[position] in _SPACE + b"/":
            position += 1
        if position >= len(head) or head[position] == ord(">"):
            return found, position
        start = position
        # A `=` that comes first belongs to the name.
        position += 1
        while position < len(head) and head[position] not in _SPACE + b"/>=":
            position += 1
        name = head[start:position].lower()
        value, position = _value(head, position)
        found.setdefault(name, value)


def _value(head: bytes, position: int) -> tuple[bytes, int]:
    after = position
    while after < len(head) and head[after] in _SPACE:
        after += 1
    if after >= len(head) or head[after] != ord("="):
        return b"", after
    after += 1
    while after < len(head) and head[after] in _SPACE:
        after += 1
    if after < len(head) and head[after] in b"\"'":
        end = head.find(head[after : after + 1], after + 1)
        return (b"", len(head)) if end < 0 else (head[after + 1 : end], end + 1)
    end = after
    while end < len(head) and head[end] not in _SPACE + b">":
        end += 1
    return head[after:end], end
