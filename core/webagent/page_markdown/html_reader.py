"""Reads an HTML document in one pass, in linear time.

Parts that a page hides from people or closes to agents are left out. Nothing in a page becomes HTML, a link
or a heading that it is not there.
"""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import quote

from webagent.html_tags import EndTag, StartTag, Text, decoded, tokens
from webagent.page_markdown.elements import CLOSING_P, VOID, Element, OpenElements
from webagent.page_markdown.writer import Style, TooLong, Writer
from webagent.urls import absolute

MASK = "•••"
"""The text of a masked part."""

_MOST_ADDRESS = 2_000
_MOST_BASE = 500
"""The length of an address that is put before those of all links."""

_NOWHERE = "https://site.invalid"
"""The origin of pages whose origin is not known."""

_LEFT_OUT = frozenset(
    [
        "applet",
        "audio",
        "button",
        "canvas",
        "datalist",
        "iframe",
        "math",
        "meter",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "progress",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "video",
        "xmp",
    ]
)
"""Elements that are not text that people read."""
_BLOCKS = CLOSING_P | frozenset(("caption", "dd", "dt", "legend", "li", "tr"))
_STYLES = dict.fromkeys(("b", "dt", "strong"), "strong") | dict.fromkeys(
    ("cite", "dfn", "em", "i", "var"), "em"
)
_STYLES |= dict.fromkeys(("code", "kbd", "samp", "tt"), "code")
_LISTS = frozenset(("dir", "dl", "menu", "ol", "ul"))
_HEADING = re.compile(r"h[1-6]")
_UNSEEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_SPACE = re.compile(r"[\t\n\f\r ]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ENTITY = re.compile(r"&(?=#|[A-Za-z0-9]{1,40};)")
_MAIL = re.compile(r"(?:mailto|tel):[^\s<>]+", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([A-Za-z0-9+#-]{1,20})(?=\s|$)")
_WEIGHT = re.compile(r"[01](?:\.[0-9]{0,3})?")


def prefers_markdown(accept: str) -> bool:
    """Whether a client would rather have a page as Markdown than as HTML, by its `Accept`.

    One that takes anything gets HTML.
    """
    weights: dict[str, float] = {}
    for part in accept.lower()[:2_000].split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        weight = next((one[2:].strip() for one in parameters if one.startswith("q=")), "1")
        weights.setdefault(kind, float(weight) if _WEIGHT.fullmatch(weight) else 0.0)
    return weights.get("text/markdown", 0.0) > weights.get("text/html", 0.0)


def page_markdown(html: str, url: str) -> str | None:
    """Return a page as Markdown, None if that would be too long.

    Args:
        html: The HTML document.
        url: Its address, against which links are resolved; only the path of it where the origin is not
            known, and then links within the site have paths, too.
    """
    try:
        return _Reader(html, url).read()
    except TooLong:
        return None


def page_summary(html: str) -> tuple[str, str]:
    """Return the title and the description of a page, which may be empty."""
    title = description = ""
    for token in tokens(html):
        if isinstance(token, Text) and token.raw == "title" and not title:
            title = _plain(decoded(html[token.start : token.end]))
        elif isinstance(token, StartTag) and token.name == "meta" and not description:
            if token.attributes.get("name", "").strip().lower() == "description":
                description = _plain(token.attributes.get("content", ""))
        elif isinstance(token, StartTag) and token.name == "body":
            break
    return title, description


class _Reader:
    """Reads one page, from its first token to its last."""

    def __init__(self, html: str, url: str) -> None:
        self._html = html
        whole = url if "://" in url else f"{_NOWHERE}{url}"
        self._base = whole if len(whole) <= _MOST_BASE else ""
        self._has_base = False
        self._title = ""
        self._written = Writer()
        self._open = OpenElements()
        self._is_closed = False
        """Whether nothing of the page is read."""
        self._links: list[str] = []
        self._styles: Counter[str] = Counter()
        self._lists: list[int | None] = []
        """The next number of each list, None where items have none."""

    def read(self) -> str:
        for token in tokens(self._html):
            if isinstance(token, Text):
                self._text(token)
            elif isinstance(token, StartTag):
                self._start(token)
            else:
                self._end(token)
        for element in self._open.end_all():
            self._closed(element)
        self._written.end_block()
        return "" if self._is_closed else self._written.page(self._title)

    def _text(self, token: Text) -> None:
        if token.raw == "title" and not self._title and not self._open.hidden:
            self._title = _plain(decoded(self._html[token.start : token.end]))
        elif not token.raw and not self._open.hidden:
            text = _CONTROL.sub("", decoded(self._html[token.start : token.end]))
            self._written.add(text, self._style())

    def _style(self) -> Style:
        return Style(
            self._links[-1] if self._links else "",
            strong=self._styles["strong"] > 0,
            em=self._styles["em"] > 0,
            code=self._styles["code"] > 0,
        )

    def _start(self, tag: StartTag) -> None:
        name = tag.name
        modes = tag.attributes.get("data-agent", "").lower().split()
        hides = name in _LEFT_OUT or "ignore" in modes or _is_unseen(tag)
        if name in ("html", "body", "head"):
            # Attributes of a second one count for the whole page.
            self._is_closed |= name != "head" and (hides or "mask" in modes)
            return
        if not self._open.takes(name):
            return
        for element in self._open.before(name):
            self._closed(element)
        if name in VOID:
            self._void(tag, is_hidden=hides or self._open.hidden > 0)
        elif not (tag.closed and name in ("svg", "math")):
            if "mask" in modes and not hides:
                if not self._open.hidden:
                    self._written.add(f" {MASK} ", self._style())
                hides = True
            element = Element(name, hides, shown=not hides and not self._open.hidden)
            if element.shown:
                self._opened(element, tag)
            self._open.push(element)

    def _end(self, tag: EndTag) -> None:
        if tag.name == "br" and not self._open.hidden:
            self._written.line_end()
        for element in self._open.end(tag.name):
            self._closed(element)

    def _void(self, tag: StartTag, *, is_hidden: bool) -> None:
        if tag.name == "base" and not self._has_base:
            address = absolute(self._base, tag.attributes.get("href", ""))
            if address and len(address) <= _MOST_BASE:
                self._base, self._has_base = address, True
        if is_hidden:
            return
        if tag.name == "br":
            self._written.line_end()
        elif tag.name == "hr":
            self._written.rule()
        elif tag.name == "img" and (alt := _plain(tag.attributes.get("alt", ""))):
            style = self._style()
            source = "" if style.href else self._address(tag.attributes.get("src", ""))
            self._written.add(alt, Style(style.href, source))

    def _opened(self, element: Element, tag: StartTag) -> None:
        """Write what an element begins with."""
        name, written = element.name, self._written
        if name in _BLOCKS:
            written.end_block()
        if name in _STYLES:
            self._styles[_STYLES[name]] += 1
        if name in _LISTS:
            element.outside = (written.containers, len(self._lists))
            start = tag.attributes.get("start", "1").strip()
            number = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
            self._lists.append(number if name == "ol" else None)
        elif name in ("li", "dd"):
            element.outside = (written.containers, len(self._lists))
            self._item()
        elif name == "blockquote":
            element.outside = (written.containers, len(self._lists))
            written.contain("> ", "> ")
        elif name == "a":
            element.href = self._address(tag.attributes.get("href", ""))
            self._links += [element.href] if element.href else []
        elif _HEADING.fullmatch(name):
            written.level = int(name[1])
        elif name == "table" and not self._open.tables:
            written.begin_table()
        elif name == "tr" and self._open.tables == 1:
            written.begin_row()
        elif name in ("td", "th") and self._open.tables == 1:
            written.begin_cell(is_heading=name == "th")
        elif name == "pre":
            written.begin_code()
        if name in ("pre", "code") and (found := _LANGUAGE.search(tag.attributes.get("class", ""))):
            written.language = found[1]

    def _item(self) -> None:
        number = self._lists[-1] if self._lists else None
        mark = "- " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        self._written.contain(mark, " " * len(mark))

    def _closed(self, element: Element) -> None:
        """Write what an element ends with."""
        if not element.shown:
            return
        name, written = element.name, self._written
        if name in _BLOCKS:
            written.end_block()
        if name in _STYLES:
            self._styles[_STYLES[name]] -= 1
        if element.href:
            self._links.pop()
        if _HEADING.fullmatch(name):
            written.level = 0
        elif name == "table" and not self._open.tables:
            written.end_table()
        elif name in ("td", "th") and self._open.tables == 1:
            written.end_cell()
        elif name == "pre":
            written.end_code()
        if element.outside is not None:
            containers, lists = element.outside
            written.leave(containers, is_item=name in ("li", "dd"))
            del self._lists[lists:]

    def _address(self, written: str) -> str:
        """Return the absolute address of a link; nothing for one that leads nowhere safe."""
        given = _CONTROL.sub("", written.strip())
        if len(given) > _MOST_ADDRESS:
            return ""
        address = given if _MAIL.fullmatch(given) else absolute(self._base, given)
        address = (address or "").removeprefix(_NOWHERE)
        plain = quote(address, safe="!#$%&'*+,-./:;=?@[]_~^")
        return _ENTITY.sub("&amp;", plain)


def _is_unseen(tag: StartTag) -> bool:
    """Whether a page hides an element by itself, and not by a style sheet."""
    given = tag.attributes
    return (
        ("hidden" in given and given["hidden"].strip().lower() != "until-found")
        or given.get("aria-hidden", "").strip().lower() == "true"
        or (tag.name == "dialog" and "open" not in given)
        or _UNSEEN.search(given.get("style", "")) is not None
    )


def _plain(text: str) -> str:
    return _SPACE.sub(" ", _CONTROL.sub("", text)).strip()
