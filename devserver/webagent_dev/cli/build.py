"""`webagent-dev build`: a site as static files, ready for any host."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import punctuation
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import click

from webagent.announcements import AI_CATALOG, ANNOUNCEMENTS, LLMS_TXT, MEDIA_TYPES, Announcement
from webagent.page_markdown import page_markdown
from webagent.urls import absolute, origin_of
from webagent_dev.cli.doctor import check_bundle
from webagent_dev.cli.exit import run_command
from webagent_dev.site.tree import BUILT, denied_files, is_html, site_files
from webagent_dev.terminal import Console
from webagent_site.config.folders import BUNDLE
from webagent_site.config.urls import MANIFEST_NAME, MODEL_OPTIONS, is_address, model_url
from webagent_site.errors import UsageError
from webagent_site.http.compression import Compress, compress, compressors
from webagent_site.http.csp import forbidden, meta_policies
from webagent_site.http.html_head import is_document, text_of
from webagent_site.http.html_inject import declared_encoding
from webagent_site.http.markdown_twin import page_text
from webagent_site.publish.csp_header import page_policy, sandbox_policy
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_site.publish.publication import Publication

JSON_NAME = "webagents.json"
_QUIET_S = 1.0
"""How long a build says nothing about its progress."""
_PROGRESS_S = 5.0
"""How often it does from then on."""

_CODE = frozenset((".js", ".mjs", ".html", ".htm"))
_MODEL_CONTEXT = re.compile(rb"modelContext")
_STYLED = re.compile(rb"<style[\s>]|[\s\"'`]style=[\\\"'`$]")
"""Styles in markup, also in markup that a script makes. A policy need not allow `element.style`."""
_NEW_LIST = f"{BUILT}.new"
"""The list of files while it is written."""
_DIGEST = "[0-9a-f]" * 16
"""The name of the folder of a bundle, as a pattern of `glob`."""
_BASE = re.compile(r"/(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+/)*")


@dataclass(slots=True)
class BuiltSite:
    """The files that were written so far, and what the server or the author has to know of them."""

    out: Path
    names: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    """The text of each page as it is published."""
    styled: bool = False
    """Whether scripts write styles into markup."""
    conflicts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The conflict of a page's own policy with the agent, and the remedy, by page."""
    rooted: dict[str, str] = field(default_factory=dict)
    """A link that begins at the root of the host, outside of the base, by page."""
    problems: list[str] = field(default_factory=list)
    """The mistakes in the site's own `llms.txt`."""
    has_catalog: bool = False
    """Whether there is an AI Catalog."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.names.append(name)


@click.command("build")
@click.argument("root", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder to write.",
)
@click.option(
    "--base",
    default="/",
    show_default=True,
    metavar="URL|PATH",
    help="The URL under which the site will be served, or its path; a catalogue for agents needs all of it.",
)
@click.option(
    "--llm",
    metavar="URL#NAME",
    help="Where pages reach a model: a URL of your own server, which holds the key.",
)
@click.option(
    "--llm-fallback",
    metavar="URL#NAME",
    help="Where they reach a second model, for runs in which the first one fails.",
)
@click.option(
    "--spa",
    is_flag=True,
    help="The site is an application that routes in its page: check that deep links are answered.",
)
@run_command
def command(
    console: Console,
    root: Path | None,
    out: Path,
    base: str,
    llm: str | None,
    llm_fallback: str | None,
    spa: bool,
) -> int:
    """Write the site in ROOT (by default this folder) as static files, ready for any host.

    The files are copied. Pages get the tags of the agent, and the agent gets a folder of its own.
    Each file gets compressed copies next to it. The headers that your server has to set are printed.

    \b
    Example:
      webagent-dev build my-site --out public --base /app/
    """
    from webagent_dev.config.resolve import require_site, resolve_config
    from webagent_dev.site.source import source_of

    config = resolve_config(None if root is None else str(root), spa=spa or None)
    require_site(config, typed=root is not None)
    if config.proxy and root is None:
        raise UsageError(
            f"the site is served by `{config.proxy}` - only files can be built - "
            "build it with its own tools, and write `webagent-dev build ITS-OUTPUT --out …`"
        )
    manifest = source_of(config, console).read()
    if manifest is None and (config.manifest or config.manifest_command):
        raise UsageError(
            f"`{config.file}` says where the manifest comes from, and there is none - "
            "a site is not published without its tools - correct `[site]` in that file"
        )
    # Published pages have no overlay to switch off.
    options = {name: value for name, value in config.page_options.items() if name != "overlay"}
    written = build_site(
        config.root,
        console,
        out=out,
        base=base,
        options=options,
        llm=llm,
        llm_fallback=llm_fallback,
        manifest=manifest,
        bundle=config.bundle or BUNDLE,
        allow_files=config.allow_files,
        announce=config.announce,
        spa=config.spa,
    )
    return 0 if written else 1


def build_site(
    root: Path,
    console: Console,
    *,
    out: Path,
    base: str = "/",
    options: Mapping[str, str] | None = None,
    llm: str | None = None,
    llm_fallback: str | None = None,
    manifest: bytes | None = None,
    bundle: Path = BUNDLE,
    allow_files: Sequence[str] = (),
    announce: Collection[Announcement] = ANNOUNCEMENTS,
    spa: bool = False,
) -> bool:
    """Write a site for production, and report what its server has to set.

    Args:
        root: The folder of the site.
        console: Where the report is written.
        out: The folder to write.
        base: Address under which the site will be served, or only its path.
        options: Attributes of the page's script, without `data-`.
        llm: Where pages reach a model.
        llm_fallback: Where they reach a second one, for runs in which the first one fails.
        manifest: The manifest, where it is not the file of that name in the folder.
        bundle: The page bundle.
        allow_files: Files that are published whatever their names.
        announce: The announcements that are written.
        spa: Whether the site routes in its page, so that its host has to answer deep links.

    Returns:
        False if nothing was written because the manifest has errors, or is missing.

    Raises:
        UsageError: An argument is wrong, or something cannot be read or written.
    """
    from webagent.checks import check_bytes
    from webagent.rebase import rebased
    from webagent_dev.publish.application import deep_links
    from webagent_dev.site.findings import tally
    from webagent_site.publish.publication import Publication
    from webagent_site.publish.published_bundle import publish

    origin, base = origin_of(base), _normal_base(base)
    models = dict(zip(MODEL_OPTIONS, (llm, llm_fallback), strict=True))
    for name, given in models.items():
        if given is not None and absolute("https://site.example/", model_url(given)) is None:
            raise UsageError(
                f"`{given}` is not the URL of a model - pages call it over HTTP - "
                f"write `--{name} /llm/v1#NAME`"
            )
    if llm_fallback and not llm:
        raise UsageError(
            "`--llm-fallback` is given without a model - it is asked when the first model fails - "
            "write `--llm /llm/v1#NAME` too"
        )
    if not (checked := check_bundle(bundle)).ok:
        raise UsageError(f"the page bundle cannot be published: {checked.text}")
    files = _source_files(root, out, allow_files)
    target = out.resolve()
    file = next((path for name, path in files if name == MANIFEST_NAME), None)
    if manifest is None and file is not None:
        manifest = file.read_bytes()
    files = [(name, path) for name, path in files if name != MANIFEST_NAME]
    if missing := _missing_manifest(root.resolve(), dict(files), base, manifest):
        console.line(missing)
        console.line("nothing was built - a site is not published without its tools")
        return False
    unanswered = ["/any/page"] if spa else []
    if manifest is not None:
        report = check_bytes(manifest, path=MANIFEST_NAME)
        if report.broken:
            console.line(f"{MANIFEST_NAME}: {tally(report)}")
            console.line(f"nothing was built - `webagent-dev check {root}` shows what is wrong")
            return False
        unanswered = deep_links(report.manifest, frozenset(dict(files))) or unanswered
        manifest = rebased(manifest.decode("utf-8", "replace"), base).encode()
    try:
        _clear(target)
        # Before all other files: a server that watches the folder around it then leaves them out,
        # and the next build can replace them if this one is killed.
        own = [] if manifest is None else [MANIFEST_NAME, JSON_NAME]
        _list_unfinished(target, [*dict(files), *own])
        publication = Publication(
            base,
            publish(bundle, target),
            has_manifest=manifest is not None,
            uses_model_context=any(_mentions(name, path, _MODEL_CONTEXT) for name, path in files),
            options={**(options or {}), **{name: url for name, url in models.items() if url}},
            catalog=AI_CATALOG if origin and manifest and "ai-catalog" in announce else "",
        )
        built = _write(files, target, publication, manifest)
        _announce(built, dict(files), f"{origin}{base}", manifest, announce)
        formats = compressors()
        _finish(built, formats, publication.bundle.copies, console)
        _report(console, built, publication, formats)
    except OSError as error:
        raise UsageError(
            f"`{error.filename or out}` cannot be read or written - {error.strerror or error} - "
            "write a folder behind `--out` that you may write to"
        ) from None
    _warn(console, built, base)
    if unanswered:
        _warn_of_deep_links(console, unanswered[0], dict(files))
    _report_denied(console, root.resolve(), target, allow_files)
    return True


def _missing_manifest(
    root: Path, files: Mapping[str, Path], base: str, manifest: bytes | None
) -> str:
    """Return what is wrong where the manifest is not in what is published; empty if it is there."""
    from webagent_dev.publish.application import missing_manifests
    from webagent_dev.site.project import project_of

    published = frozenset(files) | ({MANIFEST_NAME} if manifest is not None else frozenset())
    found = next(missing_manifests(files, base, published), None)
    project = project_of(root.parent)
    if project and project.is_output(root.name) and (found or manifest is None):
        names = (MANIFEST_NAME, project.manifest)
        if own := next((name for name in names if (root.parent / name).is_file()), None):
            is_there = own == project.manifest
            remedy = f"run {project.framework}'s build again" if is_there else "move it there"
            return (
                f"{printable(str(root.parent / own))}: it is not in `{printable(root.name)}`, which is "
                f"published - {project.framework} copies {printable(project.manifest)} - {remedy}"
            )
    if found is None:
        return ""
    address, page = found
    return (
        f"{printable(page)}: it announces `{printable(address, 200)}`, which is not in "
        f"{printable(str(root))} - put the manifest there, or correct the tag"
    )


def _source_files(root: Path, out: Path, allow_files: Sequence[str]) -> list[tuple[str, Path]]:
    """Return the files of the site, without what an earlier build wrote into its folder."""
    from webagent_site.publish.published_bundle import FOLDER

    if not root.is_dir():
        raise UsageError(f"`{root}` is not a folder - a site is built from one - write its path")
    real, target = root.resolve(), out.resolve()
    if target == real or real.is_relative_to(target):
        raise UsageError(
            f"`{out}` holds the site itself - a build needs a folder of its own - "
            "give `--out` another folder"
        )
    files = [
        (name, path)
        for name, path in site_files(real, allow_files)
        if not (real / name).is_relative_to(target)
    ]
    if taken := next((name for name, _ in files if name.startswith(f"{FOLDER}/")), None):
        raise UsageError(
            f"`{taken}` is in the place of the bundle - `{FOLDER}/` is the agent's - rename the folder"
        )
    return files


def _write(
    files: Sequence[tuple[str, Path]], out: Path, publication: Publication, manifest: bytes | None
) -> BuiltSite:
    """Write the pages, the other files and the manifest."""
    built = BuiltSite(
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
        page = publication.with_published_urls(path.read_bytes())
        if not is_html(name) or not is_document(page):
            built.write(name, page)
            continue
        if rooted := publication.urls_outside_base(page):
            built.rooted[name] = rooted[0]
        live = publication.page(page)
        built.write(name, live)
        text = _decoded(live)
        built.pages.append(text)
        if found := next(forbidden(meta_policies(text), None), None):
            built.conflicts[name] = found
    if manifest is not None:
        built.write(MANIFEST_NAME, manifest)
        built.write(JSON_NAME, _as_json(manifest))
    return built


def _list_files(out: Path, hashes: Mapping[str, str]) -> None:
    """Write the list of the files of a build; one that is killed meanwhile leaves the list before."""
    listed = out / BUILT
    listed.parent.mkdir(parents=True, exist_ok=True)
    new = out / _NEW_LIST
    new.write_text(f"{json.dumps(hashes, indent=1)}\n", encoding="utf-8")
    new.replace(listed)


def _list_unfinished(out: Path, names: Iterable[str]) -> None:
    """List the files that are about to be written, and every copy that they may get, without hashes."""
    suffixes = ("", *compressors())
    _list_files(out, {name + suffix: "" for name in names for suffix in suffixes})


def _announce(
    built: BuiltSite,
    files: Mapping[str, Path],
    base: str,
    manifest: bytes | None,
    wanted: Collection[Announcement],
) -> None:
    """Write the announcements of the site, unless it has such files itself."""
    from webagent import parse
    from webagent.announcements.files import announcement_files
    from webagent.announcements.llms_txt import llms_txt_problems
    from webagent_dev.site.announced import listed_pages

    made: dict[str, bytes] = {}
    if manifest is not None:
        pages = list(listed_pages(files))
        if "markdown" in wanted:
            # A static host does not look at what a client prefers: pages have a copy next to them.
            copies = {page.path: _markdown_copy(page.path, files, base) for page in pages}
            made |= {name: copy for name, copy in copies.values() if copy}
            pages = [
                replace(page, path=quote(name)) if (name := copies[page.path][0]) in made else page
                for page in pages
            ]
        read = parse(manifest.decode("utf-8", "replace"))
        made |= announcement_files(read, base, pages, wanted)
    made = {name: content for name, content in made.items() if name not in files}
    _list_unfinished(built.out, [*built.names, *made])
    for name, content in made.items():
        built.write(name, content)
    if LLMS_TXT in files:
        text = files[LLMS_TXT].read_text("utf-8", "replace")
        built.problems = [f"{LLMS_TXT}: {found}" for found in llms_txt_problems(text)]
    built.has_catalog = AI_CATALOG in built.names


def _markdown_copy(path: str, files: Mapping[str, Path], base: str) -> tuple[str, bytes]:
    """Return the name and the content of a page's copy as Markdown; no content if it would be too long."""
    name = unquote(path)
    name += "index.html" if not name or name.endswith("/") else ""
    text = page_markdown(page_text(files[name].read_bytes()), f"{base}{path}")
    return f"{name}.md", (text or "").encode()


def _finish(
    built: BuiltSite, formats: Mapping[str, Compress], existing: Collection[str], console: Console
) -> None:
    """Write the compressed copies that do not exist yet, and the list of all files."""
    from webagent_site.http.bundle_files import integrity

    shown_s = time.monotonic() - _PROGRESS_S + _QUIET_S

    def progress(done: int, of: int) -> None:
        nonlocal shown_s
        if time.monotonic() - shown_s >= _PROGRESS_S and done < of:
            shown_s = time.monotonic()
            console.line(f"{done} of {of} compressed copies are written")

    files = [built.out / name for name in built.names]
    copies = compress(files, formats, {built.out / name for name in existing}, progress)
    built.names += [copy.relative_to(built.out).as_posix() for copy in copies]
    hashes = {name: integrity((built.out / name).read_bytes()) for name in sorted(built.names)}
    _list_files(built.out, hashes)
    built.names.append(BUILT)


def _report(
    console: Console,
    built: BuiltSite,
    publication: Publication,
    formats: Collection[str],
) -> None:
    """Write what was built, and what the server of the site has to set."""
    folder = publication.bundle.folder
    sandbox = (built.out / folder / "sandbox.html").read_text("utf-8")
    console.line(f"{len(built.names)} files in {printable(str(built.out))}, for {publication.base}")
    console.line(f"compressed: {', '.join(sorted(formats))}")
    console.line("\nThe tags in each page:\n")
    for script in publication.scripts():
        console.line(f"  {script}")
    models = [publication.options.get(name, "") for name in MODEL_OPTIONS]
    policy = page_policy(built.pages, models, styled=built.styled)
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
    if built.has_catalog:
        console.line(f"For {publication.base}{AI_CATALOG}:\n")
        console.line(f"  Content-Type: {MEDIA_TYPES['catalog.json']}\n")
    panel = publication.options.get("panel")
    # Without an option, a tag that the site wrote itself decides.
    decided = panel is None and any("data-panel" in page for page in built.pages)
    if panel != "on" and not decided:
        console.line("The panel is off, so visitors see nothing of the agent. This turns it on,")
        console.line("under `[page]` in webagent.toml, or as `data-panel` on a tag of your own:\n")
        console.line('  panel = "on"\n')


def _warn(console: Console, built: BuiltSite, base: str) -> None:
    """Write what will not work in some of the pages."""
    for problem in built.problems[:10]:
        console.line(printable(problem, 300))
    for name, (what, remedy) in list(built.conflicts.items())[:10]:
        console.line(
            f"{printable(name)}: the policy in its own `<meta>` forbids {what}, which the agent needs "
            f"- {remedy}"
        )
    for name, address in list(built.rooted.items())[:10]:
        console.line(
            f"{printable(name)}: `{printable(address, 200)}` begins at the root of the host, which "
            f"is not `{base}` - write it relative to the page"
        )


def _warn_of_deep_links(console: Console, path: str, files: Mapping[str, Path]) -> None:
    """Write what an application lacks for visitors who open one of its deep links."""
    from webagent_dev.publish.application import has_fallback, relative_script

    if not has_fallback(files):
        console.line(
            f"`{printable(path, 200)}`: no file answers such a deep link, and no fallback does - copy "
            "index.html to 404.html (GitHub Pages), write `/* /index.html 200` into _redirects "
            "(Netlify, Cloudflare), or set `try_files $uri /index.html` (nginx)"
        )
    if script := relative_script(files):
        console.line(
            f"index.html: `{printable(script, 200)}` is relative to the page, so a deep link does not "
            "find it - begin its address with `/`, or write `<base href>`"
        )


def _report_denied(console: Console, root: Path, out: Path, allow_files: Sequence[str]) -> None:
    """Write which files were left out because of their names, but for those that nobody misses."""
    missed = [
        name
        for name in denied_files(root, allow_files)
        if not (root / name).is_relative_to(out)
        and not any(part.startswith(".") for part in name.split("/"))
    ]
    for name in missed[:10]:
        console.line(
            f"{printable(name)}: left out, since files with such names often hold secrets or are not meant for visitors - "
            "`[site] allow_files` in `webagent.toml` publishes it"
        )
    if len(missed) > 10:
        console.line(f"… and {len(missed) - 10} more files like these")


def _normal_base(base: str) -> str:
    """Return a base path with a slash at both ends, percent-encoded."""
    below = urlsplit(base)._replace(scheme="", netloc="").geturl() if is_address(base) else base
    path = quote(f"/{below.strip().strip('/')}/", safe=punctuation) if below.strip("/ ") else "/"
    if not _BASE.fullmatch(path) or ".." in path.split("/"):
        raise UsageError(
            f"`{base}` is not the path of a URL - it comes before the names of your files - "
            "write `--base /app/`"
        )
    return path


def _clear(out: Path) -> None:
    """Remove what an earlier build wrote, and nothing else.

    Raises:
        UsageError: There are other files.
    """
    listed = out / BUILT
    if listed.is_file():
        try:
            names = json.loads(listed.read_text("utf-8"))
        except ValueError:
            names = {}
        names = names if isinstance(names, dict) else {}
        for name in names:
            path = (out / name).resolve()
            if path.is_relative_to(out):
                path.unlink(missing_ok=True)
        if not all(names.values()) or not names:
            # The build was killed, perhaps before it knew the name of its bundle.
            for folder in listed.parent.glob(_DIGEST):
                shutil.rmtree(folder)
        (out / _NEW_LIST).unlink(missing_ok=True)
        listed.unlink()
        for folder in sorted((f for f in out.rglob("*") if f.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
    if out.is_dir() and (other := next(out.iterdir(), None)) is not None:
        raise UsageError(
            f"`{other}` is in the way - only what an earlier build wrote is replaced - "
            "give `--out` a new or empty folder"
        )


def _mentions(name: str, path: Path, what: re.Pattern[bytes]) -> bool:
    """Whether a file is a script or a page that has a match."""
    if Path(name).suffix.lower() not in _CODE:
        return False
    return what.search(path.read_bytes()) is not None


def _decoded(page: bytes) -> str:
    try:
        return page.decode(declared_encoding(page) or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return text_of(page)


def _as_json(text: bytes) -> bytes:
    """Return a manifest as JSON, for agents that read no Markdown."""
    from webagent import parse
    from webagent.schema.tools import tool_schemas

    manifest = parse(text.decode("utf-8", "replace"))
    data = {
        "name": manifest.name,
        "description": manifest.description,
        "version": manifest.version,
        "tools": tool_schemas(manifest),
    }
    return f"{json.dumps(data, indent=1)}\n".encode()
