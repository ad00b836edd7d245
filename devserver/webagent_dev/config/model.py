"""The one frozen object that says how to serve; made once, passed down."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from webagent_dev.config.urls import CONTROL_PATH, is_local, origin_of

if TYPE_CHECKING:
    from webagent_dev.config.llm import LlmConfig

Doors = Literal["token", "open", "off"]
"""Who may use the tools of open pages by a protocol such as MCP: whoever has the owner's token,
every program of this machine, or nobody."""

VISIT_PARAMETER = "webagent-token"
"""Parameter of the address that the terminal shows when others can reach the server."""

VISIT_COOKIE = "webagent-visit"
"""Beginning of the name of the cookie that holds the token after the first visit."""


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
    tls: TlsFiles | None = None
    """Certificate and key when it is served over HTTPS."""
    allow_host: tuple[str, ...] = ()
    """More names of this server, in lower case; one that begins with a dot stands for all below it."""
    component_origins: tuple[str, ...] = ()
    """Other origins whose pages may show this site's in a frame, and whose frames may offer tools."""
    spa: bool = False
    """Whether paths that lead nowhere answer with the first page, which routes them itself."""
    proxy: str | None = None
    """Origin of the server that ours stands in front of; None when the folder itself is served."""
    manifest: Path | None = None
    """The file of the manifest; None for `webagents.md` in the folder, or on the upstream."""
    manifest_command: str | None = None
    """A command line that prints the manifest, run where `webagent.toml` is."""
    bundle: Path | None = None
    """The page bundle, where it is not the one that comes with this package."""
    page_options: Mapping[str, str] = field(default_factory=dict)
    """Options of the agent in the page, by the names of its script's `data-` attributes."""
    rules: frozenset[str] | None = None
    """Names of the rules that the manifest is checked by; None means all."""
    reload: bool = True
    """Whether open pages follow what is saved beside the manifest."""
    file: Path | None = None
    """The `webagent.toml` that was read, if there is one."""
    llm: LlmConfig | None = None
    """The model that pages may ask through the server; None for none."""
    editor: str | None = None
    """The command that opens files, perhaps with `{file}`, `{line}` and `{column}`; None to look for
    one."""
    forward_console: bool = False
    """Whether the terminal shows what pages write to their consoles, and runs of the agent."""
    doors: Doors = "token"
    headless: bool = False
    """Whether a call that finds no open page opens one, in a Chromium that nobody sees."""
    allow_origin: tuple[str, ...] = ()
    """Other origins whose pages that Chromium may open for tasks."""
    visit_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What a visitor must have had when others than this machine can ask; fresh for every process."""
    page_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What a page must show to open the live channel; fresh for every process."""

    owner_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What programs of the site's owner must show; it stays the same over restarts."""

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        return f"{origin_of(self.scheme, host, self.port)}/"

    @property
    def scheme(self) -> str:
        """The scheme of all addresses."""
        return "https" if self.tls else "http"

    def visit_url(self, host: str | None = None) -> str:
        """Return the address to open first, with the token if one is asked for.

        Args:
            host: A name or an address of this server; by default the one to open on this machine.
        """
        url = f"{origin_of(self.scheme, host, self.port)}/" if host else self.url
        asked = not self.is_loopback or (host is not None and not is_local(host))
        return f"{url}?{VISIT_PARAMETER}={self.visit_token}" if asked else url

    @property
    def inspector_url(self) -> str:
        """The address of the inspector, with the token that opens it."""
        url = urlsplit(self.visit_url())
        return url._replace(path=f"{CONTROL_PATH}/", fragment=f"token={self.owner_token}").geturl()

    @property
    def live_path(self) -> str:
        """URL path of the live channel, with the token that opens it."""
        return f"{CONTROL_PATH}/live?token={self.page_token}"

    @property
    def script_options(self) -> Mapping[str, str]:
        """Options of the agent in the page, the model included."""
        return {**self.page_options, **({"llm": self.llm.data_llm} if self.llm else {})}

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        return is_local(self.host)


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A certificate, with those that it rests on, and its key; both PEM."""

    certificate: Path
    key: Path
