"""Where a page says that its manifest is: `<meta>`, `<link>`, or the `Link` header.

Tags that a browser would not see as elements of the page (in comments, scripts, templates,
`<noscript>`) are not looked at.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from webagent.html_tags import start_tags

NAME = "webagents-md"
"""Name of the `<meta>` tag, and relation of the `<link>` tag and the `Link` header."""

_LINK = re.compile(
    r'<([^<>]*)>((?:[ \t]*;[ \t]*[\w!#$&+.^`|~*-]+(?:[ \t]*=[ \t]*(?:"[^"]*+"|[^",;\s]*+))?)*+)'
)
_REL = re.compile(r';[ \t]*rel[ \t]*=[ \t]*(?:"([^"]*)"|([^",;\s]*))', re.IGNORECASE)


def announced_in_html(html: str) -> str | None:
    """Return the address that a page announces, not resolved against that of the page.

    The first `<meta name="webagents-md" content="…">` counts, and without one the first
    `<link rel="webagents-md" href="…">`. `<base>` applies to `<link>`, as HTML says, and to no
    `<meta>`.
    """
    base = linked = ""
    for tag in start_tags(html):
        attributes = tag.attributes
        if tag.name == "meta" and attributes.get("name", "").strip().lower() == NAME:
            if content := attributes.get("content", "").strip():
                return content
        elif tag.name == "base" and not base:
            base = attributes.get("href", "").strip()
        elif (
            tag.name == "link" and not linked and NAME in attributes.get("rel", "").lower().split()
        ):
            linked = attributes.get("href", "").strip()
    if not linked:
        return None
    try:
        return urljoin(base, linked) if base else linked
    except ValueError:
        return linked


def announced_in_header(links: str) -> str | None:
    """Return the address that a `Link` header announces: `</webagents.md>; rel="webagents-md"`.

    The syntax is that of RFC 8288.
    """
    for match in _LINK.finditer(links):
        rel = _REL.search(match[2])
        if rel and NAME in (rel[1] or rel[2] or "").lower().split() and match[1].strip():
            return match[1].strip()
    return None
