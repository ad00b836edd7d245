"""The configuration of a server: typed options, then `webagent.toml`, then defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from webagent.announcements import ANNOUNCEMENTS
from webagent_dev.config.checked_file import checked_sections
from webagent_dev.config.model import Doors, ServeConfig
from webagent_site.config.urls import MANIFEST_NAME, is_local, normal_name, normal_origin
from webagent_site.errors import ConfigError

if TYPE_CHECKING:
    from webagent_dev.config.model import TlsFiles
    from webagent_site.config.llm import LlmConfig

CONFIG_NAME = "webagent.toml"
MODEL_VARIABLE = "WEBAGENT_LLM_MODEL"
"""The environment variable that names a model: `anthropic:claude-haiku-4-5`."""
_SIGNS = ("index.html", MANIFEST_NAME, CONFIG_NAME)
"""The files of which a site has at least one."""


class LlmOverrides(TypedDict, total=False):
    """Options that replace keys of `[llm]`; None where one was not typed."""

    llm_base_url: str | None
    llm_model: str | None
    llm_api_key_env: str | None
    llm_max_usd: str | None


class Overrides(LlmOverrides, total=False):
    """The options of `serve`, by the names of their values.

    None and an empty sequence mean that an option was not typed: `webagent.toml` or the default
    counts then.
    """

    host: str | None
    port: int | None
    open_browser: bool
    https: bool | None
    cert: Path | None
    key: Path | None
    allow_host: Sequence[str]
    component_origins: Sequence[str]
    spa: bool | None
    proxy: str | None
    editor: str | None
    forward_console: bool | None
    doors: Doors | None
    headless: bool | None
    allow_origin: Sequence[str]


def resolve_config(root: str | None = None, **overrides: Unpack[Overrides]) -> ServeConfig:
    """Return the configuration that the options and `webagent.toml` describe.

    Args:
        root: Path of the folder, None where it was not typed.
        **overrides: What was typed.

    Raises:
        ConfigError: The file or an option has a value that is not allowed, options contradict each
            other, or the folder cannot be read.
    """
    # Without this, a mistyped name in code without type checks would be ignored.
    if unknown := overrides.keys() - Overrides.__annotations__.keys():
        raise TypeError(f"resolve_config has no option {min(unknown)!r}")
    file = find_config(root)
    base = file.parent if file else Path()
    sections = _sections(file)
    typed: dict[str, Any] = {
        name: value for name, value in overrides.items() if value not in (None, (), [])
    }
    site = sections.get("site", {})
    server = {**sections.get("server", {}), **typed}
    components = sections.get("components", {})
    llm = _llm(sections.get("llm", {}), typed)
    host = _bare(server.get("host", "127.0.0.1"))
    doors: Doors = server.get("doors", "token")
    proxy, spa = _proxy_or_spa(site, typed)
    names = tuple(map(_host_name, server.get("allow_host", ())))
    headless: bool = server.get("headless", False)
    other_origins = tuple(
        _origin(text, "--allow-origin https://shop.example")
        for text in server.get("allow_origin", ())
    )
    if not host:
        raise ConfigError(
            "`--host` is empty - the server needs an address - write `--host 127.0.0.1`"
        )
    if doors == "open" and not is_local(host):
        raise ConfigError(
            f"the doors are open and the server listens on `{host}` - anyone who reaches it could use "
            "your pages as you - leave `--doors open` out: clients then need the token that "
            "`webagent-dev connect` explains"
        )
    if other_origins and not headless:
        raise ConfigError(
            f"`{other_origins[0]}` is allowed, and nothing opens its pages - tasks on other origins work in "
            "a Chromium of the server's own - write `--headless` too"
        )
    return ServeConfig(
        root=_folder(base / site.get("root", ".") if root is None else Path(root)),
        host=host,
        port=server.get("port", 8000),
        open_browser=server.get("open_browser", False),
        tls=_tls(server.get("https"), typed.get("cert"), typed.get("key"), base, names),
        allow_host=names,
        component_origins=tuple(
            _origin(text, "--component-origin http://localhost:5173")
            for text in typed.get("component_origins", components.get("origins", ()))
        ),
        spa=spa,
        proxy=proxy,
        manifest=(base / site["manifest"]).resolve() if "manifest" in site else None,
        manifest_command=site.get("manifest_command"),
        bundle=_bundle(base / site["bundle"]) if "bundle" in site else None,
        allow_files=tuple(site.get("allow_files", ())),
        announce=tuple(site.get("announce", ANNOUNCEMENTS)),
        page_options=sections.get("page", {}),
        rules=sections.get("rules"),
        file=file,
        editor=server.get("editor") or None,
        forward_console=server.get("forward_console"),
        doors=doors,
        headless=headless,
        allow_origin=other_origins,
        llm=llm,
    )


def configured_llm(root: str | None, **overrides: Unpack[LlmOverrides]) -> LlmConfig | None:
    """Return the model that the options and `webagent.toml` name, even if its key is not set.

    Args:
        root: Path of the folder, None where it was not typed.
        **overrides: What was typed.

    Raises:
        ConfigError: There is no such folder, or the file or an option has a value that is not
            allowed.
    """
    if root is not None:
        _folder(Path(root))
    section = _sections(find_config(root)).get("llm", {})
    typed = {name: value for name, value in overrides.items() if value is not None}
    return _llm(section, typed, need_key=False)


def require_site(config: ServeConfig, *, typed: bool) -> None:
    """Check that a folder that nobody named is a site, and not the home folder of a person.

    Args:
        config: Which folder is served.
        typed: Whether its path was typed.

    Raises:
        ConfigError: Nothing in it shows that it is one.
    """
    if typed or config.file or config.proxy:
        return
    if not any((config.root / name).is_file() for name in _SIGNS):
        raise ConfigError(
            f"`{config.root}` does not look like a site - it has none of {', '.join(_SIGNS)}, and all "
            "of its files would be given out - write the folder, such as `webagent-dev serve my-site`, "
            "or `.` for this one"
        )


def _proxy_or_spa(site: Mapping[str, Any], typed: Mapping[str, Any]) -> tuple[str | None, bool]:
    """Return the origin of the upstream, and whether the first page answers for other paths.

    Options override the file, in which only one of the two can be set.
    """
    if typed.get("spa") and typed.get("proxy"):
        raise ConfigError(
            "`--spa` and `--proxy` are both given - the upstream server answers all paths itself - "
            "leave `--spa` out"
        )
    if typed.get("spa"):
        return None, True
    if proxy := typed.get("proxy") or site.get("proxy"):
        return _upstream(proxy), False
    return None, bool(site.get("spa"))


def find_config(root: str | None) -> Path | None:
    """Return the `webagent.toml` of the folder that was typed, or else of the current folder."""
    for folder in [root, "."] if root is not None else ["."]:
        file = Path(folder) / CONFIG_NAME
        if file.is_file():
            return file
    return None


def _bundle(folder: Path) -> Path:
    from webagent_site.config.folders import NotABundle, checked_bundle

    try:
        return checked_bundle(folder)
    except NotABundle as error:
        raise ConfigError(str(error)) from None


def _sections(file: Path | None) -> Mapping[str, Any]:
    """Return what the file sets, by section; empty without a file."""
    return checked_sections(file) if file else {}


def _llm(
    file: Mapping[str, Any], typed: Mapping[str, Any], *, need_key: bool = True
) -> LlmConfig | None:
    """Return the model: of typed options, then of the environment, then of the file.

    A model of another provider than the file's replaces all that the file says about its own: the key
    of one must not be sent to the address of the other. The fallback belongs to the file's model.
    """
    options = {
        name.removeprefix("llm_"): value for name, value in typed.items() if name.startswith("llm_")
    }
    variable = os.environ.get(MODEL_VARIABLE, "")
    if variable and "model" not in options:
        options["model"] = variable
    if not (file or options):
        return None
    # It imports the clients of models, which a server without a model does not need.
    from webagent_dev.config.models import resolve_llm
    from webagent_site.config.llm import provider_of

    if "model" in options:
        file = {key: value for key, value in file.items() if key != "fallback"}
    provider = provider_of(options.get("model", ""))
    if provider:
        known = provider_of(file.get("model", "")) or "openai-chat"
        kept = ("base_url", "api_key_env", "max_usd") if provider == known else ("max_usd",)
        file = {key: value for key, value in file.items() if key in kept}
    return resolve_llm(os.environ, **{**file, **options}, need_key=need_key)


def _bare(host: str) -> str:
    """Return a host in lower case, without the brackets of an IPv6 address."""
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


def _host_name(text: str) -> str:
    try:
        return normal_name(text)
    except ValueError:
        raise ConfigError(
            f"`{text}` is not the name of a server - it is compared with the host that browsers ask for, "
            "without a port - write `--allow-host shop.test`, or `--allow-host .shop.test` for all below it"
        ) from None


def _tls(
    https: Any, cert: Path | None, key: Path | None, base: Path, names: Sequence[str]
) -> TlsFiles | None:
    """Return the files for HTTPS, None for HTTP.

    Args:
        https: True, False, None, or the table of files that `webagent.toml` has.
        cert: The certificate that was typed.
        key: Its key.
        base: The folder of `webagent.toml`.
        names: More names of this server.
    """
    if bool(cert) != bool(key):
        raise ConfigError(
            "`--cert` and `--key` belong together - a certificate is useless without its key - "
            "write both, or `--https` for a certificate that is made here"
        )
    if not cert and isinstance(https, dict):
        cert, key = base / https["cert"], base / https["key"]
    if not cert and not https:
        return None
    # HTTP does not need it, and it makes the start longer.
    from webagent_dev.config.certificates import own_certificate, self_signed

    if cert and key:
        return own_certificate(cert, key)
    return self_signed(f"*{name}" if name.startswith(".") else name for name in names)


def _upstream(text: str) -> str:
    try:
        return normal_origin(text)
    except ValueError:
        raise ConfigError(
            f"`{text}` is not the origin of a server - it has a scheme, a host and a port, and all paths "
            "are passed on - write `--proxy http://localhost:5173`"
        ) from None


def _origin(text: str, example: str) -> str:
    try:
        return normal_origin(text)
    except ValueError:
        raise ConfigError(
            f"`{text}` is not an origin - it has a scheme, a host and a port, and nothing else - "
            f"write `{example}`"
        ) from None
