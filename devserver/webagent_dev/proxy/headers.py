"""Headers on their way to the upstream, and back.

Some headers are about one connection and end there (RFC 9110, 7.6.1). An upstream on this machine
gets the host that the page has asked for, as frameworks expect behind a proxy. An upstream elsewhere
knows only its own host, so its requests look like those of a browser that has opened it directly.
Our own cookies and tokens end here, wherever a request has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote_plus, urlsplit

from webagent_dev.config.credentials import TOKEN
from webagent_dev.config.model import COOKIE_PREFIX, VISIT_PARAMETER
from webagent_site.config.urls import Address
from webagent_site.http.guard import TOKEN_HEADER

Headers = list[tuple[bytes, bytes]]

_HOP_BY_HOP = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
_SET_BY_US = frozenset(
    (
        TOKEN_HEADER.encode(),
        b"expect",
        b"forwarded",
        b"host",
        b"x-forwarded-for",
        b"x-forwarded-host",
        b"x-forwarded-port",
        b"x-forwarded-proto",
        b"x-real-ip",
    )
)
"""Headers of a request that we set ourselves, or have handled."""
_OF_ANOTHER_ORIGIN = frozenset((b"alt-svc", b"date", b"strict-transport-security"))
"""Headers of a response that are about the origin of the upstream, or that our server adds."""


def to_upstream(
    headers: Iterable[tuple[bytes, bytes]], upstream: Address, ours: str, client: str
) -> Headers:
    """Return the headers of a request for the upstream.

    Args:
        headers: Of the request of the page.
        upstream: Address of the upstream.
        ours: Our origin, as the page knows it.
        client: IP address of the client.
    """
    original = list(headers)
    dropped = _SET_BY_US | _HOP_BY_HOP | _named_by_connection(original)
    clean = ((name, _without_ours(name, value)) for name, value in original if name not in dropped)
    kept = [(name, value) for name, value in clean if value is not None]
    if upstream.is_here:
        scheme, _, authority = ours.partition("://")
        return [
            (b"host", authority.encode("ascii")),
            *kept,
            (b"x-forwarded-for", client.encode("ascii", "replace")),
            (b"x-forwarded-host", authority.encode("ascii")),
            (b"x-forwarded-proto", scheme.encode("ascii")),
        ]
    there = upstream.origin.encode("ascii")
    return [
        (b"host", upstream.authority.encode("ascii")),
        *((name, _with_origin(name, value, ours.encode("ascii"), there)) for name, value in kept),
    ]


def from_upstream(headers: Iterable[tuple[bytes, bytes]], upstream: Address, ours: str) -> Headers:
    """Return the headers of a response for the page."""
    original = [(name.lower(), value) for name, value in headers]
    dropped = _HOP_BY_HOP | _OF_ANOTHER_ORIGIN | _named_by_connection(original)
    if any(name == b"transfer-encoding" for name, _ in original):
        # RFC 9112, 6.3: chunks override a length.
        dropped |= {b"content-length"}
    result = []
    for name, value in original:
        if name in dropped:
            continue
        if name == b"location":
            value = _location(value, upstream, ours)
        elif name == b"set-cookie":
            value = _without_domain(value, upstream)
        result.append((name, value))
    return result


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """Return the values of a header in one line, in lower case; empty without it."""
    return b", ".join(value for key, value in headers if key == name).decode("latin-1").lower()


def _named_by_connection(headers: Headers) -> frozenset[bytes]:
    """Return the headers that `Connection` names."""
    named = (value.lower().split(b",") for name, value in headers if name == b"connection")
    return frozenset(name.strip() for names in named for name in names)


def target_without_ours(path: bytes, query: bytes) -> bytes:
    """Return the target of a request without our tokens in its query."""
    kept = _query_without_ours(query)
    return path + (b"?" + kept if kept else b"")


def _without_ours(name: bytes, value: bytes) -> bytes | None:
    """Return the value of a header without our cookies and tokens, None if nothing is left of it."""
    if name == b"cookie":
        pairs = [pair.strip() for pair in value.split(b";")]
        kept = [pair for pair in pairs if not _is_ours(pair, COOKIE_PREFIX)]
        if kept != pairs:
            value = b"; ".join(kept)
            return value or None
    if name == b"referer" and b"?" in value:
        address, _, query = value.partition(b"?")
        value = target_without_ours(address, query)
    # A value that has one at any other place, such as the owner's `Authorization`, is ours.
    return None if _has_token(value) else value


def _query_without_ours(query: bytes) -> bytes:
    pairs = query.split(b"&")
    return b"&".join(pair for pair in pairs if not _is_ours(pair, VISIT_PARAMETER))


def _is_ours(pair: bytes, name: str) -> bool:
    """Whether a cookie or a parameter has a name that begins so, or one of our tokens as its value."""
    return unquote_plus(pair.decode("latin-1")).startswith(name) or _has_token(pair)


def _has_token(value: bytes) -> bool:
    return TOKEN.search(unquote_plus(value.decode("latin-1"))) is not None


def _with_origin(name: bytes, value: bytes, ours: bytes, there: bytes) -> bytes:
    """Return `Origin` and `Referer` as a page of the upstream would send them."""
    if name not in (b"origin", b"referer"):
        return value
    if value == ours or value.startswith(ours + b"/"):
        return there + value[len(ours) :]
    return value


def _location(location: bytes, upstream: Address, ours: str) -> bytes:
    """Return the target of a redirect; one to the upstream leads to us."""
    text = location.decode("latin-1")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return location
    if not parts.netloc:
        return location
    named = Address(
        parts.scheme or upstream.scheme,
        (parts.hostname or ""),
        port or {"http": 80, "https": 443}.get(parts.scheme or upstream.scheme, 0),
    )
    same = named == upstream or (named.is_here and upstream.is_here and named.port == upstream.port)
    if not same:
        return location
    target = parts._replace(scheme="", netloc="").geturl()
    return (ours + (target if target.startswith("/") else f"/{target}")).encode("latin-1")


def _without_domain(cookie: bytes, upstream: Address) -> bytes:
    """Return a cookie without the domain of the upstream, which is not ours."""
    first, *attributes = cookie.split(b";")
    kept = [first]
    for attribute in attributes:
        name, _, value = attribute.partition(b"=")
        domain = value.strip().lower().lstrip(b".").decode("latin-1")
        named = name.strip().lower() == b"domain"
        if not (named and f".{upstream.host}".endswith(f".{domain}")):
            kept.append(attribute)
    return b";".join(kept)
