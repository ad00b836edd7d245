"""`webagent-dev doctor`: reports whether this machine has what the commands need."""

from __future__ import annotations

import json
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from webagent_dev import __version__
from webagent_dev.browser.chromium import NoBrowser, find_browser
from webagent_dev.cli.exit import run_command
from webagent_dev.config.extras import BROWSER, EXTRAS
from webagent_dev.terminal import Console
from webagent_site.config.folders import BUNDLE
from webagent_site.text import printable

_PORT = 8000

_PARTS = ("webagent-site", "webagent-core")
"""Our packages that this one is built on."""

_VERSION_S = 20
"""How long a browser may take to print its version."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The state of one thing that commands need."""

    name: str
    text: str
    ok: bool = True
    """False if it keeps a command from working."""


@click.command("doctor")
@run_command
def command(console: Console) -> int:
    """Report whether this machine has what the commands need.

    The exit code is 1 if something keeps a command from working.

    \b
    Example:
      webagent-dev doctor
    """
    code = 0
    for one in diagnose():
        console.labelled(one.name, printable(one.text), "green" if one.ok else "red")
        code = code if one.ok else 1
    return code


def diagnose(bundle: Path = BUNDLE) -> Iterator[Diagnosis]:
    """Yield a diagnosis for each thing that commands need, the most important first."""
    yield Diagnosis("python", f"{platform.python_version()} at {sys.executable}")
    yield _versions()
    yield from _format_sdk()
    yield check_bundle(bundle)
    yield _browser()
    for extra in EXTRAS:
        if extra is not BROWSER:
            yield Diagnosis(extra.name, extra.problem or version(extra.packages[0]))
    yield _port()


def _versions() -> Diagnosis:
    for name in _PARTS:
        found = version(name)
        if found != __version__:
            return Diagnosis(
                "packages",
                f"webagent-dev {__version__} and {name} {found} are of different versions - "
                f'run `pip install "{name}=={__version__}"`',
                ok=False,
            )
    return Diagnosis("packages", f"webagent-dev, {' and '.join(_PARTS)} {__version__}")


def _format_sdk() -> Iterator[Diagnosis]:
    """Yield an error if the SDK of the format is installed, whose import name is ours too."""
    try:
        found = version("webagents-md")
    except PackageNotFoundError:
        return
    yield Diagnosis(
        "sdk",
        f"webagents-md {found} is installed too - both have the import name `webagent`, and the "
        "files of one hide the other's - run `pip uninstall webagents-md`, then "
        "`pip install --force-reinstall webagent-core`",
        ok=False,
    )


def check_bundle(bundle: Path) -> Diagnosis:
    """Return whether a page bundle exists and is complete."""
    from webagent_site.http.bundle_files import BundleFiles

    remedy = "install webagent-site again, or run `make bundle`"
    try:
        listed = json.loads((bundle / "bundle.json").read_text("utf-8"))
        files = listed["sizes"] | listed["snapshot"]["sizes"]
        sizes = {str(name): int(size) for name, size in files.items()}
        names = [*sizes, "webagent.js", "dev.js", "logs.js", "global.js", "modelcontext.js"]
        contents = BundleFiles(bundle)
        missing = [name for name in names if name not in contents]
        wrong = [n for n in sizes if n not in missing and len(contents.read(n)) != sizes[n]]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return Diagnosis("bundle", f"it does not exist, so pages get no agent - {remedy}", ok=False)
    if missing or wrong:
        what = f"`{missing[0]}` is missing" if missing else f"`{wrong[0]}` is not complete"
        return Diagnosis("bundle", f"{what} - {remedy}", ok=False)
    return Diagnosis("bundle", f"build {listed.get('build', '')}, {len(names)} files")


def _browser() -> Diagnosis:
    if problem := BROWSER.problem:
        return Diagnosis("browser", problem)
    try:
        path = find_browser() or _chromium_of_playwright()
    except NoBrowser as error:
        return Diagnosis("browser", str(error), ok=False)
    if path is None:
        return Diagnosis(
            "browser", f"no Chromium, for {BROWSER.commands}: `playwright install chromium`"
        )
    try:
        printed = subprocess.run(  # noqa: S603 - a browser that the user installed or named
            [path, "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return Diagnosis(
            "browser", f"`{path}` does not start - name another in `CHROMIUM`", ok=False
        )
    return Diagnosis("browser", f"{printed.stdout.strip()} at {path}")


def _chromium_of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _port() -> Diagnosis:
    with socket.socket() as probe:
        taken = probe.connect_ex(("127.0.0.1", _PORT)) == 0
    text = "taken: `serve` uses the next free one" if taken else "free"
    return Diagnosis("port", f"{_PORT} is {text}")
