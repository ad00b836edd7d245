"""`webagent-dev doctor`: says what of this machine is not as the commands need it."""

from __future__ import annotations

import json
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from webagent_dev import __version__
from webagent_dev.browser.chromium import NoBrowser, find_browser
from webagent_dev.config.folders import BUNDLE
from webagent_dev.terminal import Console, printable

_PORT = 8000

_VERSION_S = 20


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that was looked at."""

    name: str
    text: str
    well: bool = True
    """False for what keeps a command from working."""


def signs(bundle: Path = BUNDLE) -> Iterator[Sign]:
    """Yield what there is to say, the most important first."""
    yield Sign("python", f"{platform.python_version()} at {sys.executable}")
    yield _versions()
    yield from _beside()
    yield bundle_sign(bundle)
    yield _browser()
    yield _httpx()
    yield _mcp()
    yield _hypothesis()
    yield _port()


def _versions() -> Sign:
    core = version("webagent-core")
    if core != __version__:
        return Sign(
            "packages",
            f"webagent-dev {__version__} and webagent-core {core} are of different versions - "
            f'run `pip install "webagent-core=={__version__}"`',
            well=False,
        )
    return Sign("packages", f"webagent-dev and webagent-core {core}")


def _beside() -> Iterator[Sign]:
    """Tell of the format's SDK, which has an import name in common with us."""
    try:
        found = version("webagents-md")
    except PackageNotFoundError:
        return
    yield Sign(
        "sdk",
        f"webagents-md {found} is installed too - both have the import name `webagent`, and the "
        "files of one hide the other's - run `pip uninstall webagents-md`, then "
        "`pip install --force-reinstall webagent-core`",
        well=False,
    )


def bundle_sign(bundle: Path) -> Sign:
    """Return whether the files of a bundle are there and whole."""
    remedy = "install webagent-dev anew, or run `make bundle`"
    try:
        listed = json.loads((bundle / "bundle.json").read_text("utf-8"))
        files = listed["sizes"] | listed["snapshot"]["sizes"]
        sizes = {str(name): int(size) for name, size in files.items()}
        names = [*sizes, "webagent.js", "dev.js", "logs.js", "global.js", "modelcontext.js"]
        missing = [name for name in names if not (bundle / name).is_file()]
        wrong = [n for n in sizes if n not in missing and (bundle / n).stat().st_size != sizes[n]]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return Sign("bundle", f"it is not there, so pages get no agent - {remedy}", well=False)
    if missing or wrong:
        what = f"`{missing[0]}` is missing" if missing else f"`{wrong[0]}` is not whole"
        return Sign("bundle", f"{what} - {remedy}", well=False)
    return Sign("bundle", f"build {listed.get('build', '')}, {len(names)} files")


def _browser() -> Sign:
    needed = "for `check URL`, `extract`, `test`, `call`, `run` and `demo`"
    if find_spec("playwright") is None:
        return Sign("browser", f'no Playwright, {needed}: `pip install "webagent-dev[browser]"`')
    try:
        path = find_browser() or _playwrights_own()
    except NoBrowser as error:
        return Sign("browser", str(error), well=False)
    if path is None:
        return Sign("browser", f"no Chromium, {needed}: `playwright install chromium`")
    try:
        said = subprocess.run(  # noqa: S603 - a browser that the person has installed or named
            [path, "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return Sign("browser", f"`{path}` does not start - name another in `CHROMIUM`", well=False)
    return Sign("browser", f"{said.stdout.strip()} at {path}")


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _httpx() -> Sign:
    if find_spec("httpx") is None:
        return Sign("httpx", 'not there, for URLs and models: `pip install "webagent-core[http]"`')
    return Sign("httpx", version("httpx"))


def _mcp() -> Sign:
    # `build` looks at the bundle alone, without all that a server needs.
    from webagent_dev.config.extras import NEEDED

    needed = "for agent programs at `/mcp`"
    if any(find_spec(name) is None for name in NEEDED):
        return Sign("mcp", f'not there, {needed}: `pip install "webagent-dev[mcp]"`')
    return Sign("mcp", version("mcp"))


def _hypothesis() -> Sign:
    if find_spec("hypothesis") is None:
        return Sign("hypothesis", 'not there, for `test`: `pip install "webagent-dev[testing]"`')
    return Sign("hypothesis", version("hypothesis"))


def _port() -> Sign:
    with socket.socket() as probe:
        taken = probe.connect_ex(("127.0.0.1", _PORT)) == 0
    text = "taken: `serve` uses the next free one" if taken else "free"
    return Sign("port", f"{_PORT} is {text}")


def run(console: Console) -> int:
    """Write a line for each thing that was looked at; return 1 if one keeps a command from working."""
    code = 0
    for sign in signs():
        console.labelled(sign.name, printable(sign.text), "green" if sign.well else "red")
        code = code if sign.well else 1
    return code
