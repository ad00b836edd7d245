"""The address that a goal names: in full, as a bare name of a host, or as a path of this site."""

from __future__ import annotations

import re

_FULL = re.compile(r"\bhttps?://[^\s<>\"'`]+", re.IGNORECASE)
_PATH = re.compile(
    r"(?<![\w./@:-])(?:/[A-Za-z0-9_~%][\w.~%/?=&+#-]*"
    r"|[A-Za-z0-9_-][\w./-]*\.(?:html?|php|aspx?|jsp)(?:[?#][^\s\"'`]*)?)(?![\w@])"
)
"""`/contact`, or the name of a page: `contact.html?topic=order`."""
_LOCAL = re.compile(r"(?<![\w./@-])localhost(?::\d{1,5})?(?:/[^\s<>\"'`]*)?(?![\w.@-])")
_ENDINGS = (
    "com|org|net|edu|gov|int|info|biz|name|pro|io|dev|app|ai|cloud|page|site|shop|store|blog|news"
    "|online|tech|wiki|eu|uk|us|ca|au|nz|ie|de|at|ch|li|fr|be|nl|lu|es|pt|it|dk|se|no|fi|pl|cz|sk"
    "|hu|ro|gr|tr|ua|ru|in|jp|cn|kr|tw|hk|sg|br|mx|ar|cl|co|za|il|example|test|localhost"
)
_BARE = re.compile(
    rf"(?<![\w./@:-])(?:www\.(?:[a-z0-9-]+\.)+[a-z]{{2,}}"
    rf"|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{_ENDINGS}))"
    r"(?::\d{1,5})?(?:/[^\s<>\"'`]*)?(?![\w@])(?!\.\w)",
    re.IGNORECASE,
)
"""Words with dots in them are no hosts unless they end as one does: `e.g.`, `v1.0`, `Node.js`."""
_AFTER = ".,;:!?)]}'\"»”’"


def address_in(goal: str) -> str:
    """Return the first address in a text, empty if there is none.

    A bare host gets `https://`, or `http://` on this machine; a path stays one.
    """
    if found := _FULL.search(goal):
        bare = found[0].rstrip(_AFTER)
        # A bracket that the address opened is its own.
        closes = bare.count("(") > bare.count(")") and found[0][len(bare) :].startswith(")")
        return f"{bare})" if closes else bare
    if found := _LOCAL.search(goal):
        return f"http://{found[0].rstrip(_AFTER)}"
    if found := _BARE.search(goal):
        return f"https://{found[0].rstrip(_AFTER)}"
    if found := _PATH.search(goal):
        return found[0].rstrip(_AFTER)
    return ""


def without_addresses(goal: str) -> str:
    """Return a text without the addresses in it, and without the words that lead to them."""
    for pattern in (_FULL, _LOCAL, _BARE, _PATH):
        goal = re.sub(
            rf"\b(?:on|at|from|in|of|to)\s+{pattern.pattern}", "", goal, flags=re.IGNORECASE
        )
        goal = pattern.sub("", goal)
    return re.sub(r"\s{2,}", " ", goal).strip()


def unquoted(goal: str) -> str:
    """Return a text without what stands in quotation marks, which are left."""
    return re.sub(r"[\"“«][^\"”»]*[\"”»]", '""', goal)
