"""The block structure of a Markdown text, with the place of everything, in one linear pass.

It follows CommonMark (https://spec.commonmark.org/0.31.2/) and, for tables, GitHub's extension.
Inline markup is not looked at.
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
