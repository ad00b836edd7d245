"""What a command is given: files, folders, addresses or standard input, and how it is read."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.config.urls import MANIFEST_NAME, is_address
from webagent_dev.errors import UsageError

if TYPE_CHECKING:
    from webagent.types import Manifest

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of a manifest, and what to call it."""

    name: str
    data: bytes
    path: Path | None = None
    """The file it was read from; None if it came from elsewhere."""


def read_documents(targets: Sequence[str]) -> list[Document]:
    """Return what stands at each target, by default in this folder.

    Raises:
        UsageError: Something cannot be read, or two are standard input.
    """
    if targets.count(STDIN) > 1:
        raise UsageError("`-` is given twice - standard input can be read once - leave one out")
    return [read_document(target) for target in targets or ["."]]


def read_document(target: str) -> Document:
    """Return what stands at a path, in a folder, at an address, or (`-`) on standard input.

    Raises:
        UsageError: It cannot be read.
    """
    if target == STDIN:
        return Document("<stdin>", sys.stdin.buffer.read())
    if is_address(target):
        return _fetch(target)
    path = Path(target)
    try:
        if path.is_dir():
            path /= MANIFEST_NAME
        return Document(path.as_posix(), path.read_bytes(), path)
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        why = "there is no such file" if missing else getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"`{path}` cannot be read - {why} - write the path of a `{MANIFEST_NAME}`, or of the "
            "folder it is in"
        ) from None


def read_manifest(target: str) -> Manifest:
    """Return the manifest at a target; say on standard error if something of it cannot be right.

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
            "`webagent-dev check` shows where",
            err=True,
        )
    return report.manifest


def _fetch(url: str) -> Document:
    """Return the manifest at an address, or the one of the page there."""
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
                    f"`{url}` has no manifest - the page announces none, and its site has none at "
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
