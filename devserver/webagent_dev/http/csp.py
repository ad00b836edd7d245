"""Reads a Content-Security-Policy (CSP level 3), as far as the agent's needs go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from webagent.html_tags import start_tags

_FALLBACKS = {
    "script-src": ("script-src", "default-src"),
    "connect-src": ("connect-src", "default-src"),
    "frame-src": ("frame-src", "child-src", "default-src"),
}
"""For each directive, those that count in its place, in order."""


class Need(NamedTuple):
    """Something that the agent does, and one of the sources that allow it."""

    what: str
    directive: str
    sources: tuple[str, ...]


NEEDS = (
    Need("scripts of its own origin", "script-src", ("'self'",)),
    Need("WebAssembly", "script-src", ("'wasm-unsafe-eval'", "'unsafe-eval'")),
    Need("requests to its own origin", "connect-src", ("'self'",)),
    Need("frames of its own origin", "frame-src", ("'self'",)),
)


def meta_policies(html: str) -> list[str]:
    """Return the policies that a page has in its own tags."""
    return [
        tag.attributes.get("content", "")
        for tag in start_tags(html)
        if tag.name == "meta"
        and tag.attributes.get("http-equiv", "").strip().lower() == "content-security-policy"
    ]


def forbidden(policies: Sequence[str], url: str | None) -> Iterator[tuple[str, str]]:
    """Yield what policies forbid of that which the agent does, and what to write instead.

    Args:
        policies: All that count for a page.
        url: Its address; None where that is not known yet, so that any host may be its own.
    """
    for need in NEEDS:
        for policy in policies:
            if not allows(policy, need.directive, need.sources, url):
                yield need.what, _remedy(policy, need.directive, need.sources[0])
                break


def _remedy(policy: str, directive: str, source: str) -> str:
    found = directives(policy)
    if directive in found:
        if "'strict-dynamic'" in found[directive] and source == "'self'":
            return "give the tags of the agent the nonce of the policy"
        return f"add `{source}` to its `{directive}`"
    there = next(found[name] for name in _FALLBACKS[directive] if name in found)
    sources = [one for one in there if one.lower() != "'none'" and one != source]
    return f"add `{' '.join([directive, *sources, source])}` to it"


def directives(policy: str) -> dict[str, list[str]]:
    """Return the sources of each directive; the first of two of one name counts."""
    found: dict[str, list[str]] = {}
    for part in policy.split(";"):
        name, *sources = part.split() or [""]
        if name:
            found.setdefault(name.lower(), sources)
    return found


def allows(policy: str, directive: str, wanted: Sequence[str], url: str | None) -> bool:
    """Whether a policy allows one of some sources; without a directive everything is allowed.

    Args:
        policy: One policy.
        directive: Which kind of load.
        wanted: Keywords such as `'self'`, of which one is enough.
        url: Address of the page, for what `'self'` may be written as; None if any host may be its
            own.
    """
    found = directives(policy)
    sources = next((found[name] for name in _FALLBACKS[directive] if name in found), None)
    if sources is None:
        return True
    given = {source.lower() for source in sources}
    if "'strict-dynamic'" in given and "'self'" in wanted and directive == "script-src":
        # Hosts and `'self'` do not count beside it: what has a nonce runs, and what that loads.
        return False
    if given & set(wanted):
        return True
    return "'self'" in wanted and any(_is_origin(source, url) for source in given)


def may_be_framed(policy: str, page: str) -> bool:
    """Whether a policy of a file lets a page of the same origin show it in a frame."""
    sources = directives(policy).get("frame-ancestors")
    if sources is None:
        return True
    given = {source.lower() for source in sources}
    return "'self'" in given or any(_is_origin(source, page) for source in given)


def reaches(policy: str, address: str) -> bool:
    """Whether a policy lets a page send requests to an address of another origin."""
    found = directives(policy)
    sources = next((found[name] for name in _FALLBACKS["connect-src"] if name in found), None)
    return sources is None or any(_is_origin(source.lower(), address) for source in sources)


def _is_origin(source: str, url: str | None) -> bool:
    if url is None:
        return not source.startswith("'") and source != "data:" and source != "blob:"
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
