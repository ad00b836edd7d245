"""Reads a Content-Security-Policy (CSP level 3), as far as the agent's needs go."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

_FALLBACKS = {
    "script-src": ("script-src", "default-src"),
    "connect-src": ("connect-src", "default-src"),
    "frame-src": ("frame-src", "child-src", "default-src"),
}
"""For each directive, those that count in its place, in order."""


def directives(policy: str) -> dict[str, list[str]]:
    """Return the sources of each directive; the first of two of one name counts."""
    found: dict[str, list[str]] = {}
    for part in policy.split(";"):
        name, *sources = part.split() or [""]
        if name:
            found.setdefault(name.lower(), sources)
    return found


def allows(policy: str, directive: str, wanted: Sequence[str], url: str) -> bool:
    """Whether a policy allows one of some sources; without a directive everything is allowed.

    Args:
        policy: One policy.
        directive: Which kind of load.
        wanted: Keywords such as `'self'`, of which one is enough.
        url: Address of the page, for what `'self'` may be written as.
    """
    found = directives(policy)
    sources = next((found[name] for name in _FALLBACKS[directive] if name in found), None)
    if sources is None:
        return True
    given = {source.lower() for source in sources}
    if given & set(wanted):
        return True
    return "'self'" in wanted and any(_is_origin(source, url) for source in given)


def _is_origin(source: str, url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if source in ("*", f"{parts.scheme}:"):
        return True
    named = urlsplit(source if "//" in source else f"//{source}")
    if named.scheme not in ("", parts.scheme) or not named.hostname or named.path.strip("/"):
        return False
    return named.hostname == host or (
        named.hostname.startswith("*.") and host.endswith(named.hostname[1:])
    )
