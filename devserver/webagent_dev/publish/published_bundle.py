"""The page bundle under a name that changes with its content, so that it may be kept for ever."""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webagent_dev.http.file_response import INDEX, SUFFIXES, Variants

FOLDER = "webagent"
"""Where in a site the bundle is put."""
_UNUSED = frozenset(
    (INDEX, "compiler.txt", "dev.js", "logs.js", "inspector.css", "inspector.html", "inspector.js")
)


@dataclass(frozen=True, slots=True)
class PublishedBundle:
    """A bundle inside a site."""

    folder: str
    """Its path in the site, ending in a slash: `webagent/0123456789abcdef/`."""
    integrity: Mapping[str, str]
    """Of each file by its path in the site, as `integrity` attributes have it."""
    copies: frozenset[str] = frozenset()
    """Which of these are smaller copies of others."""

    def integrity_of(self, name: str) -> str:
        """Return that of a file by its path in the bundle."""
        return self.integrity[self.folder + name]


def publish(bundle: Path, out: Path) -> PublishedBundle:
    """Copy a bundle into the folder of a site, with the smaller copies of its files.

    Raises:
        OSError: A file cannot be read or written.
    """
    originals = [
        path.relative_to(bundle).as_posix()
        for path in bundle.rglob("*")
        if path.is_file() and path.name not in _UNUSED and path.suffix not in SUFFIXES.values()
    ]
    variants = Variants(bundle)
    copies = {
        name + SUFFIXES[coding]
        for name in originals
        for coding in variants.codings(name)
        if variants.path(name, coding)
    }
    names = sorted([*originals, *copies])
    digest = hashlib.sha256()
    hashes = {}
    for name in names:
        content = (bundle / name).read_bytes()
        hashes[name] = integrity(content)
        digest.update(f"{name}\0{hashes[name]}\0".encode())
    folder = f"{FOLDER}/{digest.hexdigest()[:16]}/"
    for name in names:
        target = out / folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle / name, target)
    return PublishedBundle(
        folder,
        {folder + name: value for name, value in hashes.items()},
        frozenset(folder + name for name in copies),
    )


def integrity(content: bytes) -> str:
    """Return the hash of a file as `integrity` attributes have it."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode()
