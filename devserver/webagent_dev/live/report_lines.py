"""Words for what pages report: a place in a file, and a finding; a page may have sent anything."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from webagent_site.text import printable

LONGEST_PLACE = 200
"""Characters of a place."""
_SEVERITIES = ("error", "warning", "info")


def shown_place(place: str) -> str:
    """Return a place for people: `shop.js:12:3` for a file of this site, else the whole address."""
    address, *numbers = place.rsplit(":", 2)
    if len(numbers) != 2 or not all(number.isdigit() for number in numbers):
        return printable(place, LONGEST_PLACE)
    try:
        parts = urlsplit(address)
    except ValueError:
        return printable(place, LONGEST_PLACE)
    name = unquote(parts.path).lstrip("/") or "index.html"
    is_url = parts.scheme in ("http", "https")
    return printable(":".join([name if is_url else address, *numbers]), LONGEST_PLACE)


def finding_text(finding: Any, manifest: str) -> str | None:
    """Return a finding in one line; None for anything else that a page may send.

    Args:
        finding: The finding, as data.
        manifest: The path of the manifest, as people see it; empty if there is none to point into.
    """
    try:
        start = finding["span"]["start"]
        words = [finding[key] for key in ("severity", "rule", "message", "help")]
        place = [start["line"], start["column"]]
    except (KeyError, TypeError):
        return None
    if not all(isinstance(word, str) for word in words) or words[0] not in _SEVERITIES:
        return None
    if not all(type(number) is int for number in place):
        return None
    severity, rule, message, remedy = map(printable, words)
    where = f"{printable(manifest)}:{place[0]}:{place[1]}: " if manifest else ""
    return f"{where}{severity}[{rule}]: {message} - {remedy}"
