"""The URL paths of the server, and origins, hosts and addresses as browsers write them."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

MANIFEST_NAME = "webagents.md"
MANIFEST_PATH = f"/{MANIFEST_NAME}"

CONTROL_PATH = "/__webagent__"
"""URL path of everything that is ours and not the site's."""
API_PATH = f"{CONTROL_PATH}/api"
"""URL path of the owner's API."""
LLM_PATH = f"{CONTROL_PATH}/llm/v1"
"""URL path of the model interface that pages are given."""
MCP_PATH = "/mcp"
CARD_PATH = "/.well-known/agent-card.json"
"""URL path of the agent card (A2A 1.0, 8.2)."""

USUAL_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*")


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


def is_local(host: str) -> bool:
    """Whether a name or an address, without brackets, means the machine that uses it."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def normal_name(text: str) -> str:
    """Return a name that a server may have, in lower case; `.example.com` stands for all below it.

    Raises:
        ValueError: It is none.
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise ValueError("no name")
    return name


def is_address(target: str) -> bool:
    """Whether a target is on the web."""
    return target.lower().startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class Address:
    """An origin, taken apart."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, origin: str) -> Address:
        """Take a normal origin apart."""
        parts = urlsplit(origin)
        assert parts.hostname
        return cls(parts.scheme, parts.hostname, parts.port or USUAL_PORTS[parts.scheme])

    @property
    def origin(self) -> str:
        """The origin again."""
        return origin_of(self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """What a browser would send as `Host`."""
        return self.origin.partition("://")[2]

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def tls_of(address: Address) -> ssl.SSLContext | None:
    """Return how to speak TLS; a server on this machine may sign its certificate itself."""
    if address.scheme != "https":
        return None
    context = ssl.create_default_context()
    if address.is_here:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
