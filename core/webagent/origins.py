"""Origins of addresses: scheme, host and port."""

from __future__ import annotations

from urllib.parse import urlsplit

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
