"""Origins as browsers write them: scheme, host, and the port unless it is the usual one."""

from __future__ import annotations

from urllib.parse import urlsplit

USUAL_PORTS = {"http": 80, "https": 443}


def normal_origin(text: str) -> str:
    """Return an origin in lower case, without a usual port and without a slash at its end.

    Raises:
        ValueError: It is no origin.
    """
    parts = urlsplit(text.strip().lower())
    port = parts.port
    plain = parts._replace(scheme="", netloc="").geturl()
    if parts.scheme not in USUAL_PORTS or not parts.hostname or plain not in ("", "/"):
        raise ValueError("no origin")
    if not text.isascii() or parts.username is not None:
        raise ValueError("no origin")
    return origin_of(parts.scheme, parts.hostname, port)


def origin_of(scheme: str, host: str, port: int | None) -> str:
    """Put an origin together; an IPv6 address comes without brackets."""
    name = f"[{host}]" if ":" in host else host
    usual = port in (None, USUAL_PORTS[scheme])
    return f"{scheme}://{name}" if usual else f"{scheme}://{name}:{port}"
