"""What a site's Content-Security-Policy forbids of ours; it is read and told, never changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

Policy = Mapping[str, Sequence[str]]
"""Sources by directive, as in the header."""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that the agent in a page cannot do without."""

    directives: tuple[str, ...]
    """The directives that decide, the most exact first; without any of them all is allowed."""
    source: str
    """What has to be among their sources."""
    what: str


NEEDS = (
    Need(("script-src-elem", "script-src", "default-src"), "'self'", "our scripts in the page"),
    Need(("script-src", "default-src"), "'wasm-unsafe-eval'", "Python, which is WebAssembly"),
    Need(("connect-src", "default-src"), "'self'", "loading Python, and news of saves"),
    Need(
        ("frame-src", "child-src", "default-src"),
        "'self'",
        "the frame in which programs of a model run",
    ),
)
_NONCE = re.compile(r"'nonce-([A-Za-z0-9+/_=-]+)'", re.IGNORECASE)


def parse(header: str) -> list[Policy]:
    """Read the policies of a header, which may hold several; names and keywords in lower case."""
    policies: list[Policy] = []
    for text in header.split(","):
        policy: dict[str, list[str]] = {}
        for directive in text.split(";"):
            name, *sources = directive.split()[:1000] or [""]
            # The first of two of one name counts.
            policy.setdefault(name.lower(), sources)
        policy.pop("", None)
        if policy:
            policies.append(policy)
    return policies


def nonce(policies: Iterable[Policy]) -> str | None:
    """Return the nonce that a policy gives to scripts, None without one."""
    for policy in policies:
        for source in _deciding(policy, NEEDS[0].directives)[1] or ():
            if match := _NONCE.fullmatch(source):
                return match[1]
    return None


def forbidden(
    policies: Iterable[Policy], ours: str, *, scripts_stand: bool = False
) -> list[tuple[Need, str]]:
    """Return what policies forbid, each with the directive that does.

    Args:
        policies: All of them have to allow something.
        ours: The origin of the page.
        scripts_stand: Whether our scripts stand before the policy, which is then too late for them.
    """
    found: dict[Need, str] = {}
    for policy in policies:
        for need in NEEDS:
            directive, sources = _deciding(policy, need.directives)
            if sources is None or (scripts_stand and need is NEEDS[0]):
                continue
            if not _allows(need, sources, ours):
                found.setdefault(need, directive)
    return list(found.items())


def _deciding(policy: Policy, directives: Sequence[str]) -> tuple[str, Sequence[str] | None]:
    for name in directives:
        if name in policy:
            return name, policy[name]
    return "", None


def _allows(need: Need, sources: Sequence[str], ours: str) -> bool:
    lowered = [source.lower() for source in sources]
    if need.source == "'wasm-unsafe-eval'":
        return "'wasm-unsafe-eval'" in lowered or "'unsafe-eval'" in lowered
    if need is NEEDS[0]:
        if any(map(_NONCE.fullmatch, sources)):
            # Our tags carry it.
            return True
        if "'strict-dynamic'" in lowered:
            return False
    return any(_matches(source, ours) for source in lowered)


def _matches(source: str, ours: str) -> bool:
    """Whether a source expression means our origin (CSP 3, 6.7.2.6, without paths)."""
    if source in ("'self'", "*"):
        return True
    page = urlsplit(ours)
    if source.endswith(":") and "/" not in source:
        return source == f"{page.scheme}:"
    scheme, separator, rest = source.rpartition("://")
    if separator and scheme not in (page.scheme, "http"):
        return False
    match = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^:/]+)(?::(\d+|\*))?(/.*)?", rest)
    if match is None or page.hostname is None:
        return False
    host = match[1].strip("[]")
    named = page.hostname.endswith(host[1:]) if host.startswith("*.") else host == page.hostname
    usual = {"http": 80, "https": 443}[page.scheme]
    port = str(page.port or usual)
    return named and (match[2] == "*" or (match[2] or str(usual)) == port)
