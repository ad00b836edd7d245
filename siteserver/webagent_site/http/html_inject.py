"""Puts the tags of the agent into an HTML page; all other bytes stay as they are.

Pages are read only as far as needed, by the offsets of their start tags: parsing and printing them
would change what their authors wrote. The encoding that a page declares is found as browsers find it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import takewhile
from typing import Any

from webagent.html_tags import StartTag, start_tags
from webagent_site.config.urls import CONTROL_PATH

GLOBAL_SCRIPT = f"{CONTROL_PATH}/global.js"
LOGS_SCRIPT = f"{CONTROL_PATH}/logs.js"
MODEL_CONTEXT_SCRIPT = f"{CONTROL_PATH}/modelcontext.js"
PAGE_SCRIPT = f"{CONTROL_PATH}/webagent.js"

_SPACE = re.compile(r"[\t\n\f\r ]*")
_COMMENT_END = re.compile(r"--!?>")
_SCRIPT_END = re.compile(r"</script[^>]*>", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!doctype[^>]*(?:>|\Z)", re.IGNORECASE)
_BOGUS_COMMENT = re.compile(r"<[!?][^>]*(?:>|\Z)")


def inject(page: bytes, **options: Any) -> bytes:
    """Return the page with the tags that it lacks; the options are those of `insertion`."""
    place, tags = insertion(page, **options)
    return page[:place] + tags + page[place:]


def insertion(
    page: bytes,
    *,
    live_path: str,
    manifest_path: str | None,
    component_origins: Sequence[str] = (),
    page_options: Mapping[str, str] | None = None,
    nonce: str | None = None,
    forward_console: bool = False,
) -> tuple[int, bytes]:
    """Return the tags that a page lacks, on one line, and their offset, before its first own script.

    Args:
        page: An HTML document in any encoding that browsers read, or its beginning.
        live_path: URL path of the live channel.
        manifest_path: URL path of the manifest, None when the site has none.
        component_origins: Origins of frames that make up one application with the page.
        page_options: Options of the agent in the page, by the names of `data-` attributes.
        nonce: The nonce that scripts need by the policy of the page, None if they need none.
        forward_console: Whether the page sends what it writes to its console to the server.
    """
    mark, codec = byte_order_mark(page)
    wide = codec if codec and codec.startswith("utf-16") else None
    # Every encoding of the web but UTF-16 keeps ASCII where it is, so latin-1 gives byte offsets.
    text = page[mark:].decode(wide, "replace") if wide else page[mark:].decode("latin-1")
    tags = list(start_tags(text))
    snippet = _missing_tags(
        tags, live_path, manifest_path, page_options or {}, nonce, forward_console
    )
    if component_origins:
        snippet += f'<meta name="webmcp-origins" content="{escape(" ".join(component_origins))}">'
    offset = insertion_point(text, tags)
    before = len(text[:offset].encode(wide)) if wide else offset
    return mark + before, snippet.encode(wide or "ascii")


def _missing_tags(
    tags: list[StartTag],
    live_path: str,
    manifest_path: str | None,
    page_options: Mapping[str, str],
    nonce: str | None,
    forward_console: bool,
) -> str:
    """Return the tags that the page does not have yet.

    The live tag of another process counts as missing, because its token opens nothing.
    """
    metas = [
        (tag.attributes.get("name", "").strip().lower(), tag.attributes.get("content", "").strip())
        for tag in tags
        if tag.name == "meta"
    ]
    scripts = {tag.attributes.get("src", "").strip() for tag in tags if tag.name == "script"}
    manifests = [content for name, content in metas if name == "webagents-md"]
    missing = []
    if manifest_path and not manifests:
        missing.append(f'<meta name="webagents-md" content="{escape(manifest_path)}">')
    if ("webagent-live", live_path) not in metas:
        missing.append(f'<meta name="webagent-live" content="{escape(live_path)}">')
    nonce_attribute = f' nonce="{escape(nonce)}"' if nonce else ""
    if LOGS_SCRIPT not in scripts:
        # It comes first, to catch errors in all other scripts.
        console = ' data-console="on"' if forward_console else ""
        missing.append(f'<script src="{LOGS_SCRIPT}"{nonce_attribute}{console}></script>')
    # They come before the page's own scripts, which may use what they define.
    missing += [
        f'<script src="{script}"{nonce_attribute}></script>'
        for script in (GLOBAL_SCRIPT, MODEL_CONTEXT_SCRIPT)
        if script not in scripts
    ]
    if PAGE_SCRIPT not in scripts:
        is_served = manifest_path and manifests[:1] in ([], [manifest_path])
        served = {"manifest": manifest_path} if manifest_path and is_served else {}
        options = {**served, **page_options}.items()
        data = "".join(f' data-{name}="{escape(value)}"' for name, value in options)
        missing.append(
            f'<script type="module" src="{PAGE_SCRIPT}"{nonce_attribute}{data}></script>'
        )
    return "".join(missing)


def insertion_point(text: str, tags: list[StartTag]) -> int:
    """Return the first offset inside the head, whether `<html>` and `<head>` are written or not.

    Only `<html>` can come before `<head>`: any other tag opens the head or the body implicitly. With an
    import map it is the offset after that, since Firefox ignores one once a module is loading.
    """
    maps = [tag for tag in tags if tag.name == "script" and _type_of(tag) == "importmap"]
    if maps and (end := _SCRIPT_END.search(text, maps[-1].end)):
        return end.end()
    offset = _after_doctype(text)
    for tag in takewhile(lambda tag: tag.name in ("html", "head"), tags):
        offset = max(offset, tag.end)
        if tag.name == "head":
            break
    return offset


def _type_of(script: StartTag) -> str:
    return script.attributes.get("type", "").strip().lower()


def _after_doctype(text: str) -> int:
    """Return the offset after the doctype, 0 without one; comments may come before it."""
    position = 0
    while True:
        space = _SPACE.match(text, position)
        assert space is not None
        position = space.end()
        if match := _DOCTYPE.match(text, position):
            return match.end()
        if text.startswith("<!--", position):
            if text.startswith((">", "->"), position + 4):
                position = text.index(">", position) + 1
                continue
            end = _COMMENT_END.search(text, position + 4)
        else:
            end = _BOGUS_COMMENT.match(text, position)
        if end is None:
            return 0
        position = end.end()


# The encoding of a page

PRESCAN_BYTES = 1024
"""How far browsers look for the encoding."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_BLANK = b"\t\n\f\r "
_TAG = re.compile(rb"</?[A-Za-z][^\t\n\f\r >]*")
_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.IGNORECASE)
_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))""",
    re.IGNORECASE,
)
_LABEL = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:+-]{0,39}")


def byte_order_mark(page: bytes) -> tuple[int, str | None]:
    """Return the length of the byte order mark of a page, and the codec that it names."""
    for mark, codec in _BOMS:
        if page.startswith(mark):
            return len(mark), codec
    return 0, None


def declared_encoding(page: bytes) -> str | None:
    """Return the label of the encoding that a page declares, None if it declares none."""
    _, codec = byte_order_mark(page)
    return codec or _prescan(page[:PRESCAN_BYTES])


def document_type(page: bytes) -> str:
    """Return the Content-Type of a page, which names the encoding only if the page does.

    It has to be named then: our tags push the declaration further than browsers look for it. Where
    the page names none, browsers decide, as they do on any other server.
    """
    charset = declared_encoding(page)
    charset = "utf-16" if charset in ("utf-16-le", "utf-16-be") else charset
    return f"text/html; charset={charset}" if charset else "text/html"


def _prescan(head: bytes) -> str | None:
    """Return the encoding that `<meta>` declares (HTML, prescan a byte stream)."""
    position = 0
    while (position := head.find(b"<", position)) >= 0:
        if head.startswith(b"<!--", position):
            # The dashes that open a comment may close it too: `<!-->`.
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
    stripped = (label or b"").strip(_BLANK)
    if not _LABEL.fullmatch(stripped):
        return None
    name = stripped.decode("ascii").lower()
    # The page was readable as ASCII up to here, so it cannot be UTF-16, whatever it declares.
    return {"x-user-defined": "windows-1252"}.get(
        name, "utf-8" if name.startswith("utf-16") else name
    )


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Return the attributes up to the end of a tag, and its offset; the first of a name counts."""
    found: dict[bytes, bytes] = {}
    while True:
        while position < len(head) and head[position] in _BLANK + b"/":
            position += 1
        if position >= len(head) or head[position] == ord(">"):
            return found, position
        start = position
        # A leading `=` belongs to the name.
        position += 1
        while position < len(head) and head[position] not in _BLANK + b"/>=":
            position += 1
        name = head[start:position].lower()
        value, position = _value(head, position)
        found.setdefault(name, value)


def _value(head: bytes, position: int) -> tuple[bytes, int]:
    """Return the value of an attribute, and the offset after it."""
    after = position
    while after < len(head) and head[after] in _BLANK:
        after += 1
    if after >= len(head) or head[after] != ord("="):
        return b"", after
    after += 1
    while after < len(head) and head[after] in _BLANK:
        after += 1
    if after < len(head) and head[after] in b"\"'":
        end = head.find(head[after : after + 1], after + 1)
        return (b"", len(head)) if end < 0 else (head[after + 1 : end], end + 1)
    end = after
    while end < len(head) and head[end] not in _BLANK + b">":
        end += 1
    return head[after:end], end
