"""Patterns of the lines that start or end a block, in the order of CommonMark's sections."""

from __future__ import annotations

import re

# Backticks after a backtick fence make the line inline code. A tilde fence may have any.
FENCE_OPEN = re.compile(r"(`{3,})([^`]*)\Z|(~{3,})(.*)\Z", re.DOTALL)
FENCE_CLOSE = re.compile(r"(`{3,}|~{3,})[ \t]*\Z")
ATX = re.compile(r"(#{1,6})(?:[ \t]+|\Z)")
# Headings without a `#` in the title: no closing marks have to be removed.
PLAIN_ATX = re.compile(r"(#{1,6})[ \t]+([^#]*)\Z")
PLAIN_ITEM = re.compile(r"[-+*] (?:[^\W\d_]|`(?!``)|[(\[])")
"""An item whose first line is text. It has no other line if the next line is another item."""
SETEXT = re.compile(r"(=+|-+)[ \t]*\Z")
RULE = re.compile(r"(?:(?:\*[ \t]*+){3,}|(?:-[ \t]*+){3,}|(?:_[ \t]*+){3,})\Z")
# CommonMark allows nine digits, as some browsers overflow with ten.
MARKER = re.compile(r"(?:([-+*])|([0-9]{1,9})([.)]))(?=[ \t]|\Z)")
TABLE_RULE = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*\Z")

# The tags of start condition 6. `p` and `table` are block tags, `span` and `b` are not.
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|"
    "hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|"
    "search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = (
    r"""[ \t]++[A-Za-z_:][A-Za-z0-9_.:-]*+"""
    r"""(?:[ \t]*+=[ \t]*+(?:[^ \t\n"'=<>`]++|'[^']*+'|"[^"]*+"))?+"""
)
HTML_OPEN: tuple[tuple[int, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE | re.ASCII))
    for kind, pattern in (
        (1, r"<(?:script|pre|style|textarea)(?=[ \t>]|\Z)"),
        (2, r"<!--"),
        (3, r"<\?"),
        (4, r"<![A-Z]"),
        (5, r"<!\[CDATA\["),
        (6, rf"</?(?:{_BLOCK_TAGS})(?=[ \t]|/?>|\Z)"),
        (
            7,
            rf"(?:<[A-Z][A-Z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?>|</[A-Z][A-Z0-9-]*+[ \t]*+>)[ \t]*\Z",
        ),
    )
)
HTML_CLOSE: dict[int, re.Pattern[str]] = {
    1: re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII),
    2: re.compile(r"-->"),
    3: re.compile(r"\?>"),
    4: re.compile(r">"),
    5: re.compile(r"\]\]>"),
}

# Possessive quantifiers keep a text of many brackets linear.
REFERENCE = re.compile(
    r"[ \t]*+\[(?=[^\]]*[^ \t\n\]])(?:[^\[\]\\]|\\.)++\]:[ \t]*+\n?[ \t]*+"
    r"(?:<(?:[^<>\n\\]|\\.)*+>|[^ \t\n<][^ \t\n]*+)"
    r"(?:(?:[ \t]++\n?|[ \t]*+\n)[ \t]*+"
    r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))[ \t]*+(?:\n|\Z)"
    r"|[ \t]*+(?:\n|\Z))",
    re.DOTALL,
)
"""A link reference definition, which is not text of the paragraph that it starts."""
