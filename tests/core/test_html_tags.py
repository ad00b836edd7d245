import pytest

from tests.timing import takes_at_most
from webagent.html_tags import Text, decoded, start_tags, tokens


def names(html: str) -> list[str]:
    return [tag.name for tag in start_tags(html)]


@pytest.mark.parametrize(
    "html",
    [
        "<!-- <meta> -->",
        "<!--> --> ",
        "<script>var s = '<meta>'</script>",
        "<SCRIPT><!-- <script> </script> <meta> --></SCRIPT>",
        "<style><meta></style>",
        "<textarea><meta></textarea>",
        "<title><meta></title>",
        "<noscript><meta></noscript>",
        "<template><p><template><meta></template><meta></template>",
        "<!doctype html '<meta>'",
        "<?php <meta ?>",
        "<meta",
        '<meta name="x',
        "</meta>",
        "< meta>",
        "<plaintext><meta>",
        "<svg><![CDATA[<meta>]]></svg>",
    ],
)
def test_tags_that_are_not_elements(html: str) -> None:
    """Comments, raw text, templates and unfinished tags contain no elements of the page."""
    assert "meta" not in names(html)


@pytest.mark.parametrize(
    "html",
    [
        "<meta>",
        "<META/>",
        "<!--><meta>",
        "<!---><meta>",
        "<!-- --!><meta>",
        "<!><meta>",
        "</><meta>",
        "</ x><meta>",
        "<script></scripty></script ><meta>",
        "<svg><title><meta></title></svg>",
        "<svg><script/><meta></svg>",
        "<template></template><meta>",
        "a < b <meta>",
        '<p title=">"><meta>',
        "<title></title><meta>",
    ],
)
def test_tags_that_are_elements(html: str) -> None:
    """A tag that a browser would see is found, whatever surrounds it."""
    assert "meta" in names(html)


@pytest.mark.parametrize(
    ("html", "value"),
    [
        ("<meta content=/w.md>", "/w.md"),
        ("<meta content = '/w.md'>", "/w.md"),
        ('<meta\ncontent\t=\n"/w.md"/>', "/w.md"),
        ("<meta CONTENT=a content=b>", "a"),
        ("<meta content>", ""),
        ("<meta content='bob\"s'>", 'bob"s'),
        ("<meta content=a/b/>", "a/b/"),
        ("<meta x='>' content=a>", "a"),
        ("<meta name='x'content=a>", "a"),
        (
            "<meta content='?a=1&amp;b=2&copy=3&#x41;&#66&lt;&nosuch;'>",
            "?a=1&b=2&copy=3AB<&nosuch;",
        ),
    ],
)
def test_attributes(html: str, value: str) -> None:
    """Attributes are read in any quoting, the first of two wins, entities are decoded."""
    (tag,) = start_tags(html)

    assert tag.attributes["content"] == value


def test_offsets_cut_out_the_tag() -> None:
    """Start and end enclose the tag from `<` to `>`."""
    html = "a<b ü='1'>c"
    (tag,) = start_tags(html)

    assert html[tag.start : tag.end] == "<b ü='1'>"


def test_template_and_script_themselves_are_elements() -> None:
    """Their contents are skipped, but not their start tags."""
    assert names("<template><b></template><script><i></script>") == ["template", "script"]


@pytest.mark.parametrize(
    "piece", ["<meta ", "<!--", "<script>", '<a b="', "<", "</", "<svg>", "<a =", "<title>", "&"]
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """A quarter of a megabyte of anything is read within two seconds."""
    html = piece * (250_000 // len(piece))

    assert takes_at_most(2, lambda: [*start_tags(html)])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("&#" + "1" * 5_000 + ";", "\ufffd"),
        ("&#x" + "f" * 5_000 + ";", "\ufffd"),
        ("&#" + "0" * 5_000 + "65;", "A"),
        ("&#x" + "0" * 5_000 + "41;", "A"),
    ],
    ids=["decimal", "hexadecimal", "zeros", "hexadecimal zeros"],
)
def test_long_numbers_of_characters(written: str, read: str) -> None:
    """Python refuses to read a number of so many digits."""
    [tag] = start_tags(f'<a title="{written}">')

    assert tag.attributes["title"] == read
    assert decoded(written) == read


def test_tokens_are_the_whole_page() -> None:
    """Texts, raw texts and end tags, but not what is in comments and templates."""
    page = "a<p>b &lt; c</p><title>d</title><!-- e --><template>f<i></i></template><br/>g<"

    found = [
        (page[token.start : token.end], token.raw) if isinstance(token, Text) else token.name
        for token in tokens(page)
    ]

    assert found == [
        *(("a", ""), "p", ("b &lt; c", ""), "p", "title", ("d", "title"), "title"),
        *("template", "template", "br", ("g<", "")),
    ]
