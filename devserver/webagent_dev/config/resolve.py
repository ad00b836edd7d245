"""The configuration of a run: options of the command line, then `webagent.toml`, then defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webagent_dev.config.model import Doors, ServeConfig
from webagent_dev.config.urls import is_local, normal_name, normal_origin
from webagent_dev.errors import ConfigError

if TYPE_CHECKING:
    from webagent_dev.config.model import TlsFiles

CONFIG_NAME = "webagent.toml"


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
            "`--spa` and `--proxy` are both given - the upstream answers all paths itself - "
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
