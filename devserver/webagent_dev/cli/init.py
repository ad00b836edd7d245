"""`webagent-dev init`: a site to start from, or what an existing site needs."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.cli.changes import NOTHING_WRITTEN, is_agreed, unified_diff
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import yes_option
from webagent_dev.config.extras import BROWSER
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME, MANIFEST_PATH
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_dev.site.project import Project

_PACKAGE = Path(__file__).resolve().parents[1]
_ELEVENTY = (".eleventy.js", *(f"eleventy.config.{kind}" for kind in ("js", "mjs", "cjs")))
_CONFIGURES = re.compile(
    r"(?:export\s+default|module\.exports\s*=)\s*(?:async\s+)?"
    r"(?:function\s*\w*\s*\(\s*(\w+)\s*\)|\(?\s*(\w+)\s*\)?\s*=>)\s*\{"
)
"""The beginning of the function in which Eleventy is configured."""
_TITLE = re.compile(r"<title[^>]*>([^<]{0,1000})</title", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; `before` is None for a new file."""

    name: str
    path: Path
    before: bytes | None
    after: bytes


@click.command("init")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Add webagents.md and the tag that announces it to an existing site or project, and "
    "nothing else.",
)
@yes_option
@run_command
def command(console: Console, folder: Path | None, into: Path | None, yes: bool) -> int:
    """Write a small bookshop into DIR (by default this folder) to start from.

    With --into, an existing site gets what it needs instead: a webagents.md, and in each page the
    tag that announces it. In a project of Vite, Eleventy, Django, Flask and others, the file is put
    where their server looks for it. The changes are shown first, and nothing is written before you
    agree.

    \b
    Example:
      webagent-dev init my-shop
      webagent-dev init --into my-site
    """
    if into is None:
        create(folder or Path(), console)
        return 0
    if folder is not None:
        raise UsageError(
            f"`{folder}` and `--into {into}` are two folders - a site is made or added to - "
            f"write `webagent-dev init --into {into}`"
        )
    return 0 if add_to(into, console, yes=yes) else 1


def template() -> Path:
    """Return the folder of the packaged bookshop."""
    packaged = _PACKAGE / "site_template"
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / "site_template"


def create(folder: Path, console: Console) -> None:
    """Write the bookshop into a folder.

    Raises:
        UsageError: A file of that name exists, or the folder cannot be written.
    """
    from webagent_dev.site.tree import saved_files

    source = template()
    names = [name for name, _ in saved_files(source)]
    if taken := next((name for name in names if (folder / name).exists()), None):
        raise UsageError(
            f"`{folder / taken}` exists already - nothing of yours is overwritten - "
            "write `webagent-dev init NEW-FOLDER`, or `init --into` to add to a site of yours"
        )
    try:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, folder / name)
    except OSError as error:
        raise UsageError(
            f"`{folder}` cannot be written - {error.strerror or error} - "
            "write the path of a folder that you may write to"
        ) from None
    console.line(f"{folder}: {len(names)} files of a small bookshop")
    console.line(f"serve it with `webagent-dev serve {folder}`")


def add_to(folder: Path, console: Console, *, yes: bool) -> bool:
    """Add what a site needs, after showing it; return whether that was agreed to.

    Raises:
        UsageError: The folder does not exist, or something cannot be read or written.
    """
    if not folder.is_dir():
        raise UsageError(
            f"`{folder}` is not a folder - `--into` adds to an existing site - "
            f"write its path, or `webagent-dev init {folder}` to make one"
        )
    from webagent_dev.site.project import project_of

    root = folder.resolve()
    project = project_of(root)
    changes = changes_for(root, project, console)
    if not changes:
        console.line(f"{folder}: nothing to add - every page that was found announces a manifest")
        return True
    for change in changes:
        console.write(_shown(change))
    count = "this file" if len(changes) == 1 else f"these {len(changes)} files"
    if not is_agreed(f"Write {count}?", yes=yes):
        console.line(NOTHING_WRITTEN)
        return False
    for change in changes:
        try:
            change.path.parent.mkdir(parents=True, exist_ok=True)
            change.path.write_bytes(change.after)
        except OSError as error:
            raise UsageError(
                f"`{change.path}` cannot be written - {error.strerror or error} - "
                "make it writable, and run this again: it adds what is missing"
            ) from None
    console.line(f"{len(changes)} {'file' if len(changes) == 1 else 'files'} written")
    console.line(_next(folder, project))
    return True


def _next(folder: Path, project: Project | None) -> str:
    """Return what to do after the files are there."""
    by_hand = "write a `## functionName` for each function into"
    if project is None:
        install = f'`pip install "webagent-dev[{BROWSER.name}]"`'
        needs = f", after {install}" if BROWSER.problem else ""
        return (
            f"next: `webagent-dev extract {folder}` drafts tools from its forms and scripts{needs}, "
            f"or {by_hand} {MANIFEST_NAME}"
        )
    return (
        f"next: {by_hand} {printable(project.manifest)} - `webagent-dev serve -- "
        f"{printable(project.server)}`, typed in {printable(str(folder.resolve()))}, starts "
        f"{project.framework}'s own server and adds the agent to its pages"
    )


def changes_for(root: Path, project: Project | None, console: Console) -> list[Change]:
    """Return what a site lacks, and write which pages are left alone.

    Args:
        root: Its folder, a real path.
        project: The project that it is; None for plain files.
        console: Where this is written.

    Raises:
        UsageError: A page cannot be read.
    """
    from webagent.discovery import announced_in_html
    from webagent.site import meta_tag
    from webagent_dev.site.tree import is_html, site_files
    from webagent_site.http.html_head import is_document, text_of, with_lines

    pages = [
        (name, path, _read(path))
        for name, path in site_files(root)
        if (is_html(name) and not (project and project.is_output(name)))
        or (project and project.is_template(name))
    ]
    manifest = project.manifest if project else MANIFEST_NAME
    url_path = project.url_path if project else MANIFEST_PATH
    changes = []
    if not (root / manifest).exists():
        if project and (root / MANIFEST_NAME).exists():
            console.line(
                f"{MANIFEST_NAME}: {project.framework} does not publish it from here - move it to "
                f"{printable(manifest)}"
            )
        else:
            changes.append(Change(manifest, root / manifest, None, _draft(root, pages)))
            if project and project.missing:
                console.line(f"{printable(manifest)}: {project.missing}, so that it is published")
    if project and project.framework == "Eleventy":
        changes += _passthrough(root, console)
    seen: set[Path] = set()
    documents = 0
    for name, path, page in pages:
        if path in seen:
            continue
        seen.add(path)
        if announced_in_html(text_of(page)):
            documents += 1
        elif is_document(page):
            documents += 1
            changes.append(Change(name, path, page, with_lines(page, [meta_tag(url_path)])))
        else:
            console.line(f"{printable(name)}: left as it is, since it is a part of a page")
    if not documents:
        console.line(
            f"no page was found - write `{meta_tag(url_path)}` into the head of those that "
            "scripts or templates make"
        )
    return changes


def _passthrough(root: Path, console: Console) -> list[Change]:
    """Return the change of Eleventy's configuration that has the manifest copied, not rendered."""
    calls = f'.addPassthroughCopy("{MANIFEST_NAME}");', f'.ignores.add("{MANIFEST_NAME}");'
    path = next((path for name in _ELEVENTY if (path := root / name).is_file()), None)
    if path is None:
        lines = "".join(f"  eleventyConfig{call}\n" for call in calls)
        text = f"export default function (eleventyConfig) {{\n{lines}}}\n"
        return [Change("eleventy.config.mjs", root / "eleventy.config.mjs", None, text.encode())]
    before = _read(path)
    if MANIFEST_NAME.encode() in before:
        return []
    if (start := _CONFIGURES.search(before.decode("utf-8", "replace"))) is None:
        console.line(
            f"{path.name}: write `eleventyConfig{calls[0]}` and `eleventyConfig{calls[1]}` into its "
            "function, so that the manifest is published as it is"
        )
        return []
    head = before.decode("utf-8", "replace")[: start.end()].encode()
    end = "\r\n" if b"\r\n" in before else "\n"
    lines = "".join(f"{end}  {start[1] or start[2]}{call}" for call in calls)
    return [Change(path.name, path, before, head + lines.encode() + before[len(head) :])]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be read - {error.strerror or error} - make it readable"
        ) from None


def _draft(root: Path, pages: list[tuple[str, Path, bytes]]) -> bytes:
    """Return a manifest with the name and the description that the first page has."""
    from webagent.html_tags import start_tags
    from webagent.serializer import to_markdown
    from webagent.site import build_manifest

    first = next((page for name, _, page in pages if name == "index.html"), b"")
    text = first.decode(_codec(first), "replace")
    title = _TITLE.search(text)
    # A title that a template fills in is not one yet.
    name = " ".join(unescape(title[1]).split()) if title and "{" not in title[1] else ""
    described = (
        tag.attributes.get("content", "")
        for tag in start_tags(text)
        if tag.name == "meta" and tag.attributes.get("name", "").lower() == "description"
    )
    description = " ".join(next(described, "").split())
    return to_markdown(build_manifest(name or root.name or "Site", description)).encode()


def _codec(page: bytes) -> str:
    from webagent_site.http.html_inject import declared_encoding
    from webagent_site.http.paths import is_utf8

    # A page that names no encoding and is not UTF-8 is read as Western browsers read it.
    label = declared_encoding(page) or ("utf-8" if is_utf8(page, whole=True) else "windows-1252")
    try:
        "".encode(label)
    except LookupError:
        return "utf-8"
    return label


def _shown(change: Change) -> str:
    if change.before is None:
        text = change.after.decode()
        rows = "".join(f"+{line}\n" for line in text.splitlines())
        return f"--- {change.name}\n+++ {change.name} (new)\n{rows}"
    codec = _codec(change.before)
    before, after = (side.decode(codec, "replace") for side in (change.before, change.after))
    return unified_diff(before, after, change.name, label="announced")
