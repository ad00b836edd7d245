"""`webagent-dev build`: a site as static files, ready for any host."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import punctuation
from urllib.parse import quote

from webagent import parse
from webagent.checks import check_bytes
from webagent.schema.tools import tool_schemas
from webagent_dev.cli.doctor import bundle_sign
from webagent_dev.config.folders import BUNDLE
from webagent_dev.config.urls import MANIFEST_NAME
from webagent_dev.errors import UsageError
from webagent_dev.http.csp import forbidden, meta_policies
from webagent_dev.http.html_head import is_document, text_of
from webagent_dev.http.html_inject import declared_encoding
from webagent_dev.publish.compression import Compress, compress, compressors
from webagent_dev.publish.csp_header import page_policy, sandbox_policy
from webagent_dev.publish.publication import Publication, rebased
from webagent_dev.publish.published_bundle import FOLDER, integrity, publish
from webagent_dev.site.findings import tally
from webagent_dev.site.tree import BUILT, is_html, site_files
from webagent_dev.terminal import Console, printable

JSON_NAME = "webagents.json"

_CODE = frozenset((".js", ".mjs", ".html", ".htm"))
_MODEL_CONTEXT = re.compile(rb"modelContext")
_STYLED = re.compile(rb"<style[\s>]|[\s\"'`]style=[\\\"'`$]")
"""Styles in markup, also in such as a script makes; setting `element.style` needs no leave."""
_BASE = re.compile(r"/(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+/)*")


@dataclass(slots=True)
class Built:
    """What was written so far."""

    out: Path
    names: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    """Text of each page as it goes live."""
    styled: bool = False
    """Whether scripts write styles into markup."""
    forbidding: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By page, what its own policy forbids to the agent, and what to write instead."""
    outside: dict[str, str] = field(default_factory=dict)
    """By page, an address that begins at the root, outside of the base."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.names.append(name)


def run(
    root: Path,
    console: Console,
    *,
    out: Path,
    base: str = "/",
    options: Mapping[str, str] | None = None,
    llm: str | None = None,
    manifest: bytes | None = None,
    bundle: Path = BUNDLE,
) -> int:
    """Write a site for production; return 1 if its manifest has errors, and write nothing then.

    Args:
        root: The folder of the site.
        console: Where to write what the server has to set.
        out: The folder to write.
        base: Path under which the site will be served.
        options: Attributes of the page's script, without `data-`.
        llm: Where pages ask a model.
        manifest: The manifest, where it is not the file of that name in the folder.
        bundle: The page bundle.

    Raises:
        UsageError: Something is not what it should be, or cannot be read or written.
    """
    base = _checked_base(base)
    if not (sign := bundle_sign(bundle)).well:
        raise UsageError(f"the page bundle cannot be published: {sign.text}")
    if not root.is_dir():
        raise UsageError(f"`{root}` is no folder - a site is built from one - write its path")
    real, target = root.resolve(), out.resolve()
    if target == real or real.is_relative_to(target):
        raise UsageError(
            f"`{out}` holds the site itself - what is built stands beside it - "
            "write another folder behind `--out`"
        )
    files = [
        (name, path) for name, path in site_files(real) if not (real / name).is_relative_to(target)
    ]
    if taken := next((name for name, _ in files if name.startswith(f"{FOLDER}/")), None):
        raise UsageError(
            f"`{taken}` stands where the bundle goes - `{FOLDER}/` is the agent's - rename the folder"
        )
    file = next((path for name, path in files if name == MANIFEST_NAME), None)
    if manifest is None and file is not None:
        manifest = file.read_bytes()
    files = [(name, path) for name, path in files if name != MANIFEST_NAME]
    if manifest is not None:
        report = check_bytes(manifest, path=MANIFEST_NAME)
        if report.broken:
            console.line(f"{MANIFEST_NAME}: {tally(report)}")
            console.line(f"nothing was built - `webagent-dev check {root}` says what is wrong")
            return 1
        manifest = rebased(manifest, base)
    try:
        _clear(target)
        # From the first file on: a server that watches the folder around it takes none for the site's.
        mark = target / BUILT
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text("{}\n", encoding="utf-8")
        publication = Publication(
            base,
            publish(bundle, target),
            has_manifest=manifest is not None,
            uses_model_context=any(_mentions(name, path, _MODEL_CONTEXT) for name, path in files),
            options={**(options or {}), **({"llm": llm} if llm else {})},
        )
        built = _write(files, target, publication, manifest)
        ways = compressors()
        _finish(built, ways, publication.bundle.copies)
        _tell(console, built, publication, llm, ways)
    except OSError as error:
        raise UsageError(
            f"`{error.filename or out}` cannot be read or written - {error.strerror or error} - "
            "write a folder behind `--out` that you may write to"
        ) from None
    for name, (what, remedy) in list(built.forbidding.items())[:10]:
        console.line(
            f"{printable(name)}: the policy in its own `<meta>` forbids {what}, which the agent needs "
            f"- {remedy}"
        )
    for name, address in list(built.outside.items())[:10]:
        console.line(
            f"{printable(name)}: `{printable(address, 200)}` begins at the root of the host, which "
            f"is not `{base}` - write it relative to the page"
        )
    return 0


def _write(
    files: list[tuple[str, Path]], out: Path, publication: Publication, manifest: bytes | None
) -> Built:
    built = Built(
        out,
        names=list(publication.bundle.integrity),
        styled=any(_mentions(name, path, _STYLED) for name, path in files),
    )
    for name, path in files:
        if Path(name).suffix.lower() not in _CODE:
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, out / name)
            built.names.append(name)
            continue
        page = publication.addressed(path.read_bytes())
        if not is_html(name) or not is_document(page):
            built.write(name, page)
            continue
        if rooted := publication.outside(page):
            built.outside[name] = rooted[0]
        live = publication.page(page)
        built.write(name, live)
        text = _decoded(live)
        built.pages.append(text)
        if found := next(forbidden(meta_policies(text), None), None):
            built.forbidding[name] = found
    if manifest is not None:
        built.write(MANIFEST_NAME, manifest)
        built.write(JSON_NAME, _as_json(manifest))
    return built


def _finish(built: Built, ways: Mapping[str, Compress], there: Collection[str]) -> None:
    """Write the smaller copies that are not there, and the list of all files."""
    copies = compress(
        [built.out / name for name in built.names], ways, {built.out / name for name in there}
    )
    built.names += [copy.relative_to(built.out).as_posix() for copy in copies]
    hashes = {name: integrity((built.out / name).read_bytes()) for name in sorted(built.names)}
    built.write(BUILT, f"{json.dumps(hashes, indent=1)}\n".encode())


def _tell(
    console: Console, built: Built, publication: Publication, llm: str | None, ways: Collection[str]
) -> None:
    """Say what was written, and what the server of the site has to set."""
    folder = publication.bundle.folder
    sandbox = (built.out / folder / "sandbox.html").read_text("utf-8")
    console.line(f"{len(built.names)} files in {printable(str(built.out))}, for {publication.base}")
    console.line(f"compressed: {', '.join(sorted(ways))}")
    if not {".br", ".zst"} <= set(ways):
        console.line('more of that with `pip install "webagent-dev[build]"`')
    console.line("\nThe tags in each page:\n")
    for script in publication.scripts:
        console.line(f"  {script}")
    policy = page_policy(built.pages, llm, styled=built.styled)
    console.line("\nSet for every page:\n")
    console.line(f"  Content-Security-Policy: {policy}")
    console.line(f"\nFor {publication.base}{folder}sandbox.html alone, instead:\n")
    console.line(f"  Content-Security-Policy: {sandbox_policy(sandbox)}")
    console.line(f"\nFor all of {publication.base}{folder}:\n")
    console.line("  Cache-Control: public, max-age=31536000, immutable\n")
    if publication.has_manifest:
        console.line(f"For {publication.base}{MANIFEST_NAME}:\n")
        console.line("  Content-Type: text/markdown; charset=utf-8")
        console.line("  Cache-Control: no-cache\n")


def _checked_base(base: str) -> str:
    path = quote(f"/{base.strip().strip('/')}/", safe=punctuation) if base.strip("/ ") else "/"
    if not _BASE.fullmatch(path) or ".." in path.split("/"):
        raise UsageError(
            f"`{base}` is no path of a URL - it is what stands before the names of your files - "
            "write `--base /app/`"
        )
    return path


def _clear(out: Path) -> None:
    """Make room: remove what an earlier build wrote, and nothing else.

    Raises:
        UsageError: There are other files.
    """
    listed = out / BUILT
    if listed.is_file():
        try:
            names = json.loads(listed.read_text("utf-8"))
        except ValueError:
            names = {}
        for name in names if isinstance(names, dict) else ():
            path = (out / name).resolve()
            if path.is_relative_to(out):
                path.unlink(missing_ok=True)
        listed.unlink()
        for folder in sorted((f for f in out.rglob("*") if f.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
    if out.is_dir() and (other := next(out.iterdir(), None)) is not None:
        raise UsageError(
            f"`{other}` is in the way - only what an earlier build wrote is replaced - "
            "write a new or empty folder behind `--out`"
        )


def _mentions(name: str, path: Path, what: re.Pattern[bytes]) -> bool:
    """Whether a script or a page of the site holds something."""
    if Path(name).suffix.lower() not in _CODE:
        return False
    return what.search(path.read_bytes()) is not None


def _decoded(page: bytes) -> str:
    try:
        return page.decode(declared_encoding(page) or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return text_of(page)


def _as_json(text: bytes) -> bytes:
    manifest = parse(text.decode("utf-8", "replace"))
    data = {
        "name": manifest.name,
        "description": manifest.description,
        "version": manifest.version,
        "tools": tool_schemas(manifest),
    }
    return f"{json.dumps(data, indent=1)}\n".encode()
