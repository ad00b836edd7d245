"""The page bundle under a name that changes with its content, so that it may be kept for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath

from webagent_site.http.bundle_files import INDEX, SUFFIXES, BundleFiles, integrity

FOLDER = "webagent"
"""Where in a site the bundle is put."""
TAGGED = ("global.js", "modelcontext.js", "webagent.js")
"""The files that the tags of a page name."""
_UNUSED = frozenset(
    (
        *(INDEX, "compiler.txt", "dev.js", "logs.js"),
        *("inspector.css", "inspector.html", "inspector.js"),
        *("playground.html", "playground.js", "examples"),
    )
)


@dataclass(frozen=True, slots=True)
class PublishedBundle:
    """A bundle inside a site."""

    folder: str
    """Its path in the site, ending in a slash: `webagent/0123456789abcdef/`."""
    integrity: Mapping[str, str]
    """Of each file by its path in the site, as `integrity` attributes have it."""
    copies: frozenset[str] = frozenset()
    """The ones of these that are compressed copies of others."""

    def integrity_of(self, name: str) -> str:
        """Return that of a file by its path in the bundle."""
        return self.integrity[self.folder + name]


def publish(bundle: Path, out: Path) -> PublishedBundle:
    """Write the files of a bundle into the folder of a site, with compressed copies of them.

    Raises:
        OSError: A file cannot be read or written.
    """
    files = BundleFiles(bundle)
    originals = [name for name in files.names() if is_published(name)]
    contents: dict[str, bytes] = {name: files.read(name) for name in originals}
    wanted = [(name, coding) for name in originals for coding in files.codings(name)]
    with ThreadPoolExecutor() as pool:
        # Made by the first build; later ones find them in the state folder.
        made = pool.map(lambda each: files.encoded(*each), wanted)
        for (name, coding), copy in zip(wanted, made, strict=True):
            if copy is not None:
                content = copy.read_bytes() if isinstance(copy, Path) else copy
                contents[name + SUFFIXES[coding]] = content
    digest = hashlib.sha256()
    hashes = {name: integrity(contents[name]) for name in sorted(contents)}
    for name, value in hashes.items():
        digest.update(f"{name}\0{value}\0".encode())
    folder = f"{FOLDER}/{digest.hexdigest()[:16]}/"
    for name, content in contents.items():
        target = out / folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return PublishedBundle(
        folder,
        {folder + name: value for name, value in hashes.items()},
        frozenset(folder + name for name in contents.keys() - originals),
    )


def served(files: BundleFiles) -> PublishedBundle:
    """Return a bundle that is served from its own folder, without another copy of it.

    Its address comes from its index, which has the digest of each file, so that every process with
    the same bundle has the same address.

    Raises:
        OSError: A file cannot be read.
    """
    folder = f"{FOLDER}/{hashlib.sha256(files.read(INDEX)).hexdigest()[:16]}/"
    return PublishedBundle(
        folder, {folder + name: integrity(files.read(name)) for name in TAGGED if name in files}
    )


def is_published(name: str) -> bool:
    """Whether a published site has a file of the bundle; the others are for development."""
    return _UNUSED.isdisjoint(PurePath(name).parts)
