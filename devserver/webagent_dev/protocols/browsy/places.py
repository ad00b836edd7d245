"""Where a task may work: on this site, or on another that the server was started for."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from webagent.errors import OriginMismatch
from webagent.origins import origin_of
from webagent.urls import absolute
from webagent_dev.config.model import ServeConfig, is_local
from webagent_dev.protocols.browsy.steps import Unable


@dataclass(frozen=True, slots=True)
class Place:
    """Where a task goes first."""

    url: str
    """In full; of this site under the name of this server. Empty for the page as it is."""
    is_foreign: bool = False


def place_of(url: str, config: ServeConfig) -> Place:
    """Return where an address leads.

    Raises:
        Unable: It is no address.
        OriginMismatch: Tasks may not work there.
    """
    if not url:
        return Place("")
    full = absolute(f"{config.url}/", url)
    if full is None:
        raise Unable(f"No URL found: `{url[:200]}` is no address - write `http://…`, or a path")
    origin = origin_of(full)
    if origin in _own(config) or _is_this_server(full, config):
        parts = urlsplit(full)
        query = f"?{parts.query}" if parts.query else ""
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return Place(f"{config.url.rstrip('/')}{parts.path or '/'}{query}{fragment}")
    if origin in config.allow_origin:
        return Place(full, is_foreign=True)
    raise OriginMismatch(
        f"`{origin}` is another origin - this agent works on `{origin_of(config.url)}`",
        help=f"to let tasks go there, start the server with `--headless --allow-origin {origin}`",
    )


def _own(config: ServeConfig) -> tuple[str, ...]:
    return (origin_of(config.url), *((origin_of(config.proxy),) if config.proxy else ()))


def _is_this_server(url: str, config: ServeConfig) -> bool:
    """Whether an address is this server's under another name of it."""
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    host = parts.hostname or ""
    ours = is_local(host) or host == config.host or host in config.allow_host
    return parts.scheme == config.scheme and ours and (parts.port or usual) == config.port
