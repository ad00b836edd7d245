import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.timing import takes_at_most
from webagent.markdown import (
    Block,
    CodeBlock,
    Fence,
    Heading,
    HtmlBlock,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Table,
    scan,
)

ORACLE = MarkdownIt("commonmark")
TABLES = MarkdownIt("commonmark").enable("table")


def theirs(text: str, parser: MarkdownIt = ORACLE) -> list[tuple[Any, ...]]:
    """Return the blocks that markdown-it-py finds, with their lines."""
    rows: list[tuple[Any, ...]] = []
    for token in parser.parse(text):
        first, last = token.map or (0, 0)
        if token.type == "heading_open":
            rows.append(("heading", int(token.tag[1]), first, last))
        elif token.type == "fence":
            rows.append(("fence", token.info.strip(), token.content.rstrip("\n"), first, last))
        elif token.type == "code_block":
            rows.append(("code", token.content.rstrip("\n"), first))
        elif token.type == "html_block":
            rows.append(("html", token.content.rstrip("\n"), first))
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            rows.append(("list", first))
        elif token.type == "list_item_open":
            rows.append(("item", first))
        elif token.type == "blockquote_open":
            rows.append(("quote", first))
        elif token.type == "hr":
            rows.append(("rule", first))
        elif token.type == "table_open":
            rows.append(("table", first))
        elif token.type == "paragraph_open":
            rows.append(("paragraph", first))
    return rows


def ours(blocks: Iterable[Block]) -> list[tuple[Any, ...]]:
    """Return our blocks in the same notation."""
    rows: list[tuple[Any, ...]] = []
    for block in blocks:
        first, last = block.lines
        if isinstance(block, Heading):
            rows.append(("heading", block.level, first, last))
        elif isinstance(block, Fence):
            rows.append(("fence", block.info, block.text.rstrip("\n"), first, last))
        elif isinstance(block, CodeBlock | HtmlBlock):
            kind = "code" if isinstance(block, CodeBlock) else "html"
            text = "\n".join(line.text for line in block.content).rstrip("\n")
            rows.append((kind, text, first))
        elif isinstance(block, ListBlock):
            rows.append(("list", first))
            for item in block.items:
                rows.append(("item", item.lines[0]))
                rows.extend(ours(item.blocks))
        elif isinstance(block, Quote):
            rows.append(("quote", first))
            rows.extend(ours(block.blocks))
        elif isinstance(block, Rule):
            rows.append(("rule", first))
        elif isinstance(block, Table):
            rows.append(("table", first))
        elif isinstance(block, Paragraph):
            rows.append(("paragraph", first))
    return rows


@pytest.mark.parametrize(
    "text",
    [
        "# a\n## b ##\n###c\n#\n## #\n# a #b\n# a \\#\n####### g\n   # h\n    # code\n",
        "a\n===\nb\n--\nc\n= =\n\nd\ne\n---\n> f\n---\n",
        "```\na\n```\n~~~ js title=`x`\n```\n~~~~\n``` a`b\n   ```\n  a\n a\n    ```\n",
        "````\n```\n`````\nx\n",
        "- a\n  b\n\n  c\n- d\n\n\n  e\n* f\n1. g\n2) h\n   - i\n     - j\n",
        "- a\n```\nb\n```\n- c\n  ```\n  d\n e\n",
        "-\n  a\n\n-\n\n  b\n\n- - c\n- # d\n-     e\n",
        "a\n1. b\n\na\n2. c\n\na\n-\n",
        "> a\nb\n> - c\nd\n>\n> ```\n> e\nf\n",
        ">     a\n>  > b\n> > c\n> d\n",
        "    a\n\n\n    b\n\nc\n    d\n",
        "<div>\n# a\n\n# b\n<!-- c\n\n# d\n-->\n# e\n<b>\nf\n\ng\n<b>\n",
        "<script>\n\n</script> x\n<?\n\n?>\n<!A\n>\n<![CDATA[\n\n]]>\n</p>\n<pre\n",
        "***\n- - -\n_ _ _ _\n--\n* * *a\n",
        "\ta\n-\tb\n\n\tc\n -\td\n\n\t\te\n1.\tf\n",
        "# a\n- b\n# c\n> d\n# e\n",
        "- a\n - b\n  - c\n   - d\n    - e\n",
        "10) a\n\n    b\n1234567890. c\n",
    ],
)
def test_blocks_are_those_of_commonmark(text: str) -> None:
    """Kinds, levels, contents and lines of the blocks are what markdown-it-py finds."""
    assert ours(scan(text)) == theirs(text)


def test_link_definitions_are_not_headings() -> None:
    """A line below link definitions only does not underline a heading."""
    text = "[a]: /b 'c'\n===\n\n[d]: e\nf\n===\n\n[g]: <h>\n'i\nj'\n---\n"

    found = [row for row in ours(scan(text)) if row[0] in ("heading", "rule")]

    assert found == [("heading", 1, 4, 6), ("rule", 10)]
    assert [row[0] for row in theirs(text) if row[0] in ("heading", "rule")] == ["heading", "rule"]


def test_link_definitions_above_an_underlined_heading_are_kept() -> None:
    """They are a paragraph of their own, not part of the title."""
    definition, heading = scan("[a]: /b\nc\n===\n")

    assert isinstance(definition, Paragraph)
    assert (definition.text, definition.lines) == ("[a]: /b", (0, 1))
    assert isinstance(heading, Heading)
    assert (heading.text, heading.lines) == ("c", (1, 3))


PIECES = [
    "# ",
    "## h",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "```",
    "~~~",
    "````js",
    "    ",
    "  ",
    " ",
    "a",
    "b c",
    "\n",
    "\n",
    "\n\n",
    "===",
    "---",
    "***",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<b>",
    "\\",
    "#",
    "<script>",
    "</script>",
    "text",
    "-",
    "`",
    "</p>",
]


# markdown-it-py ends a list after an empty item and two blank lines; commonmark.js and we do not.
_LIST_THAT_IS_TWO = re.compile(r"[-+*.)][ \t>]*\n(?:[ \t>]*\n){2}")


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=16))
def test_any_text_has_the_blocks_of_commonmark(pieces: list[str]) -> None:
    """The blocks of random text are those that markdown-it-py finds."""
    text = "".join(pieces) + "\n"
    assume(not _LIST_THAT_IS_TWO.search(text))

    assert ours(scan(text)) == theirs(text)


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|:-:|\n| c | d \\| e |\n| f |\ng\n\nh\n",
        "x\n| a |\n| - |\n| b |\n# c\n",
        "a | b\n- | -\nc\n> d\n",
        "|a|b|\n|-|\n",
        "a\n-|\n",
        "- | a |\n  | - |\n  | b |\n",
    ],
)
def test_tables_are_those_of_github(text: str) -> None:
    """A delimiter row with as many cells as the line above it makes a table."""
    assert ours(scan(text)) == theirs(text, TABLES)


def test_cells_of_a_table() -> None:
    """Cells are split at pipes that are not escaped, and have their places."""
    text = "| a | b |\n|---|---|\n| `x \\| y` | z |\n"
    (table,) = scan(text)

    assert isinstance(table, Table)
    assert [cell.text for cell in table.rows[0]] == ["`x | y`", "z"]
    place = table.rows[0][1].span
    assert text[place.start : place.end] == "z"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_with_lf_crlf_or_cr(end: str) -> None:
    """Spans point into the text as it is."""
    text = end.join(["## one", "", "```js", "a", "", "b", "```", "two"])
    heading, fence, paragraph = scan(text)

    assert isinstance(heading, Heading)
    assert text[heading.text_span.start : heading.text_span.end] == "one"
    assert isinstance(fence, Fence)
    assert fence.text == "a\n\nb"
    assert (fence.language, fence.closed, fence.lines) == ("js", True, (2, 7))
    assert text[fence.content_span.start : fence.content_span.end] == end.join(["a", "", "b"])
    assert text[paragraph.span.start : paragraph.span.end] == "two"


@pytest.mark.parametrize("other", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_nothing_else_ends_a_line(other: str) -> None:
    """The Unicode separators at which Python splits lines are text."""
    assert len(scan(f"a{other}# b")) == 1


def test_a_byte_order_mark_is_not_text() -> None:
    """A heading after it is a heading."""
    (heading,) = scan("\ufeff# a")

    assert heading.span.start == 1


def test_spans_of_items() -> None:
    """An item's span goes from its marker to the end of its last line."""
    text = "- a\n  b\n\n- c\n\nd"
    blocks = scan(text)

    assert isinstance(blocks[0], ListBlock)
    cut = [text[item.span.start : item.span.end] for item in blocks[0].items]
    assert cut == ["- a\n  b", "- c"]


@settings(deadline=None)
@given(st.text(alphabet="#>-`~ \t\n\r<!ab|*=1.", max_size=80))
def test_spans_lie_in_the_text_and_in_order(text: str) -> None:
    """Blocks follow one another and never reach outside the text or each other."""
    end = 0
    for block in scan(text):
        assert end <= block.span.start <= block.span.end <= len(text)
        end = block.span.end


@pytest.mark.parametrize(
    "text",
    [
        "> " * 50_000,
        "- " * 50_000,
        "- " * 400 + "\n" * 50_000,
        "\n".join("  " * depth + "- a" for depth in range(400)),
        "[a]: b\n" * 10_000 + "===",
        "a|" * 20_000 + "\n" + "-|" * 20_000,
        "```js\n" * 10_000,
        "<a " * 30_000,
        "* " * 50_000 + "a",
    ],
    ids=["quotes", "items", "blank", "nested", "references", "table", "fences", "html", "rule"],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    """A hundred kilobytes of any text are read within two seconds."""
    assert takes_at_most(2, lambda: scan(text))
