"""A scanner for the block structure of Markdown, with the offset of every block.

It follows CommonMark (https://spec.commonmark.org/0.31.2/) and GitHub's extension for tables.
One pass reads a text, in time that is linear in its length. Inline markup is not parsed.
"""

from webagent.markdown.blocks import (
    Block,
    Cell,
    CodeBlock,
    Fence,
    Heading,
    HtmlBlock,
    Line,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Table,
)
from webagent.markdown.scanner import MAX_DEPTH, scan, scan_lines

__all__ = [
    "MAX_DEPTH",
    "Block",
    "Cell",
    "CodeBlock",
    "Fence",
    "Heading",
    "HtmlBlock",
    "Line",
    "ListBlock",
    "ListItem",
    "Paragraph",
    "Quote",
    "Rule",
    "Table",
    "scan",
    "scan_lines",
]
