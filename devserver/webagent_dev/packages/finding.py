"""Finds packages as pages do, by micropip in the bundle's own Python, and compiles them there."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webagent_dev.browser.chromium import launched
from webagent_dev.packages.inside import PROGRAM, START
from webagent_dev.packages.sources import ADDRESS, Sources
from webagent_dev.site.documents import Misuse

_LIMIT_MS = 600_000


@dataclass(frozen=True, slots=True)
class Package:
    """A package as the bundle gets it."""

    entry: dict[str, Any]
    """What the lock file says of it, without the path of its file."""
    file: str
    data: bytes
    licence: tuple[str, str]
    """Its name and version, and the text."""


async def find_packages(
    bundle: Path, wanted: list[str], say: Callable[[str], None]
) -> list[Package]:
    """Return the packages that are wanted, and those that they need and the bundle has not.

    Args:
        bundle: A page bundle.
        wanted: Requirements as pip takes them, and paths of wheels.
        say: Told of each stage.

    Raises:
        NoBrowser: Playwright or a browser is missing.
        Misuse: A package cannot be had.
    """
    assets = json.loads((bundle / "bundle.json").read_text("utf-8"))
    wheels = [_wheel(text) for text in wanted if text.endswith(".whl")]
    sources = Sources(bundle, wheels)
    names = [text for text in wanted if not text.endswith(".whl")]
    async with launched() as browser:
        page = await browser.new_page()
        page.set_default_timeout(_LIMIT_MS)
        await page.route("**/*", sources.answer)
        await page.goto(ADDRESS)
        say("starting the bundle's Python in Chromium")
        compiler = (bundle / "compiler.txt").read_text("utf-8")
        await page.evaluate(START, [assets, compiler, PROGRAM])
        say(f"resolving {', '.join(wanted)}")
        asked = json.dumps([*sources.local, *names])
        answer = await page.evaluate("(asked) => ask('resolve', asked)", asked)
        if "error" in answer:
            kind, message = answer["error"]
            raise Misuse(_why(kind, message, sources))
        had = json.loads((bundle / assets["lock"]).read_text("utf-8"))["packages"]
        packages = []
        for key, entry in sorted(answer["lock"]["packages"].items()):
            if key in had:
                continue
            url = entry.pop("file_name")
            name = url.rpartition("/")[2]
            say(f"compiling {entry['name']} {entry['version']}")
            data = base64.b64encode(sources.wheels[url]).decode()
            made = await page.evaluate(
                "([name, data]) => ask('compiled', name, data)", [name, data]
            )
            entry["imports"] = made["imports"]
            title, text = made["licence"]
            body = base64.b64decode(made["data"])
            packages.append(Package(entry, made["name"], body, (title, text)))
    return packages


def _wheel(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise Misuse(f"`{text}` does not exist - a wheel is a file - write its path, or a name")
    return path.resolve()


def _why(kind: str, message: str, sources: Sources) -> str:
    """Return in words why packages cannot be had."""
    if sources.unreachable:
        host, reason = next(iter(sources.unreachable.items()))
        return (
            f"`{host}` cannot be reached - {reason} - see that there is a network, or write paths of "
            "wheels behind `--add`"
        )
    said = message.strip().splitlines()[0] if message.strip() else kind
    if found := re.match(r"Can't fetch metadata for '(.+?)'", said):
        return (
            f"`{found[1]}` is not in the package index - it may be called otherwise there - "
            "write its name as pip takes it, or the path of a wheel"
        )
    if found := re.match(r"Can't find a pure Python 3 wheel for '(.+?)'", said):
        return (
            f"`{found[1]}` has no wheel that runs in a page - neither a pure one nor one for "
            "`pyemscripten_2026_0_wasm32` - build one from its source with `pyodide build` of "
            "pyodide-build, on Python 3.12 or newer, and write the path of that wheel"
        )
    if found := re.match(r"Requested '(.+?)', but (\S+) is already installed", said):
        return (
            f"`{found[1]}` cannot be had - the agent itself needs {found[2]} - "
            "take a version of the package that does too"
        )
    if kind == "InvalidRequirement":
        return (
            f"something behind `--add` is no package - {said} - "
            "write `--add NAME`, `--add NAME==VERSION` or `--add PATH.whl`"
        )
    return f"the packages cannot be had - {said} - write others, or other versions of them"
