"""The manifests that commands read: files, folders, URLs or standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.site.project import manifest_of, unpublished_manifest
from webagent_site.config.urls import MANIFEST_NAME, is_address
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent.types import Manifest

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of a manifest, and a name for it."""

    name: str
    data: bytes
    path: Path | None = None
    """The file that it was read from; None if it came from elsewhere."""


def read_documents(targets: Sequence[str]) -> list[Document]:
    """Return the manifest of each target, by default of this folder.

    Raises:
        UsageError: A target cannot be read, or two targets are standard input.
    """
    if targets.count(STDIN) > 1:
        raise UsageError(
            "`-` is given twice - standard input can be read only once - leave one out"
        )
    return [read_document(target) for target in targets or ["."]]


def read_document(target: str) -> Document:
    """Return the manifest at a path, in a folder, at a URL, or (`-`) on standard input.

    Raises:
        UsageError: It cannot be read.
    """
    if target == STDIN:
        return Document("<stdin>", sys.stdin.buffer.read())
    if is_address(target):
        return _fetch(target)
    path = Path(target)
    is_folder = False
    try:
        if is_folder := path.is_dir():
            path = manifest_of(path)
        return Document(path.as_posix(), path.read_bytes(), path)
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        why = "there is no such file" if missing else getattr(error, "strerror", None) or str(error)
        if is_folder and missing and (place := unpublished_manifest(path.parent.resolve())):
            raise UsageError(f"`{path}` cannot be read - {why} - {place}") from None
        raise UsageError(
            f"`{path}` cannot be read - {why} - write the path of a `{MANIFEST_NAME}`, or of the "
            "folder it is in"
        ) from None


def read_manifest(target: str) -> Manifest:
    """Return the manifest of a target; report on standard error if it has errors.

    Raises:
        UsageError: It cannot be read.
    """
    from webagent.checks import check_bytes

    document = read_document(target)
    report = check_bytes(document.data, path=document.name)
    if errors := sum(finding.severity == "error" for finding in report.findings):
        count = "an error" if errors == 1 else f"{errors} errors"
        click.echo(
            f"{document.name}: {count} - what is wrong there may be missing here, or `unknown` - "
            "`webagent-dev check` shows the errors",
            err=True,
        )
    return report.manifest


def _fetch(url: str) -> Document:
    """Return the manifest at a URL, or that of the page there."""
    import asyncio

    from webagent.discovery import CONVENTIONS, NAME, discover_manifest_url, fetch_text
    from webagent.errors import DiscoveryError, NotAManifest

    async def find() -> Document:
        try:
            return Document(url, (await fetch_text(url)).encode("utf-8"))
        except NotAManifest:
            address = await discover_manifest_url(url)
            if address is None and url.lower().endswith(".md"):
                raise
            if address is None:
                raise UsageError(
                    f"`{url}` has no manifest - the page announces none, and there is none at "
                    f"{' or '.join(f'`{path}`' for path in CONVENTIONS)} - publish one and announce it "
                    f'with `<meta name="{NAME}" content="/{MANIFEST_NAME}">`; '
                    f"`webagent-dev extract {url}` drafts it"
                ) from None
            return Document(address, (await fetch_text(address)).encode("utf-8"))

    try:
        return asyncio.run(find())
    except ImportError:
        raise UsageError(
            f"`{url}` cannot be fetched - that needs httpx, which is not installed - "
            'run `pip install "webagent-core[http]"`'
        ) from None
    except DiscoveryError as error:
        raise UsageError(str(error)) from None
