"""Addresses: absolute ones, and the origins they belong to."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

PORTS = {"http": 80, "https": 443}
"""The schemes that pages have, each with the port that is not written."""


def origin_of(url: str) -> str:
    """Return `https://shop.example` of an address in full; empty if it has none."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        return ""
    if parts.scheme not in PORTS or not host:
        return ""
    host = f"[{host}]" if ":" in host else host
    shown = "" if port in (None, PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


__all__ = ["absolute", "origin_of", "path_of", "same_page"]


def absolute(base: str, url: str) -> str | None:
    r"""Return an address in full, or None if no page can be there.

    A backslash counts as a slash, as in browsers: `https://evil.example\@shop.example` is an address
    of `evil.example`.
    """
    try:
        found = urljoin(base, url.strip().replace("\\", "/"))
        parts = urlsplit(found)
        is_whole = parts.scheme in PORTS and parts.hostname and parts.port != 0
        return found if is_whole else None
    except ValueError:
        return None


def same_page(asked: str, shown: str) -> bool:
    """Whether a page is the one that was asked for, under the address that its site prefers.

    `/contact` may be shown as `/contact.html`, as `/en/contact` or as `/contact/index.html`.
    """
    one, other = _plain(path_of(asked)), _plain(path_of(shown))
    return one == other or (one != "/" and other.endswith(one))


def _plain(path: str) -> str:
    found = path.lower().removesuffix(".html").removesuffix("/index")
    return found or "/"


def path_of(url: str) -> str:
    """Return the path of an address, without a slash at its end."""
    try:
        return urlsplit(url).path.rstrip("/") or "/"
    except ValueError:
        return "/"
