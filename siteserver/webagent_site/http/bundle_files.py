"""The files of a page bundle: each is stored once, and sent in the coding that a client prefers."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from webagent_site.config.folders import state_folder
from webagent_site.http.compression import compressors, smaller, unpacked
from webagent_site.http.file_response import IDENTITY, choose
from webagent_site.http.paths import Kind, locate

INDEX = "bundle.json"
"""Name of the index of a bundle."""

SUFFIXES = {"zstd": ".zst", "br": ".br", "gzip": ".gz"}
"""The suffix of a copy by its coding, best first: browsers decompress zstd faster than brotli."""

STORED = "zstd"
"""The coding of a file that is stored compressed. Chromium accepts it from servers of its own machine
and over HTTPS, so such a file is sent as it is stored."""

_UNUSED_S = 30 * 86_400
"""The age at which a copy in the state folder that this bundle does not need is removed."""

_State = tuple[int, int, int]
"""Time, size and inode: they change with each version of a file."""


class BundleFiles:
    """The files of a bundle.

    A file is stored under its own name, or compressed, under its name with the suffix of `STORED`.
    The index has the digests of both forms. A copy is used only if it has its digest, and if a file
    of its name is there, only if that one has its digest too. They do not after one of them was edited,
    or was copied only in part.

    Copies in other codings are made when they are first asked for. They are kept in the state folder;
    where that cannot be written, in memory.
    """

    def __init__(self, bundle: Path, copies: Path | None = None) -> None:
        """Read a bundle.

        Args:
            bundle: Its folder.
            copies: The folder for copies in other codings; by default in the state folder.
        """
        self._bundle = bundle.resolve()
        self._copies = copies or state_folder() / "copies"
        self._read: tuple[_State | None, Mapping[str, Mapping[str, str]]] = (None, {})
        self._digests: dict[Path, tuple[_State, str]] = {}
        self._made: dict[tuple[str, str], bytes | None] = {}
        """By digest of the file, and coding: copies that could not be written, None if not worth it."""
        self._making: defaultdict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)

    def names(self) -> list[str]:
        """Return the names of all files, the index included, as paths with `/`."""
        found = {
            path.relative_to(self._bundle).as_posix()
            for path in self._bundle.rglob("*")
            if path.is_file() and path.suffix not in SUFFIXES.values()
        }
        return sorted(found | {name for name in self._index() if name in self})

    def __contains__(self, name: str) -> bool:
        """Whether there is a file of a name, in whatever form."""
        return self._original(name) is not None or self.path(name, STORED) is not None

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            OSError: There is none, or it cannot be read.
        """
        source = self._identity(name)
        return source if isinstance(source, bytes) else source.read_bytes()

    def codings(self, name: str) -> list[str]:
        """Return the codings in which a file can be sent, best first; none for a file that was edited."""
        digest = self._digest_of(name)
        if digest is None:
            return []
        return [coding for coding in SUFFIXES if self._made.get((digest, coding), b"") is not None]

    def path(self, name: str, coding: str) -> Path | None:
        """Return the path of a copy in the bundle, None if it does not exist or has another digest."""
        digest = self._index().get(name, {}).get(coding)
        copy = self._bundle / (name + SUFFIXES[coding])
        if digest is None or self._digest_of(name) is None or self._digest(copy) != digest:
            return None
        return copy

    def encoded(self, name: str, coding: str) -> Path | bytes | None:
        """Return a copy, or where it is: in the bundle, in the state folder, or else made now.

        Returns:
            None if it would not be smaller, or the bundle is damaged there.

        Raises:
            OSError: The file cannot be read.
        """
        if (copy := self.path(name, coding)) is not None:
            return copy
        digest = self._digest_of(name)
        if digest is None or coding in self._index()[name]:
            return None
        key = (digest, coding)
        with self._making[key]:
            if (kept := self._kept(digest, coding)) is not None:
                return kept
            if key not in self._made:
                content = self.read(name)
                # Copies are kept for all bundles of this machine; a wrong index spoils only its own.
                if hashlib.sha256(content).hexdigest() != digest:
                    return None
                packed = smaller(content, compressors()[SUFFIXES[coding]])
                if packed is not None and (written := self._keep(digest, coding, packed)):
                    return written
                self._made[key] = packed
            return self._made[key]

    def chosen(self, name: str, accept_encoding: str) -> tuple[str, Path | bytes] | None:
        """Return the coding to send to a client, and the content or where it is.

        Returns:
            None if the client accepts nothing that can be sent.

        Raises:
            OSError: There is no such file, or it cannot be read.
        """
        offered = self.codings(name)
        while (coding := choose(accept_encoding, offered)) in SUFFIXES:
            if (copy := self.encoded(name, coding)) is not None:
                return coding, copy
            offered.remove(coding)
        return None if coding is None else (coding, self._identity(name))

    def _identity(self, name: str) -> Path | bytes:
        if (original := self._original(name)) is not None:
            return original
        if (copy := self.path(name, STORED)) is not None:
            return unpacked(copy.read_bytes())
        raise FileNotFoundError(f"`{name}` is not in {self._bundle}")

    def _original(self, name: str) -> Path | None:
        located = locate(self._bundle, f"/{name}")
        return located.path if located.kind is Kind.FILE else None

    def _digest_of(self, name: str) -> str | None:
        """Return the digest that a file has in the index, None if it is another file now."""
        digest = self._index().get(name, {}).get(IDENTITY)
        original = self._original(name)
        return digest if original is None or self._digest(original) == digest else None

    def _kept(self, digest: str, coding: str) -> Path | None:
        """Return a copy in the state folder; its name has the digest of its bytes, too."""
        for path in self._copies.glob(f"{digest[:32]}-*{SUFFIXES[coding]}"):
            if (own := self._digest(path)) and path.name == _copy_name(digest, own, coding):
                return path
        return None

    def _keep(self, digest: str, coding: str, packed: bytes) -> Path | None:
        """Write a copy to the state folder; return None if that is not possible."""
        own = hashlib.sha256(packed).hexdigest()
        path = self._copies / _copy_name(digest, own, coding)
        making = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            self._copies.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._remove_unused()
            making.write_bytes(packed)
            making.replace(path)
        except OSError:
            with suppress(OSError):
                making.unlink(missing_ok=True)
            return None
        return path

    def _remove_unused(self) -> None:
        """Remove old copies of other bundles, and what a process that was killed has left."""
        needed = {digests.get(IDENTITY, "")[:32] for digests in self._index().values()}
        for path in self._copies.iterdir():
            is_needed = path.name.partition("-")[0] in needed and path.suffix in SUFFIXES.values()
            if not is_needed and path.stat().st_mtime < time.time() - _UNUSED_S:
                path.unlink()

    def _index(self) -> Mapping[str, Mapping[str, str]]:
        """Return the digests of each file and its copies; read again after a build."""
        path = self._bundle / INDEX
        try:
            state = _state(path)
            if state != self._read[0]:
                named = json.loads(path.read_text("utf-8")).get("variants", {})
                self._read = state, {name: dict(digests) for name, digests in named.items()}
                self._made.clear()
        except (OSError, ValueError, AttributeError, TypeError):
            self._read = None, {}
        return self._read[1]

    def _digest(self, path: Path) -> str | None:
        """Return the SHA-256 of a file, computed once for each version of it."""
        try:
            state = _state(path)
            known = self._digests.get(path)
            if known is None or known[0] != state:
                with path.open("rb") as file:
                    known = state, hashlib.file_digest(file, "sha256").hexdigest()
                self._digests[path] = known
        except OSError:
            return None
        return known[1]


def _copy_name(digest: str, own: str, coding: str) -> str:
    return f"{digest[:32]}-{own[:32]}{SUFFIXES[coding]}"


def _state(path: Path) -> _State:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


def integrity(content: bytes) -> str:
    """Return the hash of a file as `integrity` attributes have it."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode()
