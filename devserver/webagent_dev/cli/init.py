"""`webagent-dev init`: a site to start from, or what a site that is there needs."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import click

from webagent.discovery import announced_in_html
from webagent.html_tags import start_tags
from webagent.serializer import to_markdown
from webagent.site import build_manifest, meta_tag
from webagent_dev.cli.diff import difference
from webagent_dev.config.urls import MANIFEST_NAME
from webagent_dev.errors import UsageError
from webagent_dev.http.html_head import is_document, text_of, with_lines
from webagent_dev.http.html_inject import declared_encoding
from webagent_dev.http.paths import is_utf8
from webagent_dev.site.tree import is_html, saved_files, site_files
from webagent_dev.terminal import Console, printable

_PACKAGE = Path(__file__).resolve().parents[1]
_TITLE = re.compile(r"<title[^>]*>([^<]{0,1000})</title", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None before if it is new."""

    name: str
    path: Path
    before: bytes | None
    after: bytes


def template() -> Path:
    """Return the folder of the packaged bookshop."""
    packaged = _PACKAGE / "site_template"
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / "site_template"


def create(folder: Path, console: Console) -> int:
    """Write the bookshop into a folder; return the exit code, 0.

    Raises:
        UsageError: A file of that name is there already, or nothing can be written.
    """
    source = template()
    names = [name for name, _ in saved_files(source)]
    if taken := next((name for name in names if (folder / name).exists()), None):
        raise UsageError(
            f"`{folder / taken}` is there already - nothing of yours is overwritten - "
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
    return 0


def into(folder: Path, console: Console, *, yes: bool, beside: Path | None = None) -> int:
    """Add what a site needs, after showing it; return 1 if nothing was written for want of a yes.

    Args:
        folder: The site.
        console: Where to write.
        yes: Whether to write without asking.
        beside: A folder that was given too.

    Raises:
        UsageError: Two folders are given, this is none, or something cannot be read or written.
    """
    if beside is not None:
        raise UsageError(
            f"`{beside}` and `--into {folder}` are two folders - a site is made or added to - "
            f"write `webagent-dev init --into {folder}`"
        )
    if not folder.is_dir():
        raise UsageError(
            f"`{folder}` is no folder - `--into` adds to a site that is there - "
            f"write its path, or `webagent-dev init {folder}` to make one"
        )
    root = folder.resolve()
    changes = changes_for(root, console)
    if not changes:
        console.line(f"{folder}: every page announces a manifest - nothing to add")
        return 0
    for change in changes:
        console.write(_shown(change))
    if not (yes or _agreed(console, len(changes))):
        console.line("nothing was written - `--yes` writes without asking")
        return 1
    for change in changes:
        try:
            change.path.write_bytes(change.after)
        except OSError as error:
            raise UsageError(
                f"`{change.path}` cannot be written - {error.strerror or error} - "
                "make it writable, and run this again: it adds what is missing"
            ) from None
    console.line(f"{len(changes)} {'file' if len(changes) == 1 else 'files'} written")
    console.line(
        f"next: `webagent-dev extract {folder}` drafts tools from its forms and scripts, or write "
        f"a `## functionName` for each function into {MANIFEST_NAME}"
    )
    return 0


def changes_for(root: Path, console: Console) -> list[Change]:
    """Return what a site lacks, saying what is left alone.

    Raises:
        UsageError: A page cannot be read.
    """
    pages = [(name, path, _read(path)) for name, path in site_files(root) if is_html(name)]
    changes = []
    if not (root / MANIFEST_NAME).exists():
        changes.append(Change(MANIFEST_NAME, root / MANIFEST_NAME, None, _draft(root, pages)))
    seen: set[Path] = set()
    for name, path, page in pages:
        if path in seen or announced_in_html(text_of(page)):
            continue
        seen.add(path)
        if is_document(page):
            changes.append(Change(name, path, page, with_lines(page, [meta_tag()])))
        else:
            console.line(f"{printable(name)}: left as it is, since it is a part of a page")
    return changes


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be read - {error.strerror or error} - make it readable"
        ) from None


def _draft(root: Path, pages: list[tuple[str, Path, bytes]]) -> bytes:
    """Return a manifest with the words that the first page has for the site."""
    first = next((page for name, _, page in pages if name == "index.html"), b"")
    text = first.decode(_codec(first), "replace")
    title = _TITLE.search(text)
    name = " ".join(unescape(title[1]).split()) if title else ""
    described = (
        tag.attributes.get("content", "")
        for tag in start_tags(text)
        if tag.name == "meta" and tag.attributes.get("name", "").lower() == "description"
    )
    description = " ".join(next(described, "").split())
    return to_markdown(build_manifest(name or root.name or "Site", description)).encode()


def _codec(page: bytes) -> str:
    # Without a word on it, what is no UTF-8 is read as browsers of the West read it.
    label = declared_encoding(page) or ("utf-8" if is_utf8(page) else "windows-1252")
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
    return difference(before, after, change.name, what="announced")


def _agreed(console: Console, files: int) -> bool:
    if not sys.stdin.isatty():
        return False
    count = "this file" if files == 1 else f"these {files} files"
    return click.confirm(f"Write {count}?", default=False)
