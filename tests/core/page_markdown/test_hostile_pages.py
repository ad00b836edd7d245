"""Hostile pages become Markdown that says what they say, read by another Markdown parser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.timing import grows_at_most
from webagent.page_markdown import page_markdown, page_summary

URL = "https://shop.example/books/index.html"
READER = MarkdownIt("commonmark", {"html": True}).enable("table")

TEXTS = st.text(
    st.one_of(st.sampled_from("\\`*_[]()<>#+-=|~!&;:.\"'\n\t 1ax"), st.characters(codec="utf-8")),
    max_size=12,
)
NAMES = st.sampled_from(
    [
        "a",
        "b",
        "i",
        "code",
        "p",
        "div",
        "span",
        "li",
        "ul",
        "ol",
        "blockquote",
        "pre",
        "h1",
        "h2",
        "table",
        "tr",
        "td",
        "th",
        "br",
        "hr",
        "section",
        "form",
        "button",
        "select",
        "dl",
        "dt",
        "dd",
        "caption",
        "tbody",
    ]
)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


ATTRIBUTES = st.sampled_from(
    (
        "",
        ' href="javascript:alert(1)"',
        ' href="data:text/html,x"',
        ' href="/a(b)_c?x=1&amp;lt;=2"',
        ' href="//evil.example/"',
        ' class="language-js"',
        ' start="7"',
    )
)
PIECES = st.one_of(
    TEXTS.map(_escape),
    TEXTS,
    st.builds("<{}{}>".format, NAMES, ATTRIBUTES),
    NAMES.map("</{}>".format),
    st.sampled_from(
        (
            "<script>alert(1)</script>",
            "<!-- <b> -->",
            '<img src="x" alt="a](http://evil.example) ![b">',
            "&lt;script&gt;",
            "&amp;lt;b>",
            "<svg><a href='http://evil.example'>x</a></svg>",
        )
    ),
)
PAGES = st.lists(PIECES, max_size=25).map("".join)


def _tokens(markdown: str) -> list[Token]:
    found = []
    for token in READER.parse(markdown):
        found += [token, *(token.children or ())]
    return found


def _text(tokens: list[Token]) -> str:
    kinds = ("text", "code_inline", "fence", "code_block", "text_special")
    return "".join(t.content for t in tokens if t.type in kinds)


@given(PAGES)
def test_no_page_becomes_html(page: str) -> None:
    """Another parser finds no HTML, and addresses of the web alone."""
    markdown = page_markdown(page, URL)

    assert markdown is not None
    tokens = _tokens(markdown)
    assert not [t for t in tokens if t.type.startswith("html")]
    addresses = [t.attrGet("href") or t.attrGet("src") for t in tokens]
    for address in filter(None, addresses):
        assert str(address).startswith(("https://shop.example/", "https://evil.example/"))


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=6))
def test_text_stays_text(texts: list[str]) -> None:
    """Paragraphs are read back as they are, whatever Markdown their characters would be."""
    page = "".join(f"<p>{_escape(text)}</p>" for text in texts)

    markdown = page_markdown(page, URL) or ""

    tokens = _tokens(markdown)
    assert {t.type for t in tokens} <= {
        *("paragraph_open", "paragraph_close", "inline", "text", "text_special"),
    }
    assert _plain(_text(tokens)) == _plain("".join(texts))


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_cells_stay_cells(texts: list[str]) -> None:
    """A row of a table has as many cells as on the page."""
    cells = "".join(f"<td>x{_escape(text)}</td>" for text in texts)

    markdown = page_markdown(f"<table><tr>{cells}</tr></table>", URL) or ""

    kinds = [t.type for t in _tokens(markdown)]
    assert kinds.count("td_open") == len(texts)


def _plain(text: str) -> str:
    kept = re.sub(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", "", text)
    return re.sub(r"\s", "", kept)


CLOSED = (
    '<div data-agent="ignore">{}</div>',
    '<div data-agent="mask">{}</div>',
    '<div data-agent="readonly ignore">{}</div>',
    "<div hidden>{}</div>",
    '<p style="color: red; display:none">{}</p>',
    '<b data-agent="ignore">{}</b>',
    '<table data-agent="ignore"><tr><td>{}</table>',
    '<ul><li data-agent="ignore">{}</ul>',
    "<dialog>{}</dialog>",
    '<form data-agent="ignore">{}</form>',
)
BROKEN = (
    "{}",
    "<table><tr><td></div>{}",
    "<button></div>{}",
    "<select></div>{}",
    "<object></div>{}",
    "<b></div>{}",
    "</body></html>{}",
    "<div></form>{}</div>",
    "<section><li>{}</section>",
    "<i></p>{}</i>",
    "<script></div></script>{}",
    "<!-- </div> -->{}",
    '<a title="</div>">{}</a>',
    "<template></div></template>{}",
    "<svg></div></svg>{}",
)


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("broken", BROKEN[:1] + BROKEN[10:])
def test_a_closed_part_ends_where_it_ends(closed: str, broken: str) -> None:
    """Tags in comments, scripts and attributes end nothing."""
    page = f"<p>before</p>{closed.format(broken.format('secret'))}<p>after</p>"

    markdown = page_markdown(page, URL)

    assert markdown is not None
    assert "secret" not in markdown
    assert "before" in markdown
    assert "after" in markdown


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_nesting_opens_no_closed_part(broken: str) -> None:
    """An end tag that browsers ignore does not end the part."""
    page = f'<div data-agent="ignore">{broken.format("secret")}</div><p>after</p>'
    if broken in ("<b></div>{}",):
        return  # Here the part does end, in browsers too.

    assert "secret" not in (page_markdown(page, URL) or "")


def test_formatting_that_hides_is_opened_again() -> None:
    """A browser goes on with a formatting element after the element around it."""
    page = '<div><b data-agent="ignore">one</div> secret <p>secret</p></b><p>after</p>'

    markdown = page_markdown(page, URL) or ""

    assert "secret" not in markdown
    assert "after" in markdown


@pytest.mark.parametrize("name", ["html", "body"])
def test_a_closed_page_is_empty(name: str) -> None:
    """Also where a second tag closes it, whose attributes count for the first one."""
    assert page_markdown(f'<p>secret</p><{name} data-agent="ignore"><p>x</p>', URL) == ""


DEEP = {
    "formatting": ("<b>", "x"),
    "quotations": ("<blockquote>x", ""),
    "lists": ("<ul><li>x", ""),
    "items": ("<li>x", ""),
    "paragraphs in items": ("<li><b>", "</li>"),
    "hidden formatting": ("<div><b hidden>", "</div>"),
    "end tags": ("<div>", "</span>"),
    "tables": ("<table><tr><td>x", ""),
    "cells": ("<td>x", ""),
    "links": ('<a href="/x">x', ""),
    "unclosed attributes": ('<a href="', ""),
    "comments": ("<!-", ""),
    "entities": ("&#", "1"),
    "backticks": ("<code>`", "</code>"),
    "number signs": ("<h1>#", "</h1>"),
    "row of number signs": ("#", ""),
    "breaks": ("<br>x", ""),
    "spaces": (" \n", ""),
    "styles": ("<b>x</b><i>", "y</i>"),
}


@pytest.mark.parametrize("name", DEEP)
def test_a_long_page_takes_linear_time(name: str) -> None:
    """Sixteen times the page takes at most some forty times as long, and not 256 times."""
    opening, closing = DEEP[name]

    def read(size: int) -> None:
        count = size // len(opening + closing)
        page = opening * count + closing * count
        before = {"cells": "<table>", "row of number signs": "<h1>"}.get(name, "")
        page_markdown(f"{before}{page}x", URL)

    assert grows_at_most(40, lambda: read(20_000), lambda: read(320_000))


def test_a_page_that_grows_is_refused() -> None:
    """Short links below a long address would become fifty times the page."""
    page = f'<base href="https://shop.example/{"x" * 450}/">' + '<a href="y">z</a> ' * 50_000

    assert page_markdown(page, URL) is None


def test_the_summary_of_a_page_is_plain() -> None:
    """Title and description, from the head alone."""
    page = (
        "<title>A &amp; B\n shop</title><meta name=Description content=' Books. '>"
        "<body><meta name=description content=no>"
    )

    assert page_summary(page) == ("A & B shop", "Books.")
    assert page_summary("<p>x") == ("", "")
