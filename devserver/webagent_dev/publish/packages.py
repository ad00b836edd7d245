"""Adds packages of a site's own to a bundle: finds them as a page would, and writes a new bundle."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urldefrag, urlsplit
from urllib.request import Request, urlopen

from webagent_dev.browser.chromium import launch_browser
from webagent_site.errors import UsageError
from webagent_site.http.bundle_files import STORED, SUFFIXES, BundleFiles
from webagent_site.http.compression import compressors, smaller
from webagent_site.http.file_response import IDENTITY
from webagent_site.http.paths import content_type

if TYPE_CHECKING:
    from playwright.async_api import Route


_LIMIT_MS = 600_000


@dataclass(frozen=True, slots=True)
class Package:
    """A package as the bundle gets it."""

    entry: dict[str, Any]
    """Its entry in the lock file, without the path of its file."""
    file: str
    data: bytes
    licence: tuple[str, str]
    """Its name and version, and the text."""


async def find_packages(
    bundle: Path, requirements: list[str], say: Callable[[str], None]
) -> list[Package]:
    """Return the required packages, and their dependencies that the bundle lacks.

    Args:
        bundle: A page bundle.
        requirements: Requirements as pip takes them, and paths of wheels.
        say: Called with each stage.

    Raises:
        NoBrowser: Playwright or a browser is missing.
        UsageError: A package cannot be had.
    """
    files = BundleFiles(bundle)
    assets = json.loads(files.read("bundle.json"))
    wheels = [_wheel(text) for text in requirements if text.endswith(".whl")]
    server = BundleServer(files, wheels)
    names = [text for text in requirements if not text.endswith(".whl")]
    async with launch_browser() as browser:
        page = await browser.new_page()
        page.set_default_timeout(_LIMIT_MS)
        await page.route("**/*", server.answer)
        await page.goto(ADDRESS)
        say("starting the bundle's Python in Chromium")
        compiler = files.read("compiler.txt").decode()
        await page.evaluate(START, [assets, compiler, PROGRAM])
        say(f"resolving {', '.join(requirements)}")
        asked = json.dumps([*server.local, *names])
        answer = await page.evaluate("(asked) => ask('resolve', asked)", asked)
        if "error" in answer:
            kind, message = answer["error"]
            raise UsageError(_failure_message(kind, message, server))
        had = json.loads(files.read(assets["lock"]))["packages"]
        packages = []
        for key, entry in sorted(answer["lock"]["packages"].items()):
            if key in had:
                continue
            url = entry.pop("file_name")
            name = url.rpartition("/")[2]
            say(f"compiling {entry['name']} {entry['version']}")
            data = base64.b64encode(server.wheels[url]).decode()
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
        raise UsageError(f"`{text}` does not exist - a wheel is a file - write its path, or a name")
    return path.resolve()


def _failure_message(kind: str, message: str, server: BundleServer) -> str:
    """Return in words why packages cannot be had."""
    if server.unreachable:
        host, reason = next(iter(server.unreachable.items()))
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
            f"something behind `--add` is not a package - {said} - "
            "write `--add NAME`, `--add NAME==VERSION` or `--add PATH.whl`"
        )
    return f"the packages cannot be had - {said} - write others, or other versions of them"


NOTICES = "THIRD_PARTY_NOTICES.txt"

_RULE = "=" * 80


def write_bundle(source: Path, out: Path, packages: list[Package]) -> None:
    """Write a bundle; the folder is there when all of it is.

    Args:
        source: The bundle that the new one is made of.
        out: The folder to write, or a bundle that was written so before.
        packages: What to add.

    Raises:
        OSError: A file cannot be read or written.
    """
    making = out.with_name(f"{out.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    try:
        shutil.copytree(source, making)
        _add(making, packages)
        shutil.rmtree(out, ignore_errors=True)
        making.replace(out)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _add(bundle: Path, packages: list[Package]) -> None:
    files = BundleFiles(bundle)
    listed = json.loads(files.read("bundle.json"))
    variants = listed.setdefault("variants", {})
    old_lock, old_build = listed["lock"], listed["build"]
    lock = json.loads(files.read(old_lock))
    for package in packages:
        digest = hashlib.sha256(package.data).hexdigest()
        place = _place(bundle, variants, package.file, package.data)
        name = package.entry["name"].lower().replace("_", "-")
        lock["packages"][name] = {**package.entry, "file_name": place, "sha256": digest}
    text = f"{json.dumps(lock, indent=1, sort_keys=True)}\n".encode()
    new_lock = _place(bundle, variants, PurePath(old_lock).name, text)
    build = hashlib.sha256(f"{old_build}\0{new_lock}".encode()).hexdigest()[: len(old_build)]
    scripts = {
        name: files.read(name).decode() for name in files.names() if PurePath(name).match("*.js")
    }
    for name, script in scripts.items():
        changed = re.sub(rf'("{re.escape(old_lock)}"):[0-9.e]+', rf"\1:{len(text)}", script)
        changed = changed.replace(old_lock, new_lock).replace(old_build, build)
        if changed != script:
            _store(bundle, variants, name, changed.encode())
    shutil.rmtree((bundle / old_lock).parent)
    variants.pop(old_lock, None)
    _replace_lock(listed, old_lock, new_lock, len(text))
    pins = [f"{package.entry['name']}=={package.entry['version']}" for package in packages]
    listed.update(lock=new_lock, build=build, made_of=old_build, added=pins)
    (bundle / "bundle.json").write_text(f"{json.dumps(listed, indent=1)}\n", encoding="utf-8")
    with (bundle / NOTICES).open("a", encoding="utf-8") as notices:
        for title, licence in (package.licence for package in packages):
            notices.write(f"\n{_RULE}\n{title}\n{_RULE}\n\n{licence.strip()}\n")


_Variants = dict[str, dict[str, str]]
"""The digests of an index: of each file and of its copies, by coding."""


def _place(bundle: Path, variants: _Variants, name: str, data: bytes) -> str:
    """Store a file under a name that changes with its content; return its path in the bundle."""
    digest = hashlib.sha256(name.encode() + b"\0" + data).hexdigest()[:16]
    path = f"assets/{digest}/{name}"
    _store(bundle, variants, path, data)
    return path


def _store(bundle: Path, variants: _Variants, name: str, data: bytes) -> None:
    """Write a file compressed, or as it is if that is not worth it; no other form of it stays."""
    target = bundle / name
    target.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("", *SUFFIXES.values()):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    variants.pop(name, None)
    packed = smaller(data, compressors()[SUFFIXES[STORED]])
    if packed is None:
        target.write_bytes(data)
        return
    target.with_name(target.name + SUFFIXES[STORED]).write_bytes(packed)
    digests = {IDENTITY: data, STORED: packed}
    variants[name] = {coding: hashlib.sha256(form).hexdigest() for coding, form in digests.items()}


def _replace_lock(listed: dict[str, Any], old_lock: str, new_lock: str, size: int) -> None:
    """Replace the lock file in the lists of what starts fetch."""
    for start in (listed, listed["snapshot"]):
        if old_lock in start.get("sizes", {}):
            del start["sizes"][old_lock]
            start["sizes"][new_lock] = size


START = """async ([assets, compiler, program]) => {
  const url = (path) => new URL(path, document.baseURI).href;
  const text = (path) => fetch(url(path)).then((answer) => answer.text());
  const bytes = async (path) => new Uint8Array(await (await fetch(url(path))).arrayBuffer());
  const { loadPyodide } = await import(url(assets.pyodide + "pyodide.mjs"));
  const python = await loadPyodide({
    indexURL: url(assets.pyodide),
    stdLibURL: url(assets.stdlib),
    lockFileContents: await text(assets.lock),
    packageBaseUrl: document.baseURI,
    packages: ["webagent-core", "micropip"],
    args: ["-X", "no_debug_ranges"],
    stdout: () => {},
    stderr: () => {},
  });
  python.FS.writeFile(assets.library_path, await bytes(assets.library));
  python.FS.writeFile("/lib/python314-rest.zip", await bytes(assets.rest));
  python.pyimport("webagent_late").expect(() => Promise.reject()).arrive();
  python.runPython(compiler);
  python.runPython(program);
  globalThis.ask = async (name, ...given) => JSON.parse(await python.globals.get(name)(...given));
}"""
"""Starts Python from the files of a bundle; `ask` then calls a function of `PROGRAM`."""

PROGRAM = '''
import base64, json


async def resolve(requirements):
    """Install packages as a page would; return the lock file, or the error, as JSON."""
    import micropip

    try:
        await micropip.install(json.loads(requirements))
    except Exception as error:
        return json.dumps({"error": [type(error).__name__, str(error)]})
    return json.dumps({"lock": json.loads(micropip.freeze())})


async def compiled(name, data):
    """Return a wheel as bytecode, with the docstrings and asserts that its code may count on."""
    name, made = compile_wheel(name, base64.b64decode(data), optimize=0)
    return json.dumps({
        "name": name,
        "data": base64.b64encode(made).decode(),
        "imports": imports(made),
        "licence": licences(base64.b64decode(data)),
    })
'''
"""Python that runs next to the compiler of the bundle."""

ADDRESS = "http://localhost:7358/"
"""Where the bundle seems to be; nothing listens there."""

_WHEELS = "wheels/"

_FETCH_S = 60.0

_OPEN = {"access-control-allow-origin": "*", "access-control-allow-headers": "*"}


class BundleServer:
    """Answers a browser, and keeps the wheels that it was given.

    The package index is asked from here, not by the browser: with the certificates and the proxy that
    Python programs of this machine use.
    """

    def __init__(self, files: BundleFiles, wheels: list[Path]) -> None:
        self._files = files
        self._local = {f"{ADDRESS}{_WHEELS}{wheel.name}": wheel for wheel in wheels}
        self.wheels: dict[str, bytes] = {}
        """The wheels that the browser has fetched, by address."""
        self.unreachable: dict[str, str] = {}
        """Hosts that gave no answer, and why."""

    @property
    def local(self) -> list[str]:
        """Addresses of the wheels of this machine."""
        return list(self._local)

    async def answer(self, route: Route) -> None:
        """Hand the browser what it asked for."""
        url = urldefrag(route.request.url)[0]
        if url == ADDRESS:
            await route.fulfill(body="<!doctype html>", content_type="text/html")
        elif url in self._local:
            body = await asyncio.to_thread(self._local[url].read_bytes)
            self.wheels[url] = body
            await route.fulfill(body=body, content_type="application/octet-stream")
        elif url.startswith(ADDRESS):
            await self._file(route, url)
        else:
            await self._elsewhere(route, url)

    async def _file(self, route: Route, url: str) -> None:
        name = unquote(urlsplit(url).path).removeprefix("/")
        try:
            body = await asyncio.to_thread(self._files.read, name)
        except OSError:
            await route.fulfill(status=404, body="There is no such file.")
            return
        await route.fulfill(body=body, content_type=content_type(name, body[:1024]))

    async def _elsewhere(self, route: Route, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" or route.request.method != "GET":
            await route.abort()
            return
        accept = route.request.headers.get("accept", "*/*")
        try:
            status, kind, body = await asyncio.to_thread(_fetch, url, accept)
        except OSError as error:
            reason = error.reason if isinstance(error, URLError) else error
            self.unreachable[parts.hostname or ""] = str(reason)
            await route.abort()
            return
        if status == 200 and parts.path.endswith(".whl"):
            self.wheels[url] = body
        await route.fulfill(status=status, headers={**_OPEN, "content-type": kind}, body=body)


def _fetch(url: str, accept: str) -> tuple[int, str, bytes]:
    """Return status, content type and body of an answer."""
    request = Request(url, headers={"accept": accept})  # noqa: S310 - https, as was looked at
    try:
        with urlopen(request, timeout=_FETCH_S) as answer:  # noqa: S310
            return answer.status, answer.headers.get("content-type", ""), answer.read()
    except HTTPError as error:
        return error.code, error.headers.get("content-type", ""), error.read()
