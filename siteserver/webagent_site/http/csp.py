"""Reads Content-Security-Policies (CSP level 3), as far as the needs of the agent go.

A policy of a site is read and reported, never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from webagent.html_tags import start_tags

_FALLBACKS = {
    "script-src-elem": ("script-src-elem", "script-src", "default-src"),
    "script-src": ("script-src", "default-src"),
    "connect-src": ("connect-src", "default-src"),
    "frame-src": ("frame-src", "child-src", "default-src"),
}
"""For each directive, those that decide, in order; without any of them everything is allowed."""
_USUAL_PORTS = {"http": 80, "https": 443}
_MOST_SOURCES = 1000
_NONCE = re.compile(r"'nonce-([A-Za-z0-9+/_=-]+)'", re.IGNORECASE)
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:/]+)(?::(\d+|\*))?(/.*)?")


class Need(NamedTuple):
    """Something that the agent in a page cannot do without."""

    what: str
    """The load that it means."""
    purpose: str
    """Its purpose, in development."""
    directive: str
    sources: tuple[str, ...]
    """Sources of which one is enough; the first is what to add."""


NEEDS = (
    Need(
        "scripts of its own origin",
        "our scripts in the page",
        "script-src-elem",
        ("'self'",),
    ),
    Need(
        "WebAssembly",
        "Python, which is WebAssembly",
        "script-src",
        ("'wasm-unsafe-eval'", "'unsafe-eval'"),
    ),
    Need(
        "requests to its own origin",
        "loading Python, and news of saves",
        "connect-src",
        ("'self'",),
    ),
    Need(
        "frames of its own origin",
        "the frame in which programs of a model run",
        "frame-src",
        ("'self'",),
    ),
)
SCRIPTS = NEEDS[0]


class Violation(NamedTuple):
    """A need of the agent that a policy does not allow."""

    need: Need
    directive: str
    """The directive of the policy that decides."""
    remedy: str
    """What to change in the policy."""


def header_policies(header: str) -> list[str]:
    """Return the policies of a header, which may hold several."""
    return [policy for policy in header.split(",") if policy.strip(" ;")]


def meta_policies(html: str) -> list[str]:
    """Return the policies that a page has in its own tags."""
    return [
        tag.attributes.get("content", "")
        for tag in start_tags(html)
        if tag.name == "meta"
        and tag.attributes.get("http-equiv", "").strip().lower() == "content-security-policy"
    ]


def violations(
    policies: Sequence[str],
    url: str | None,
    *,
    has_nonce: bool = False,
    has_scripts: bool = False,
) -> list[Violation]:
    """Return what the agent needs and policies forbid, each need once.

    Args:
        policies: All of them have to allow a load.
        url: Address of the page; None where it is not known yet, so that any host may be its own.
        has_nonce: Whether the script tags of the agent carry the nonce of the policies.
        has_scripts: Whether those tags come before the policies, which then do not hold for them.
    """
    found = []
    for need in NEEDS:
        if has_scripts and need is SCRIPTS:
            continue
        for policy in policies:
            if has_nonce and need is SCRIPTS and nonce([policy]):
                continue
            if not allows(policy, need.directive, need.sources, url):
                found.append(_violation(need, policy))
                break
    return found


def forbidden(policies: Sequence[str], url: str | None) -> Iterator[tuple[str, str]]:
    """Yield what the agent loads and policies forbid, and what to write instead.

    Args:
        policies: All of them have to allow a load.
        url: Address of the page; None where it is not known yet, so that any host may be its own.
    """
    for violation in violations(policies, url):
        yield violation.need.what, violation.remedy


def nonce(policies: Iterable[str]) -> str | None:
    """Return the nonce that a policy gives to scripts, None without one."""
    for policy in policies:
        for source in _deciding(directives(policy), SCRIPTS.directive)[1] or ():
            if match := _NONCE.fullmatch(source):
                return match[1]
    return None


def directives(policy: str) -> dict[str, list[str]]:
    """Return the sources of each directive; of two directives of one name the first counts."""
    found: dict[str, list[str]] = {}
    for part in policy.split(";"):
        name, *sources = part.split()[:_MOST_SOURCES] or [""]
        if name:
            found.setdefault(name.lower(), sources)
    return found


def allows(policy: str, directive: str, wanted: Sequence[str], url: str | None) -> bool:
    """Whether a policy allows one of some sources.

    Args:
        policy: One policy.
        directive: The kind of load.
        wanted: Keywords such as `'self'`, of which one is enough.
        url: Address of the page, because a policy can write it instead of `'self'`; None if any
            host may be its own.
    """
    _, sources = _deciding(directives(policy), directive)
    if sources is None:
        return True
    lowered = {source.lower() for source in sources}
    if "'self'" not in wanted:
        return not lowered.isdisjoint(wanted)
    if "'strict-dynamic'" in lowered and directive.startswith("script-src"):
        # Hosts and `'self'` do not count then: what has a nonce runs, and what that loads.
        return False
    return "'self'" in lowered or any(_is_origin(source, url) for source in lowered)


def may_be_framed(policy: str, page: str) -> bool:
    """Whether a policy of a file lets a page of the same origin show it in a frame."""
    sources = directives(policy).get("frame-ancestors")
    if sources is None:
        return True
    lowered = {source.lower() for source in sources}
    return "'self'" in lowered or any(_is_origin(source, page) for source in lowered)


def reaches(policy: str, address: str) -> bool:
    """Whether a policy lets a page send requests to an address of another origin."""
    _, sources = _deciding(directives(policy), "connect-src")
    return sources is None or any(_is_origin(source.lower(), address) for source in sources)


def _deciding(
    found: Mapping[str, Sequence[str]], directive: str
) -> tuple[str, Sequence[str] | None]:
    """Return the directive that decides about a kind of load, and its sources; None without one."""
    for name in _FALLBACKS[directive]:
        if name in found:
            return name, found[name]
    return "", None


def _violation(need: Need, policy: str) -> Violation:
    name, sources = _deciding(directives(policy), need.directive)
    assert sources is not None
    source = need.sources[0]
    if need is SCRIPTS and "'strict-dynamic'" in map(str.lower, sources):
        remedy = "give the tags of the agent the nonce of the policy"
    elif name in ("default-src", "child-src"):
        # A source that is added here would count for other kinds of loads, too.
        kept = [one for one in sources if one.lower() != "'none'" and one != source]
        directive = "script-src" if need is SCRIPTS else need.directive
        remedy = f"add `{' '.join([directive, *kept, source])}` to it"
    else:
        remedy = f"add `{source}` to its `{name}`"
    return Violation(need, name, remedy)


def _is_origin(source: str, url: str | None) -> bool:
    """Whether a source expression in lower case means the whole origin of a URL (CSP3, 6.7.2)."""
    if url is None:
        return not source.startswith("'") and source not in ("data:", "blob:")
    if source == "*":
        return True
    page = urlsplit(url)
    if source.endswith(":") and "/" not in source:
        return source == f"{page.scheme}:"
    scheme, separator, rest = source.rpartition("://")
    # A source of `http` holds for `https`, too.
    if separator and scheme not in (page.scheme, "http"):
        return False
    match = _HOST.fullmatch(rest)
    if match is None or page.hostname is None:
        return False
    host, port, path = match[1].strip("[]"), match[2], match[3] or "/"
    is_host = page.hostname.endswith(host[1:]) if host.startswith("*.") else host == page.hostname
    usual = str(_USUAL_PORTS.get(page.scheme, ""))
    is_port = port == "*" or (port or usual) == str(page.port or usual)
    # A path allows one file or folder, and the agent loads from several.
    return is_host and is_port and path == "/"
