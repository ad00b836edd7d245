"""Addresses: absolute ones, and the origins they belong to."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

_PORTS = {"http": 80, "https": 443}


def absolute(base: str, url: str) -> str | None:
    """Return an address in full, or None if no page can be there."""
    try:
        found = urljoin(base, url.strip())
        parts = urlsplit(found)
        return found if parts.scheme in _PORTS and parts.hostname else None
    except ValueError:
        return None


def origin_of(url: str) -> str:
    """Return `https://shop.example` of an address in full; empty if it has none."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not host:
        return ""
    host = f"[{host}]" if ":" in host else host
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def path_of(url: str) -> str:
    """Return the path of an address, without a slash at its end."""
    try:
        return urlsplit(url).path.rstrip("/") or "/"
    except ValueError:
        return "/"
