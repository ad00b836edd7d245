"""The start tags of an HTML page, found in one linear pass.

It follows the tokenizer of the HTML standard as far as start tags are concerned: comments, doctypes
and raw text hold no tags, attributes come in any quoting, and a tag that never ends does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.entities import html5

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
_SCRIPT_PART = re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.ASCII | re.IGNORECASE)
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.ASCII | re.IGNORECASE) for name in _RAW_TEXT
}


@dataclass(frozen=True, slots=True)
class StartTag:
    """A start tag: `text[start:end]` is the tag from `<` to `>`."""

    name: str
    """Element name in lower case."""
    attributes: dict[str, str]
    """Lower-case names; the first of two wins, entities are decoded, no value is `""`."""
    start: int
    end: int


def start_tags(text: str) -> Iterator[StartTag]:
    """Yield the start tags that a browser would see as elements of the page itself.

    Tags inside comments, raw text (`script`, `style`, `title`, `textarea`, `noscript`, …) and
    `template` are left out; the tags that open those are not.
    """
    templates = foreign = position = 0
    while (start := text.find("<", position)) >= 0:
        following = text[start + 1 : start + 2]
        if following.isascii() and following.isalpha():
            tag, closed = _read_tag(text, start, start + 1)
            if tag is None:
                return
            position = tag.end
            if not templates:
                yield tag
            if tag.name == "template":
                templates += not foreign
            elif tag.name in _FOREIGN:
                foreign += not closed
            elif tag.name == "plaintext" and not foreign:
                return
            elif (tag.name in _RAW_TEXT and not foreign) or (
                tag.name in ("script", "style") and not closed
            ):
                position = _raw_text_end(text, tag.name, position)
        elif following == "/":
            tag, _ = _read_tag(text, start, start + 2)
            if tag is None:
                return
            position = tag.end
            if tag.name == "template":
                templates = max(0, templates - 1)
            elif tag.name in _FOREIGN:
                foreign = max(0, foreign - 1)
        elif following == "!":
            position = _declaration_end(text, start, foreign > 0)
        elif following == "?":
            position = _after(text, ">", start)
        else:
            position = start + 1


def _read_tag(text: str, start: int, position: int) -> tuple[StartTag | None, bool]:
    """Read a tag whose name starts at `position`; None when the text ends inside it."""
    letter = text[position : position + 1]
    if not (letter.isascii() and letter.isalpha()):  # `</>` or `</ bogus comment>`
        end = text.find(">", position)
        return (StartTag("", {}, start, end + 1) if end >= 0 else None), False
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
            return None, False
        if text[position] == ">":
            return StartTag(name, attributes, start, position + 1), text[position - 1] == "/"
        match = _ATTRIBUTE.match(text, position)
        assert match is not None
        position = match.end()
        value = ""
        if match[2]:
            quote = text[position : position + 1]
            if quote in ('"', "'"):
                end = text.find(quote, position + 1)
                if end < 0:
                    return None, False
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
            return unescape(f"&{reference}") + equals
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


def _raw_text_end(text: str, name: str, position: int) -> int:
    """Return the offset of the end tag of a raw text element, or the end of the text."""
    if name != "script":
        match = _RAW_END[name].search(text, position)
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
