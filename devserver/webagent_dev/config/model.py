"""The configuration of a server: one frozen object that is made once and passed down."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from webagent.announcements import ANNOUNCEMENTS, Announcement
from webagent_dev.config.credentials import OwnerCredentials, new_token
from webagent_site.config.urls import CONTROL_PATH, is_local, origin_of

if TYPE_CHECKING:
    from webagent_site.config.llm import LlmConfig

Doors = Literal["token", "open", "off"]
"""The programs that may use the tools of open pages over a protocol such as MCP: those with the
owner's token, all programs on this machine, or none."""

COOKIE_PREFIX = "webagent-"
"""How the names of all our cookies begin."""

VISIT_PARAMETER = "webagent-token"
"""Query parameter with the token, in the URL that the terminal shows to share."""

VISIT_COOKIE = "webagent-visit"
"""Start of the name of the cookie that holds the token after the first visit."""


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
    """More names of this server, in lower case; a leading dot means all names below it."""
    component_origins: tuple[str, ...] = ()
    """Other origins whose pages may show this site's in a frame, and whose frames may offer tools."""
    spa: bool = False
    """Whether paths that lead to no file answer with the first page, which routes them itself."""
    proxy: str | None = None
    """Origin of the upstream server; None when the folder itself is served."""
    manifest: Path | None = None
    """The file of the manifest; None for `webagents.md` in the folder, or from the upstream."""
    manifest_command: str | None = None
    """A command line that prints the manifest, run where `webagent.toml` is."""
    bundle: Path | None = None
    """The page bundle; None for the one that comes with this package."""
    announce: Collection[Announcement] = ANNOUNCEMENTS
    """The announcements that it has besides the manifest."""
    allow_files: tuple[str, ...] = ()
    """Files that are served whatever their names, as paths with `*`, relative to the root."""
    page_options: Mapping[str, str] = field(default_factory=dict)
    """Options of the agent in the page, by the names of the `data-` attributes of its script."""
    rules: frozenset[str] | None = None
    """Names of the rules that the manifest is checked by; None for all."""
    reload: bool = True
    """Whether open pages reload when files other than the manifest are saved."""
    file: Path | None = None
    """The `webagent.toml` that was read, if there is one."""
    llm: LlmConfig | None = None
    """The model that pages may use through the server; None without one."""
    editor: str | None = None
    """The command that opens files, perhaps with `{file}`, `{line}` and `{column}`; None to search for
    an editor."""
    forward_console: bool | Literal["errors"] | None = None
    """Whether the terminal shows the consoles of pages, and runs of the agent; None if nobody has
    said so, and `errors` for the errors alone."""
    doors: Doors = "token"
    headless: bool = False
    """Whether a call that finds no open page opens one in a headless Chromium."""
    allow_origin: tuple[str, ...] = ()
    """Other origins whose pages the headless Chromium may open for tasks."""
    visit_token: str = field(default_factory=lambda: new_token("visit"), repr=False)
    """The token that visitors need when others than this machine reach it; new for every process."""
    page_token: str = field(default_factory=lambda: new_token("page"), repr=False)
    """The token that a page needs to open the live channel; new for every process."""
    owner: OwnerCredentials = field(default_factory=OwnerCredentials, repr=False)
    """The token that programs of the site's owner need, and the codes for it."""

    @property
    def url(self) -> str:
        """The URL to open in a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        return f"{origin_of(self.scheme, host, self.port)}/"

    @property
    def scheme(self) -> str:
        """The scheme of all URLs."""
        return "https" if self.tls else "http"

    def visit_url(self, host: str | None = None) -> str:
        """Return the URL to open first, with the token if visitors need one.

        Args:
            host: A name or an address of this server; by default the one for this machine.
        """
        url = f"{origin_of(self.scheme, host, self.port)}/" if host else self.url
        needs_token = not self.is_loopback or (host is not None and not is_local(host))
        return f"{url}?{VISIT_PARAMETER}={self.visit_token}" if needs_token else url

    @property
    def inspector_url(self) -> str:
        """The URL of the inspector, without what opens it."""
        return urlsplit(self.visit_url())._replace(path=f"{CONTROL_PATH}/").geturl()

    @property
    def live_path(self) -> str:
        """URL path of the live channel, with the token that opens it."""
        return f"{CONTROL_PATH}/live?token={self.page_token}"

    @property
    def script_options(self) -> Mapping[str, str]:
        """Options of the agent in the page, the models included."""
        return {**self.page_options, **(self.llm.script_options if self.llm else {})}

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        return is_local(self.host)


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A certificate, with its chain, and its key; both PEM."""

    certificate: Path
    key: Path
