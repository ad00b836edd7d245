"""The tags and texts of an HTML page, found in one linear pass.

It follows the tokenizer of the HTML standard: comments, doctypes and raw text hold no tags, attributes
come in any quoting, and a tag that never ends does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from html.entities import html5
from typing import NamedTuple

_RAW_TEXT = frozenset(
    ("iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp")
)
_FOREIGN = frozenset(("svg", "math"))

_NAME = re.compile(r"[^\t\n\f\r />]+")
_SPACE = re.compile(r"[\t\n\f\r /]*")
_ATTRIBUTE = re.compile(r"([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*(=)[\t\n\f\r ]*)?")
_UNQUOTED = re.compile(r"[^\t\n\f\r >]*")
_COMMENT_END = re.compile(r"--!?>")
_ENTITY = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z0-9]+;?)(=?)")
_LONG_NUMBER = re.compile(r"&#(?:([xX])([0-9a-fA-F]{8,})|([0-9]{8,}));?")
"""A number that only zeros make so long, or that no character has; Python reads none of many digits."""
_SCRIPT_PART = re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.ASCII | re.IGNORECASE)


class StartTag(NamedTuple):
    """A start tag: `text[start:end]` is the tag from `<` to `>`."""

    name: str
    """Element name in lower case."""
    attributes: dict[str, str]
    """Lower-case names; the first of two wins, entities are decoded, no value is `""`."""
    start: int
    end: int
    closed: bool = False
    """Whether it ends with `/>`, which only means something in SVG and MathML."""


class EndTag(NamedTuple):
    """An end tag."""

    name: str
    """Element name in lower case."""


class Text(NamedTuple):
    """Text between tags: `text[start:end]`, in which entities are not decoded."""

    start: int
    end: int
    raw: str = ""
    """The element whose raw text it is, such as `title` or `script`."""


def start_tags(text: str) -> Iterator[StartTag]:
    """Yield the start tags that a browser would see as elements of the page itself.

    Tags inside comments, raw text (`script`, `style`, `title`, `textarea`, `noscript`, …) and
    `template` are left out; the tags that open those are not.
    """
    return (token for token in tokens(text) if isinstance(token, StartTag))


def tokens(text: str) -> Iterator[StartTag | EndTag | Text]:
    """Yield the tags and texts of a page, without what is inside comments and `template`."""
    templates = foreign = begin = position = 0
    while (start := text.find("<", position)) >= 0:
        following = text[start + 1 : start + 2]
        is_name = following.isascii() and following.isalpha()
        if not is_name and following not in ("/", "!", "?"):
            position = start + 1
            continue
        if start > begin and not templates:
            yield Text(begin, start)
        if is_name:
            tag = _read_tag(text, start, start + 1)
            if tag is None:
                return
            position = tag.end
            if not templates:
                yield tag
            if tag.name == "template":
                templates += not foreign
            elif tag.name in _FOREIGN:
                foreign += not tag.closed
            elif tag.name == "plaintext" and not foreign:
                yield Text(position, len(text), "plaintext")
                return
            elif (tag.name in _RAW_TEXT and not foreign) or (
                tag.name in ("script", "style") and not tag.closed
            ):
                begin, position = position, _raw_text_end(text, tag.name, position)
                if not templates:
                    yield Text(begin, position, tag.name)
        elif following == "/":
            tag = _read_tag(text, start, start + 2)
            if tag is None:
                return
            position = tag.end
            if tag.name == "template":
                templates = max(0, templates - 1)
            elif tag.name in _FOREIGN:
                foreign = max(0, foreign - 1)
            if tag.name and not templates:
                yield EndTag(tag.name)
        elif following == "!":
            position = _declaration_end(text, start, foreign > 0)
        else:
            position = _after(text, ">", start)
        begin = position
    if begin < len(text) and not templates:
        yield Text(begin, len(text))


def decoded(text: str) -> str:
    """Return the text between tags with its character references decoded."""
    return unescape(_LONG_NUMBER.sub(_without_zeros, text)) if "&" in text else text


def _without_zeros(match: re.Match[str]) -> str:
    digits = (match[2] or match[3]).lstrip("0") or "0"
    return f"&#{match[1] or ''}{digits};" if len(digits) < 8 else "\ufffd"


def _read_tag(text: str, start: int, position: int) -> StartTag | None:
    """Read a tag whose name starts at `position`; None when the text ends inside it."""
    letter = text[position : position + 1]
    if not (letter.isascii() and letter.isalpha()):  # `</>` or `</ bogus comment>`
        end = text.find(">", position)
        return StartTag("", {}, start, end + 1) if end >= 0 else None
    match = _NAME.match(text, position)
    assert match is not None
    name = _lower(match[0])
    attributes: dict[str, str] = {}
    position = match.end()
    while True:
        space = _SPACE.match(text, position)
        assert space is not None
        position = space.end()
        if position >= len(text):
            return None
        if text[position] == ">":
            return StartTag(name, attributes, start, position + 1, text[position - 1] == "/")
        match = _ATTRIBUTE.match(text, position)
        assert match is not None
        position = match.end()
        value = ""
        if match[2]:
            quote = text[position : position + 1]
            if quote in ('"', "'"):
                end = text.find(quote, position + 1)
                if end < 0:
                    return None
                value = text[position + 1 : end]
                position = end + 1
            else:
                unquoted = _UNQUOTED.match(text, position)
                assert unquoted is not None
                value = unquoted[0]
                position = unquoted.end()
        attributes.setdefault(_lower(match[1]), _decode(value) if "&" in value else value)


def _lower(name: str) -> str:
    """Lower-case ASCII letters only, as HTML does."""
    if name.isascii():
        return name.lower()
    return "".join(c.lower() if c.isascii() else c for c in name)


def _decode(value: str) -> str:
    """Decode character references by the rules for attributes: `&copy=1` stays as it is."""

    def replace(match: re.Match[str]) -> str:
        reference, equals = match[1], match[2]
        if reference[0] == "#":
            return decoded(f"&{reference}") + equals
        if reference.endswith(";"):
            return html5.get(reference, f"&{reference}") + equals
        return match[0] if equals else html5.get(reference, match[0])

    return _ENTITY.sub(replace, value)


def _declaration_end(text: str, start: int, foreign: bool) -> int:
    """Return the offset after a comment, doctype or CDATA section."""
    if text.startswith("<!--", start):
        if text.startswith((">", "->"), start + 4):
            return text.index(">", start) + 1
        match = _COMMENT_END.search(text, start + 4)
        return match.end() if match else len(text)
    if foreign and text.startswith("<![CDATA[", start):
        return _after(text, "]]>", start)
    return _after(text, ">", start)


@cache
def _raw_text_end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\t\n\f\r />])", re.ASCII | re.IGNORECASE)


def _raw_text_end(text: str, name: str, position: int) -> int:
    """Return the offset of the end tag of a raw text element, or the end of the text."""
    if name != "script":
        match = _raw_text_end_tag(name).search(text, position)
        return match.start() if match else len(text)
    commented = nested = False
    for match in _SCRIPT_PART.finditer(text, position):
        part = match[0]
        if part == "<!--":
            # The dashes that open a comment may also close it: `<!-->`.
            commented = not text.startswith((">", "->"), match.end())
            nested = nested and commented
        elif part == "-->":
            commented = nested = False
        elif match[1]:
            if not nested:
                return match.start()
            nested = False
        elif commented:
            nested = True
    return len(text)


def _after(text: str, mark: str, start: int) -> int:
    position = text.find(mark, start)
    return position + len(mark) if position >= 0 else len(text)
