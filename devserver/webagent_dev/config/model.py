"""The one frozen object that says how to serve; made once, passed down."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from webagent_dev.config.urls import normal_origin, origin_of

if TYPE_CHECKING:
    from webagent_dev.config.certificates import TlsFiles
    from webagent_dev.config.llm import LlmConfig

Doors = Literal["token", "open", "off"]
"""Who may use the tools of open pages by a protocol such as MCP: whoever has the owner's token,
every program of this machine, or nobody."""
CONFIG_NAME = "webagent.toml"
MANIFEST_NAME = "webagents.md"
MANIFEST_PATH = f"/{MANIFEST_NAME}"
CONTROL_PATH = "/__webagent__"
"""URL path under which everything lives that is ours and not the site's."""
VISIT_PARAMETER = "webagent-token"
"""Parameter of the address that the terminal shows when others can reach the server."""
VISIT_COOKIE = "webagent-visit"
"""Beginning of the name of the cookie that holds the token after the first visit."""
_NAME = re.compile(r"\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*")


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
    """The file of the manifest; None for `webagents.md` in the folder, or in the server behind."""
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


def is_local(host: str) -> bool:
    """Whether a name or an address, without brackets, means the machine that uses it."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def resolve_config(
    root: str | None = None,
    *,
    host: str | None = None,
    port: int | None = None,
    open_browser: bool = False,
    https: bool | None = None,
    cert: Path | None = None,
    key: Path | None = None,
    allow_host: Sequence[str] = (),
    component_origins: Sequence[str] = (),
    spa: bool | None = None,
    proxy: str | None = None,
    llm: Mapping[str, str | None] | None = None,
    editor: str | None = None,
    forward_console: bool | None = None,
    doors: Doors | None = None,
    headless: bool | None = None,
    allow_origin: Sequence[str] = (),
) -> ServeConfig:
    """Turn what was typed, and what `webagent.toml` says otherwise, into a configuration.

    None and an empty sequence mean that nothing was typed.

    Args:
        root: Path of the folder.
        host: Name or address to bind.
        port: First port to try.
        open_browser: Whether to open the site.
        https: Whether to serve over HTTPS, with a certificate of our own.
        cert: A certificate, which means HTTPS.
        key: The key of that certificate.
        allow_host: More names of this server.
        component_origins: Other origins of the same application.
        spa: Whether the first page answers for paths that lead nowhere.
        proxy: Another server to stand in front of.
        llm: What `[llm]` of the file has, by the names of its keys.
        editor: The command that opens files.
        forward_console: Whether the terminal shows what pages write to their consoles.
        doors: Who may use the tools of open pages by a protocol.
        headless: Whether a call that finds no open page opens one.
        allow_origin: Other origins that tasks may work on.

    Raises:
        ConfigError: The file says what it may not, the root is no folder that can be read, the host
            is empty, an origin is none, a model is not named in full, others would find the doors
            open, or other origins are named and nothing opens their pages.
    """
    from webagent_dev.config.llm import resolve_llm

    file = find_config(root)
    said = _said(file)
    site, server = said.get("site", {}), said.get("server", {})
    typed = {key: value for key, value in (llm or {}).items() if value is not None}
    model = {**said.get("llm", {}), **typed}
    named = _bare(_first(host, server.get("host"), "127.0.0.1"))
    if not named:
        raise ConfigError(
            "`--host` is empty - the server needs an address - write `--host 127.0.0.1`"
        )
    base = file.parent if file else Path()
    folder = base / site.get("root", ".")
    if spa and proxy:
        raise ConfigError(
            "`--spa` and `--proxy` are both given - the server behind answers all paths itself - "
            "leave `--spa` out"
        )
    names = tuple(map(_name, allow_host)) or tuple(server.get("allow_host", ()))
    behind = proxy or (None if spa else site.get("proxy"))
    who: Doors = _first(doors, server.get("doors"), "token")
    if who == "open" and not is_local(named):
        raise ConfigError(
            f"the doors are open and the server listens on `{named}` - whoever reaches it could use "
            "your pages as you - leave `--doors open` out: clients show the token that "
            "`webagent-dev connect` writes down"
        )
    opens: bool = _first(headless, server.get("headless"), False)
    elsewhere = tuple(
        _origin(text, "a task works on the pages of a", "--allow-origin https://shop.example")
        for text in allow_origin
    ) or tuple(server.get("allow_origin", ()))
    if elsewhere and not opens:
        raise ConfigError(
            f"`{elsewhere[0]}` is allowed, and nothing opens its pages - tasks on other origins work in "
            "a Chromium of the server's own - write `--headless` too"
        )
    return ServeConfig(
        root=_folder(folder if root is None else Path(root)),
        host=named,
        port=_first(port, server.get("port"), 8000),
        open_browser=open_browser,
        tls=_tls(https, cert, key, server.get("https"), base, names),
        allow_host=names,
        component_origins=tuple(
            _origin(text, "a frame is known by", "--component-origin http://localhost:5173")
            for text in component_origins
        )
        or tuple(said.get("components", {}).get("origins", ())),
        spa=bool(not behind and _first(spa, site.get("spa"), False)),
        proxy=_upstream(behind) if behind else None,
        manifest=(base / site["manifest"]).resolve() if "manifest" in site else None,
        manifest_command=site.get("manifest_command"),
        bundle=_bundle(base / site["bundle"]) if "bundle" in site else None,
        page_options=said.get("page", {}),
        rules=said.get("rules"),
        file=file,
        editor=editor or server.get("editor"),
        forward_console=_first(forward_console, server.get("forward_console"), False),
        doors=who,
        headless=opens,
        allow_origin=elsewhere,
        llm=resolve_llm(
            model.get("base_url"),
            model.get("model"),
            model.get("api_key_env"),
            model.get("max_usd"),
            os.environ,
        ),
    )


def find_config(root: str | None) -> Path | None:
    """Return the `webagent.toml` of the folder that was typed, or else of the current one."""
    for folder in [root, "."] if root is not None else ["."]:
        file = Path(folder) / CONFIG_NAME
        if file.is_file():
            return file
    return None


def _bundle(folder: Path) -> Path:
    from webagent_dev.config.folders import NotOurs, checked_bundle

    try:
        return checked_bundle(folder)
    except NotOurs as error:
        raise ConfigError(str(error)) from None


def _said(file: Path | None) -> Mapping[str, Any]:
    """Return what the file sets, by section; empty without a file."""
    if file is None:
        return {}
    # Brings pydantic, which a server without the file does not need to start.
    from webagent_dev.config.toml_file import read_config, wanted_rules

    read = read_config(file)
    return {**read.model_dump(exclude_none=True), "rules": wanted_rules(read)}


def _first(*values: Any) -> Any:
    """Return the first value that is set."""
    return next(value for value in values if value is not None)


def _bare(host: str) -> str:
    return host.strip().removeprefix("[").removesuffix("]").lower()


def _folder(path: Path) -> Path:
    """Return the real path of a folder that can be read."""
    try:
        real = path.resolve(strict=True)
        if not real.is_dir():
            raise ConfigError(
                f"`{path}` is a file - a site is served from its folder - "
                f"write `webagent-dev serve {path.parent}`"
            )
        next(real.iterdir(), None)
    except FileNotFoundError:
        raise ConfigError(
            f"`{path}` does not exist - a site is a folder of files - write the path of yours"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"`{path}` cannot be read - {error.strerror or error} - "
            "write the path of a folder that you may read"
        ) from None
    return real


def normal_name(text: str) -> str:
    """Return a name that a server may have, in lower case; `.example.com` stands for all below it.

    Raises:
        ValueError: It is none.
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise ValueError("no name")
    return name


def _name(text: str) -> str:
    try:
        return normal_name(text)
    except ValueError:
        raise ConfigError(
            f"`{text}` is no name of a server - it is compared with what browsers ask for, without "
            "a port - write `--allow-host shop.test`, or `--allow-host .shop.test` for all below it"
        ) from None


def _tls(
    https: bool | None,
    cert: Path | None,
    key: Path | None,
    said: Any,
    base: Path,
    names: Sequence[str],
) -> TlsFiles | None:
    """Return the files for HTTPS, None for HTTP; what is typed comes before what the file says."""
    if bool(cert) != bool(key):
        raise ConfigError(
            "`--cert` and `--key` belong together - a certificate is of no use without its key - "
            "write both, or `--https` for a certificate that is made here"
        )
    if not cert and not https and isinstance(said, dict):
        cert, key = base / said["cert"], base / said["key"]
    if not cert and not https and said is not True:
        return None
    # Not needed for HTTP, and a part of the time to start.
    from webagent_dev.config.certificates import given, self_signed

    if cert and key:
        return given(cert, key)
    return self_signed(f"*{name}" if name.startswith(".") else name for name in names)


def _upstream(text: str) -> str:
    try:
        return normal_origin(text)
    except ValueError:
        raise ConfigError(
            f"`{text}` is no address of a server - scheme, host and port name it, and all its paths "
            "are passed on - write `--proxy http://localhost:5173`"
        ) from None


def _origin(text: str, known_by: str, remedy: str) -> str:
    try:
        return normal_origin(text)
    except ValueError:
        raise ConfigError(
            f"`{text}` is no origin - {known_by} scheme, host and port - write `{remedy}`"
        ) from None
