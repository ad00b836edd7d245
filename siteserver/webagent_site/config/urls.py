"""The URL paths of the server, and the forms of origins and hosts that browsers use."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from webagent.urls import absolute
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    import ssl

MANIFEST_NAME = "webagents.md"
MANIFEST_PATH = f"/{MANIFEST_NAME}"

CONTROL_PATH = "/__webagent__"
"""URL path of everything that is not the site's own."""
API_PATH = f"{CONTROL_PATH}/api"
"""URL path of the owner's API."""
PROOF_PATH = f"{API_PATH}/proof"
"""URL path at which the server proves that it knows the owner's token."""
LLM_PATH = f"{CONTROL_PATH}/llm/v1"
"""URL path of the model API for pages."""
FALLBACK_PATH = f"{CONTROL_PATH}/llm/fallback/v1"
"""URL path of the same for the model that is asked when the first one fails."""
TOKEN_PATH = f"{CONTROL_PATH}/llm/token"
"""URL path at which a page gets its token for the models, on a site's own server."""
USAGE_PATH = f"{CONTROL_PATH}/usage"
"""URL path at which pages report how tools are used, and the owner sees it."""
PAGES_PATH = f"{CONTROL_PATH}/pages"
"""URL path of the live channel of visitors' pages, on a site's own server."""
AGUI_PATH = f"{CONTROL_PATH}/agui"
"""URL path at which front ends drive the agent, on a site's own server; it gets the cookie of pages."""
TOOLS_PATH = f"{CONTROL_PATH}/tools"
"""URL path of the tools that are functions of the site's application."""
ASSISTANTS_PATH = f"{CONTROL_PATH}/assistants"
"""URL path at which pages see and change what their visitor has granted assistants."""
OAUTH_PATH = f"{CONTROL_PATH}/oauth"
"""URL path of the authorization server for assistants; the cookie of a session is sent there."""
SERVER_METADATA_PATH = f"/.well-known/oauth-authorization-server{OAUTH_PATH}"
"""URL path of the document about it (RFC 8414)."""
MCP_PATH = "/mcp"
A2A_PATH = "/a2a/jsonrpc"
CARD_PATH = "/.well-known/agent-card.json"
"""URL path of the agent card (A2A 1.0, 8.2)."""

DEFAULT_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*")


def normal_origin(text: str) -> str:
    """Return an origin in lower case, without a default port and without a slash at its end.

    Raises:
        ValueError: It is not an origin.
    """
    parts = urlsplit(text.strip().lower())
    port = parts.port
    plain = parts._replace(scheme="", netloc="").geturl()
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or plain not in ("", "/"):
        raise ValueError("not an origin")
    if not text.isascii() or parts.username is not None:
        raise ValueError("not an origin")
    return origin_of(parts.scheme, parts.hostname, port)


def origin_of(scheme: str, host: str, port: int | None) -> str:
    """Return an origin; an IPv6 address is passed without brackets."""
    name = f"[{host}]" if ":" in host else host
    is_default = port in (None, DEFAULT_PORTS[scheme])
    return f"{scheme}://{name}" if is_default else f"{scheme}://{name}:{port}"


@lru_cache(maxsize=64)  # for each request, and most are for the same host
def is_local(host: str) -> bool:
    """Whether a name or an address, without brackets, is that of the machine that uses it."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def normal_name(text: str) -> str:
    """Return the name of a server in lower case; `.example.com` means all names below it.

    Raises:
        ValueError: It is not a name.
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise ValueError("not a name")
    return name


MODEL_OPTIONS = ("llm", "llm-fallback")
"""The options of a page's script that name its models."""

_LLM_PROVIDER = re.compile(r"([a-z0-9-]+)\+")


def model_url(data_llm: str) -> str:
    """Return the URL in a value of `data-llm`, as in `anthropic+/llm/v1#NAME`; it may be relative."""
    named = data_llm.strip()
    prefix = _LLM_PROVIDER.match(named)
    return named[prefix.end() if prefix else 0 :].partition("#")[0]


def model_provider(data_llm: str) -> str:
    """Return the provider in such a value; `openai-chat` if it names none."""
    prefix = _LLM_PROVIDER.match(data_llm.strip())
    return prefix[1] if prefix else "openai-chat"


def is_address(target: str) -> bool:
    """Whether a target is a URL, and not a path.

    Raises:
        UsageError: It is meant to be one, and no server can be there.
    """
    if not target.lower().startswith(("http://", "https://")):
        return False
    if absolute("", target) is None:
        raise UsageError(
            f"`{printable(target, 300)}` is not an address - its host or its port cannot be read - write "
            "one such as `https://shop.example/` or `http://localhost:8000/`"
        )
    return True


class Address(NamedTuple):
    """The parts of an origin."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, origin: str) -> Address:
        """Return the parts of a normal origin."""
        parts = urlsplit(origin)
        assert parts.hostname
        return cls(parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme])

    @property
    def origin(self) -> str:
        """The whole origin."""
        return origin_of(self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """The value of `Host` that a browser would send."""
        return self.origin.partition("://")[2]

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        return is_local(self.host)


def tls_of(address: Address) -> ssl.SSLContext | None:
    """Return the TLS context for an address, None without TLS.

    A server on this machine may have signed its certificate itself.
    """
    if address.scheme != "https":
        return None
    # Every command has addresses, and few of them connect.
    import ssl

    context = ssl.create_default_context()
    if address.is_here:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
