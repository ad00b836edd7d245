"""The one frozen object that says how to serve; made once, passed down."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

MANIFEST_NAME = "webagents.md"
MANIFEST_PATH = f"/{MANIFEST_NAME}"
CONTROL_PATH = "/__webagent__"
"""URL path under which everything lives that is ours and not the site's."""


class ConfigError(Exception):
    """What was asked for cannot be served; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class ServeConfig:
    """How one site is served."""

    root: Path
    """Real path of the folder that is served."""
    host: str = "127.0.0.1"
    """Name or address to bind, IPv6 without brackets."""
    port: int = 8000
    """First port to try; once bound, the port in use. 0 asks the system for a free one."""
    open_browser: bool = False
    component_origins: tuple[str, ...] = ()
    """Other origins whose pages may show this site's in a frame, and whose frames may offer tools."""
    page_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What a page must show to open the live channel; fresh for every process."""

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        name = f"[{host}]" if ":" in host else host
        return f"http://{name}:{self.port}/"

    @property
    def live_path(self) -> str:
        """URL path of the live channel, with the token that opens it."""
        return f"{CONTROL_PATH}/live?token={self.page_token}"

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def resolve_config(
    root: str,
    host: str,
    port: int,
    open_browser: bool,
    component_origins: Sequence[str] = (),
) -> ServeConfig:
    """Turn what was typed into a configuration.

    Raises:
        ConfigError: The root is no folder that can be read, the host is empty, or an origin is none.
    """
    path = Path(root)
    try:
        real = path.resolve(strict=True)
        if not real.is_dir():
            raise ConfigError(
                f"`{root}` is a file - a site is served from its folder - "
                f"write `webagent-dev serve {path.parent}`"
            )
        next(real.iterdir(), None)
    except FileNotFoundError:
        raise ConfigError(
            f"`{root}` does not exist - there is nothing to serve - write the path of your site's folder"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"`{root}` cannot be read - {error.strerror or error} - "
            "write the path of a folder that you may read"
        ) from None
    name = host.strip().removeprefix("[").removesuffix("]").lower()
    if not name:
        raise ConfigError(
            "`--host` is empty - the server needs an address - write `--host 127.0.0.1`"
        )
    return ServeConfig(
        root=real,
        host=name,
        port=port,
        open_browser=open_browser,
        component_origins=tuple(map(_origin, component_origins)),
    )


def _origin(text: str) -> str:
    """Return an origin as browsers write it."""
    parts = urlsplit(text.strip().lower())
    try:
        port = parts.port
    except ValueError:
        port = -1
    known = parts.scheme in ("http", "https") and parts.hostname and port != -1 and text.isascii()
    plain = parts._replace(scheme="", netloc="").geturl()
    if not known or plain not in ("", "/"):
        raise ConfigError(
            f"`{text}` is no origin - a frame is known by scheme, host and port - "
            "write `--component-origin http://localhost:5173`"
        )
    name = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{name}{'' if port in (None, usual) else f':{port}'}"
